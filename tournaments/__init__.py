"""The league office: schedules, runs, stores, ratings, and the command line."""
