"""Processes that outlive the browser: their start, locks, logs and states."""
