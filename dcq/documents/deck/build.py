"""Builds the document of a study, with sections for methods that have none of their own and for
comparisons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from dcq import methods
from dcq.detection import DetectionMethod
from dcq.documents import answer_document, result_tables
from dcq.documents.chart_rows import estimate_row, ruler_rows
from dcq.documents.deck import (
    captions,
    effect,
    for_others,
    limits,
    method,
    overlap,
    quiz,
    replications,
)
from dcq.documents.deck.captions import days, version_and_time
from dcq.documents.deck.model import Deck, Part
from dcq.documents.deck.overlap import Searched
from dcq.documents.names import tell_apart
from dcq.documents.replication_document import result_document as replication_entry
from dcq.documents.result_tables import COMPARISON_COLUMNS, rank
from dcq.effect.document import documents
from dcq.effect.stored import all_stored
from dcq.evidence.record import KAPPA, Evidence
from dcq.judging import changes, every_method, study
from dcq.judging.answer import Concluded, conclusions_by_run, ruling_of
from dcq.judging.answers import answers
from dcq.judging.comparisons import ComparedResults
from dcq.judging.judged import JudgedResult
from dcq.quiz import protocol2
from dcq.records import PartitionRole
from dcq.result_columns import cells
from dcq.sections import Chart, Exhibit, Section
from dcq.store import Store
from dcq.store.connect import utc_now
from dcq.store.studies import EVERYTHING, QUIZ, REPLICATION, Study
from dcq.words import counted, listed, model_title, model_titles, percent

NAMED = 3  # models or partitions in a sentence


def build(store: Store, within: Study = EVERYTHING, *, with_text: bool = True) -> Deck:
    """All sections for which the study has something to show, as ``Part`` orders them. Without
    text, the data set's texts are replaced by hashes."""
    findings = study.by_strength(study.findings(store, within))
    scored = study.with_originals(findings)
    others = [
        (method, study.judged_results(store, method.name, within))
        for method in methods.of_study(within)
        if method.judged and method.name != QUIZ
    ]
    of_others = [result for _, results in others for result in results]
    searched = overlap.searched(store, within)
    compared = study.comparisons(store, within)
    asked = [result.evidence for result in (*findings, *of_others)]
    answered = answers(store, within)
    changed = changes.sentences(store, within, answered)
    concluded = conclusions_by_run(answered)

    def shown(method: DetectionMethod[Any], results: Sequence[JudgedResult]) -> Section | None:
        own = _OWN_EXHIBITS.get(method.name)
        exhibits = own(store, within, results, concluded) if own and results else []
        return section(method, results, changed, concluded, exhibits)

    sections = [
        _question(asked, searched, within),
        answer_document.section(answered),
        method.section(store, scored, with_text=with_text),
        quiz.verdict(store, within, scored, concluded),
        shown(methods.named(QUIZ), scored),
        *(shown(other, results) for other, results in others),
        overlap.overlaps(store, searched, scored),
        *effect.sections(store, within),
        comparison_section(compared, concluded),
        limits.section(scored, of_others, searched),
    ]
    return Deck(
        title=_title([result.evidence for result in (*scored, *of_others)]),
        subtitle=f"Study “{within.name}”" if within.name else "",
        made_at=utc_now(),
        sections=tuple(part for part in sections if part is not None),
        data=for_others.renamed(
            {"answers": [answer.document() for answer in answered]}
            | _data(store, within, findings, of_others, searched, compared)
            | {"datasets": for_others.datasets(store, [one.partition for one in asked])},
            [one.model for one in asked],
        ),
    )


# What documents show of these methods needs more than evidence: verdicts, or several runs at once.
_OWN_EXHIBITS = {QUIZ: quiz.exhibits, REPLICATION: replications.exhibits}


def _title(asked: Sequence[Evidence]) -> str:
    tested = [asked_run for asked_run in asked if asked_run.role != PartitionRole.CONTROL]
    models = {model_title(asked_run.model) for asked_run in tested}
    places = {asked_run.partition: asked_run.place for asked_run in tested}
    model = next(iter(models)) if len(models) == 1 else "a model"
    place = next(iter(places.values())) if len(places) == 1 else "the benchmark"
    return f"Has {model} seen {place}?"


