"""Parts of the page on which texts are scored by likelihood."""
