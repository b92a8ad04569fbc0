"""A document made of a study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd

from dcq import methods
from dcq.detection import DetectionMethod
from dcq.documents.deck import (
    any_method,
    comparisons,
    kappa,
    limits,
    method,
    overlap,
    quiz,
    replications,
)
from dcq.documents.deck.captions import days, made
from dcq.documents.deck.model import Deck, Part
from dcq.documents.deck.overlap import Searched
from dcq.documents.names import tell_apart
from dcq.documents.replication_document import found as replication_found
from dcq.evidence.record import Evidence
from dcq.judging import changes, every_method, replication, study
from dcq.judging.comparisons import Compared
from dcq.judging.replication import ReplicationResult
from dcq.judging.study import Finding, JudgedResult
from dcq.quiz import protocol2
from dcq.quiz.build import WITHOUT_ORIGINAL
from dcq.quiz.results import Result
from dcq.records import Role
from dcq.sections import Exhibit, Section
from dcq.store import Store
from dcq.store.connect import utc_now
from dcq.store.studies import EVERYTHING, QUIZ, REPLICATION, Study
from dcq.words import listed

_Asked = Result | ReplicationResult | Evidence
NAMED = 3  # models or partitions in a sentence


def build(store: Store, within: Study = EVERYTHING, *, with_text: bool = True) -> Deck:
    """All sections for which the study has something to show, as ``Part`` orders them. Without
    text, hashes stand in the place of the data set's."""
    found = study.by_strength(study.findings(store, within))
    scored = [one for one in found if one.result.kind not in WITHOUT_ORIGINAL]
    replicated = replication.results(store, within)
    searched = overlap.searched(store, within)
    others = _others(store, within)
    compared = study.comparisons(store, within)
    bare = [one.result for one in found if one.result.kind in WITHOUT_ORIGINAL]
    asked: list[_Asked] = [*(one.result for one in found), *replicated]
    own = [one for _, mine in others for one in mine]
    asked += [one.evidence for one in own]
    changed = changes.sentences(store, within)
    sections = [
        _question(asked, searched, within),
        method.section(store, scored, with_text=with_text),
        quiz.verdicts(scored, changed),
        quiz.options(scored),
        quiz.ablations(store, within),
        kappa.kappas(scored),
        replications.replications(replicated, changed),
        *(any_method.section(one, mine, changed) for one, mine in others),
        overlap.overlaps(store, searched, scored),
        comparisons.compared(compared),
        limits.section(scored, replicated, searched, own),
    ]
    return Deck(
        title=_title([one for one in asked if one not in bare]),
        subtitle=f"Study “{within.name}”" if within.name else "",
        made_at=utc_now(),
        sections=tuple(one for one in sections if one is not None),
        data=_data(store, found, replicated, own, searched, compared),
    )


def _others(store: Store, within: Study) -> list[tuple[DetectionMethod[Any], list[JudgedResult]]]:
    """The results of each method that has no section of its own, the strongest first."""
    return [
        (one, study.judged_results(store, one.name, within))
        for one in methods.of_study(within)
        if one.judged and one.name not in {QUIZ, REPLICATION}
    ]


def _title(asked: Sequence[_Asked]) -> str:
    tested = [one for one in asked if one.role != Role.CONTROL]
    models = {one.model for one in tested}
    places = {one.partition: one.place for one in tested}
    model = next(iter(models)) if len(models) == 1 else "a model"
    place = next(iter(places.values())) if len(places) == 1 else "the benchmark"
    return f"Has {model} seen {place}?"


def _question(asked: Sequence[_Asked], searched: Sequence[Searched], within: Study) -> Section:
    if not asked and not searched:
        empty = "No model has answered yet, so there is nothing to report."
        return Section(Part.QUESTION, "The question", (empty,))
    roles = {one.partition: Role(one.role) for one in asked}
    tested = sum(role is Role.TARGET for role in roles.values())
    controls = sum(role is Role.CONTROL for role in roles.values())
    sentences = []
    if asked:
        models = list(dict.fromkeys(one.model for one in asked))
        sentences.append(
            f"{listed(models, NAMED)} {'was' if len(models) == 1 else 'were'} asked about "
            f"{_partitions(tested)} that may have been in the training data, and about "
            f"{_partitions(controls)} that cannot have been."
        )
    if controls:
        sentences.append("What is above the score on unseen text calls for an explanation.")
    if within.name:
        author = f" by {within.author}" if within.author else ""
        sentences.append(
            f"The study “{within.name}”{author} says what is judged together, and which controls "
            "count."
        )
    times = [*(one.at for one in asked), *(one.result.made_at for one in searched)]
    caption = (f"Asked {days(times)}", made())
    return Section(
        Part.QUESTION,
        "The question",
        tuple(sentences),
        (Exhibit("What was asked", caption, _asked(asked, searched)),),
    )


def _partitions(count: int) -> str:
    return "1 partition" if count == 1 else f"{count:,} partitions"


def _asked(asked: Sequence[_Asked], searched: Sequence[Searched]) -> pd.DataFrame:
    """A row for each partition: its role, and by how many runs of each method it was tried."""
    names = {one.result.partition: one.place for one in searched}
    names |= {one.partition: one.place for one in asked}
    names = tell_apart(names)
    facts = {one.partition: (one.role, one.task, one.language) for one in asked}
    quizzes = Counter(one.partition for one in asked if isinstance(one, Result))
    replications = Counter(one.partition for one in asked if isinstance(one, ReplicationResult))
    searches = Counter(one.result.partition for one in searched)
    more = Counter((one.method, one.partition) for one in asked if isinstance(one, Evidence))
    titles = {name: methods.named(name).title for name in dict.fromkeys(name for name, _ in more)}
    rows = []
    for partition, name in sorted(names.items(), key=lambda pair: pair[1]):
        role, task, language = facts.get(partition, ("", "", ""))
        rows.append(
            {
                "Partition": name,
                "Role": role,
                "Task": task,
                "Language": language,
                "Quizzes": quizzes[partition],
                "Replications": replications[partition],
                **{title: more[name, partition] for name, title in titles.items()},
                "Searches": searches[partition],
            }
        )
    return pd.DataFrame(rows)


def _data(
    store: Store,
    found: Sequence[Finding],
    replicated: Sequence[ReplicationResult],
    others: Sequence[JudgedResult],
    searched: Sequence[Searched],
    compared: Sequence[Compared],
) -> dict[str, list[dict[str, Any]]]:
    """The numbers with the keys that the command line promises. No text of an instance."""
    ranges = protocol2.by_run(protocol2.estimates(store))
    return {
        "results": [
            {"run": one.result.run, **every_method.document(one, ranges.get(one.result.run))}
            for one in found
        ],
        "replications": [
            {
                "run": one.run,
                "model": one.model,
                "partition": one.partition,
                "role": one.role,
                **replication_found(one),
            }
            for one in replicated
        ],
        "others": [{"run": one.evidence.run, **every_method.of_judged(one)} for one in others],
        "overlaps": [one.document() for one in searched],
        "comparisons": [one.document() for one in compared],
    }
