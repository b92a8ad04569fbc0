"""Files that a person gave to the app, kept in a folder of ours under names that we make."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from dcq.errors import PartitionError

SUFFIXES = ("csv", "tsv", "jsonl", "json", "parquet")  # as ``files.read_file`` reads them


def keep(folder: Path, name: str, data: bytes) -> Path:
    """Write ``data`` into ``folder``; the same file is kept once. Only letters, digits and hyphens
    of ``name`` survive, so that it cannot lead elsewhere.

    Raises:
        PartitionError: the file is of another kind, empty, or the folder cannot be written.

    """
    stem, _, suffix = re.split(r"[/\\]", name)[-1].rpartition(".")
    if suffix.lower() not in SUFFIXES:
        raise PartitionError(
            f"This file is not one of the kinds that can be read; give {', '.join(SUFFIXES)}."
        )
    if not data:
        raise PartitionError("This file is empty; give one with at least one row.")
    safe = re.sub(r"[^A-Za-z0-9]+", "-", stem).strip("-")[:60] or "file"
    path = folder / f"{safe}-{hashlib.sha256(data).hexdigest()[:8]}.{suffix.lower()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            partial = path.with_suffix(".part")
            partial.write_bytes(data)
            partial.rename(path)  # whole or not at all
    except OSError as error:
        raise PartitionError(
            f"The folder {folder} cannot be written; make it writable, then upload again."
        ) from error
    return path


def listing(folder: Path) -> list[Path]:
    """The files kept in ``folder``, newest first."""
    if not folder.is_dir():
        return []
    kept = [path for path in folder.iterdir() if path.suffix.removeprefix(".") in SUFFIXES]
    return sorted(kept, key=lambda path: path.stat().st_mtime, reverse=True)
