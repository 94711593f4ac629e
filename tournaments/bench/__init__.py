"""How fast it all is on this machine, and what bounds it."""
