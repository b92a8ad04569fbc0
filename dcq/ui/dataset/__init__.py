"""Parts of the page Dataset: sources of instances, and the samples in the store."""
