"""What ``readers.py`` has a forked process do; it imports no more than such a process has."""

from __future__ import annotations

import sys

import dcq.incoming.arrow  # noqa: F401  (what decodes a bundle's tables)
from dcq.incoming import child


def read(words: list[str]) -> None:
    """As ``python dcq/incoming/child.py`` with these words."""
    root, module, function, limit, most, *rest = words
    sys.exit(child.main(root, module, function, int(limit), int(most), *rest))
