"""Who wrote rewordings, in words."""

from __future__ import annotations

from dcq.records import IMPORTED

_WORDS = {
    "bundled": "those that came with the data",
    "offline": "by the offline generator",
    "offline-character": "misspelt by the offline generator",
    "offline-order": "put in another order by the offline generator",
    "": "of unknown origin",
    "person": "by hand",
}


def writer_words(writer: str) -> str:
    """A writer, as ``dcq.store.variants.writers`` returns it, in words after "are"."""
    if writer.startswith(IMPORTED):
        return f"imported from {writer.removeprefix(IMPORTED)}"
    return _WORDS.get(writer, f"by {writer.removeprefix('model:')}")
