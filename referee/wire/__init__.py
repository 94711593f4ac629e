"""Values of the rules as messages of moon.v1, and back."""
