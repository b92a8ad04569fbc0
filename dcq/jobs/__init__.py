"""Work that outlives the browser: processes, locks, logs, and what each is doing now."""
