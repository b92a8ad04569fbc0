"""Modified and standard runs of one model on one sample, paired (paper, §4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from dcq.evidence.ablation import Ablation
from dcq.evidence.ablation import compare as compare_choices
from dcq.records import LETTERS, Kind, Outcome
from dcq.runs.results import Result
from dcq.runs.summary import ALPHA, p_words, percent, place
from dcq.store import Store, results


@dataclass(frozen=True)
class Pair:
    """The run of each of the two quizzes that says most; one of them may be missing."""

    modified: Result | None
    standard: Result | None

    @property
    def present(self) -> Result:
        """The standard run where there is one, else the modified."""
        found = self.standard or self.modified
        assert found is not None  # noqa: S101  (pair() never makes an empty one)
        return found

    @property
    def complete(self) -> bool:
        """True if there is something to compare."""
        return self.modified is not None and self.standard is not None

    @property
    def finished(self) -> bool:
        """True if no run of the two is a pilot or was stopped."""
        return all(run.finished for run in (self.modified, self.standard) if run is not None)

    @property
    def letter(self) -> str | None:
        """The slot of the original, None while no standard run tells it."""
        return None if self.standard is None else LETTERS[self.standard.slot or 0]


def pair(found: Sequence[Result]) -> list[Pair]:
    """Pairs among results of every run, as ``dcq.runs.results.table`` orders them: one a model,
    sample and slot of the original. Complete pairs come first, then those of finished runs, then
    the newest; runs without any reply are passed over."""
    modified: dict[tuple[str, str], Result] = {}
    standard: dict[tuple[str, str, int | None], Result] = {}
    for result in found:
        if not result.n:
            continue
        if result.kind is Kind.MODIFIED:
            modified.setdefault((result.model, result.sample), result)
        elif result.kind is Kind.STANDARD:
            standard.setdefault((result.model, result.sample, result.slot), result)
    pairs = [Pair(modified.get(key[:2]), result) for key, result in standard.items()]
    taken = {key[:2] for key in standard}
    pairs += [Pair(result, None) for key, result in modified.items() if key not in taken]
    return sorted(
        pairs, key=lambda pair: (pair.complete, pair.finished, pair.present.at), reverse=True
    )


def compare(store: Store, pair: Pair) -> Ablation:
    """The slot of the original without and with it, over the instances that both runs have a reply
    for."""
    assert pair.modified is not None  # noqa: S101  (callers ask complete pairs alone)
    assert pair.standard is not None  # noqa: S101
    chosen = results.paired_choices(store, pair.modified.run, pair.standard.run)
    return compare_choices(chosen["first"] == pair.letter, chosen["second"] == pair.letter)


def tell(pair: Pair, found: Ablation) -> str:
    """The comparison as a sentence to read aloud; plain text."""
    result = pair.present
    where = f"{result.model} on {place(result)}"
    if found.modified_share is None or found.standard_share is None:
        return f"{where}: no instance has a reply in both quizzes yet, so there is no value."
    share, bare = percent(found.standard_share), percent(found.modified_share)
    so_far = "" if pair.finished else "So far, with a run unfinished: "
    return (
        f"{so_far}{result.model} chose slot {pair.letter} in {share} of {found.n:,} instances of "
        f"{place(result)} with the original there, and in {bare} without it."
    )


def explain(pair: Pair, found: Ablation) -> str:
    """What the comparison means and does not; plain text, empty where there is none."""
    if found.p_value is None or found.difference is None:
        return ""
    told = f"{p_words(found.p_value)}, McNemar"
    if found.p_value > ALPHA:
        return (
            f"The difference could be luck ({told}): the slot was not clearly chosen for the "
            "original."
        )
    if found.difference < 0:
        return (
            f"The model turns away from slot {pair.letter} when the original stands there ({told})."
        )
    return (
        f"A liking for slot {pair.letter} does not explain the choice ({told}); a liking for the "
        "original's wording still may, which a control partition shows."
    )


def distribution(found: Sequence[Result]) -> pd.DataFrame:
    """Answers by kind of quiz as ``dcq.charts.option_distribution`` takes them: kind, answer,
    count."""
    rows = []
    for result in found:
        counted = dict(zip(LETTERS, result.chosen, strict=False)) | {
            outcome: count
            for outcome, count in result.outcomes.items()
            if outcome != Outcome.ANSWERED
        }
        rows += [
            {"kind": result.kind.value, "answer": str(answer), "count": count}
            for answer, count in counted.items()
        ]
    return pd.DataFrame(rows, columns=["kind", "answer", "count"])
