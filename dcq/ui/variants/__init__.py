"""The Variants page's parts: the queue, one variant, and how they are written."""
