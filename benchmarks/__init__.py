"""Speed and memory, each beside a peer, in one run."""
