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

from dcq.errors import InputError
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


def begin_sitting(store: Store, sample_id: str, person: str, size: int) -> str:
    """The id of a sitting for ``person``: the unfinished one of this sample, or a new one of at
    most ``size`` questions. Raises InputError where no question can be built or all were asked."""
    sample = samples.load(store, sample_id)
    built = freeze.questions(store, sample, QuizKind.ROTATED, None)
    return sittings.begin(
        store,
        sample.id,
        person,
        lambda asked, seed: draw_questions(built.items, size, seed, asked),
    )


def judged_sittings(store: Store) -> list[JudgedSitting]:
    """Every finished sitting of a store with its answers that count, oldest first."""
    all_sittings = sittings.every(store)
    curations = sittings.curations(store, {sitting.sample_id for sitting in all_sittings})
    return judge_sittings(all_sittings, curations)


def judge_sitting(store: Store, sitting: Sitting) -> JudgedSitting:
    """A finished sitting with its answers that count. Raises InputError if it is unfinished."""
    for judged_sitting in judged_sittings(store):
        if judged_sitting.sitting.id == sitting.id:
            return judged_sitting
    raise InputError("This sitting is not finished; answer its last questions first.")


def _pool(answers: Sequence[PersonsAnswer]) -> Pooled:
    return pool([(answer.person_key, answer.instance, answer.right) for answer in answers])


@dataclass(frozen=True)
class ModelComparison:
    """The result of a model on the instances that a person was asked about. A rotated quiz asks
    four questions about each; n of ``kappa`` counts instances all the same."""

    result: Result
    kappa: Kappa

    @property
    def found_words(self) -> str:
        """``8 of 10``: how many questions were answered with the original, of all."""
        questions_each = OPTIONS if self.result.kind is QuizKind.ROTATED else 1
        return f"{self.kappa.correct:,} of {questions_each * self.kappa.n:,}"


def compare_models(
    store: Store, sitting: Sitting, model_results: Sequence[Result]
) -> list[ModelComparison]:
    """The results of models on a standard or rotated quiz of the sitting's sample, over the
    instances of the sitting; the highest score first."""
    asked = [item.instance_id for item in sitting.items]
    sample_results = [
        result
        for result in model_results
        if result.sample == sitting.sample_id and result.kind in ASKED_ALIKE and result.n
    ]
    answers = tables.of_runs(store, [result.run for result in sample_results])
    comparisons = [
        ModelComparison(result, _kappa_over(answers[result.run], asked))
        for result in sample_results
    ]
    return sorted(
        (comparison for comparison in comparisons if comparison.kappa.n),
        key=lambda comparison: (
            -(comparison.kappa.score or 0.0),
            comparison.result.model,
        ),
    )


def _kappa_over(answers: pd.DataFrame, instances: Sequence[str]) -> Kappa:
    """κ of a run over these instances only."""
    right = tables.right(answers)
    right = right[right.index.isin(instances)]
    if right.shape[1] > 1:
        return rotated_kappa(right.to_numpy(float))
    values = right.to_numpy(float).ravel()
    values = values[~np.isnan(values)]
    return kappa_fixed(int(values.sum()), len(values))


def sitting_kappa(sitting: Sitting) -> Kappa:
    """κ of a finished sitting, as of a standard quiz: one question an instance, chance 1/4."""
    return kappa_fixed(sum(sitting.right), len(sitting.items))


def describe(sitting: Sitting, models: Sequence[ModelComparison]) -> str:
    """The person's result beside that of the first of ``models``, in a sentence."""
    own_kappa = sitting_kappa(sitting)
    kappa = kappa_words(own_kappa.kappa_fixed, own_kappa.kappa_low, own_kappa.kappa_high)
    words = f"You found {own_kappa.correct} of {own_kappa.n} (κ {kappa})"
    if not models:
        return f"{words}; guessing finds one in four."
    first, model = models[0], model_title(models[0].result.model)
    if first.result.kind is QuizKind.ROTATED:
        count_words = f"{first.found_words} on the same texts, asked about four times each"
    elif first.kappa.n == own_kappa.n:
        count_words = f"{first.kappa.correct:,} of the same {own_kappa.n:,}"
    else:
        count_words = f"{first.kappa.correct:,} of the {first.kappa.n:,} of these that it answered"
    if len(models) == 1:
        return f"{words}; {model} found {count_words}."
    return f"{words}; of {len(models)} models, {model} did best: {count_words}."


def overview(store: Store) -> list[tuple[str, Pooled]]:
    """The id of each sample in which an answer counts, and the results of people pooled over it."""
    return [
        (sample, _pool(own_answers))
        for sample, own_answers in answers_by_sample(judged_sittings(store)).items()
    ]


def document(store: Store, sample_id: str) -> dict[str, Any]:
    """The results of people on a sample, and those of models over their whole quiz, with the keys
    of ``python -m dcq people``."""
    sample = samples.load(store, sample_id)
    sample_sittings = [
        judged_sitting
        for judged_sitting in judged_sittings(store)
        if judged_sitting.sitting.sample_id == sample.id
    ]
    pooled = _pool(
        [answer for judged_sitting in sample_sittings for answer in judged_sitting.counted]
    )
    model_results = [
        result
        for result in results.table(store)
        if result.sample == sample.id and result.kind in ASKED_ALIKE
    ]
    return {
        "sample": sample.id,
        "partition": sample.partition.id,
        "people": pooled.people,
        "instances": pooled.instances,
        **_kappa_document(pooled.kappa),
        "sittings": [
            {
                "sitting": judged_sitting.sitting.id,
                "person": judged_sitting.sitting.person,
                **_kappa_document(
                    _pool(judged_sitting.counted).kappa
                    if judged_sitting.counted
                    else sitting_kappa(judged_sitting.sitting)
                ),
                "counted": bool(judged_sitting.counted),
                "why": judged_sitting.why_none_counts,
            }
            for judged_sitting in sample_sittings
        ],
        "models": [
            {"model": result.model, "kind": result.kind.value, **_kappa_document(result.kappa)}
            for result in model_results
        ],
    }


