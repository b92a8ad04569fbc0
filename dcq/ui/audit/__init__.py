"""Parts of the page Audit: choosing a file, and its analysis."""
