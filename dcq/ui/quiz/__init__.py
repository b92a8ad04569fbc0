"""Parts of the page Quiz: the form, and the runs with their progress."""
