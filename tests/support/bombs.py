"""Small files that become huge once they are read, a kind for each reader."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

MANY = 30_000_000  # empty objects: 90 MB of text, over 2 GB in Python
LONG = 1_000_000_000 - 1000  # bytes of a line; a packed corpus may unpack to so much


def objects(path: Path, before: str, after: str) -> None:
    """JSON with a list of many empty objects between ``before`` and ``after``."""
    with path.open("w", encoding="ascii") as file:
        file.write(f"{before}[")
        for _ in range(30):
            file.write("{}," * (MANY // 30))
        file.write("{}]" + after)


def packed(path: Path, before: bytes, part: bytes, size: int, after: bytes = b"") -> None:
    """``part`` again and again, ``size`` bytes of it, packed by zstd."""
    some = part * (1_000_000 // len(part))
    with path.open("wb") as file, zstandard.ZstdCompressor().stream_writer(file) as stream:
        stream.write(before)
        for _ in range(size // len(some)):
            stream.write(some)
        stream.write(after)


def log(path: Path) -> None:
    """A log of inspect_ai: 0.1 MB that unpack to one sample of many empty objects."""
    sample = b'{"id": 1, "scores": {"a": {"value": 1}}, "store": [' + b"{}," * MANY + b"{}]}"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", '{"eval": {"model": "m"}}')
        archive.writestr("samples/1_epoch_1.json", sample)


def log_members(path: Path) -> None:
    """A log of many empty samples."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", '{"eval": {"model": "m"}}')
        for number in range(200_000):
            archive.writestr(f"samples/{number}.json", "{}")


_CELL = '<row r="{0}"><c r="{1}{0}" t="inlineStr"><is><t>x</t></is></c></row>'
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def _book(path: Path, rows: str, strings: str = "") -> None:
    from openpyxl import Workbook

    Workbook().save(path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["xl/worksheets/sheet1.xml"] = (
        f'<worksheet xmlns="{_SHEET}"><sheetData>{rows}</sheetData></worksheet>'.encode()
    )
    if strings:
        parts["xl/sharedStrings.xml"] = f'<sst xmlns="{_SHEET}">{strings}</sst>'.encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)


def last_column(path: Path) -> None:
    """A sheet with one cell a row, in the last column that there can be."""
    _book(path, "".join(_CELL.format(number, "XFD") for number in range(1, 12_001)))


def shared_texts(path: Path) -> None:
    """A sheet whose table of texts has millions of them, which are read before any row."""
    _book(path, _CELL.format(1, "A"), "<si><t>x</t></si>" * 8_000_000)


def parquet(path: Path) -> None:
    """A thousand times one text of 400 kB whose last character makes Python take four bytes."""
    text = pa.array([["a" * 400_000 + "\U0001f600"] * 1000]).flatten()
    pq.write_table(pa.table({"text": text}), path, compression="zstd")


def parquet_page(path: Path) -> None:
    """One text of 900 MB that packs to nearly nothing."""
    text = pa.array([b"a" * 900_000_000]).cast(pa.string())
    pq.write_table(pa.table({"text": text}), path, compression="zstd", use_dictionary=False,
                   write_statistics=False)  # fmt: skip


def csv_newlines(path: Path) -> None:
    """A sheet of 50 MB of empty lines."""
    with path.open("wb") as file:
        file.write(b"instance,slot,variant\n" + b"\n" * 49_000_000)


def csv_commas(path: Path) -> None:
    """A sheet with one line of 49 million cells."""
    with path.open("wb") as file:
        file.write(b"instance,slot,variant\n" + b"," * 49_000_000)


def lines(path: Path) -> None:
    """A list of addresses with 90 million empty lines."""
    with path.open("wb") as file:
        for _ in range(90):
            file.write(b"\n" * 1_000_000)


def quoted(path: Path) -> None:
    """A csv with one cell of a billion bytes, on many lines."""
    packed(path, b'text\n"', b"some words on a line\n", LONG, b'"\n')


