"""Parts of the page Protect."""
