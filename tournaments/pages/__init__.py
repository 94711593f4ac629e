"""Pages for a browser, each one file that needs nothing else: replays, and the report of a run."""