def warc(path: Path) -> None:
    """A web archive with one page of 60 MB of opened tags."""
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + b"<b>" * 20_000_000
    head = (
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://example.org/a\r\n"
        b"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n"
    )
    packed(path, head % len(page) + page, b"\r\n", 4)


def _line(path: Path) -> None:
    packed(path, b'{"text": "', b"some words ", LONG, b'"}\n')


def _empties(path: Path) -> None:
    packed(path, b'{"text": "x", "more": [', b"{},", 60_000_000, b"{}]}\n")


RESULTS = "from dcq.overlap.results import read_results"
LABELS = "from dcq.overlap.labels import read_labels"
SHEET = "from dcq.report import variant_sheet"
SCAN = (
    "from dcq.overlap.scan.scan import scan; from dcq.overlap.scan.index import ScanQuery\n"
    "query = ScanQuery('1', 'the flaw in this theory was that some considered it', 'untestable')"
)
BOMBS: dict[str, tuple[str, str, str, Callable[[Path], None]]] = {
    # name: file, imports, what reads it, what writes it
    "log.eval": ("a.eval", RESULTS, "read_results(path)", log),
    "log.eval members": ("a.eval", RESULTS, "read_results(path)", log_members),
    "log.json": (
        "a.json",
        RESULTS,
        "read_results(path)",
        lambda path: objects(
            path,
            '{"eval": {"model": "m"}, "samples": [{"id": 1, "scores": {"a": {"value": 1}}, "x": ',
            "}]}",
        ),
    ),
    "predictions.json": (
        "a.json",
        RESULTS,
        "read_results(path)",
        lambda path: objects(path, '{"mmlu": ', "}"),
    ),
    "details.json": (
        "a.json",
        RESULTS,
        "read_results(path)",
        lambda path: objects(path, '{"details": ', "}"),
    ),
    "labels.json": (
        "a.json",
        LABELS,
        "read_labels(path)",
        lambda path: objects(path, '{"1": ', "}"),
    ),
    "report.json": (
        "a.json",
        LABELS,
        "read_labels(path)",
        lambda path: objects(path, '{"matches": ', "}"),
    ),
    "sheet.xlsx columns": (
        "a.xlsx",
        SHEET,
        "variant_sheet.read(path.read_bytes(), '.xlsx')",
        last_column,
    ),
    "sheet.xlsx texts": (
        "a.xlsx",
        SHEET,
        "variant_sheet.read(path.read_bytes(), '.xlsx')",
        shared_texts,
    ),
    "sheet.csv lines": (
        "a.csv",
        SHEET,
        "variant_sheet.read(path.read_bytes(), '.csv')",
        csv_newlines,
    ),
    "sheet.csv cells": (
        "a.csv",
        SHEET,
        "variant_sheet.read(path.read_bytes(), '.csv')",
        csv_commas,
    ),
    "addresses": (
        "a.txt",
        "from dcq.overlap.domains import read_blocklist",
        "read_blocklist(path)",
        lines,
    ),
    **{
        f"corpus {name}": (name, SCAN, "print(scan([query], [path]).broken)", write)
        for name, write in {
            "line.jsonl.zst": _line,
            "line.json.zst": _line,
            "line.csv.zst": lambda p: packed(p, b"", b"some words ", LONG),
            "line.txt.zst": lambda p: packed(p, b"", b"some words ", LONG),
            "word.txt.zst": lambda p: packed(p, b"", b"words", LONG),
            "line.html.zst": lambda p: packed(p, b"<p>", b"some words ", LONG),
            "cell.csv.zst": quoted,
            "objects.jsonl.zst": _empties,
            "objects.json.zst": _empties,
            "list.json.zst": lambda p: packed(p, b"[", b"{},", 400_000_000, b"{}]"),
            "cells.csv.zst": lambda p: packed(p, b"", b",", 63_000_000),
            "tags.html.zst": lambda p: packed(p, b"", b"<b>", 60_000_000),
            "tags.warc.zst": warc,
            "wide.parquet": parquet,
            "page.parquet": parquet_page,
        }.items()
    },
}
