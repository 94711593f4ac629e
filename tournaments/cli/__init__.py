"""The `moon` command: one module a command, imported when it is asked for."""
