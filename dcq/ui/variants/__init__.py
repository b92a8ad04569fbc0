"""Parts of the page Variants: the queue, one record, and how variants are written."""
