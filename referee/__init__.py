"""The referee: rules of Moon, matches, the wire to the bots, the bots as processes."""

__version__ = "0.1.0"
