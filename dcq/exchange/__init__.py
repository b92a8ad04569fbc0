"""Into and out of the store: exports, quiz files, published results."""
