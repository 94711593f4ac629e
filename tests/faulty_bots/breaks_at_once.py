"""Ends with a traceback before it does anything else."""

raise RuntimeError("no model file")
