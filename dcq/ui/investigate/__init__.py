"""Parts of the page Investigate."""
