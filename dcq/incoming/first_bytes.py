"""What a file is by its first bytes, where its name says something else.

Downloads leave other things under the name of a data file: a pointer in place of the data, a page
that asks to log in, an archive, a workbook that somebody renamed.
"""

from __future__ import annotations

import re
from typing import NamedTuple

HEAD = 4096  # bytes that are enough to tell
_CSV_FIX = 'open it in the spreadsheet program and save it as "CSV UTF-8"'
_UNPACK = "unpack it and name the file in it"


class Kind(NamedTuple):
    """``what`` a file is, such as ``a pointer of Git LFS``, and the ``fix``, a clause."""

    what: str
    fix: str


_POINTERS = (
    (
        re.compile(rb"version https://(?:git-lfs\.github\.com|hawser\.github\.com)/spec/"),
        Kind("a pointer of Git LFS, not the data", "fetch the data with: git lfs pull"),
    ),
    (
        re.compile(rb"(?:\.\./|/)*(?:\.git/)?annex/objects/\S+\s*\Z"),
        Kind("a pointer of git-annex, not the data", "fetch the data with: git annex get"),
    ),
)
# Formats that are no text, by marks that no text begins with.
_CLOSED = (
    (b"PK\3\4", Kind("a zip archive or an Excel workbook", f"{_UNPACK}, or {_CSV_FIX}")),
    (b"PK\5\6", Kind("an empty zip archive", "write it again")),
    (b"\xd0\xcf\x11\xe0", Kind("an old Excel or Word document", _CSV_FIX)),
    (b"7z\xbc\xaf", Kind("a 7z archive", _UNPACK)),
    (b"Rar!\x1a", Kind("a rar archive", _UNPACK)),
    (b"%PDF-", Kind("a PDF", "give its texts in a csv or jsonl file")),
    (b"PARE", Kind("an encrypted parquet file", "write it again without encryption")),
    (b"Obj\x01", Kind("an Avro file", "write it again as jsonl or parquet")),
    (b"SQLite format 3\0", Kind("an SQLite database", "export the table as csv or jsonl")),
)
_PACKED = (
    (b"\x1f\x8b", Kind("packed with gzip", "unpack it with: gunzip")),
    (b"\x28\xb5\x2f\xfd", Kind("packed with zstd", "unpack it with: unzstd")),
    (b"BZh", Kind("packed with bzip2", "unpack it with: bunzip2")),
    (b"\xfd7zXZ\0", Kind("packed with xz", "unpack it with: unxz")),
    (b"PAR1", Kind("a parquet file", "give it a name that ends in .parquet")),
    (b"ARROW1", Kind("an Arrow file", "write it again as parquet")),
)
_PAGE = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head|body)\b", re.IGNORECASE)
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml")


def pointer(head: bytes) -> Kind | None:
    """What a file stands for that begins with ``head`` and has other data's place; else None."""
    return next((kind for mark, kind in _POINTERS if mark.match(head)), None)


def closed_format(head: bytes) -> Kind | None:
    """A format whose texts cannot be read, by ``head``; else None."""
    return next((kind for mark, kind in _CLOSED if head.startswith(mark)), None)


def not_a_table(head: bytes) -> Kind | None:
    """Why a file that begins with ``head`` holds no table in text; None where it may."""
    packed = next((kind for mark, kind in _PACKED if head.startswith(mark)), None)
    found = pointer(head) or closed_format(head) or packed
    if found is None and _PAGE.match(head):
        found = Kind("a web page, not the data", "download the file itself (on GitHub: Raw)")
    if found is None and _XML.match(head):
        found = Kind(
            "an XML document, perhaps the error message of a server", "download the data again"
        )
    return found
