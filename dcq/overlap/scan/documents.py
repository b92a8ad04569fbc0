"""The documents of a file: jsonl, json, csv, parquet, plain text, HTML, WARC and WET.

A record that cannot be read is ``BROKEN`` and the next one follows; where the rest of a file cannot
be read, ``BROKEN`` comes last.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from dcq.errors import PartitionError
from dcq.incoming.json_parts import JsonParts
from dcq.incoming.memory import LIMIT, Budget, json_size
from dcq.overlap.scan.streams import DAMAGED, MOST_RECORD, lines, unpacked

_NAMES = ("id", "url", "uri", "doc_id")  # what records call themselves, the first that is there
_PACKED = (".gz", ".zst", ".zstd")
_CHUNK = 1_000_000  # characters of a plain text read at a time
_BAD_CSV: tuple[type[Exception], ...] = (*DAMAGED, csv.Error, PartitionError)
_BAD_JSON: tuple[type[Exception], ...] = (*DAMAGED, PartitionError)
_BAD_ARCHIVE: tuple[type[Exception], ...] = (*DAMAGED, ValueError)
_LARGE = 2_000_000  # bytes; a smaller record cannot grow to much memory
_TAG, _INSIDE = 250, 60  # bytes that a parser takes for a tag, and for a byte within one
_BUFFER, _BATCH = 1 << 20, 16_000_000  # bytes of parquet that are read and decoded at once


class _Broken(Enum):
    BROKEN = "broken"


BROKEN = _Broken.BROKEN


class Document(NamedTuple):
    """A record's text; ``continues``: it follows the one before in the same document."""

    name: str | None
    text: str
    continues: bool = False


Documents = Iterator[Document | _Broken]


def file_format(path: Path) -> str | None:
    """The format of a file, from its suffix or else its first bytes; None if it is binary or
    damaged. An empty file without a known suffix is text."""
    name = path.name.lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
    by_suffix = _FORMATS.get(Path(name).suffix)
    if by_suffix is not None or path.stat().st_size == 0:
        return by_suffix or "text"
    try:
        with unpacked(path) as stream:
            head = stream.read(4096)
    except DAMAGED:
        return None
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "text"
    if head.startswith(b"WARC/"):
        return "warc"
    return None if b"\0" in head else "text"


def read(path: Path, as_format: str, start: int = 0, end: int | None = None) -> Documents:
    """The documents of ``path``, read in the format that ``file_format`` says. ``start`` and
    ``end`` choose a part of it: the lines that begin between these bytes of an unpacked jsonl file,
    or these row groups of a parquet file; others are read whole."""
    if as_format == "jsonl":
        return _json_lines(path, start, end)
    if as_format == "parquet":
        return _parquet(path, start, end)
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


def _parsed(line: bytes) -> Document | _Broken:
    if len(line) > _LARGE and json_size(line.decode("utf-8", "replace")) > LIMIT:
        return BROKEN
    try:
        return _record(json.loads(line))
    except (ValueError, RecursionError):
        return BROKEN


def _record(value: Any) -> Document | _Broken:
    """A record's ``text``, or all its strings."""
    if isinstance(value, str):
        return Document(None, _without_surrogates(value))
    if not isinstance(value, dict):
        return BROKEN
    text = value.get("text")
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str | int)), None)
    if not isinstance(text, str):
        text = "\n".join(_strings(value))
    return Document(
        None if name is None else _without_surrogates(str(name)), _without_surrogates(text)
    )


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


