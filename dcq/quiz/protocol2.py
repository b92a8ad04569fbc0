"""All five-option quizzes of a model on a sample, and the resulting range of contamination."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from dcq.evidence.protocol2 import contamination_range, non_preferred
from dcq.quiz import results as quiz_results
from dcq.quiz.build import SLOTS
from dcq.records import LETTERS, QuizKind
from dcq.store import Store, choices, results
from dcq.words import listed, model_title, percent


@dataclass(frozen=True)
class ContaminationRange:
    """Minimum (``low``) and maximum (``high``) contamination of one model on one sample, as
    fractions.

    ``n`` counts the instances with a reply, of any kind, in every quiz used; ``chosen`` how often
    each slot of ``non_preferred`` was chosen in the bdq, ``correct`` how often in the bcq with the
    original there. ``missing`` slots have no completed bcq yet; while there are any, the range has
    no value. ``kappa`` is that of the slot with most originals found. ``bdq`` is the run without
    originals, ``bcqs`` those with, by slot.
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
    kappa: float | None
    bdq: str
    bcqs: Mapping[str, str]

    def row(self) -> dict[str, float | None]:
        """The keys added to the results of its runs; shares are fractions."""
        return {"min": self.low, "max": self.high, "kappa": self.kappa}


def estimates(
    store: Store, *, model: str | None = None, partition: str | None = None
) -> list[ContaminationRange]:
    """One estimate for each model and sample with a bdq: from the most complete bdq and, of the
    bcqs that belong to it (``dcq.quiz.results``), the most complete for each non-preferred slot.
    Runs without any answer, and bcqs that are not completed yet, are skipped."""
    counts = results.counts(store, model=model, partition=partition, every_run=True)
    usable_counts = counts[counts["n"] > 0]
    bdqs = usable_counts[usable_counts["kind"] == QuizKind.BDQ].drop_duplicates(["model", "sample"])
    placed = usable_counts[(usable_counts["kind"] == QuizKind.BCQ) & usable_counts["carried_out"]]
    paired_bcqs = quiz_results.pair_bcqs(store, placed, bdqs).drop_duplicates(
        ["run_without", "slot"]
    )
    bcqs: dict[str, dict[str, str]] = {}
    for bdq, slot, run in zip(
        paired_bcqs["run_without"], paired_bcqs["slot"], paired_bcqs["run"], strict=True
    ):
        bcqs.setdefault(str(bdq), {})[LETTERS[int(slot)]] = str(run)
    columns = ["model", "sample", "partition", "run"]
    ordered = bdqs.sort_values(["partition", "model", "sample"])[columns].astype(str)
    return [
        estimate(store, about, sample, of, bdq=bdq, bcqs=bcqs.get(bdq, {}))
        for about, sample, of, bdq in ordered.itertuples(index=False)
    ]


def by_run(estimates: Iterable[ContaminationRange]) -> dict[str, ContaminationRange]:
    """Estimates by each of their runs, to look up the one that a result is part of."""
    return {
        run: estimate for estimate in estimates for run in (estimate.bdq, *estimate.bcqs.values())
    }


def estimate(
    store: Store, model: str, sample: str, partition: str, *, bdq: str, bcqs: Mapping[str, str]
) -> ContaminationRange:
    """The estimate from one bdq and those of ``bcqs`` (runs by slot) whose slot it shows to be
    non-preferred. ``model``, ``sample`` and ``partition`` are those of the runs."""
    calls = choices.calls(store, [bdq, *bcqs.values()]).fillna({"letter": ""})
    preferred_least = _non_preferred(calls.loc[calls["run"] == bdq, "letter"])
    used = {letter: bcqs[letter] for letter in preferred_least if letter in bcqs}
    # Over the same instances: a quiz with fewer replies must not look like less contamination.
    used_calls = calls[calls["run"].isin([bdq, *used.values()])]
    letters = used_calls.pivot(index="instance", columns="run", values="letter").dropna()
    n = len(letters)
    chosen = {slot: int((letters[bdq] == slot).sum()) for slot in preferred_least} if n else {}
    correct = {slot: int((letters[run] == slot).sum()) for slot, run in used.items()} if n else {}
    missing = tuple(slot for slot in preferred_least if slot not in used)
    limits = contamination_range(chosen, {} if missing else correct, n)
    return ContaminationRange(
        model=model,
        sample=sample,
        partition=partition,
        n=n,
        non_preferred=preferred_least,
        missing=missing,
        chosen=chosen,
        correct=correct,
        low=limits.low,
        high=limits.high,
        kappa=limits.kappa,
        bdq=bdq,
        bcqs=used,
    )


def non_preferred_by(store: Store, bdq: str) -> tuple[str, ...]:
    """The slots that the run of a bdq shows to be non-preferred."""
    return _non_preferred(choices.calls(store, [bdq])["letter"].fillna(""))


def _non_preferred(letters: pd.Series) -> tuple[str, ...]:
    """From all replies, as in the release: ``letters`` are empty strings for replies without one,
    and a refusal counts in n as well."""
    return non_preferred(count_slots(letters), len(letters))


def count_slots(letters: Iterable[str]) -> dict[str, int]:
    """How often each of the four slots was chosen."""
    counted = Counter(letters)
    return {letter: counted[letter] for letter in LETTERS[:SLOTS]}


def by_slot(bounds: ContaminationRange) -> pd.DataFrame:
    """How often each slot was chosen without the original (bdq) and with it (its bcq): model, slot,
    n, without, having (shares); slots without a bcq are left out."""
    slots = [slot for slot in bounds.non_preferred if slot in bounds.correct]
    return pd.DataFrame(
        {
            "model": bounds.model,
            "slot": slots,
            "n": bounds.n,
            "without": [bounds.chosen[slot] / bounds.n for slot in slots],
            "having": [bounds.correct[slot] / bounds.n for slot in slots],
        }
    )


def describe(bounds: ContaminationRange) -> str:
    """The range, or what is still missing for it, as a sentence; plain text."""
    where = f"{model_title(bounds.model)} on {bounds.partition}, five options"
    if bounds.missing:
        command = f"python -m dcq v2 {bounds.sample} --model {shlex.quote(bounds.model)} --resume"
        return (
            f"{where}: no minimum and maximum yet; no bcq is done with the original at "
            f"{listed(bounds.missing)} (next: {command})."
        )
    if bounds.low is None or bounds.high is None:
        return f"{where}: no instance has a reply in every quiz, so there is no value."
    low, high = (percent(share, 1) for share in (bounds.low, bounds.high))
    return (
        f"{where}: contamination from {low} to {high} (n = {bounds.n:,}, original at "
        f"{listed(bounds.non_preferred)})."
    )