def _question(asked: Sequence[Evidence], searched: Sequence[Searched], within: Study) -> Section:
    if not asked and not searched:
        empty = "No model has answered yet, so there is nothing to report."
        return Section(Part.QUESTION, "The question", (empty,))
    roles = {asked_run.partition: PartitionRole(asked_run.role) for asked_run in asked}
    tested = sum(role is PartitionRole.TARGET for role in roles.values())
    controls = sum(role is PartitionRole.CONTROL for role in roles.values())
    sentences = []
    if asked:
        models = list(dict.fromkeys(model_title(asked_run.model) for asked_run in asked))
        sentences.append(
            f"{listed(models, NAMED)} {'was' if len(models) == 1 else 'were'} asked about "
            f"{_partitions(tested)} that may have been in the training data, and about "
            f"{_partitions(controls)} that cannot have been."
        )
    if controls:
        sentences.append("What is above the score on unseen text calls for an explanation.")
    times = [
        *(asked_run.at for asked_run in asked),
        *(search.result.made_at for search in searched),
    ]
    if within.name:
        author = f" by {within.author}" if within.author else ""
        sentences.append(
            f"The study “{within.name}”{author} says what is judged together, and which controls "
            "count."
        )
    if within.made_at is not None:
        planned = all(within.made_at <= at for at in times)
        sentences.append(
            f"It was fixed on {within.made_at:%d %b %Y}, {'before' if planned else 'after'} the "
            "first reply."
        )
    caption = (f"Asked {days(times)}", version_and_time())
    return Section(
        Part.QUESTION,
        "The question",
        tuple(sentences),
        (Exhibit("What was asked", caption, _asked(asked, searched)),),
    )


def _partitions(count: int) -> str:
    return "1 partition" if count == 1 else f"{count:,} partitions"


def _asked(asked: Sequence[Evidence], searched: Sequence[Searched]) -> pd.DataFrame:
    """A row for each partition: its role, and by how many runs of each method it was tried."""
    names = {search.result.partition: search.place for search in searched}
    names |= {entry.partition: entry.place for entry in asked}
    names = tell_apart(names)
    facts = {entry.partition: (entry.role, entry.task, entry.language) for entry in asked}
    searches = Counter(entry.result.partition for entry in searched)
    runs = Counter((entry.read_by, entry.partition) for entry in asked)
    heads = {QUIZ: "Quizzes", REPLICATION: "Replications"}
    heads |= {name: methods.named(name).title for name, _ in runs if name not in heads}
    rows = []
    for partition, name in sorted(names.items(), key=lambda pair: pair[1]):
        role, task, language = facts.get(partition, ("", "", ""))
        rows.append(
            {
                "Partition": name,
                "Role": role,
                "Task": task,
                "Language": language,
                **{head: runs[name, partition] for name, head in heads.items()},
                "Searches": searches[partition],
            }
        )
    return pd.DataFrame(rows)


def _data(
    store: Store,
    within: Study,
    findings: Sequence[JudgedResult],
    of_others: Sequence[JudgedResult],
    searched: Sequence[Searched],
    compared: Sequence[ComparedResults],
) -> dict[str, list[dict[str, Any]]]:
    """The numbers with the keys that the command line promises. No text of an instance."""
    ranges = protocol2.by_run(protocol2.estimates(store))
    return {
        "results": [
            {
                "run": finding.evidence.run,
                **every_method.document(finding, ranges.get(finding.evidence.run)),
            }
            for finding in findings
        ],
        "replications": [
            {
                "run": result.evidence.run,
                "model": result.evidence.model,
                "partition": result.evidence.partition,
                "role": result.evidence.role,
                **replication_entry(result),
            }
            for result in of_others
            if result.evidence.method == REPLICATION
        ],
        "others": [
            {"run": result.evidence.run, **every_method.of_judged(result)}
            for result in of_others
            if result.evidence.method != REPLICATION
        ],
        "overlaps": [search.document() for search in searched],
        "comparisons": [comparison.document() for comparison in compared],
        "effects": [
            {"benchmark": stored_effect.score_set.benchmark, **entry}
            for stored_effect in all_stored(store, within)
            for entry in documents(stored_effect.findings)
        ],
    }


READ_ALOUD = 3  # verdicts
DRAWN = 12  # results on one ruler; all of them are in the table
_PARTS = {QUIZ: Part.QUIZ, REPLICATION: Part.REPLICATION}


