"""What people find in a sample, beside what models find: figures, sentences and an export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dcq.evidence.kappa import Kappa, kappa_fixed
from dcq.evidence.people import Pooled, pool
from dcq.evidence.rotated import rotated_kappa
from dcq.quiz import freeze, results, sitting, tables
from dcq.quiz.results import OPTIONS, Result
from dcq.quiz.sitting import Judged, PersonsAnswer
from dcq.records import LETTERS, Kind
from dcq.store import Store, samples, sittings
from dcq.store.sittings import Sitting
from dcq.words import kappa_words

ASKED_ALIKE = (Kind.STANDARD, Kind.ROTATED)  # four options, one of them the original


def begin(store: Store, sample_id: str, person: str, size: int) -> str:
    """The id of a sitting for ``person``: the unfinished one of this sample, or a new one of at
    most ``size`` questions. Raises InputError where none can be built or all were asked."""
    sample = samples.load(store, sample_id)
    built = freeze.questions(store, sample, Kind.ROTATED, None)
    return sittings.begin(
        store,
        sample.id,
        person,
        lambda asked, seed: sitting.draw(built.items, size, seed, asked),
    )


def judged(store: Store) -> list[Judged]:
    """Every finished sitting with what counts of it, oldest first."""
    found = sittings.every(store)
    known = sittings.curations(store, {one.sample_id for one in found})
    return sitting.judge(found, known)


def judged_one(store: Store, one: Sitting) -> Judged:
    """What counts of one finished sitting."""
    return next(found for found in judged(store) if found.sitting.id == one.id)


def _pool(answers: Sequence[PersonsAnswer]) -> Pooled:
    return pool([(one.person, one.instance, one.right) for one in answers])


@dataclass(frozen=True)
class ModelBeside:
    """What a model found of the instances that a person was asked about. A rotated quiz asks about
    each in four questions; n of ``kappa`` counts instances all the same."""

    result: Result
    kappa: Kappa

    @property
    def found(self) -> str:
        """``8 of 10``: the questions answered with the original, of all."""
        each = OPTIONS if self.result.kind is Kind.ROTATED else 1
        return f"{self.kappa.correct:,} of {each * self.kappa.n:,}"


def beside(store: Store, one: Sitting, every: Sequence[Result]) -> list[ModelBeside]:
    """Those of the store's results that are on a standard or rotated quiz of the sample of ``one``,
    over the same instances; the model that found most first."""
    asked = [item.instance_id for item in one.items]
    found = [
        result
        for result in every
        if result.sample == one.sample_id and result.kind in ASKED_ALIKE and result.n
    ]
    answers = tables.of_runs(store, [result.run for result in found])
    listed = [ModelBeside(result, _over(answers[result.run], asked)) for result in found]
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
    known = right.to_numpy(float).ravel()
    known = known[~np.isnan(known)]
    return kappa_fixed(int(known.sum()), len(known))


def score(one: Sitting) -> Kappa:
    """κ of a finished sitting, as of a standard quiz: one question an instance, chance 1/4."""
    return kappa_fixed(sum(one.right), len(one.items))


def tell(one: Sitting, models: Sequence[ModelBeside]) -> str:
    """The comparison in a sentence."""
    mine = score(one)
    kappa = kappa_words(mine.kappa_fixed, mine.kappa_low, mine.kappa_high)
    words = f"You found {mine.correct} of {mine.n} (κ {kappa})"
    if not models:
        return f"{words}; guessing finds one in four."
    first = models[0]
    if first.result.kind is Kind.ROTATED:
        found = f"{first.found} on the same texts, asked about four times each"
    elif first.kappa.n == mine.n:
        found = f"{first.kappa.correct:,} of the same {mine.n:,}"
    else:
        found = f"{first.kappa.correct:,} of the {first.kappa.n:,} of these that it answered"
    if len(models) == 1:
        return f"{words}; {first.result.model} found {found}."
    return f"{words}; of {len(models)} models, {first.result.model} found most: {found}."


def overview(store: Store) -> list[tuple[str, Pooled]]:
    """What people found in each sample in which an answer counts."""
    return [(sample, _pool(own)) for sample, own in sitting.by_sample(judged(store)).items()]


def document(store: Store, sample_id: str) -> dict[str, Any]:
    """The figures of a sample with the keys documented for the command line."""
    sample = samples.load(store, sample_id)
    here = [one for one in judged(store) if one.sitting.sample_id == sample.id]
    together = _pool([answer for one in here for answer in one.counted])
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
                "sitting": one.sitting.id,
                "person": one.sitting.person,
                **_figures(_pool(one.counted).kappa if one.counted else score(one.sitting)),
                "counted": bool(one.counted),
                "why": one.why,
            }
            for one in here
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
            "sitting": one.sitting.id,
            "person": one.sitting.person,
            "position": position,
            "instance": item.instance_id,
            **{
                f"option_{letter.lower()}": text
                for letter, text in zip(LETTERS, item.options, strict=False)
            },
            "original": LETTERS[item.correct] if item.correct is not None else None,
            "letter": letter,
            "right": right,
            "counted": item.instance_id in {answer.instance for answer in one.counted},
            "at": one.sitting.answered_at,
        }
        for one in judged(store)
        if one.sitting.sample_id == sample.id
        for position, (item, letter, right) in enumerate(
            zip(one.sitting.items, one.sitting.letters, one.sitting.right, strict=True)
        )
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


COLUMNS = (
    *("sample", "partition", "sitting", "person", "position", "instance"),
    *("option_a", "option_b", "option_c", "option_d"),
    *("original", "letter", "right", "counted", "at"),
)
