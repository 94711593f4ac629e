"""Bots: what they are, how their processes are started and ended, how they are asked, and timed."""
