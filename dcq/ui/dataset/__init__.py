"""The Dataset page's parts: where instances come from, and the samples in the store."""
