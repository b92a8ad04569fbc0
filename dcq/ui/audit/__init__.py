"""The Audit page's parts: the file, and what is said of it."""
