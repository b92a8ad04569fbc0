"""The rows of a spreadsheet, in the process of ``child``: a zip archive of XML, which openpyxl
reads without limits of its own."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path

from dcq.errors import InputError

MOST_ROWS = 200_000
MOST_COLUMNS = 1_000  # what stands further right is not read
_MOST_UNPACKED = 400_000_000  # bytes


def rows(path: Path) -> Iterator[list[str]]:
    """The rows of the first sheet as texts, each up to its last cell; at most one more than
    ``MOST_ROWS``. Raises InputError where it unpacks to too much."""
    from openpyxl import load_workbook

    warnings.simplefilter("ignore")  # of parts that it leaves out, such as pictures
    with zipfile.ZipFile(path) as packed:
        if sum(part.file_size for part in packed.infolist()) > _MOST_UNPACKED:
            raise InputError(
                f"The file unpacks to more than {_MOST_UNPACKED // 10**6} MB; give a part of it."
            )
    sheet = load_workbook(path, read_only=True).worksheets[0]
    for values in sheet.iter_rows(values_only=True, max_row=MOST_ROWS + 1, max_col=MOST_COLUMNS):
        width = max((at for at, value in enumerate(values, 1) if value is not None), default=0)
        yield ["" if value is None else str(value) for value in values[:width]]
