"""The effect on scores as JSON (keys of docs/cli.md) and as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from dcq.effect.matter import MatterFinding, ReferenceModel
from dcq.effect.wording import headline, interval, number, reasons
from dcq.words import model_title, model_titles, p_number


def documents(findings: Sequence[MatterFinding]) -> list[dict[str, Any]]:
    """An entry for each model, shares as fractions; None is what does not apply."""
    return [_document(finding) for finding in findings]


def _document(finding: MatterFinding) -> dict[str, Any]:
    drop, above, constat, within = finding.drop, finding.inflation, finding.constat, finding.within
    return {
        "model": finding.model,
        "role": finding.role.value,
        "n": drop.n,
        "original": drop.original,
        "reworded": drop.reworded,
        "drop": drop.drop,
        "low": drop.low,
        "high": drop.high,
        "drop_p_value": drop.p_value,
        "expected_drop": above and above.expected,
        "inflation": above and above.inflation,
        "inflation_low": above and above.low,
        "inflation_high": above and above.high,
        "p_value": above and above.p_value,
        "q_value": finding.q_value,
        "smallest": above and above.smallest,
        "spread": above and above.spread,
        "verdict": finding.ruling and finding.ruling.value,
        "sentence": headline(finding),
        "reasons": reasons(finding) if finding.ruling else [],
        "constat": constat
        and {"delta": constat.delta, "low": constat.low, "p_value": constat.p_value},
        "within": within
        and {
            "seen": within.drop_seen,
            "rest": within.drop_rest,
            "n_seen": within.n_seen,
            "n_rest": within.n_rest,
            "difference": within.difference,
            "low": within.low,
            "high": within.high,
            "p_value": within.p_value,
        },
        "references": [_reference(other) for other in finding.references],
    }


def _reference(reference: ReferenceModel) -> dict[str, Any]:
    return {
        "model": reference.model,
        "n": reference.drop.n,
        "drop": reference.drop.drop,
        "answer": reference.answer,
        "left_out": reference.left_out and reference.left_out.value,
        "inflation_without": reference.without and reference.without.inflation,
    }


def table(findings: Sequence[MatterFinding]) -> pd.DataFrame:
    """A row for each model, in points, as texts."""
    titles = model_titles(finding.model for finding in findings)
    return pd.DataFrame([_row(finding, titles[finding.model]) for finding in findings])


def _row(finding: MatterFinding, title: str) -> dict[str, str]:
    drop, above, constat = finding.drop, finding.inflation, finding.constat
    return {
        "Model": title,
        "Role": finding.role.value,
        "n": f"{drop.n:,}",
        "Original": _number(drop.original),
        "Reworded": _number(drop.reworded),
        "Drop": _number(drop.drop, drop.low, drop.high),
        "Clean models": _number(above.expected if above else None),
        "Inflation": _number(above.inflation, above.low, above.high) if above else "",
        "p of the inflation": p_number(above.p_value) if above else "",
        "ConStat": f"{_number(constat.delta)}, p {p_number(constat.p_value)}" if constat else "",
        "Effect": finding.ruling.value if finding.ruling else "",
    }


def _number(value: float | None, low: float | None = None, high: float | None = None) -> str:
    if value is None:
        return ""
    if low is None or high is None:
        return number(value)
    return f"{number(value)} {interval(low, high)}"


def references_table(finding: MatterFinding) -> pd.DataFrame:
    """A row for each reference of a target: its own drop and answer, and the inflation without
    it."""
    return pd.DataFrame(
        [
            {
                "Reference": model_title(other.model),
                "n": f"{other.drop.n:,}",
                "Original": _number(other.drop.original),
                "Reworded": _number(other.drop.reworded),
                "Drop": _number(other.drop.drop, other.drop.low, other.drop.high),
                "Own answer": other.answer or "not asked",
                "Counts": "yes" if other.left_out is None else f"no: {other.left_out.value}",
                "Inflation without it": _number(
                    other.without.inflation, other.without.low, other.without.high
                )
                if other.without
                else "",
            }
            for other in finding.references
        ]
    )