def _kappa_document(kappa: Kappa) -> Mapping[str, Any]:
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
    """One row for each answer of the finished sittings of a sample, with the ``COLUMNS``."""
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
        for judged_sitting in judged_sittings(store)
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


def draw_questions(
    questions: Sequence[Item], size: int, seed: int, asked: Collection[str] = ()
) -> tuple[Item, ...]:
    """At most ``size`` of the ``questions`` of a rotated quiz, one for each instance, in an order
    that follows from ``seed``; none about an instance in ``asked``."""
    by_instance: dict[str, list[Item]] = {}
    for question in questions:
        if question.instance_id not in asked:
            by_instance.setdefault(question.instance_id, []).append(question)

    def key(instance: str, purpose: str) -> int:
        return int(fingerprint(str(seed), purpose, instance), 16)

    order = sorted(by_instance, key=lambda instance: key(instance, "order"))
    return tuple(
        by_instance[instance][key(instance, "slot") % len(by_instance[instance])]
        for instance in order[:size]
    )


@dataclass(frozen=True)
class PersonsAnswer:
    """One answer that counts: the key of the person (see ``person_key``), the instance, and whether
    the original was chosen."""

    person_key: str
    instance: str
    right: bool


@dataclass(frozen=True)
class JudgedSitting:
    """A finished sitting and its answers that count; if none does, ``why_none_counts`` says why."""

    sitting: Sitting
    counted: tuple[PersonsAnswer, ...]
    why_none_counts: str = ""


CURATED = "has worked on these texts, so the originals were not new"
AGAIN = "has been asked about all of these instances before"


def judge_sittings(
    all_sittings: Sequence[Sitting], curations: Sequence[Curation]
) -> list[JudgedSitting]:
    """The finished ones of ``all_sittings`` (all of a store, oldest first), with their answers that
    count.

    An instance counts for a person only in the first sitting that has it, finished or not, whatever
    the sample. No answer counts of a sitting whose person had worked on the texts of the sample
    before its last answer.
    """
    first_work = {(curation.sample_id, curation.key): curation.at for curation in curations}
    asked: set[tuple[str, str]] = set()
    judged = []
    for sitting in all_sittings:
        key = person_key(sitting.person)
        answers = [
            PersonsAnswer(key, item.instance_id, right)
            for item, right in zip(sitting.items, sitting.right, strict=True)
        ]
        first_answers = tuple(answer for answer in answers if (key, answer.instance) not in asked)
        asked.update((key, answer.instance) for answer in answers)
        if not sitting.finished:
            continue
        if _worked_before(sitting, first_work.get((sitting.sample_id, key))):
            judged.append(JudgedSitting(sitting, (), CURATED))
        else:
            judged.append(JudgedSitting(sitting, first_answers, "" if first_answers else AGAIN))
    return judged


def _worked_before(sitting: Sitting, first_work: datetime | None) -> bool:
    """Whether the person had worked on the texts before the last answer."""
    return (
        first_work is not None
        and sitting.answered_at is not None
        and first_work <= sitting.answered_at
    )


def answers_by_sample(judged: Sequence[JudgedSitting]) -> Mapping[str, list[PersonsAnswer]]:
    """The answers that count, by sample; samples without any are left out."""
    by_sample: dict[str, list[PersonsAnswer]] = {}
    for judged_sitting in judged:
        if judged_sitting.counted:
            by_sample.setdefault(judged_sitting.sitting.sample_id, []).extend(
                judged_sitting.counted
            )
    return by_sample


_DEFAULT = ("control-reviews", "test")  # short everyday texts, with variants


def trial_quiz(store: Store, model_results: Sequence[Result]) -> tuple[str, str]:
    """The quiz for a newcomer: the title of a bundled English partition, and the id of its sample
    (empty if it is not drawn yet). It is the sample with most of ``model_results``, so that there
    is something to compare with; without any, that of ``_DEFAULT``."""
    bundled = {
        listed_sample.id: listed_sample
        for listed_sample in samples.listing(store)
        if listed_sample.source.startswith("bundled:")
        and listed_sample.language == "en"
        and listed_sample.with_variants >= SHORT
    }
    result_counts = Counter(
        result.sample
        for result in model_results
        if result.sample in bundled and result.kind in ASKED_ALIKE and result.n
    )
    most_used = max(bundled, key=lambda sample: result_counts[sample], default="")
    if most_used and result_counts[most_used]:
        return place(bundled[most_used].title, bundled[most_used].split_title), most_used
    from dcq.partitions import open_partition  # here, because whoever judges reads no dataset

    opened = open_partition(*_DEFAULT)
    sample_id = next(
        (
            bundled_id
            for bundled_id, listed_sample in bundled.items()
            if listed_sample.partition == opened.partition.id
        ),
        "",
    )
    return partitions.place(store, opened.partition), sample_id


def begin_trial(store: Store, sample_id: str, person: str) -> str:
    """The id of a sitting of ten questions of ``sample_id``, drawn here if it is empty."""
    if not sample_id:
        from dcq.partitions import draw_sample, open_partition  # as above

        sample_id = samples.save(store, draw_sample(open_partition(*_DEFAULT)))
    return begin_sitting(store, sample_id, person, SHORT)
