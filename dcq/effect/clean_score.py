"""What leaving out the instances that look seen does to a score, where scores are kept.

The instances left are no sample of the benchmark: those that a model picks may be easier or harder
by themselves, so the difference is what a reader would see, and no estimate of the inflation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dcq.effect import stored
from dcq.effect.wording import interval, number
from dcq.evidence.subsets import Accuracy, accuracy_of, difference_between
from dcq.judging.clean import CleanSubset
from dcq.store import Store, samples
from dcq.store.studies import Study
from dcq.words import counted, model_title


@dataclass(frozen=True)
class CleanScore:
    """A model's accuracy on all scored instances of a sample and on those ``left``, and the latter
    minus the former with 95 % limits; None where nothing was left out."""

    model: str
    total: Accuracy
    left: Accuracy
    difference: float | None
    low: float | None
    high: float | None

    @property
    def sentence(self) -> str:
        """As a person reads it."""
        model = model_title(self.model)
        if self.total.accuracy is None or self.left.accuracy is None:
            return f"No score of {model} is kept on the instances that are left."
        text = (
            f"{model} scores {number(self.total.accuracy)} on "
            f"{counted(self.total.n, 'instance')} and {number(self.left.accuracy)} on the "
            f"{self.left.n:,} left"
        )
        if self.difference is None or self.low is None or self.high is None:
            return f"{text}."
        return (
            f"{text}: {number(self.difference)} {interval(self.low, self.high)} points. What it "
            "picks may be easier or harder by itself; page Effect says what is inflated."
        )


def score_without(
    model: str, correct: Mapping[str, float], clean_subset: CleanSubset
) -> CleanScore | None:
    """``correct`` are answers by instance, 1 right and 0 wrong. None where none of them is of the
    sample. The difference is that between the instances left and the others, by the others' share,
    so that instances which are in both means are not counted twice."""
    sample_instances = {*clean_subset.kept, *clean_subset.seen, *clean_subset.unknown}
    scored = {
        instance: value for instance, value in correct.items() if instance in sample_instances
    }
    if not scored:
        return None
    keep = set(clean_subset.kept)
    left = [value for instance, value in scored.items() if instance in keep]
    others = [value for instance, value in scored.items() if instance not in keep]
    apart = difference_between(others, left)
    share = len(others) / len(scored)
    parts = (apart.difference, apart.low, apart.high)
    scaled = [None if part is None else share * part for part in parts]
    return CleanScore(model, accuracy_of(list(scored.values())), accuracy_of(left), *scaled)


def kept_score(store: Store, clean_subset: CleanSubset) -> list[CleanScore]:
    """By the scores on originals that are kept of the sample's partition, for each of the models of
    the choice that has any."""
    partition = samples.load(store, clean_subset.sample).partition.id
    effects = stored.all_stored(store, Study("", partitions=(partition,)))
    scores = [
        score_without(model_scores.model, model_scores.original, clean_subset)
        for effect in effects
        for model_scores in effect.scores.models
        if model_scores.model in clean_subset.models
    ]
    return [score for score in scores if score is not None]
