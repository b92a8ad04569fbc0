"""The quiz as people take it: which questions they get, which of their answers count, and their
results beside those of models.

A person's question is one of the four that a rotated quiz asks about an instance: same texts, same
order of the options, the original at a slot that is drawn. With the original always in one slot, as
models get it, a person would soon look only there; with a slot drawn for each question, no habit
helps. A newcomer can try ten questions on texts that come with dcq.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd

from dcq.evidence.kappa import Kappa, kappa_fixed
from dcq.evidence.people import Pooled, pool
from dcq.evidence.rotated import rotated_kappa
from dcq.quiz import freeze, results, tables
from dcq.quiz.results import OPTIONS, Result
from dcq.records import LETTERS, Item, QuizKind, fingerprint
from dcq.store import Store, partitions, samples, sittings
from dcq.store.sittings import Curation, Sitting, person_key
from dcq.words import kappa_words, model_title, place

ASKED_ALIKE = (QuizKind.STANDARD, QuizKind.ROTATED)  # four options, one of them the original


def begin(store: Store, sample_id: str, person: str, size: int) -> str:
    """The id of a sitting for ``person``: the unfinished one of this sample, or a new one of at
    most ``size`` questions. Raises InputError where no question can be built or all were asked."""
    sample = samples.load(store, sample_id)
    built = freeze.questions(store, sample, QuizKind.ROTATED, None)
    return sittings.begin(
        store,
        sample.id,
        person,
        lambda asked, seed: draw(built.items, size, seed, asked),
    )


def judged(store: Store) -> list[JudgedSitting]:
    """Every finished sitting with its answers that count, oldest first."""
    all_sittings = sittings.every(store)
    known_curations = sittings.curations(store, {sitting.sample_id for sitting in all_sittings})
    return judge(all_sittings, known_curations)


def judge_sitting(store: Store, sitting: Sitting) -> JudgedSitting:
    """The answers of one finished sitting that count."""
    return next(
        judged_sitting
        for judged_sitting in judged(store)
        if judged_sitting.sitting.id == sitting.id
    )


def _pool(answers: Sequence[PersonsAnswer]) -> Pooled:
    return pool([(answer.person, answer.instance, answer.right) for answer in answers])


@dataclass(frozen=True)
class ModelBeside:
    """The result of a model on the instances that a person was asked about. A rotated quiz asks
    four questions about each; n of ``kappa`` counts instances all the same."""

    result: Result
    kappa: Kappa

    @property
    def found(self) -> str:
        """``8 of 10``: how many questions were answered with the original, of all."""
        each = OPTIONS if self.result.kind is QuizKind.ROTATED else 1
        return f"{self.kappa.correct:,} of {each * self.kappa.n:,}"


def beside(store: Store, sitting: Sitting, results: Sequence[Result]) -> list[ModelBeside]:
    """The models' results on a standard or rotated quiz of the sample of ``sitting``, over the same
    instances; the model that found most first."""
    asked = [item.instance_id for item in sitting.items]
    sample_results = [
        result
        for result in results
        if result.sample == sitting.sample_id and result.kind in ASKED_ALIKE and result.n
    ]
    answers = tables.of_runs(store, [result.run for result in sample_results])
    listed = [ModelBeside(result, _over(answers[result.run], asked)) for result in sample_results]
    return sorted(
        (model for model in listed if model.kappa.n),
        key=lambda model: (-(model.kappa.score or 0.0), model.result.model),
    )


def _over(answers: pd.DataFrame, instances: Sequence[str]) -> Kappa:
    """κ of a run over some instances only."""
    right = tables.right(answers)
    right = right[right.index.isin(instances)]
    if right.shape[1] > 1:
        return rotated_kappa(right.to_numpy(float))
    values = right.to_numpy(float).ravel()
    values = values[~np.isnan(values)]
    return kappa_fixed(int(values.sum()), len(values))


def score(sitting: Sitting) -> Kappa:
    """κ of a finished sitting, as of a standard quiz: one question an instance, chance 1/4."""
    return kappa_fixed(sum(sitting.right), len(sitting.items))


def describe(sitting: Sitting, models: Sequence[ModelBeside]) -> str:
    """The comparison in a sentence."""
    own_kappa = score(sitting)
    kappa = kappa_words(own_kappa.kappa_fixed, own_kappa.kappa_low, own_kappa.kappa_high)
    words = f"You found {own_kappa.correct} of {own_kappa.n} (κ {kappa})"
    if not models:
        return f"{words}; guessing finds one in four."
    first, model = models[0], model_title(models[0].result.model)
    if first.result.kind is QuizKind.ROTATED:
        count_words = f"{first.found} on the same texts, asked about four times each"
    elif first.kappa.n == own_kappa.n:
        count_words = f"{first.kappa.correct:,} of the same {own_kappa.n:,}"
    else:
        count_words = f"{first.kappa.correct:,} of the {first.kappa.n:,} of these that it answered"
    if len(models) == 1:
        return f"{words}; {model} found {count_words}."
    return f"{words}; of {len(models)} models, {model} found most: {count_words}."


def overview(store: Store) -> list[tuple[str, Pooled]]:
    """The results of people for each sample in which an answer counts."""
    return [
        (sample, _pool(own_answers)) for sample, own_answers in by_sample(judged(store)).items()
    ]


def document(store: Store, sample_id: str) -> dict[str, Any]:
    """The figures of a sample with the keys documented for the command line."""
    sample = samples.load(store, sample_id)
    here = [
        judged_sitting
        for judged_sitting in judged(store)
        if judged_sitting.sitting.sample_id == sample.id
    ]
    together = _pool([answer for judged_sitting in here for answer in judged_sitting.counted])
    models = [
        result
        for result in results.table(store)
        if result.sample == sample.id and result.kind in ASKED_ALIKE
    ]
    return {
        "sample": sample.id,
        "partition": sample.partition.id,
        "people": together.people,
        "instances": together.instances,
        **_figures(together.kappa),
        "sittings": [
            {
                "sitting": judged_sitting.sitting.id,
                "person": judged_sitting.sitting.person,
                **_figures(
                    _pool(judged_sitting.counted).kappa
                    if judged_sitting.counted
                    else score(judged_sitting.sitting)
                ),
                "counted": bool(judged_sitting.counted),
                "why": judged_sitting.why,
            }
            for judged_sitting in here
        ],
        "models": [
            {"model": result.model, "kind": result.kind.value, **_figures(result.kappa)}
            for result in models
        ],
    }


def _figures(kappa: Kappa) -> Mapping[str, Any]:
    return {
        "n": kappa.n,
        "correct": kappa.correct,
        "score": kappa.score,
        "kappa_fixed": kappa.kappa_fixed,
        "kappa_low": kappa.kappa_low,
        "kappa_high": kappa.kappa_high,
        "p_value": kappa.p_value,
    }


def frame(store: Store, sample_id: str) -> pd.DataFrame:
    """Every answer of the finished sittings of a sample: sitting, person, position, instance, the
    options, original, letter, right, counted."""
    sample = samples.load(store, sample_id)
    rows = [
        {
            "sample": sample.id,
            "partition": sample.partition.id,
            "sitting": judged_sitting.sitting.id,
            "person": judged_sitting.sitting.person,
            "position": position,
            "instance": item.instance_id,
            **{
                f"option_{letter.lower()}": text
                for letter, text in zip(LETTERS, item.options, strict=False)
            },
            "original": LETTERS[item.correct] if item.correct is not None else None,
            "letter": letter,
            "right": right,
            "counted": item.instance_id in {answer.instance for answer in judged_sitting.counted},
            "at": judged_sitting.sitting.answered_at,
        }
        for judged_sitting in judged(store)
        if judged_sitting.sitting.sample_id == sample.id
        for position, (item, letter, right) in enumerate(
            zip(
                judged_sitting.sitting.items,
                judged_sitting.sitting.letters,
                judged_sitting.sitting.right,
                strict=True,
            )
        )
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


COLUMNS = (
    *("sample", "partition", "sitting", "person", "position", "instance"),
    *("option_a", "option_b", "option_c", "option_d"),
    *("original", "letter", "right", "counted", "at"),
)


SHORT, LONG = 10, 20  # questions of a first look, and of a sitting that is meant as a control


def draw(
    questions: Sequence[Item], size: int, seed: int, asked: Collection[str] = ()
) -> tuple[Item, ...]:
    """At most ``size`` of the ``questions`` of a rotated quiz, one for each instance, in an order
    that follows from ``seed``; none about an instance in ``asked``."""
    by_instance: dict[str, list[Item]] = {}
    for question in questions:
        if question.instance_id not in asked:
            by_instance.setdefault(question.instance_id, []).append(question)

    def key(instance: str, what: str) -> int:
        return int(fingerprint(str(seed), what, instance), 16)

    order = sorted(by_instance, key=lambda instance: key(instance, "order"))
    return tuple(
        by_instance[instance][key(instance, "slot") % len(by_instance[instance])]
        for instance in order[:size]
    )


@dataclass(frozen=True)
class PersonsAnswer:
    """One answer that counts: the person (see ``person_key``), the instance, and whether it was the
    original."""

    person: str
    instance: str
    right: bool


@dataclass(frozen=True)
class JudgedSitting:
    """A finished sitting and its answers that count; if none does, ``why`` says why."""

    sitting: Sitting
    counted: tuple[PersonsAnswer, ...]
    why: str = ""


CURATED = "has worked on these texts, so the originals were not new"
AGAIN = "has been asked about all of these instances before"


def judge(sittings: Sequence[Sitting], curations: Sequence[Curation]) -> list[JudgedSitting]:
    """The finished ones of ``sittings`` (all of a store, oldest first), with the answers that
    count.

    A person's first answer about an instance counts, whatever the sample. No answer counts of a
    sitting whose person had worked on the texts of the sample before its last answer.
    """
    since = {(curation.sample_id, curation.key): curation.at for curation in curations}
    seen: set[tuple[str, str]] = set()
    judged_sittings = []
    for sitting in sittings:
        key = person_key(sitting.person)
        answers = [
            PersonsAnswer(key, item.instance_id, right)
            for item, right in zip(sitting.items, sitting.right, strict=True)
        ]
        new = tuple(answer for answer in answers if (key, answer.instance) not in seen)
        seen.update((key, persons_answer.instance) for persons_answer in answers)
        if not sitting.finished:
            continue
        if _had_seen(sitting, since.get((sitting.sample_id, key))):
            judged_sittings.append(JudgedSitting(sitting, (), CURATED))
        else:
            judged_sittings.append(JudgedSitting(sitting, new, "" if new else AGAIN))
    return judged_sittings


def _had_seen(sitting: Sitting, since: datetime | None) -> bool:
    return since is not None and sitting.answered_at is not None and since <= sitting.answered_at


def by_sample(judged: Sequence[JudgedSitting]) -> Mapping[str, list[PersonsAnswer]]:
    """The answers that count, by sample; samples without any are left out."""
    answers_by_sample: dict[str, list[PersonsAnswer]] = {}
    for judged_sitting in judged:
        if judged_sitting.counted:
            answers_by_sample.setdefault(judged_sitting.sitting.sample_id, []).extend(
                judged_sitting.counted
            )
    return answers_by_sample


_FIRST = ("control-reviews", "test")  # short everyday texts, with variants


def offered(store: Store, results: Sequence[Result]) -> tuple[str, str]:
    """The quiz for a newcomer: the name of a bundled partition, and its sample in the store (empty
    if it is not drawn yet). Partitions that models were asked about (``results`` are the results of
    the store) come first, so that there is something to compare with."""
    here = {
        listed_sample.id: listed_sample
        for listed_sample in samples.listing(store)
        if listed_sample.source.startswith("bundled:")
        and listed_sample.language == "en"
        and listed_sample.with_variants >= SHORT
    }
    asked = Counter(
        result.sample
        for result in results
        if result.sample in here and result.kind in ASKED_ALIKE and result.n
    )
    best = max(here, key=lambda sample: asked[sample], default="")
    if best and asked[best]:
        return place(here[best].title, here[best].split_title), best
    from dcq.partitions import open_partition  # here, because whoever judges reads no dataset

    opened = open_partition(*_FIRST)
    sample_id = next(
        (i for i, listed_sample in here.items() if listed_sample.partition == opened.partition.id),
        "",
    )
    return partitions.place(store, opened.partition), sample_id


def begin_first(store: Store, sample_id: str, person: str) -> str:
    """The id of a sitting of ten questions of the sample ``offered``, drawn here if it is empty."""
    if not sample_id:
        from dcq.partitions import draw_sample, open_partition  # as above

        sample_id = samples.save(store, draw_sample(open_partition(*_FIRST)))
    return begin(store, sample_id, person, SHORT)
