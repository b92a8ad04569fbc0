"""Tables of results and comparisons for people: numbers as text, empty cells where there is
none."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from dcq.documents.names import tell_apart
from dcq.evidence.compare import Comparison
from dcq.evidence.record import KAPPA
from dcq.judging import fields
from dcq.judging.answer import Concluded
from dcq.judging.comparisons import ComparedResults
from dcq.judging.fields import Shown
from dcq.judging.judged import JudgedResult
from dcq.quiz.evidence import METHOD
from dcq.quiz.results import quiz_name
from dcq.result_columns import Column, Medium, cells
from dcq.words import model_title, model_titles, p_number, percent, points, points_words


def share_cell(share: float | None) -> str:
    """Per cent with one decimal."""
    return "" if share is None or math.isnan(share) else percent(share, 1)


def limits_cell(low: float, high: float) -> str:
    """An interval of shares."""
    return "" if math.isnan(low) or math.isnan(high) else f"{percent(low, 1)} to {percent(high, 1)}"


def p_cell(p_value: float | None) -> str:
    """A p- or q-value."""
    return "" if p_value is None else p_number(p_value)


def points_cell(difference: float | None, low: float | None, high: float | None) -> str:
    """A difference in percentage points, with its interval as far as it has one."""
    return "" if difference is None else points_words(difference, low, high)


def cell_text(cell: object) -> str:
    """A cell of any kind as text."""
    return f"{cell:,}" if isinstance(cell, int) else str(cell)


def is_number(table: pd.DataFrame, name: str) -> bool:
    """Whether a column holds whole numbers."""
    return bool(pd.api.types.is_integer_dtype(table[name]))


def rank(comparisons: Sequence[ComparedResults]) -> list[ComparedResults]:
    """Comparisons by their clearness, the clearest first; those on controls last."""
    return sorted(comparisons, key=lambda comparison: (comparison.on_controls, _p(comparison)))


def _compared(comparison: ComparedResults) -> str:
    first, second = comparison.first, comparison.second
    if not comparison.of_models:
        return f"{second.place} − {first.place}"
    titles = model_titles((first.model, second.model))
    return f"{titles[second.model]} − {titles[first.model]}"


def _compared_on(comparison: ComparedResults) -> str:
    first = comparison.first
    return first.place if comparison.of_models else model_title(first.model)


def _compared_quiz(comparison: ComparedResults) -> str:
    """Both slots where two models have different ones."""
    first = comparison.first
    same = first.slot == comparison.second.slot
    return quiz_name(first) if same else f"{first.kind}, at {comparison.slots}"


def _compared_n(comparison: ComparedResults) -> str:
    """Instances; for two samples, one number each."""
    estimate = comparison.comparison
    if estimate.paired:
        return f"{estimate.n_first:,}"
    return f"{estimate.n_second:,} and {estimate.n_first:,}"


def _difference(comparison: Comparison) -> str | None:
    if comparison.difference is None or comparison.low is None or comparison.high is None:
        return None
    return f"{points(comparison.difference)} [{points(comparison.low)}, {points(comparison.high)}]"


def _p_words(comparison: ComparedResults) -> str | None:
    if comparison.on_controls and comparison.comparison.p_value is not None:
        return f"({p_number(comparison.comparison.p_value)})"
    return None if comparison.p_holm is None else p_number(comparison.p_holm)


COMPARISON_COLUMNS: tuple[Column[ComparedResults], ...] = (
    Column("", "Compared", _compared),
    Column("", "On", _compared_on),
    Column("", "Quiz", _compared_quiz),
    Column(
        "", "Points [95 % interval]", lambda one: _difference(one.comparison), term="Difference"
    ),
    Column("", "n", _compared_n, term="n"),
    Column("", "p (Holm)", _p_words, term="p"),
    Column("", "Test", lambda one: one.comparison.method, term="Test of a comparison"),
)


def _p(comparison: ComparedResults) -> float:
    p_value = comparison.comparison.p_value if comparison.on_controls else comparison.p_holm
    return math.inf if p_value is None else p_value


def columns(results: Sequence[JudgedResult], concluded: Concluded) -> list[Shown]:
    """The columns of these results for people; partitions have their names."""
    places = tell_apart({result.evidence.partition: result.evidence.place for result in results})
    return fields.of_people(results, places, concluded)


def tabulate_methods(results: Sequence[JudgedResult], concluded: Concluded) -> pd.DataFrame:
    """A row for each result, as texts and whole numbers. Without results, no columns."""
    shown = [column for column in columns(results, concluded) if column.medium is Medium.DOCUMENT]
    return pd.DataFrame(cells(shown, results))


_OF_AUDITS = (
    *("Model", "Partition", "Quiz", "Role", "Verdict", "n", "Score", "κ", "95 % interval"),
    *("κ above controls", "On unseen text", "q"),
)


def audit_columns(results: Sequence[JudgedResult]) -> list[Shown]:
    """Of the columns of quizzes those that a published file can have, as far as it has values for
    them."""
    declared = fields.columns(METHOD, {KAPPA: False})
    columns = {column.heading: column for column in declared}
    return [
        columns[heading]
        for heading in _OF_AUDITS
        if any(columns[heading].value(result) is not None for result in results)
    ]
