"""A study as a person asks for it: read from a file or a command, planned, run, compared."""
