"""Values of the rules as messages of moon.v1, and back."""

PROTOCOL = "moon.v1"
"""The protocol of these messages."""
