"""A run of likelihoods with the keys that the command line promises, a measure an entry."""

from __future__ import annotations

from typing import Any

from dcq.judging.study import JudgedResult
from dcq.likelihood import panel, wording
from dcq.likelihood.detection import panel_of


def documents(one: JudgedResult) -> list[dict[str, Any]]:
    """What each measure of a run shows, the deciding one first. Shares are fractions.

    ``score`` is the share of instances in which the original beats all its variants, with its 95 %
    interval, and ``expected`` that of unseen text. ``p_control`` compares the mean midrank with
    that of the controls. ``q_control`` and ``verdict`` are those of the deciding measure alone.
    ``p_value`` is None: no share is fixed that guessing would reach. What does not apply is None.
    """
    evidence, verdict = one.evidence, one.verdict
    beside = one.case.beside if verdict else {}
    made = []
    for row in panel_of(evidence):
        low, high = row.limits or (None, None)
        known = beside.get(row.rank_name)
        p_control = known.p_value if known else None
        q_control, ruling, reasons = None, None, [wording.BESIDE] if verdict else []
        if row.decides and verdict:
            p_control, q_control = verdict.p_value, verdict.q_value
            ruling, reasons = verdict.ruling.value, list(verdict.reasons)
        made.append(
            {
                "run": evidence.run,
                "model": evidence.model,
                "sample": evidence.sample,
                "measure": row.measure.name,
                "n": row.n,
                "score": row.score,
                "expected": panel.expected(row, beside),
                "low": low,
                "high": high,
                "p_value": None,
                "p_control": p_control,
                "q_control": q_control,
                "verdict": ruling,
                "reasons": reasons,
            }
        )
    return made
