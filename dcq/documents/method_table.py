"""The results of any method as a table for people: what all results have, and the method's own
fields."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from dcq import methods
from dcq.documents.cells import p_cell
from dcq.evidence.record import MethodEstimate
from dcq.judging.study import JudgedResult
from dcq.words import kappa_words, listed, percent


def tabulate(found: Sequence[JudgedResult]) -> pd.DataFrame:
    """A row for each result of one method, as texts and whole numbers; without any, no columns."""
    return pd.DataFrame([_row(one) for one in found])


def _row(one: JudgedResult) -> dict[str, object]:
    evidence, verdict, known = one.evidence, one.verdict, one.case.calibration
    estimate = evidence.estimate
    expected = known.control_score if known and verdict else None
    shown = {}
    for field in methods.named(evidence.method).fields:
        value = field.value(evidence)
        shown[field.heading] = "" if value is None else field.show(value)
    return {
        "Model": evidence.model,
        "Partition": evidence.place,
        "Role": evidence.role,
        "Verdict": str(verdict.ruling) if verdict else "",
        "n": estimate.n,
        unit_name(one): _shown(estimate, estimate.value, estimate.low, estimate.high),
        "On unseen text": _shown(estimate, expected),
        **shown,
        "q": p_cell(verdict.q_value if verdict else None),
        "Replies": listed([f"{count:,} {name}" for name, count in evidence.outcomes.items()]),
        "Run": evidence.run + ("" if evidence.finished else " (unfinished)"),
    }


def unit_name(one: JudgedResult) -> str:
    """What the estimate is called as the heading of a column."""
    unit = one.evidence.estimate.unit
    return unit[:1].upper() + unit[1:]


def _shown(
    estimate: MethodEstimate,
    value: float | None,
    low: float | None = None,
    high: float | None = None,
) -> str:
    """In per cent where the estimate is a share."""
    if value is None:
        return ""
    if estimate.share != estimate.value:
        return kappa_words(value, low, high)
    limits = "" if low is None or high is None else f" [{percent(low)}, {percent(high)}]"
    return percent(value, 1) + limits
