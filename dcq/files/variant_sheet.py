"""The variants of a sample as a sheet (csv, xlsx), to be changed elsewhere and merged again.

A cell is text whatever it begins with. Nothing is merged before a person has seen what would change
(``compare``), and variants that others changed since the comparison are left alone (``merge``).
"""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from pathlib import Path
from tempfile import NamedTemporaryFile

import pandas as pd

from dcq.audit.release_rows import FORMULA_STARTS
from dcq.errors import InputError
from dcq.files import export
from dcq.incoming import reader_process, sheet
from dcq.incoming.memory import Budget
from dcq.incoming.separated import separation, text_encoding
from dcq.incoming.sheet import MOST_ROWS
from dcq.records import slot_letter
from dcq.store import Store, variants
from dcq.store.samples import StoredSample
from dcq.store.variants import NewVariant, StoredVariant
from dcq.variants.curation import inspect
from dcq.variants.freeze import SLOTS

SUFFIXES = (".csv", ".xlsx")
MOST_BYTES = 50_000_000
_CELL_LIMIT = 32_767  # characters that a cell of a spreadsheet holds
_INSTANCE, _SLOT, _TEXT = "instance", "slot", "variant"  # as in ``export.What.VARIANTS``
_SLOTS = {str(slot_letter(slot)): slot for slot in range(SLOTS)}


class Change(StrEnum):
    """What merging a row would do."""

    ADDED = "added"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    REFUSED = "refused"


@dataclass(frozen=True)
class SheetRow:
    """A row of a sheet, by its number in the file: the header is 1."""

    number: int
    instance: str
    slot: str
    text: str


@dataclass(frozen=True)
class RowChange:
    """The change that a row of a sheet would make, or the reason why it is refused. ``stored`` is
    the variant in the store when the rows were compared."""

    row: SheetRow
    change: Change
    reason: str = ""
    stored: StoredVariant | None = None


def to_xlsx(data: pd.DataFrame) -> bytes:
    """A table as an xlsx file in which no cell is a formula. Raises InputError for a text that a
    spreadsheet cannot hold."""
    from openpyxl import Workbook  # here, because most exports do without
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    rows = [
        ["" if value is None else str(value) for value in values]
        for values in [list(data.columns), *data.itertuples(index=False)]
    ]
    for text in (text for texts in rows for text in texts):
        if len(text) > _CELL_LIMIT:
            raise InputError("A text is too long for a spreadsheet's cell; take the csv.")
        if ILLEGAL_CHARACTERS_RE.search(text):
            raise InputError("A text has a control character that xlsx cannot hold; take the csv.")
    book = Workbook(write_only=True)
    sheet = book.create_sheet("variants")
    for texts in rows:
        cells = [WriteOnlyCell(sheet, value=text) for text in texts]
        for cell in cells:
            cell.data_type = "s"
        sheet.append(cells)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def read(content: bytes, suffix: str) -> list[SheetRow]:
    """The rows of a csv (UTF-8) or xlsx file with the columns instance, slot and variant;
    ``suffix`` is that of its name, with the dot.

    Raises InputError for another kind of file, one too large or malformed, or without a column.
    """
    if len(content) > MOST_BYTES:
        raise InputError(f"The file has more than {MOST_BYTES // 10**6} MB; give a part of it.")
    match suffix.lower():
        case ".csv":
            table = _read_csv(content)
        case ".xlsx":
            table = _read_xlsx(content)
        case _:
            raise InputError(f"A sheet ends in .csv or .xlsx, not {suffix!r}.")
    with closing(table):
        return list(_rows(table))


def _rows(table: Iterator[list[str]]) -> Iterator[SheetRow]:
    header = [name.strip() for name in next(table, [])]
    lacking = [name for name in (_INSTANCE, _SLOT, _TEXT) if name not in header]
    if lacking:
        raise InputError(
            f"The sheet has no column {lacking[0]!r}; its first row must name the columns "
            f"{_INSTANCE}, {_SLOT} and {_TEXT}, as in the file that this page gives."
        )
    indexes = [header.index(name) for name in (_INSTANCE, _SLOT, _TEXT)]
    for number, cells in enumerate(table, start=2):
        if number > MOST_ROWS:
            raise InputError(f"The sheet has more than {MOST_ROWS:,} rows; give a part of it.")
        if any(cell.strip() for cell in cells):
            yield SheetRow(
                number, *(cells[index] if index < len(cells) else "" for index in indexes)
            )


