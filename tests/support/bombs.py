"""Small files that become huge once they are read, a kind for each reader."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

MANY = 10_000_000  # empty objects: 30 MB of text, over 700 MB in Python
LONG = 700_000_000  # bytes of a line; a packed corpus may unpack to more


def objects(path: Path, before: str, after: str) -> None:
    """JSON with a list of many empty objects between ``before`` and ``after``."""
    with path.open("w", encoding="ascii") as file:
        file.write(f"{before}[")
        for _ in range(10):
            file.write("{}," * (MANY // 10))
        file.write("{}]" + after)


def packed(path: Path, before: bytes, part: bytes, size: int, after: bytes = b"") -> None:
    """``part`` again and again, ``size`` bytes of it, packed by zstd: once, and written often."""
    some = part * (1_000_000 // len(part))
    pack = zstandard.ZstdCompressor().compress
    path.write_bytes(pack(before) + pack(some) * (size // len(some)) + pack(after))


def log(path: Path) -> None:
    """A log of inspect_ai: 0.1 MB that unpack to one sample of many empty objects."""
    sample = b'{"id": 1, "scores": {"a": {"value": 1}}, "store": [' + b"{}," * MANY + b"{}]}"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", '{"eval": {"model": "m"}}')
        archive.writestr("samples/1_epoch_1.json", sample)


_CELL = '<row r="{0}"><c r="{1}{0}" t="inlineStr"><is><t>x</t></is></c></row>'


def members(count: int) -> Callable[[Path], None]:
    """A zip whose list of files has one empty file so many times."""
    return lambda path: _list_many(path, count)


def _list_many(path: Path, count: int) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", b"")
    data = path.read_bytes()
    first, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    line = data[first:end]
    # The last record: how it begins, four numbers of files and disks, how long the list is and
    # where, and no comment. Readers go by the length: the number of files has two bytes only.
    last = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(line) * count, first, 0)
    with path.open("wb") as file:
        file.write(data[:first])
        for _ in range(count // 1000):
            file.write(line * 1000)
        file.write(last)


_STRINGS_TYPE = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def _book(path: Path, rows: str, strings: tuple[bytes, bytes, int, bytes] | None = None) -> None:
    """A book whose sheet has these rows; ``strings``: with a table of shared strings that begins
    so, goes on with so many bytes of the next part, and ends so."""
    from openpyxl import Workbook

    Workbook().save(path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["xl/worksheets/sheet1.xml"] = (
        f'<worksheet xmlns="{_SHEET}"><sheetData>{rows}</sheetData></worksheet>'.encode()
    )
    if strings is not None:
        listed = (
            b'<Override PartName="/xl/sharedStrings.xml" ContentType="%s" /></Types>'
            % _STRINGS_TYPE
        )
        content = parts["[Content_Types].xml"]
        parts["[Content_Types].xml"] = content.replace(b"</Types>", listed)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
        if strings is not None:
            before, part, size, after = strings
            some = part * (1_000_000 // len(part))
            with archive.open("xl/sharedStrings.xml", "w", force_zip64=True) as file:
                file.write(b'<sst xmlns="%s">' % _SHEET.encode() + before)
                for _ in range(size // len(some)):
                    file.write(some)
                file.write(after + b"</sst>")


_SHARED = '<row r="1"><c r="A1" t="s"><v>0</v></c></row>'
_STRINGS = 390_000_000  # bytes of XML, below what a book may unpack to


def shared_cells(path: Path) -> None:
    """A shared string of 1 MB that 10,000 cells refer to."""
    names = "".join(
        f'<c r="{column}1" t="inlineStr"><is><t>{name}</t></is></c>'
        for column, name in zip("ABC", ("instance", "slot", "variant"), strict=True)
    )
    cell = '<row r="{0}"><c r="C{0}" t="s"><v>0</v></c></row>'
    rows = "".join(cell.format(number) for number in range(2, 10_002))
    text = (b"<si><t>", b"some words ", 1_000_000, b"</t></si>")
    _book(path, f'<row r="1">{names}</row>{rows}', text)


def shared_string(path: Path) -> None:
    """A table of shared strings with one of 390 MB."""
    _book(path, _SHARED, (b"<si><t>", b"some words ", _STRINGS, b"</t></si>"))


def shared_strings(path: Path) -> None:
    """A table of 170,000 shared strings, with a character each that makes Python take four bytes
    for all of it."""
    text = b"some words " * 100 + "\U0001f600".encode()
    _book(path, _SHARED, (b"", b"<si><t>%s</t></si>" % text, _STRINGS // 2, b""))


def shared_parts(path: Path) -> None:
    """A table with one shared string, in three million parts."""
    _book(path, _SHARED, (b"<si>", b"<r><t>word</t></r>", 60_000_000, b"</si>"))


def last_column(path: Path) -> None:
    """A sheet with one cell a row, in the last column that there can be."""
    _book(path, "".join(_CELL.format(number, "XFD") for number in range(1, 12_001)))


def parquet(path: Path) -> None:
    """A thousand times one text of 400 kB whose last character makes Python take four bytes."""
    text = pa.array([["a" * 400_000 + "\U0001f600"] * 1000]).flatten()
    pq.write_table(pa.table({"text": text}), path, compression="zstd")


def parquet_page(path: Path) -> None:
    """One text of 600 MB that packs to nearly nothing."""
    size = 600_000_000
    ends = pa.array([0, size], pa.int32()).buffers()[1]
    text = pa.StringArray.from_buffers(1, ends, pa.py_buffer(b"a" * size))
    pq.write_table(pa.table({"text": text}), path, compression="lz4", use_dictionary=False,
                   write_statistics=False)  # fmt: skip


def csv_newlines(path: Path) -> None:
    """A sheet of 50 MB of empty lines."""
    with path.open("wb") as file:
        file.write(b"instance,slot,variant\n" + b"\n" * 49_000_000)


def csv_commas(path: Path) -> None:
    """A sheet with one line of 12 million cells."""
    path.write_bytes(b"instance,slot,variant\n" + b"," * 12_000_000)


def lines(path: Path) -> None:
    """A list of addresses with 90 million empty lines."""
    with path.open("wb") as file:
        for _ in range(90):
            file.write(b"\n" * 1_000_000)


def quoted(path: Path) -> None:
    """A csv with one cell of 700 MB, on many lines."""
    packed(path, b'text\n"', b"some words on a line\n", LONG, b'"\n')


def warc(path: Path) -> None:
    """A web archive with one page of 60 MB of opened tags."""
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + b"<b>" * 20_000_000
    head = (
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://example.org/a\r\n"
        b"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n"
    )
    packed(path, head % len(page) + page, b"\r\n", 4)


def line(before: str) -> Callable[[Path], None]:
    """One line of 700 MB."""
    return lambda path: packed(path, before.encode(), b"some words ", LONG)


def tags(path: Path) -> None:
    """A page of 60 MB of opened tags."""
    packed(path, b"", b"<b>", 60_000_000)


def attributes(path: Path) -> None:
    """A page of 60 MB that is one tag."""
    packed(path, b"<b", b" a", 60_000_000)


def cells(path: Path) -> None:
    """A csv with a row of 60 million cells."""
    packed(path, b"", b",", 60_000_000)


def many_lines(path: Path) -> None:
    """A csv with a row of as many cells, on as many lines."""
    packed(path, b"", b'"\n",', 300_000_000)


def record(path: Path) -> None:
    """A record of 60 MB of empty objects."""
    packed(path, b'{"text": "x", "more": [', b"{},", 60_000_000, b"{}]}\n")


def within(before: str, after: str) -> Callable[[Path], None]:
    """As ``objects``, where a reader looks for something."""
    return lambda path: objects(path, before, after)
