"""What documents show of quizzes besides what they show of the results of any method: the strongest
result with all that was checked, and the charts that only a quiz has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pandas as pd

from dcq import methods
from dcq.documents import result_tables
from dcq.documents.answer_document import link_of
from dcq.documents.chart_rows import ruler_rows, strategy_rows
from dcq.documents.deck import captions
from dcq.documents.deck.model import Part
from dcq.documents.matrix import figure_words
from dcq.documents.result_tables import limits_cell, p_cell, points_cell, share_cell
from dcq.evidence.check import Mark, Topic
from dcq.judging.answer import Answer, Concluded, ruling_of
from dcq.judging.judged import JudgedResult, Ruling
from dcq.judging.matrix import Cell, Matrix, matrix
from dcq.judging.summary import summarise
from dcq.judging.wording import TOPICS
from dcq.quiz import ablation, results
from dcq.quiz.ablation import AblationPair
from dcq.quiz.evidence import belongs
from dcq.quiz.results import Result, quiz_name, quiz_row
from dcq.records import PartitionRole, slot_letter
from dcq.sections import Chart, Exhibit, Section
from dcq.store import Store
from dcq.store.studies import Study
from dcq.words import model_title, model_titles, percent

DRAWN = 6  # results with a chart of their own; all of them are in the tables
PANELS = 12  # models in one chart of the ablation
MATRIX_MODELS, MATRIX_ROWS = 8, 10


def verdict(
    store: Store,
    within: Study,
    scored: Sequence[JudgedResult],
    concluded: Concluded,
) -> Section | None:
    """The section on the strongest quiz with a verdict, which is the first in ``scored``: in words,
    with what was checked of it and of the others, and the matrix of the study."""
    judged = [finding for finding in scored if finding.verdict is not None]
    if not judged:
        return None
    first = judged[0]
    sentences = [summarise(first), first.verdict.finding if first.verdict else ""]
    pairs = {answer.pair: answer for answer in concluded.values()}
    if len(pairs) > 1:
        sentences.append(_count(list(pairs.values())))
    return Section(
        Part.VERDICT,
        f"The verdict: {_ruling(first, concluded)}",
        tuple(sentences),
        (
            _ruler(first, concluded),
            *_matrix(scored, matrix(store, scored, list(pairs.values()), within)),
            Exhibit("Reasons", captions.of(list(map(_row, judged))), _reasons(judged)),
        ),
        link=link_of(first.evidence.run),
    )


def exhibits(
    store: Store, within: Study, scored: Sequence[JudgedResult], concluded: Concluded
) -> list[Exhibit]:
    """The letters that were chosen, each slot without and with the original in it, and strategies
    without memory; ``scored`` are all quizzes with originals, the strongest first."""
    tested = [
        finding for finding in scored if finding.evidence.role != PartitionRole.CONTROL
    ] or list(scored)
    asked = [finding for finding in tested if _row(finding).asked]
    return [
        *(_bars(finding, concluded) for finding in asked[:DRAWN]),
        *_ablations(store, within),
        *_text_only(tested),
    ]


def _row(finding: JudgedResult) -> Result:
    return quiz_row(finding.evidence)


def _ruling(finding: JudgedResult, concluded: Concluded) -> str:
    return ruling_of(finding.evidence.run, concluded)


def _ruler(finding: JudgedResult, concluded: Concluded) -> Exhibit:
    """What was found beside what is expected on unseen text."""
    return Exhibit(
        f"{model_title(finding.evidence.model)} on {finding.evidence.place}",
        captions.of([_row(finding)]),
        result_tables.tabulate_methods([finding], concluded),
        Chart("verdict_ruler", ruler_rows([finding], concluded, {}), (finding.evidence.chance,)),
    )


def _count(answers: Sequence[Answer]) -> str:
    counts = Counter(answer.ruling for answer in answers)
    listing = ", ".join(f"{counts[ruling]:,} {ruling.word}" for ruling in Ruling)
    return f"Of {len(answers):,} pairs of a model and a partition: {listing}."


def _matrix(scored: Sequence[JudgedResult], of_study: Matrix) -> list[Exhibit]:
    """Tested partitions by models, and a row for the controls; empty where that is no matrix."""
    rows = [row for row in of_study.rows if row.role is not PartitionRole.CONTROL]
    asked = {model for row in rows for model in row.cells}
    models = [model for model in of_study.models if model in asked][:MATRIX_MODELS]
    if len(models) < 2 or len(rows) < 2:
        return []
    titles = model_titles(models)
    cells = {row.place: [_cell(row.cells.get(model)) for model in models] for row in rows}
    lines = dict(list(cells.items())[:MATRIX_ROWS])
    ranges = [_range(scored, model) for model in models]
    if any(ranges):
        lines["Controls"] = ranges
    columns = [titles[model] for model in models]
    drawn, table = (
        pd.DataFrame(
            [
                {head: place} | dict(zip(columns, map(show, line), strict=True))
                for place, line in lines.items()
            ]
        )
        for head, show in (("partition", lambda cell: cell), ("Partition", _cell_words))
    )
    return [
        Exhibit(
            "Every model on every partition",
            captions.of([_row(finding) for finding in scored]),
            table,
            Chart("model_matrix", drawn, (columns,)),
        )
    ]


def _cell_words(cell: dict[str, object] | None) -> str:
    return f"{cell['text']} {cell['ruling'] or cell['note']}".strip() if cell else ""


def _cell(cell: Cell | None) -> dict[str, object] | None:
    """Percentage points above what is expected; where nothing could be compared the share that was
    found, or of a pair without a quiz the names of its methods."""
    if cell is None:
        return None
    names = " and ".join(methods.named(name).title.lower() for name in cell.others)
    text = figure_words(cell)
    if cell.above is None and text:
        text += " found"
    uncompared = cell.finding is not None and cell.above is None
    return {
        "text": text or names or "no reply",
        "note": "no controls" if uncompared else "",
        "ruling": cell.ruling.word if cell.ruling else "",
        "control": False,
    }


def _range(scored: Sequence[JudgedResult], model: str) -> dict[str, object] | None:
    """What a model found of the originals of its controls, from the least to the most."""
    shares = [
        share
        for finding in scored
        if finding.evidence.model == model
        and finding.evidence.role == PartitionRole.CONTROL
        and (share := finding.evidence.estimate.share) is not None
    ]
    if not shares:
        return None
    least, most = percent(min(shares)), percent(max(shares))
    text = f"{least} found" if least == most else f"{least} to {most} found"
    return {"text": text, "note": f"{len(shares)} unseen", "ruling": "", "control": True}


_REASONS = ("Model", "Partition", "Quiz", "Check", "Mark", "Figure", "Reason")


def _reasons(judged: Sequence[JudgedResult]) -> pd.DataFrame:
    """Every check of the first; of the others those that are not passed. How a result stands among
    all results is left out: what is concluded is corrected over pairs."""
    rows = [
        (
            model_title(finding.evidence.model),
            finding.evidence.place,
            quiz_name(_row(finding)),
            TOPICS[check.topic],
            str(check.mark),
            check.number,
            check.sentence,
        )
        for place, finding in enumerate(judged)
        for check in (finding.verdict.checks if finding.verdict else ())
        if check.topic is not Topic.FAMILY and (place == 0 or check.mark is not Mark.GOOD)
    ]
    return pd.DataFrame(rows, columns=list(_REASONS))


def _bars(finding: JudgedResult, concluded: Concluded) -> Exhibit:
    """How often each letter was chosen."""
    result = _row(finding)
    shown = [one for one in (result.without_originals, result) if one is not None]
    counts = ablation.distribution(shown)
    table = counts.pivot_table(
        index="kind", columns="answer", values="count", aggfunc="sum", fill_value=0, sort=False
    )
    name = f"{model_title(result.model)} on {result.place}, {quiz_name(result)}"
    words = "How often each slot was chosen."
    if result.without_originals is not None:
        words += (
            " Faded: without the original, when only a preference for a letter can decide. Solid: "
            "with the original in the marked slot."
        )
    return Exhibit(
        name,
        captions.of(shown),
        table.astype(int).reset_index(names="Quiz").rename_axis(columns=None),
        Chart(
            "option_distribution",
            counts.assign(ruling=_ruling(finding, concluded)),
            (slot_letter(result.slot),),
        ),
        (words,),
    )


def _ablations(store: Store, within: Study) -> list[Exhibit]:
    """Each slot without and with the original in it, where both were asked."""
    runs = [result for result in results.table(store, every_run=True) if belongs(result, within)]
    pairs = [pair for pair in ablation.pair(runs) if pair.complete]
    compared = [(pair, ablation.compare(store, pair)) for pair in pairs]
    compared = [entry for entry in compared if entry[1].n]
    compared.sort(key=lambda entry: entry[1].difference or 0.0, reverse=True)
    if not compared:
        return []
    drawn = pd.DataFrame(
        [
            {
                "model": model_title(pair.main_run.model),
                "partition": f"{pair.main_run.place}, {pair.letter}",
                "slot": pair.letter,
                "n": comparison.n,
                "modified": comparison.modified_share,
                "standard": comparison.standard_share,
            }
            for pair, comparison in compared
        ]
    )
    estimates = [comparison for _, comparison in compared]
    table = pd.DataFrame(
        {
            "Model": drawn["model"],
            "Partition and slot": drawn["partition"],
            "n": drawn["n"],
            "Without the original": [share_cell(share) for share in drawn["modified"]],
            "With the original": [share_cell(share) for share in drawn["standard"]],
            "Points [95 % interval]": [points_cell(e.difference, e.low, e.high) for e in estimates],
            "McNemar's p": [p_cell(e.p_value) for e in estimates],
            "Runs": [", ".join(run.run for run in _runs(pair)) for pair, _ in compared],
        }
    )
    drawn = drawn[drawn["model"].isin(list(drawn["model"].unique())[:PANELS])]
    return [
        Exhibit(
            "Is the slot chosen for the original in it?",
            captions.of([run for pair in pairs for run in _runs(pair)]),
            table,
            Chart("paired_slots", drawn),
            tuple(filter(None, (ablation.describe(*compared[0]), ablation.explain(*compared[0])))),
        )
    ]


def _runs(pair: AblationPair) -> list[Result]:
    return [run for run in (pair.without, pair.having) if run is not None]


def _text_only(tested: Sequence[JudgedResult]) -> list[Exhibit]:
    """Each quiz's strongest result beside strategies without memory."""
    strongest: dict[object, JudgedResult] = {}
    for finding in tested:
        if finding.evidence.text_only and finding.evidence.usable:
            key = finding.evidence.partition, finding.evidence.figures["name"]
            strongest.setdefault(key, finding)
    return [
        Exhibit(
            f"Without memory: {finding.evidence.place}, {quiz_name(_row(finding))}",
            captions.of([_row(finding)]),
            pd.DataFrame(
                {
                    "Who": rows["name"],
                    "Originals found": [share_cell(score) for score in rows["score"]],
                    "95 % interval": [*map(limits_cell, rows["low"], rows["high"])],
                    "n": rows["n"],
                }
            ),
            Chart("strategy_bars", rows),
        )
        for finding in list(strongest.values())[:DRAWN]
        for rows in (strategy_rows(finding),)
    ]
