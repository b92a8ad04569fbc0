"""The five-option protocol, whole: all its contamination quizzes, and the range they lead to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from dcq.evidence.protocol2 import contamination_range, non_preferred
from dcq.quiz.build import SLOTS
from dcq.records import LETTERS, Kind
from dcq.runs.freeze import Frozen, freeze, shunned
from dcq.store import Store, choices, results


@dataclass(frozen=True)
class Estimate:
    """Least (``low``) and most (``high``) contamination of one model on one sample, as fractions.

    ``n`` counts the instances with a reply in every quiz used; ``chosen`` how often the bdq took
    each slot of ``non_preferred``, ``correct`` how often the bcq with the original there did.
    ``missing`` slots have no bcq with a reply yet; while there are any, the range has no value.
    """

    model: str
    sample: str
    partition: str
    n: int
    non_preferred: tuple[str, ...]
    missing: tuple[str, ...]
    chosen: Mapping[str, int]
    correct: Mapping[str, int]
    low: float | None
    high: float | None


def freeze_all(store: Store, sample_id: str, model: str | None = None) -> list[Frozen]:
    """Freeze a bcq for each slot that ``model`` (or whoever took the bdq last) does not prefer.

    Raises InputError if no bdq of the sample has been taken."""
    letters = shunned(store, sample_id, model).letters
    return [freeze(store, sample_id, Kind.BCQ, slot=letter) for letter in letters]


def estimates(
    store: Store, *, model: str | None = None, partition: str | None = None
) -> list[Estimate]:
    """One estimate for each model and sample with a bdq, from the bdq and the bcq of each
    non-preferred slot that say most; runs without any reply are passed over."""
    counts = results.counts(store, model=model, partition=partition, every_run=True)
    taken = counts[counts["kind"].isin([Kind.BDQ, Kind.BCQ]) & (counts["n"] > 0)]
    best = taken.drop_duplicates(["model", "sample", "kind", "slot"])
    found = []
    for _, group in best.groupby(["partition", "model", "sample"]):
        bias = group[group["kind"] == Kind.BDQ]
        if not bias.empty:
            found.append(_estimate(store, bias.iloc[0], group[group["kind"] == Kind.BCQ]))
    return found


def _estimate(store: Store, bias: pd.Series, contamination: pd.DataFrame) -> Estimate:
    slots = LETTERS[:SLOTS]
    preferred_least = non_preferred({letter: int(bias[letter]) for letter in slots}, int(bias["n"]))
    taken = {
        LETTERS[int(slot)]: str(run)
        for slot, run in zip(contamination["slot"], contamination["run"], strict=True)
    }
    used = {letter: taken[letter] for letter in preferred_least if letter in taken}
    # Over the same instances: a quiz with fewer replies must not pass for less contamination.
    told = choices.calls(store, [str(bias["run"]), *used.values()]).fillna({"letter": ""})
    letters = told.pivot(index="instance", columns="run", values="letter").dropna()
    n = len(letters)
    chosen = {slot: int((letters[bias["run"]] == slot).sum()) for slot in preferred_least}
    correct = {slot: int((letters[run] == slot).sum()) for slot, run in used.items()}
    missing = tuple(slot for slot in preferred_least if slot not in used)
    limits = contamination_range(chosen, {} if missing else correct, n)
    return Estimate(
        model=str(bias["model"]),
        sample=str(bias["sample"]),
        partition=str(bias["partition"]),
        n=n,
        non_preferred=preferred_least,
        missing=missing,
        chosen=chosen,
        correct=correct,
        low=limits.low,
        high=limits.high,
    )


def tell(found: Estimate) -> str:
    """The range, or what it still needs, as a sentence; plain text."""
    where = f"{found.model} on {found.partition}, five options"
    if found.missing:
        command = f"python -m dcq quiz {found.sample} --kind bcq --slot {found.missing[0]}"
        return (
            f"{where}: no minimum and maximum yet; no bcq was taken with the original at "
            f"{_listed(found.missing)} (next: {command})."
        )
    if found.low is None or found.high is None:
        return f"{where}: no instance has a reply in every quiz, so there is no value."
    low, high = (f"{100 * share:.1f} %".replace("-", "−") for share in (found.low, found.high))
    return (
        f"{where}: contamination from {low} to {high} (n = {found.n:,}, original at "
        f"{_listed(found.non_preferred)})."
    )


def _listed(letters: tuple[str, ...]) -> str:
    *head, last = letters
    return f"{', '.join(head)} and {last}" if head else last
