"""Speed and memory, each beside a peer. A package: some libraries install one of this name."""
