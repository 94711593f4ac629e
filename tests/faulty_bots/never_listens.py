"""Runs, and never serves."""

import time

time.sleep(600)
