"""Speed and memory, each beside a peer. A package, because pysbd installs one of this name too."""