def compare(
    sample: StoredSample,
    current: Mapping[str, Mapping[int, StoredVariant]],
    rows: Sequence[SheetRow],
) -> list[RowChange]:
    """What merging each row would do to the ``current`` variants."""
    instance_ids = {instance.id for instance in sample.instances}
    row_by_slot: dict[tuple[str, int], int] = {}
    changes = []
    for row in rows:
        instance, slot = _place(row)
        if instance not in instance_ids:
            changes.append(RowChange(row, Change.REFUSED, "This sample has no such instance."))
        elif slot not in range(SLOTS):
            changes.append(RowChange(row, Change.REFUSED, "A slot is A, B, C or D."))
        elif not row.text.strip():
            changes.append(RowChange(row, Change.REFUSED, "A variant cannot be empty."))
        elif (instance, slot) in row_by_slot:
            reason = f"Row {row_by_slot[instance, slot]} is about the same variant."
            changes.append(RowChange(row, Change.REFUSED, reason))
        else:
            row_by_slot[instance, slot] = row.number
            changes.append(_compare(row, current.get(instance, {}).get(slot)))
    return changes


def merge(
    store: Store, sample: StoredSample, changes: Sequence[RowChange], author: str
) -> tuple[StoredVariant, ...]:
    """Write the added and changed rows as texts of ``author``, with the findings of the checks;
    returns the variants that others changed since the comparison, which are left as they are."""
    written = [change for change in changes if change.change in (Change.ADDED, Change.CHANGED)]
    instances = {instance.id: instance for instance in sample.instances}
    texts: dict[str, dict[int, str]] = {
        key: {slot: variant.text for slot, variant in slots.items() if slot < SLOTS}
        for key, slots in variants.current(
            store, sample.id, {row_change.row.instance.strip() for row_change in written}
        ).items()
    }
    placed = [
        (row_change, row_change.row.instance.strip(), _SLOTS[row_change.row.slot.strip().upper()])
        for row_change in written
    ]
    for row_change, key, slot in placed:
        texts.setdefault(key, {})[slot] = _text(row_change.row)
    pairs = []
    for row_change, key, slot in placed:
        others = [text for other, text in texts[key].items() if other != slot]
        findings = inspect(instances[key], _text(row_change.row), others, sample.partition.language)
        new = NewVariant(key, slot, _text(row_change.row), "person", author, findings)
        pairs.append((new, row_change.stored))
    return variants.replace(store, sample.id, pairs) if pairs else ()


def _place(row: SheetRow) -> tuple[str, int]:
    """The instance and the slot of a row; -1 if there is no such slot."""
    return row.instance.strip(), _SLOTS.get(row.slot.strip().upper(), -1)


def _compare(row: SheetRow, stored: StoredVariant | None) -> RowChange:
    if stored is None:
        return RowChange(row, Change.ADDED)
    same = stored.text in (row.text, _text(row))
    return RowChange(row, Change.UNCHANGED if same else Change.CHANGED, stored=stored)


def _text(row: SheetRow) -> str:
    """The text of a row without the apostrophe that ``export.escape_formulas`` puts before what a
    spreadsheet would run."""
    escaped = row.text.startswith("'") and row.text[1:].startswith(FORMULA_STARTS)
    return row.text[1:] if escaped else row.text


def _read_csv(content: bytes) -> Generator[list[str]]:
    try:
        coding = text_encoding(content)
        with io.TextIOWrapper(io.BytesIO(content), coding, newline="") as file:
            first = file.readline()
            separator, declared = separation(first)
            lines = Budget("The sheet").watch(file if declared else chain([first], file), separator)
            yield from csv.reader(lines, delimiter=separator, strict=True)
    except UnicodeDecodeError as error:
        raise InputError("The file is not UTF-8; save it as 'CSV UTF-8' and try again.") from error
    except csv.Error as error:
        raise InputError(f"The file is no csv ({error}); save it again as 'CSV UTF-8'.") from error


def _read_xlsx(content: bytes) -> Generator[list[str]]:
    refusal = InputError("The file cannot be read as xlsx; save it again, or as csv.")
    if not zipfile.is_zipfile(io.BytesIO(content)):
        raise refusal
    with NamedTemporaryFile(suffix=".xlsx") as file:
        file.write(content)
        file.flush()
        yield from reader_process.values(sheet.rows, Path(file.name), refusal, "The sheet")


def to_bytes(store: Store, sample_id: str, suffix: str) -> bytes:
    """The variants of a sample as a ``.csv`` or ``.xlsx`` file that ``read`` takes."""
    data = export.frame(store, export.ExportTable.VARIANTS, sample_id)
    return (
        to_xlsx(export.without_paths(data)) if suffix == ".xlsx" else export.to_bytes(data, suffix)
    )
