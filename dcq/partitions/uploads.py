"""Files uploaded to the app, saved in a folder under generated names."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from dcq import writer
from dcq.errors import InputError, PartitionError
from dcq.incoming.plain_file import open_plain

MOST_IN_ALL = 2_000_000_000  # bytes of all uploads
MOST_OF_ONE = 500_000_000  # bytes of one person, where people share the app
SUFFIXES = ("csv", "tsv", "jsonl", "ndjson", "json", "parquet")  # as ``files.read_file`` reads them
_COUNTED = Lock()


def keep(
    root: Path,
    name: str,
    data: bytes,
    *,
    part: str = "",
    owner: str = "",
    kinds: Sequence[str] = SUFFIXES,
) -> Path:
    """Write ``data`` below ``root``, the folder of all uploads; the same file is saved only once.
    Only letters, digits and hyphens of ``name`` are used, so that it cannot lead elsewhere.
    ``part`` is the folder in ``root`` for files of one purpose. ``owner`` is the uploader, if
    several people share the app: the bytes of each are counted over all parts. ``kinds`` are the
    suffixes that can be read.

    Raises:
        PartitionError: the file has another format, is empty or too large for the room left, or
            the folder cannot be written.

    """
    stem, _, suffix = re.split(r"[/\\]", name)[-1].rpartition(".")
    if suffix.lower() not in kinds:
        raise PartitionError(
            f"This file is not one of the kinds that can be read; give {', '.join(kinds)}."
        )
    if not data:
        raise PartitionError("This file is empty; give one with at least one row.")
    safe = re.sub(r"[^A-Za-z0-9]+", "-", stem).strip("-")[:60] or "file"
    of_owner = f"by-{hashlib.sha256(owner.encode()).hexdigest()[:12]}" if owner else ""
    path = (
        root / part / of_owner / f"{safe}-{hashlib.sha256(data).hexdigest()[:8]}.{suffix.lower()}"
    )
    try:
        with _COUNTED:  # else two uploads at one moment both find room for one
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                _check_room(root, of_owner, len(data))
                writer.write(path, data)
    except PartitionError:
        raise
    except (OSError, InputError) as error:
        raise PartitionError(
            f"The folder {root} cannot be written; make it writable, then upload again."
        ) from error
    return path


def given_name(path: Path) -> str:
    """The name that a file had before its upload, without the suffix that ``keep`` adds; the name
    of any other file unchanged."""
    stem, _, digest = path.stem.rpartition("-")
    if not stem or not re.fullmatch(r"[0-9a-f]{8}", digest):
        return path.name
    with open_plain(path) as file:
        ours = hashlib.file_digest(file, "sha256").hexdigest().startswith(digest)
    return f"{stem}{path.suffix}" if ours else path.name


def listing(root: Path, part: str = "", kinds: Sequence[str] = SUFFIXES) -> list[Path]:
    """The files of one part of ``root``, of all uploaders, newest first."""
    folder = root / part
    paths = [
        path
        for pattern in ("*", "by-*/*")
        for path in folder.glob(pattern)
        if path.is_file() and path.suffix.removeprefix(".") in kinds
    ]
    return sorted(paths, key=lambda path: path.stat().st_mtime, reverse=True)


def _check_room(root: Path, of_owner: str, size: int) -> None:
    files = [path for path in root.rglob("*") if path.is_file()]
    in_all = sum(path.stat().st_size for path in files)
    of_one = sum(path.stat().st_size for path in files if path.parent.name == of_owner)
    for present_size, most, whose in (
        (in_all, MOST_IN_ALL, "All uploads"),
        (of_one, MOST_OF_ONE if of_owner else MOST_IN_ALL, "Your uploads"),
    ):
        if present_size + size > most:
            raise PartitionError(
                f"{whose} would take {(present_size + size) / 1e6:,.0f} MB, and there is room for "
                f"{most / 1e6:,.0f} MB; have old ones deleted from the folder {root.name} beside "
                "the store. Samples that were drawn from them stay."
            )
