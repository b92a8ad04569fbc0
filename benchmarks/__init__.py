"""Speed and memory, each beside a peer. A package, because some libraries install one of this name."""
