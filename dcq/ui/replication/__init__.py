"""Parts of the page on which models complete instances."""
