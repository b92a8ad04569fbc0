"""The section on how many originals were found, compared with controls and with strategies without
memory."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from dcq.documents import result_tables
from dcq.documents.chart_rows import arrange, quiz_rulers, strategy_rows
from dcq.documents.deck import captions
from dcq.documents.deck.model import Part
from dcq.documents.deck.quiz import DRAWN, OF_RULER, tested
from dcq.documents.result_tables import limits_cell, share_cell
from dcq.judging.answer import Concluded
from dcq.judging.judged import JudgedResult
from dcq.judging.study import by_strength
from dcq.quiz.results import quiz_name, quiz_row
from dcq.sections import Chart, Exhibit, Section

MOST = 12  # findings on one ruler; all of them are in the table


def kappas(scored: Sequence[JudgedResult], concluded: Concluded) -> Section | None:
    """The section; None where no quiz has a score."""
    findings = arrange(tested(scored)) or arrange(scored)
    if not findings:
        return None
    results = [quiz_row(finding.evidence) for finding in findings]
    drawn = by_strength(findings)[:MOST]
    rows = quiz_rulers(arrange(drawn), concluded)
    chances = {finding.evidence.chance for finding in drawn}
    exhibit = Exhibit(
        "Found, and expected on unseen text",
        captions.of(results),
        result_tables.tabulate_methods(findings, concluded, OF_RULER),
        Chart("verdict_ruler", rows, (chances.pop() if len(chances) == 1 else None,)),
    )
    sentences = [
        "A dot is the share of originals that a model found, the band what the same model finds on "
        "text that it cannot have seen: the verdict rests on the distance between them.",
    ]
    if len(findings) > len(drawn):
        sentences.append(f"Drawn are the {len(drawn)} strongest of {len(findings):,} results.")
    return Section(
        Part.KAPPA,
        "How much, and compared with what",
        tuple(sentences),
        (exhibit, *_text_only(scored)),
    )


def _text_only(scored: Sequence[JudgedResult]) -> list[Exhibit]:
    """Each quiz's strongest finding beside strategies without memory."""
    exhibits = []
    strongest: dict[object, JudgedResult] = {}
    for candidate in tested(scored):
        if candidate.evidence.text_only and candidate.evidence.usable:
            strongest.setdefault(
                (candidate.evidence.partition, candidate.evidence.figures["name"]), candidate
            )
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
        result = quiz_row(finding.evidence)
        exhibits.append(
            Exhibit(
                f"Without memory: {result.place}, {quiz_name(result)}",
                captions.of([result]),
                table,
                Chart("strategy_bars", rows),
            )
        )
    return exhibits