def section(
    method: DetectionMethod[Any],
    results: Sequence[JudgedResult],
    changed: Mapping[str, str],
    concluded: Concluded,
    exhibits: Sequence[Exhibit] = (),
) -> Section | None:
    """The section of a method. ``results`` are all its results, the strongest first; ``changed``
    says what changed a verdict, by run, and ``concluded`` is the word in its tables and charts.
    ``exhibits`` follow the table and the chart of all results, before those that the method
    declares."""
    if not results:
        return None
    sentences = [
        f"{result.sentence} {changed.get(result.evidence.run, '')}".rstrip()
        for result in results
        if result.verdict
    ]
    tested = [result for result in results if result.verdict] or results
    drawn = tested[:DRAWN]
    count = counted(len(results), "run")
    if len(drawn) < len(tested):
        count += f" · the {len(drawn)} strongest are drawn"
    unit = results[0].evidence.estimate.unit
    return Section(
        _PARTS.get(method.name, Part.OTHERS),
        method.question,
        (method.explanation, *sentences[:READ_ALOUD]),
        (
            Exhibit(
                f"{method.title}: {'κ' if unit == KAPPA else unit}",
                (
                    f"{count} · {captions.days([result.evidence.at for result in results])}",
                    captions.version_and_time(),
                ),
                result_tables.tabulate_methods(results, concluded),
                _chart(drawn, results, concluded),
            ),
            *exhibits,
            *method.exhibits(
                [result.evidence for result in results],
                {result.evidence.run: result.side_calibrations for result in results},
            ),
        ),
    )


def _chart(
    drawn: Sequence[JudgedResult], results: Sequence[JudgedResult], concluded: Concluded
) -> Chart:
    """What was found beside what is expected on unseen text, by partition; the estimates themselves
    where they are no shares."""
    partitions = [result.evidence.partition for result in drawn]
    drawn = sorted(drawn, key=lambda result: partitions.index(result.evidence.partition))
    rows = ruler_rows(drawn, concluded, {} if len(drawn) == 1 else None)
    if rows["found"].isna().all():
        return Chart("estimate_intervals", _rows(results), (results[0].evidence.estimate.unit,))
    chances = {result.evidence.chance for result in drawn}
    return Chart("verdict_ruler", rows, (chances.pop() if len(chances) == 1 else None,))


def _rows(results: Sequence[JudgedResult]) -> pd.DataFrame:
    """The rows of the chart ``estimate_intervals``."""
    return pd.DataFrame(
        [
            {
                "name": f"{model_title(result.evidence.model)} · {result.evidence.place}",
                "whole": result.verdict is None,
                **estimate_row(result),
            }
            for result in results
        ]
    )


COMPARISONS_READ_ALOUD = 3  # comparisons


def comparison_section(
    comparisons: Sequence[ComparedResults], concluded: Concluded
) -> Section | None:
    """The section that compares models with each other, and splits of a data set; the clearest
    comparison first. Its chart has the word that is ``concluded``."""
    ranked = rank(
        [comparison for comparison in comparisons if comparison.comparison.difference is not None]
    )
    if not ranked:
        return None
    highlights = [pair for pair in ranked if not pair.on_controls] or ranked
    runs = {side.run: side for pair in ranked for side in (pair.first, pair.second)}
    table = pd.DataFrame(cells(COMPARISON_COLUMNS, ranked))
    slope = _two_models(highlights[0], ranked, concluded)
    return Section(
        Part.COMPARISONS,
        "Models and splits compared",
        tuple(pair.sentence() for pair in highlights[:COMPARISONS_READ_ALOUD]),
        (*slope, Exhibit("All comparisons", captions.of(list(runs.values())), table)),
    )


LINES = 10  # partitions on which two models are drawn


def _two_models(
    clearest: ComparedResults, ranked: Sequence[ComparedResults], concluded: Concluded
) -> list[Exhibit]:
    """The two models that differ most clearly, on every partition that both were asked about."""
    if not clearest.of_models:
        return []
    sides = (clearest.first.model, clearest.second.model)
    model_pairs = [pair for pair in ranked if (pair.first.model, pair.second.model) == sides][
        :LINES
    ]
    rows = [
        {
            "name": pair.first.place,
            "left": pair.first.score or 0.0,
            "right": pair.second.score or 0.0,
            "is_control": pair.on_controls,
            "ruling": ruling_of(pair.second.run, concluded),
        }
        for pair in sorted(model_pairs, key=lambda pair: pair.on_controls)
    ]
    drawn = pd.DataFrame(rows)
    titles = model_titles(sides)
    sides = (titles[sides[0]], titles[sides[1]])
    table = pd.DataFrame(
        {
            "Partition": drawn["name"],
            sides[0]: [percent(share, 1) for share in drawn["left"]],
            sides[1]: [percent(share, 1) for share in drawn["right"]],
        }
    )
    results = [side for pair in model_pairs for side in (pair.first, pair.second)]
    return [
        Exhibit("Two models", captions.of(results), table, Chart("model_slope", drawn, sides)),
    ]
