"""The protected benchmarks of this machine: each in a folder beside the store, never in it."""

from __future__ import annotations

import re
from pathlib import Path

from dcq.protect import make
from dcq.protect.commitment import merkle_root
from dcq.protect.secret import Secret
from dcq.store import Store


def root(store: Store) -> Path:
    """The folder that holds them."""
    return store.path.with_suffix(".protected")


def every(store: Store) -> list[Path]:
    """Their folders, the newest first."""
    folders = [path.parent for path in root(store).glob(f"*/{make.SECRET}")]
    return sorted(folders, key=lambda path: (path / make.SECRET).stat().st_mtime, reverse=True)


def place(store: Store, secret: Secret) -> Path:
    """The folder for a new benchmark."""
    name = re.sub(r"[^A-Za-z0-9]+", "-", secret.title).strip("-")[:40] or "benchmark"
    return root(store) / f"{name}-{merkle_root(secret)[:8]}"
