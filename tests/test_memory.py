"""Every reader of strange files with every file that was made to fill the memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import bombs
from tests.support.peak import measure

pytestmark = [pytest.mark.slow, pytest.mark.ci, pytest.mark.timeout(120)]

MOST = 500 + 100  # MB beside what Python has at its start: the limit, and what cannot be counted
MOST_OF_PARQUET = 1100  # an array and what it is decoded from are there at once

RESULTS = ("from dcq.overlap.results import read_results", "read_results(path)")
LABELS = ("from dcq.overlap.labels import read_labels", "read_labels(path)")
ADDRESSES = ("from dcq.overlap.domains import read_blocklist", "read_blocklist(path)")
TABLE = ("from dcq.partitions import read_file", "read_file(path)")
SHEET = (
    "from dcq.files import variant_sheet",
    "variant_sheet.read(path.read_bytes(), path.suffix)",
)
BUNDLE = ("from dcq.files import bundle_import", "bundle_import.read(path)")
SCAN = (
    "from dcq.errors import InputError; from dcq.overlap.scan.scan import scan; "
    "from dcq.overlap.scan.index import ScanQuery",
    "raise InputError(str(len(scan([ScanQuery('1', 'any words')], [path]).broken)))",
)
SAMPLE = '{"eval": {"model": "m"}, "samples": [{"id": 1, "scores": {"a": {"value": 1}}, "x": '
PLENTY = "keep some thousand rows"

FILES: dict[str, tuple[tuple[str, str], Callable[[Path], None], str]] = {
    "log.eval": (RESULTS, bombs.log, PLENTY),
    "log.json": (RESULTS, bombs.within(SAMPLE, "}]}"), PLENTY),
    "predictions.json": (RESULTS, bombs.within('{"mmlu": ', "}"), PLENTY),
    "details.json": (RESULTS, bombs.within('{"details": ', "}"), PLENTY),
    "labels.json": (LABELS, bombs.within('{"1": ', "}"), PLENTY),
    "report.json": (LABELS, bombs.within('{"matches": ', "}"), PLENTY),
    "list.json": (RESULTS, bombs.within("", ""), PLENTY),
    "table.csv": (TABLE, bombs.csv_newlines, PLENTY),
    "columns.xlsx": (SHEET, bombs.last_column, "no column"),
    "shared-cells.xlsx": (SHEET, bombs.shared_cells, PLENTY),
    "shared-string.xlsx": (SHEET, bombs.shared_string, PLENTY),
    "shared-strings.xlsx": (SHEET, bombs.shared_strings, PLENTY),
    "shared-parts.xlsx": (SHEET, bombs.shared_parts, PLENTY),
    "members.xlsx": (SHEET, bombs.members(1_000_000), PLENTY),
    "members.eval": (RESULTS, bombs.members(2_000_000), PLENTY),
    "members.zip": (BUNDLE, bombs.members(2_000_000), "too many files for a bundle"),
    "lines.csv": (SHEET, bombs.csv_newlines, "more than 200,000 rows"),
    "cells.csv": (SHEET, bombs.csv_commas, PLENTY),
    "addresses.txt": (ADDRESSES, bombs.lines, PLENTY),
}
CORPORA: dict[str, Callable[[Path], None]] = {
    "line.jsonl.zst": bombs.line('{"text": "'),
    "line.json.zst": bombs.line('{"text": "'),
    "line.csv.zst": bombs.line(""),
    "line.html.zst": bombs.line("<p>"),
    "cell.csv.zst": bombs.quoted,
    "cells.csv.zst": bombs.cells,
    "many-lines.csv.zst": bombs.many_lines,
    "record.jsonl.zst": bombs.record,
    "record.json.zst": bombs.record,
    "tags.html.zst": bombs.tags,
    "attributes.html.zst": bombs.attributes,
    "tags.warc.zst": bombs.warc,
    "wide.parquet": bombs.parquet,
    "page.parquet": bombs.parquet_page,
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_would_fill_the_memory_is_refused_in_a_sentence(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (imports, work), write, said = FILES[name]
    write(tmp_path / name)
    found = measure(work, tmp_path / name, imports=imports)
    _show(capsys, tmp_path / name, found.peak - found.before)
    assert said in found.said
    assert found.peak - found.before < MOST


@pytest.mark.parametrize("name", CORPORA)
def test_a_corpus_that_would_fill_the_memory_is_broken_and_the_scan_ends(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    CORPORA[name](tmp_path / name)
    found = measure(SCAN[1], tmp_path / name, imports=SCAN[0])
    _show(capsys, tmp_path / name, found.peak - found.before)
    assert found.said == "1"
    assert found.peak - found.before < (MOST_OF_PARQUET if "parquet" in name else MOST)


def test_a_list_of_many_records_is_read_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "records.json.zst"
    record = b'{"text": "x", "more": [%s]},' % (b"{}," * 1000)[:-1]
    bombs.packed(path, b"[", record, 18_000_000, b"{}]")
    work = SCAN[1].replace("broken", "hits").replace("len(", "repr(")
    found = measure(work, path, imports=SCAN[0])
    assert found.said == "()"
    assert found.peak - found.before < 250  # 380 MB for all of them


def _show(capsys: pytest.CaptureFixture[str], path: Path, size: float) -> None:
    with capsys.disabled():
        print(f"\n{path.name}: {path.stat().st_size / 1e6:.2f} MB, takes {size:.0f} MB")
