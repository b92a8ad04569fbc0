"""The sections on the quiz: verdicts, option bars, ablation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import pandas as pd

from dcq.documents import result_tables
from dcq.documents.answer_document import link_of
from dcq.documents.chart_rows import arrange, ruler_rows
from dcq.documents.deck import captions
from dcq.documents.deck.model import Part
from dcq.documents.names import partition_names
from dcq.documents.result_tables import p_cell, points_cell
from dcq.evidence.check import Mark, Topic
from dcq.judging.answer import Answer, Concluded, ruling_of
from dcq.judging.judged import JudgedResult, Ruling
from dcq.judging.study import strongest
from dcq.judging.summary import summarise
from dcq.judging.wording import TOPICS
from dcq.quiz import ablation, results
from dcq.quiz.ablation import AblationPair
from dcq.quiz.evidence import belongs
from dcq.quiz.results import quiz_name, quiz_row
from dcq.records import PartitionRole, slot_letter
from dcq.sections import Chart, Exhibit, Section
from dcq.store import Store
from dcq.store.studies import Study
from dcq.words import model_title, model_titles, percent, two_decimals

DRAWN = 6  # findings with a chart of their own; all of them are in the tables
PANELS = 12  # models in one chart of the ablation
MATRIX_MODELS, MATRIX_ROWS = 8, 10
# The columns of a table beside a ruler.
OF_RULER = (
    *("Model", "Partition", "Quiz", "n", "Score", "Controls", "On unseen text"),
    *("Expected on unseen text", "κ above controls", "q", "Answer", "Run"),
)


def verdicts(
    scored: Sequence[JudgedResult], changed: Mapping[str, str], concluded: Concluded
) -> Section | None:
    """The section on the quiz: the strongest finding in words, what ``changed`` it, and the figures
    of each with its reasons, beside what is ``concluded`` of its model and partition."""
    judged = [finding for finding in scored if finding.verdict is not None]
    if not scored:
        return None
    first = scored[0]
    ruling = f": {_ruling(first, concluded)}" if first.verdict else ""
    sentences = [summarise(first)]
    if first.verdict is not None:
        sentences.append(first.verdict.finding)
    if first.evidence.run in changed:
        sentences.append(changed[first.evidence.run])
    pairs = {answer.pair: answer for answer in concluded.values()}
    if len(pairs) > 1:
        sentences.append(_count(list(pairs.values())))
    scored_results = [quiz_row(finding.evidence) for finding in scored]
    exhibits = []
    if judged:
        exhibits.append(_ruler(judged[0], concluded))
    exhibits.append(Exhibit("All results", captions.of(scored_results), _table(scored, concluded)))
    if matrix := _matrix(scored, concluded):
        exhibits.append(matrix)
    if judged:
        reasons = _reasons(judged)
        exhibits.append(
            Exhibit(
                "Reasons", captions.of([quiz_row(finding.evidence) for finding in judged]), reasons
            )
        )
    return Section(
        Part.VERDICT,
        f"The verdict{ruling}",
        tuple(sentences),
        tuple(exhibits),
        link=link_of(first.evidence.run),
    )


def _ruler(finding: JudgedResult, concluded: Concluded) -> Exhibit:
    """What was found beside what is expected on unseen text."""
    result = quiz_row(finding.evidence)
    table = result_tables.tabulate_methods([finding], concluded, OF_RULER)
    return Exhibit(
        f"{model_title(result.model)} on {result.place}",
        captions.of([result]),
        table,
        Chart("verdict_ruler", ruler_rows([finding], concluded), (result.chance,)),
    )


def _matrix(scored: Sequence[JudgedResult], concluded: Concluded) -> Exhibit | None:
    """Tested partitions by models, and a row for the controls; None where that is no matrix."""
    findings = tested(scored)
    models = list(dict.fromkeys(finding.evidence.model for finding in findings))[:MATRIX_MODELS]
    places = partition_names([quiz_row(finding.evidence) for finding in findings])
    if len(models) < 2 or len(places) < 2:
        return None
    titles = model_titles(models)
    rows = {
        place: {titles[model]: _cell(findings, model, key, concluded) for model in models}
        for key, place in list(places.items())[:MATRIX_ROWS]
    }
    ranges = {titles[model]: _range(scored, model) for model in models}
    if any(ranges.values()):
        rows["Controls"] = ranges
    table = pd.DataFrame(
        [
            {"Partition": place} | {title: _cell_words(cell) for title, cell in cells.items()}
            for place, cells in rows.items()
        ]
    )
    drawn = pd.DataFrame([{"partition": place, **cells} for place, cells in rows.items()])
    return Exhibit(
        "Every model on every partition",
        captions.of([quiz_row(finding.evidence) for finding in findings]),
        table,
        Chart("model_matrix", drawn, (list(titles.values()),)),
    )


def _cell_words(cell: dict[str, object] | None) -> str:
    return f"{cell['text']} {cell['ruling'] or cell['note']}".strip() if cell else ""


def _cell(
    findings: Sequence[JudgedResult], model: str, partition: str, concluded: Concluded
) -> dict[str, object] | None:
    """κ above controls; without controls the share that was found, in per cent."""
    here = [
        candidate
        for candidate in findings
        if (candidate.evidence.model, candidate.evidence.partition) == (model, partition)
    ]
    finding = strongest(here)
    if finding is None:
        return None
    calibration, score = finding.deciding, finding.evidence.estimate.share
    above = calibration.kappa_control if calibration else None
    share = "no answer" if score is None else f"{percent(score)} found"
    return {
        "text": share if above is None else two_decimals(above),
        "note": "" if calibration else "no controls",
        "ruling": _ruling(finding, concluded),
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


def tested(scored: Sequence[JudgedResult]) -> list[JudgedResult]:
    """The results on partitions that the model may have seen, without controls."""
    return [finding for finding in scored if finding.evidence.role != PartitionRole.CONTROL]


def _count(answers: Sequence[Answer]) -> str:
    counts = Counter(answer.ruling for answer in answers)
    listing = ", ".join(f"{counts[ruling]:,} {ruling.word}" for ruling in Ruling)
    return f"Of {len(answers):,} pairs of a model and a partition: {listing}."


def _table(scored: Sequence[JudgedResult], concluded: Concluded) -> pd.DataFrame:
    return result_tables.tabulate_methods(arrange(scored), concluded)


_REASONS = ("Model", "Partition", "Quiz", "Check", "Mark", "Figure", "Reason")


def _reasons(judged: Sequence[JudgedResult]) -> pd.DataFrame:
    """Every check of the first; of the others those that are not passed. How a result stands among
    all results is left out: what is concluded is corrected over pairs."""
    rows: list[dict[str, str]] = []
    for place, finding in enumerate(judged):
        result = quiz_row(finding.evidence)
        checks = finding.verdict.checks if finding.verdict else ()
        rows += [
            {
                "Model": model_title(result.model),
                "Partition": result.place,
                "Quiz": quiz_name(result),
                "Check": TOPICS[check.topic],
                "Mark": str(check.mark),
                "Figure": check.number,
                "Reason": check.sentence,
            }
            for check in checks
            if check.topic is not Topic.FAMILY and (place == 0 or check.mark is not Mark.GOOD)
        ]
    return pd.DataFrame(rows, columns=list(_REASONS))


def options(scored: Sequence[JudgedResult], concluded: Concluded) -> Section | None:
    """The section on which letters were chosen, for the strongest findings."""
    of_interest = tested(scored) or list(scored)
    findings = [finding for finding in of_interest if quiz_row(finding.evidence).asked][:DRAWN]
    if not findings:
        return None
    sentences = ["The bars say how often each slot was chosen."]
    if any(quiz_row(finding.evidence).without_originals for finding in findings):
        sentences.append(
            "Faded: without the original, when only a preference for a letter can decide. Solid: "
            "with the original in the marked slot."
        )
    if len(of_interest) > len(findings):
        sentences.append(
            f"Drawn are the {len(findings)} strongest of {len(of_interest):,} results."
        )
    return Section(
        Part.OPTIONS,
        "Which option was chosen",
        tuple(sentences),
        tuple(_bars(finding, concluded) for finding in findings),
    )


def _bars(finding: JudgedResult, concluded: Concluded) -> Exhibit:
    result = quiz_row(finding.evidence)
    taken_results = [
        taken_result
        for taken_result in (result.without_originals, result)
        if taken_result is not None
    ]
    counts, letter = ablation.distribution(taken_results), slot_letter(result.slot)
    table = counts.pivot_table(
        index="kind", columns="answer", values="count", aggfunc="sum", fill_value=0, sort=False
    )
    return Exhibit(
        f"{model_title(result.model)} on {result.place}, {quiz_name(result)}",
        captions.of(taken_results),
        table.astype(int).reset_index(names="Quiz").rename_axis(columns=None),
        Chart("option_distribution", counts.assign(ruling=_ruling(finding, concluded)), (letter,)),
    )


def _ruling(finding: JudgedResult, concluded: Concluded) -> str:
    return ruling_of(finding.evidence.run, concluded)


def ablations(store: Store, within: Study) -> Section | None:
    """The section on each slot without and with the original in it."""
    study_results = [
        result for result in results.table(store, every_run=True) if belongs(result, within)
    ]
    pairs = [
        ablation_pair for ablation_pair in ablation.pair(study_results) if ablation_pair.complete
    ]
    compared_pairs = [(pair, ablation.compare(store, pair)) for pair in pairs]
    compared_pairs = [compared_pair for compared_pair in compared_pairs if compared_pair[1].n]
    compared_pairs.sort(key=lambda compared_pair: compared_pair[1].difference or 0.0, reverse=True)
    rows = []
    for pair, comparison in compared_pairs:
        difference = (comparison.difference, comparison.low, comparison.high)
        rows.append(
            {
                "model": model_title(pair.main_run.model),
                "partition": f"{pair.main_run.place}, {pair.letter}",
                "slot": pair.letter,
                "n": comparison.n,
                "modified": comparison.modified_share,
                "standard": comparison.standard_share,
                "difference": points_cell(*difference),
                "p": p_cell(comparison.p_value),
                "runs": _runs(pair),
            }
        )
    if not rows:
        return None
    table = pd.DataFrame(rows)
    drawn = table[table["model"].isin(list(table["model"].unique())[:PANELS])]
    taken_results = [
        run for pair in pairs for run in (pair.without, pair.having) if run is not None
    ]
    exhibit = Exhibit(
        "One slot, without and with the original",
        captions.of(taken_results),
        pd.DataFrame(
            {
                "Model": table["model"],
                "Partition and slot": table["partition"],
                "n": table["n"],
                "Without the original": [percent(share, 1) for share in table["modified"]],
                "With the original": [percent(share, 1) for share in table["standard"]],
                "Points [95 % interval]": table["difference"],
                "McNemar's p": table["p"],
                "Runs": table["runs"],
            }
        ),
        Chart("paired_slots", drawn),
    )
    sentences = (ablation.describe(*compared_pairs[0]), ablation.explain(*compared_pairs[0]))
    return Section(
        Part.ABLATION,
        "Is the slot chosen for the original in it?",
        tuple(sentence for sentence in sentences if sentence),
        (exhibit,),
    )


def _runs(pair: AblationPair) -> str:
    return ", ".join(run.run for run in (pair.without, pair.having) if run is not None)
