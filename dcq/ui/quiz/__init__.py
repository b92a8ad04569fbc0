"""The Quiz page's parts: what is asked on which terms, and the runs as they go."""