def _without_surrogates(text: str) -> str:
    """``text`` with a question mark for each half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


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
                    yield _record(value)
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
        yield _record(value)


def _csv(path: Path) -> Documents:
    csv.field_size_limit(MOST_RECORD)
    budget = Budget(path.name)
    try:
        with unpacked(path) as stream:
            separator = "\t" if ".tsv" in path.name.lower() else ","
            rows = csv.reader(budget.watch(_text_lines(stream), separator), delimiter=separator)
            header = [name.strip().lower() for name in next(rows, [])]
            for row in rows:
                budget.renew()  # a row may go over many lines, and is all that is kept
                if row:
                    fields = dict(zip(header, row, strict=False))
                    if "text" not in fields:
                        fields["text"] = "\n".join(row)
                    yield _record(fields)
    except _BAD_CSV:
        yield BROKEN


def _text_lines(stream: BinaryIO) -> Iterator[str]:
    for line in lines(stream):
        if line is None:
            raise csv.Error("a line is too long")
        yield line.decode("utf-8-sig", "replace").replace("\0", "")


def _parquet(path: Path, start: int = 0, end: int | None = None) -> Documents:
    """Read only in a process with a limit on memory (``pool.Scanners``)."""
    import pyarrow as pa  # here, because few files need it
    from pyarrow import parquet

    pa.set_memory_pool(pa.system_memory_pool())  # the others reserve a gigabyte at once
    try:
        with parquet.ParquetFile(path, pre_buffer=False, buffer_size=_BUFFER) as file:
            names = [
                field.name
                for field in file.schema_arrow
                if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
            ]
            chosen = [n for n in names if n == "text" or n in _NAMES] if "text" in names else names
            groups = list(range(start, file.num_row_groups if end is None else end))
            for batch in file.iter_batches(
                _rows_at_once(file.metadata), row_groups=groups, columns=chosen, use_threads=False
            ):
                for row in batch.to_pylist():
                    yield _record(row)
    except (pa.ArrowException, OSError, ValueError, MemoryError):
        yield BROKEN


def _rows_at_once(metadata: Any) -> int:
    """Rows per batch so that one takes about 16 MB, by the sizes that the file declares; at most
    1,000."""
    size = sum(metadata.row_group(n).total_byte_size for n in range(metadata.num_row_groups))
    return max(1, min(1000, int(_BATCH * metadata.num_rows // max(1, size))))


def _head(stream: BinaryIO) -> bytes:
    """The first four bytes, without consuming them."""
    return stream.peek(4)[:4] if isinstance(stream, io.BufferedReader) else b""


def _text(path: Path) -> Documents:
    """One document, in parts."""
    try:
        with unpacked(path) as stream:
            is_utf16 = _head(stream)[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
            coding = "utf-16" if is_utf16 else "utf-8-sig"
            reader = codecs.getreader(coding)(stream, "replace")
            continues = False
            while part := reader.read(_CHUNK, _CHUNK):
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


def _page(data: bytes, name: str | None) -> Document | _Broken:
    """The visible text of a page; ``BROKEN`` if it is empty, too large, too full of tags, or cannot
    be parsed."""
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    if not data or len(data) > MOST_RECORD or (len(data) > _LARGE and _has_too_many_tags(data)):
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


def _warc(path: Path) -> Documents:
    """Pages of a WARC file (responses) and texts of a WET file (conversions), by their address."""
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    warc_record_type = WarcRecordType.response | WarcRecordType.conversion | WarcRecordType.resource
    try:
        with unpacked(path) as stream:
            for record in ArchiveIterator(stream, record_types=warc_record_type, parse_http=True):
                name = record.headers.get("WARC-Target-URI")
                content_type = "text/plain"
                if record.is_http:
                    content_type = record.http_content_type or ""
                # The reader ends where the record says that it does.
                if record.content_length > MOST_RECORD:
                    yield BROKEN
                elif "html" in content_type:
                    yield _page(record.reader.read(), name)
                elif content_type.startswith("text/"):
                    yield Document(name, record.reader.read().decode("utf-8", "replace"))
    except _BAD_ARCHIVE:
        yield BROKEN


_FORMATS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".txt": "text",
    ".md": "text",
    ".html": "html",
    ".htm": "html",
    ".warc": "warc",
    ".wet": "warc",
}
_READERS: dict[str, Callable[[Path], Documents]] = {
    "json": _json,
    "csv": _csv,
    "text": _text,
    "html": _html,
    "warc": _warc,
}


def row_groups(path: Path) -> int:
    """The row groups of a parquet file; 0 if the file is not parquet."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            return int(file.num_row_groups)
    except (pa.ArrowException, OSError, ValueError):
        return 0
