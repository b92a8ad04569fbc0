"""The documents of a file: jsonl, json, csv, parquet, Arrow, plain text, HTML, WARC and WET.

All texts of a record are read. A record that cannot be read is ``BROKEN`` and the next one follows;
where the rest of a file cannot be read, ``BROKEN`` comes last. ``Missed`` says what else was not
read.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from dcq.errors import PartitionError
from dcq.incoming.first_bytes import HEAD, closed_format, pointer
from dcq.incoming.json_parts import JsonParts
from dcq.incoming.memory import LIMIT, Budget, json_size
from dcq.incoming.separated import separation
from dcq.overlap.scan import arrow_files, http_content
from dcq.overlap.scan.records import (
    BROKEN,
    LARGE,
    LONG_NAME,
    Broken,
    Document,
    Documents,
    Missed,
    record,
)
from dcq.overlap.scan.streams import DAMAGED, MOST_RECORD, lines, unpacked

_PACKED = (".gz", ".zst", ".zstd", ".bz2", ".xz", ".lzma")
_HEAD = 1 << 20  # bytes by which an encoding is told
NOT_TEXT = "not a text"  # pictures, sounds and fonts: no text is missed there
NOT_READ = "a kind of file that is not read"
EMPTY = "empty"
DAMAGED_FILE = "damaged"
# How files begin that are no texts, whatever they show.
_MEDIA = (
    b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*", b"\0\0\1\0",
    b"OggS", b"ID3", b"fLaC", b"\xff\xfb", b"\x1aE\xdf\xa3", b"wOFF", b"wOF2", b"\0\1\0\0",
    b"OTTO", b"\x7fELF", b"MZ",
)  # fmt: skip
_CHUNK = 1_000_000  # bytes of a plain text read at a time
_BAD_CSV: tuple[type[Exception], ...] = (*DAMAGED, csv.Error, PartitionError)
_BAD_JSON: tuple[type[Exception], ...] = (*DAMAGED, PartitionError)
_BAD_ARCHIVE: tuple[type[Exception], ...] = (*DAMAGED, ValueError)
_TAG, _INSIDE = 250, 60  # bytes that a parser takes for a tag, and for a byte within one


def file_format(path: Path) -> tuple[str | None, str]:
    """The format of a file, from its suffix or else its first bytes. None, and why, if it is not
    read: also where its first bytes show that it is something else than its suffix says. An empty
    file without a known suffix is text."""
    name = path.name.lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
    by_suffix = _FORMATS.get(Path(name).suffix)
    if path.stat().st_size == 0:
        return by_suffix or "text", ""
    try:
        with unpacked(path) as stream:
            head = stream.read(HEAD)
    except DAMAGED:
        return by_suffix, "" if by_suffix else DAMAGED_FILE  # what stands before may be read
    if kind := pointer(head):
        return None, kind.what
    if closed_format(head):
        return None, NOT_READ
    for mark, form in _MARKS:
        if head.startswith(mark) and (by_suffix is None or mark in _SURE):
            return form, ""
    if by_suffix is not None:
        return by_suffix, ""
    if b"\0" not in head:
        return "text", ""
    is_media = head.startswith(_MEDIA) or head[4:8] == b"ftyp" or head[:4] == b"RIFF"
    return None, NOT_TEXT if is_media else NOT_READ


def read(path: Path, as_format: str, start: int = 0, end: int | None = None) -> Documents:
    """The documents of ``path``, read in the format that ``file_format`` says. ``start`` and
    ``end`` choose a part of it: the lines that begin between these bytes of an unpacked jsonl file,
    or these row groups of a parquet file; others are read whole."""
    if as_format == "jsonl":
        return _json_lines(path, start, end)
    if as_format == "parquet":
        return arrow_files.read_parquet(path, start, end)
    return _READERS[as_format](path)


def _json_lines(path: Path, start: int = 0, end: int | None = None) -> Documents:
    try:
        with unpacked(path) as stream:
            at = start
            if start:
                stream.seek(start - 1)
                at = start - 1 + len(stream.readline())  # the line that begins before is not ours
            for line in lines(stream):
                if end is not None and at >= end:
                    return
                at = stream.tell() if line is None else at + len(line)
                if line is None:
                    yield BROKEN
                elif line.strip():
                    yield _parsed(line)
    except DAMAGED:
        yield BROKEN


def _parsed(line: bytes) -> Document | Broken:
    if len(line) > LARGE and json_size(line.decode("utf-8", "replace")) > LIMIT:
        return BROKEN
    try:
        return record(json.loads(line))
    except (ValueError, RecursionError):
        return BROKEN


def _json(path: Path) -> Documents:
    """A list of records, read one by one; one record; or lines of them."""
    is_list = False
    try:
        with unpacked(path) as stream:
            coding = json.detect_encoding(_head(stream))
            file = io.TextIOWrapper(stream, coding, "surrogatepass")
            parts = JsonParts(file, path.name)
            is_list = parts.peek() == "["
            if is_list:
                for value in parts.items():
                    yield record(value)
                parts.end()
                return
            value = parts.value()
            parts.end()
    except _BAD_JSON:
        yield BROKEN
    except (ValueError, RecursionError):
        if is_list:
            yield BROKEN
            return
        yield from _json_lines(path)
    else:
        yield record(value)


def _csv(path: Path) -> Documents:
    csv.field_size_limit(MOST_RECORD)
    budget = Budget(path.name)
    try:
        coding = _encoding(path)
        with unpacked(path) as stream:
            texts = _text_lines(stream, coding)
            first = next(texts, "")
            separator, declared = separation(first, ".tsv" if ".tsv" in path.name.lower() else "")
            texts = texts if declared else chain([first], texts)
            rows = csv.reader(budget.watch(texts, separator), delimiter=separator)
            header = next(rows, [])
            names = [name.strip().lower() for name in header]
            # Where there is no header, the first row stands in its place.
            before = [name for name in header if len(name) > LONG_NAME]
            for row in rows:
                budget.renew()  # a row may go over many lines, and is all that is kept
                if row:
                    named = record(dict(zip(names, row, strict=False)))
                    name = named.name if isinstance(named, Document) else None
                    yield Document(name, "\n".join([*before, *row]))
                    before = []
            if before:
                yield Document(None, "\n".join(before))
    except _BAD_CSV:
        yield BROKEN


def _text_lines(stream: BinaryIO, coding: str) -> Iterator[str]:
    for line in lines(stream):
        if line is None:
            raise csv.Error("a line is too long")
        yield line.decode(coding, "replace").replace("\0", "")


def _encoding(path: Path) -> str:
    """The encoding of a text: UTF-8, or what its first bytes look like."""
    from resiliparse.parse.encoding import detect_encoding

    with unpacked(path) as stream:
        head = stream.read(_HEAD)
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        coding = detect_encoding(head) or "utf-8-sig"
        with contextlib.suppress(LookupError):
            return codecs.lookup(coding).name
    return "utf-8-sig"


def _head(stream: BinaryIO) -> bytes:
    """The first four bytes, without consuming them."""
    return stream.peek(4)[:4] if isinstance(stream, io.BufferedReader) else b""


def _text(path: Path) -> Documents:
    """One document, in parts."""
    try:
        coding = _encoding(path)
        with unpacked(path) as stream:
            decoder = codecs.getincrementaldecoder(coding)("replace")
            continues = False
            data = b" "
            while data:
                data = stream.read(_CHUNK)
                if part := decoder.decode(data, not data):
                    yield Document(None, part, continues)
                    continues = True
    except DAMAGED:
        yield BROKEN


def _html(path: Path) -> Documents:
    try:
        with unpacked(path) as stream:
            data = stream.read(MOST_RECORD + 1)
    except DAMAGED:
        data = b""
    yield _page(data, None)


def _page(data: bytes, name: str | None) -> Document | Broken:
    """The visible text of a page; ``BROKEN`` if it is empty, too large, too full of tags, or cannot
    be parsed."""
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    if not data or len(data) > MOST_RECORD or (len(data) > LARGE and _has_too_many_tags(data)):
        return BROKEN
    try:
        coding = "utf-8" if _is_utf8(data) else detect_encoding(data) or "utf-8"
        return Document(name, extract_plain_text(bytes_to_str(data, coding)))
    except (ValueError, LookupError, RuntimeError):
        return BROKEN


def _has_too_many_tags(data: bytes) -> bool:
    """Whether a page has so many tags and attributes that parsing it could fill the memory."""
    tags = _TAG * data.count(b"<")
    if tags > LIMIT:
        return True
    inside = sum(match.end() - match.start() for match in re.finditer(rb"<[^<>]*", data))
    return tags + _INSIDE * inside > LIMIT


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _payload(page: Any) -> bytes | None:
    """The content of a record of a WARC file; None if it is too long, cut off, or packed in a way
    that cannot be read."""
    if page.content_length > MOST_RECORD:
        return None
    data: bytes = page.reader.read()
    if len(data) < page.content_length:  # the file ends within
        return None
    headers = page.http_headers if page.is_http else None
    if headers is None:
        return data
    if "chunked" in (headers.get("Transfer-Encoding") or "").lower():
        data = http_content.joined(data)
    # Crawlers that keep the bytes as they came keep them packed; others leave only the header.
    return http_content.unpacked(data, headers.get("Content-Encoding") or "", MOST_RECORD)


def _warc(path: Path) -> Documents:
    """Pages of a WARC file (responses) and texts of a WET file (conversions), by their address."""
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    missed: Counter[str] = Counter()
    warc_record_type = WarcRecordType.response | WarcRecordType.conversion | WarcRecordType.resource
    try:
        with unpacked(path) as stream:
            for page in ArchiveIterator(stream, record_types=warc_record_type, parse_http=True):
                name = page.headers.get("WARC-Target-URI")
                content_type = "text/plain"
                if page.is_http:
                    content_type = page.http_content_type or ""
                if "html" not in content_type and not content_type.startswith(_TEXT_TYPES):
                    if not content_type.startswith(_NO_TEXT_TYPES):
                        missed[f"pages of type {content_type.split(';')[0] or 'unknown'}"] += 1
                    continue
                data = _payload(page)
                if data is None:
                    yield BROKEN
                elif "html" in content_type:
                    yield _page(data, name)
                else:
                    yield Document(name, data.decode("utf-8", "replace"))
    except _BAD_ARCHIVE:
        yield BROKEN
    for what, count in missed.items():
        yield Missed(what, count)


_FORMATS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".jsonlines": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".txt": "text",
    ".md": "text",
    ".html": "html",
    ".htm": "html",
    ".warc": "warc",
    ".wet": "warc",
}
_MARKS = (
    (b"WARC/", "warc"),
    (b"PAR1", "parquet"),
    (b"ARROW1", "arrow"),
    (b"\xff\xff\xff\xff", "arrow"),
)
_SURE = (b"PAR1", b"ARROW1")  # under any name
_TEXT_TYPES = ("text/", "application/json", "application/xml", "application/x-ndjson")
_NO_TEXT_TYPES = ("image/", "audio/", "video/", "font/")
_READERS: dict[str, Callable[[Path], Documents]] = {
    "json": _json,
    "arrow": arrow_files.read_arrow,
    "csv": _csv,
    "text": _text,
    "html": _html,
    "warc": _warc,
}
