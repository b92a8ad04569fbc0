"""Parts of the page Overview: the matrix of all pairs, and what this browser remembers of it."""
