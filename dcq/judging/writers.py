"""Who wrote variants, in words."""

from __future__ import annotations

from dcq.records import IMPORTED


def writer_words(origin: str) -> str:
    """A writer, as ``dcq.store.variants.writers`` returns it, in words."""
    words = {
        "bundled": "those that came with the data",
        "offline": "by the offline generator",
        "offline-character": "misspelt by the offline generator",
        "offline-order": "put in another order by the offline generator",
        "": "of unknown origin",
        "person": "by hand",
    }
    if origin.startswith(IMPORTED):
        return f"imported from {origin.removeprefix(IMPORTED)}"
    return words.get(origin, f"by {origin.removeprefix('model:')}")
