"""Parsing one cell of a result file as an answer."""

from __future__ import annotations

from dcq.quiz.parse import read_reply
from dcq.records import LETTERS, Outcome, Reading, Reply

SLOTS = tuple(LETTERS[:4])
# A spreadsheet runs a cell that begins with one of these as a formula.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def unescape_formula(cell: str) -> str:
    """A text as it was before ``export.escape_formulas`` put an apostrophe before it."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA_STARTS) else cell


def read_answer(cell: str, options: int = len(LETTERS)) -> Reading:
    """The answer in a cell to a question with ``options`` options, the fifth being "none of these";
    an empty cell is a missing reply."""
    if not cell.strip():
        return Reading(Outcome.ERROR, None, "empty cell")
    return read_reply(Reply(cell), options)
