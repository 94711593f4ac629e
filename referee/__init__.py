"""The referee: rules of Moon, matches, the wire to the bots, the bots as processes."""
