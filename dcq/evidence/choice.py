"""Which evidence can serve as a control: one definition for all methods.

A control is finished evidence on a partition that the model cannot have seen, of the same model,
asked in the same way, about a text of the same task and language, with enough usable answers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from dcq.evidence.check import MOST_UNUSABLE
from dcq.evidence.record import Evidence

_CONTROL = "control"  # ``dcq.records.PartitionRole``


def is_control(evidence: Evidence) -> bool:
    """True for finished evidence on a control partition that can be compared."""
    return evidence.role == _CONTROL and evidence.finished and evidence.incomparable is None


def is_usable(control: Evidence) -> bool:
    """True if at most a fifth of the instances lack an answer."""
    return control.unusable <= MOST_UNUSABLE


def group_alike(results: Iterable[Evidence]) -> dict[Hashable, list[Evidence]]:
    """The controls among ``results``, grouped by model and by the way they were asked."""
    groups: dict[Hashable, list[Evidence]] = {}
    for evidence in results:
        if is_control(evidence):
            groups.setdefault(evidence.asked_alike, []).append(evidence)
    return groups
