"""The section on κ: against guessing, against controls, against strategies without memory."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from dcq.documents.cells import kappa_cell, limits_cell, p_cell, share_cell
from dcq.documents.chart_rows import arrange, forest_rows, strategy_rows
from dcq.documents.deck import captions
from dcq.documents.deck.model import Part
from dcq.documents.deck.quiz import DRAWN, tested
from dcq.documents.names import line_names, quiz_name
from dcq.judging.study import Finding
from dcq.sections import Chart, Exhibit, Section
from dcq.words import kappa_words, percent


def kappas(scored: Sequence[Finding]) -> Section | None:
    """κ against guessing, against controls and against strategies without memory."""
    if not scored:
        return None
    shown = arrange(scored)
    rows = forest_rows(shown)
    table = pd.DataFrame(
        {
            "Model": rows["model"],
            "Partition": rows["partition"],
            "Role": rows["role"],
            "n": rows["n"],
            "κ [95 % interval]": [kappa_cell(one.result) for one in shown],
            "Run": rows["run"],
        }
    )
    forest = Exhibit(
        "κ: 0 is guessing, 1 is always the original",
        captions.of([one.result for one in shown]),
        table,
        Chart("kappa_forest", rows),
    )
    exhibits = [forest, *_controlled(shown), *_text_only(scored)]
    return Section(
        Part.KAPPA,
        "How much, and compared with what",
        (
            "κ is the score above guessing; its interval says what the number of answers allows.",
            "Above controls, 0 is the same model's score on text that it cannot have seen: the "
            "verdict rests on that.",
        ),
        tuple(exhibits),
    )


def _controlled(shown: Sequence[Finding]) -> list[Exhibit]:
    """κ above the score on unseen text; none where nothing has a control."""
    found = [one for one in tested(shown) if one.calibration]
    if not found:
        return []
    lines = line_names([one.result for one in found])
    rows, table = [], []
    for finding in found:
        known, result, q = finding.calibration, finding.result, None
        if known is None:
            continue
        if finding.verdict is not None:
            q = finding.verdict.q_value
        name = f"{lines[result.run]} · {result.place}"
        rows.append(
            {
                "name": name,
                "kappa": _number(known.kappa_control),
                "low": _number(known.kappa_low),
                "high": _number(known.kappa_high),
                "n": known.n,
                "whole": False,
            }
        )
        expected = f"{percent(known.control_low)} to {percent(known.control_high)}"
        table.append(
            {
                "Result": name,
                "n": known.n,
                "Score": share_cell(known.score),
                "Controls": ", ".join(one.place for one in finding.used_controls),
                "On controls": share_cell(known.control_score),
                "Expected on unseen text": expected,
                "κ above controls": kappa_words(
                    known.kappa_control, known.kappa_low, known.kappa_high
                ),
                "q": p_cell(q),
                "Run": result.run,
            }
        )
    drawn = pd.DataFrame(rows)
    return [
        Exhibit(
            "κ above controls: 0 is the score on unseen text",
            captions.of([one.result for one in found]),
            pd.DataFrame(table),
            Chart("kappa_intervals", drawn, described={"zero": "the score on unseen text"}),
        )
    ]


def _text_only(scored: Sequence[Finding]) -> list[Exhibit]:
    """Each quiz's strongest finding beside strategies without memory."""
    made = []
    strongest: dict[object, Finding] = {}
    for one in tested(scored):
        if one.baselines and one.result.n:
            strongest.setdefault((one.result.partition, quiz_name(one.result)), one)
    for finding in list(strongest.values())[:DRAWN]:
        rows = strategy_rows(finding)
        table = pd.DataFrame(
            {
                "Who": rows["name"],
                "Originals found": [share_cell(score) for score in rows["score"]],
                "95 % interval": [
                    limits_cell(low, high)
                    for low, high in zip(rows["low"], rows["high"], strict=True)
                ],
                "n": rows["n"],
            }
        )
        result = finding.result
        made.append(
            Exhibit(
                f"Without memory: {result.place}, {quiz_name(result)}",
                captions.of([result]),
                table,
                Chart("strategy_bars", rows),
            )
        )
    return made


def _number(value: float | None) -> float:
    return math.nan if value is None else value
