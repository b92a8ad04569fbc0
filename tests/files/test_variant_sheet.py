from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.errors import InputError
from dcq.files import export, variant_sheet
from dcq.files.variant_sheet import Change, SheetRow
from dcq.store import Store, samples, variants
from dcq.store.samples import StoredSample
from dcq.store.variants import NewVariant

FORMULA = '=HYPERLINK("http://127.0.0.1:1/","x")'


@pytest.fixture
def sample(fresh_store: Store, sample_id: str) -> StoredSample:
    return samples.load(fresh_store, sample_id)


def _compare(
    store: Store, sample: StoredSample, rows: list[SheetRow]
) -> list[variant_sheet.RowChange]:
    return variant_sheet.compare(sample, variants.current(store, sample.id), rows)


@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
def test_a_sheet_that_nobody_changed_changes_nothing(
    fresh_store: Store, sample: StoredSample, suffix: str
) -> None:
    first = sample.instances[0].id
    texts = [FORMULA, "'=already escaped", "007", 'two\nlines, and "quotes"']
    new = [NewVariant(first, slot, text, "person") for slot, text in enumerate(texts)]
    variants.add(fresh_store, sample.id, new)
    content = variant_sheet.to_bytes(fresh_store, sample.id, suffix)
    found = _compare(fresh_store, sample, variant_sheet.read(content, suffix))
    assert [one.change for one in found] == [Change.UNCHANGED] * 24


def test_no_cell_of_an_xlsx_file_is_a_formula(fresh_store: Store, sample: StoredSample) -> None:
    from openpyxl import load_workbook

    new = NewVariant(sample.instances[0].id, 0, FORMULA, "person")
    variants.add(fresh_store, sample.id, [new])
    content = variant_sheet.to_bytes(fresh_store, sample.id, ".xlsx")
    cells = [c for row in load_workbook(io.BytesIO(content)).worksheets[0] for c in row]
    assert FORMULA in [cell.value for cell in cells]
    assert "f" not in {cell.data_type for cell in cells}


def test_rows_are_added_changed_or_refused_with_the_reason(
    fresh_store: Store, sample: StoredSample
) -> None:
    first, second = (instance.id for instance in sample.instances[:2])
    there = variants.current(fresh_store, sample.id)[first]
    found = _compare(
        fresh_store,
        sample,
        [
            SheetRow(2, first, "a", "Text: the rill number 0 of rivers is long\nLabel: 0 (Wet)"),
            SheetRow(3, first, "B", there[1].text),
            SheetRow(4, first, "A", "once more"),
            SheetRow(5, "nobody", "A", "text"),
            SheetRow(6, second, "E", "text"),
            SheetRow(7, second, "C", "  "),
        ],
    )
    assert [one.change for one in found] == [
        Change.CHANGED, Change.UNCHANGED, Change.REFUSED, Change.REFUSED, Change.REFUSED,
        Change.REFUSED,
    ]  # fmt: skip
    assert "Row 2" in found[2].reason
    assert "no such instance" in found[3].reason
    assert variant_sheet.merge(fresh_store, sample, found, "Ana") == ()
    now = variants.current(fresh_store, sample.id)[first]
    assert (now[0].text[:14], now[0].author) == ("Text: the rill", "Ana")
    assert now[1] == there[1]


def test_what_is_merged_is_checked_beside_what_comes_with_it(
    fresh_store: Store, sample: StoredSample
) -> None:
    first = sample.instances[0].id
    text = "Text: the rill number 0 of rivers is long\nLabel: 0 (Wet)"
    rows = [SheetRow(2, first, "A", text), SheetRow(3, first, "B", text)]
    variant_sheet.merge(fresh_store, sample, _compare(fresh_store, sample, rows), "Ana")
    now = variants.current(fresh_store, sample.id)[first]
    assert {f.check for slot in (0, 1) for f in now[slot].findings} >= {"duplicate"}


def test_what_changed_since_the_preview_is_left_alone(
    fresh_store: Store, sample: StoredSample
) -> None:
    first = sample.instances[0].id
    found = _compare(fresh_store, sample, [SheetRow(2, first, "A", "mine")])
    variants.add(fresh_store, sample.id, [NewVariant(first, 0, "theirs", "person", "Ben")])
    [changed] = variant_sheet.merge(fresh_store, sample, found, "Ana")
    assert changed.author == "Ben"
    assert variants.current(fresh_store, sample.id)[first][0].text == "theirs"


def test_a_csv_of_a_spreadsheet_is_read(sample: StoredSample) -> None:
    content = "\ufeffslot;instance;variant\r\nA;x;'=1+1\r\n;;\r\n".encode()
    assert variant_sheet.read(content, ".CSV") == [SheetRow(2, "x", "A", "'=1+1")]


@pytest.mark.parametrize(
    ("content", "suffix", "said"),
    [
        (b"", ".csv", "no column 'instance'"),
        (b"instance,slot\n1,A\n", ".csv", "no column 'variant'"),
        (b"\xff\xfe\x00", ".csv", "not UTF-8"),
        (b'instance,slot,variant\n"x', ".csv", "no csv"),
        (b"PK not a zip", ".xlsx", "cannot be read as xlsx"),
        (b"x", ".ods", "ends in .csv or .xlsx"),
    ],
)
def test_a_broken_sheet_is_one_sentence(content: bytes, suffix: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        variant_sheet.read(content, suffix)


@given(st.binary(max_size=200))
def test_any_bytes_are_rows_or_one_sentence(content: bytes) -> None:
    for suffix in (".csv", ".xlsx"):
        try:
            variant_sheet.read(content, suffix)
        except InputError:
            continue


def test_a_text_that_no_cell_holds_is_refused(fresh_store: Store, sample: StoredSample) -> None:
    for text in ("\x01", "x" * 40_000):
        new = NewVariant(sample.instances[0].id, 0, text, "person")
        variants.add(fresh_store, sample.id, [new])
        with pytest.raises(InputError, match="take the csv"):
            variant_sheet.to_xlsx(export.frame(fresh_store, export.ExportTable.VARIANTS, sample.id))
