"""The section on κ: against guessing, against controls, against strategies without memory."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from dcq.documents import result_tables
from dcq.documents.chart_rows import arrange, forest_rows, interval_row, strategy_rows
from dcq.documents.deck import captions
from dcq.documents.deck.model import Part
from dcq.documents.deck.quiz import DRAWN, tested
from dcq.documents.names import line_names
from dcq.documents.result_tables import limits_cell, share_cell
from dcq.judging.study import QuizFinding
from dcq.quiz.results import quiz_name
from dcq.sections import Chart, Exhibit, Section

# The columns of its tables, of those that every result of a quiz has.
_OF_KAPPA = ("Model", "Partition", "Quiz", "Role", "n", "κ", "95 % interval", "Run")
_OF_CONTROLS = (
    *("Model", "Partition", "Quiz", "n", "Score", "Controls", "On unseen text"),
    *("Expected on unseen text", "κ above controls", "q", "Run"),
)


def kappas(scored: Sequence[QuizFinding]) -> Section | None:
    """κ against guessing, against controls and against strategies without memory."""
    if not scored:
        return None
    shown = arrange(scored)
    rows = forest_rows(shown)
    table = result_tables.tabulate_methods([one.judged for one in shown], _OF_KAPPA)
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


def _controlled(shown: Sequence[QuizFinding]) -> list[Exhibit]:
    """κ above the score on unseen text; none where nothing has a control."""
    found = [one for one in tested(shown) if one.calibration]
    if not found:
        return []
    lines = line_names([one.result for one in found])
    drawn = pd.DataFrame(
        [
            {
                "name": f"{lines[one.result.run]} · {one.result.place}",
                **interval_row(known.kappa_control, known.kappa_low, known.kappa_high, known.n),
                "whole": False,
            }
            for one in found
            if (known := one.calibration)
        ]
    )
    table = result_tables.tabulate_methods([one.judged for one in found], _OF_CONTROLS)
    return [
        Exhibit(
            "κ above controls: 0 is the score on unseen text",
            captions.of([one.result for one in found]),
            table,
            Chart("kappa_intervals", drawn, described={"zero": "the score on unseen text"}),
        )
    ]


def _text_only(scored: Sequence[QuizFinding]) -> list[Exhibit]:
    """Each quiz's strongest finding beside strategies without memory."""
    made = []
    strongest: dict[object, QuizFinding] = {}
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
