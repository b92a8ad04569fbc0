"""Runs of one model on one sample without the original and with it, in pairs: modified and standard
quiz (paper, §4), bdq and bcq."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from dcq.evidence.ablation import Ablation
from dcq.evidence.ablation import compare as compare_choices
from dcq.evidence.power import ALPHA
from dcq.quiz import tables
from dcq.quiz.results import Result
from dcq.records import LETTERS, Outcome, QuizKind
from dcq.store import Store
from dcq.words import model_title, p_words, percent

# The quiz with the original in one slot, by the quiz of the same protocol without it.
WITH_ORIGINAL = {QuizKind.MODIFIED: QuizKind.STANDARD, QuizKind.BDQ: QuizKind.BCQ}
WITHOUT_ORIGINAL = {having: without for without, having in WITH_ORIGINAL.items()}


@dataclass(frozen=True)
class AblationPair:
    """The most complete run of each of the two quizzes, ``without`` the original and ``having``
    it; one of them may be missing."""

    without: Result | None
    having: Result | None

    @property
    def main_run(self) -> Result:
        """The run with the original if there is one, else the other."""
        result = self.having or self.without
        assert result is not None  # noqa: S101  (pair() never makes an empty one)
        return result

    @property
    def kinds(self) -> tuple[QuizKind, QuizKind]:
        """The two quizzes, without and with the original."""
        without = WITHOUT_ORIGINAL.get(self.main_run.kind, self.main_run.kind)
        return without, WITH_ORIGINAL[without]

    @property
    def complete(self) -> bool:
        """True if both runs exist and can be compared."""
        return self.without is not None and self.having is not None

    @property
    def finished(self) -> bool:
        """True if neither run is a pilot or was stopped."""
        return all(run.finished for run in (self.without, self.having) if run is not None)

    @property
    def letter(self) -> str | None:
        """The slot of the original, None while no run has one."""
        return None if self.having is None else LETTERS[self.having.slot or 0]


def pair(results: Sequence[Result]) -> list[AblationPair]:
    """Pairs among results of every run, as ``dcq.quiz.results.table`` orders them: one per model,
    sample, wording of the question and slot of the original. Complete pairs come first, then those
    of finished runs, then the newest; runs without any reply are skipped."""
    by_run = {result.run: result for result in results}
    bare: dict[tuple[str, ...], Result] = {}
    having: dict[tuple[tuple[str, ...], int | None], Result] = {}
    for result in results:
        if not any(count for name, count in result.outcomes.items() if name != Outcome.ERROR):
            continue
        if result.kind in WITH_ORIGINAL:
            bare.setdefault(_setting(result, result.kind), result)
        elif result.kind in WITHOUT_ORIGINAL:
            setting = _setting(result, WITHOUT_ORIGINAL[result.kind])
            having.setdefault((setting, result.slot), result)
    pairs = [
        # A bcq names its bdq, the one with the same variants: they may be edited between the two.
        AblationPair(
            by_run.get(result.without or "") if result.kind is QuizKind.BCQ else bare.get(setting),
            result,
        )
        for (setting, _), result in having.items()
    ]
    paired_runs = {pair.without.run for pair in pairs if pair.without}
    pairs += [
        AblationPair(result, None) for result in bare.values() if result.run not in paired_runs
    ]
    return sorted(
        pairs, key=lambda pair: (pair.complete, pair.finished, pair.main_run.at), reverse=True
    )


def _setting(result: Result, without: QuizKind) -> tuple[str, ...]:
    """What two runs must share to be a pair. ``without`` is the quiz without originals."""
    return (result.model, result.sample, str(result.mode), result.prompt, str(without))


def compare(store: Store, pair: AblationPair) -> Ablation:
    """How often the slot of the original was chosen without and with it, over the instances with an
    answer in both runs; "none of these" is an answer too."""
    assert pair.without is not None  # noqa: S101  (callers pass complete pairs only)
    assert pair.having is not None  # noqa: S101
    letter = pair.letter or ""
    answers = tables.of_runs(store, [pair.without.run, pair.having.run])
    with_it = tables.chose(answers[pair.having.run], letter)
    without = tables.chose(answers[pair.without.run], letter).reindex(with_it.index)
    return compare_choices(without, with_it)


def describe(pair: AblationPair, ablation: Ablation) -> str:
    """The comparison in a sentence; plain text."""
    result, model = pair.main_run, model_title(pair.main_run.model)
    where = f"{model} on {result.place}"
    if ablation.modified_share is None or ablation.standard_share is None:
        return f"{where}: no instance has an answer in both quizzes yet, so there is no value."
    share, bare = percent(ablation.standard_share), percent(ablation.modified_share)
    so_far = "" if pair.finished else "So far, with a run unfinished: "
    return (
        f"{so_far}{model} chose slot {pair.letter} in {share} of {ablation.n:,} instances of "
        f"{result.place} with the original there, and in {bare} without it."
    )


def explain(pair: AblationPair, ablation: Ablation) -> str:
    """What the comparison means and what it does not; plain text, empty if there is none."""
    if ablation.p_value is None or ablation.difference is None:
        return ""
    test = f"{p_words(ablation.p_value)}, McNemar"
    if ablation.p_value > ALPHA:
        return (
            f"The difference could be chance ({test}): the slot was not clearly chosen because of "
            "the original."
        )
    if ablation.difference < 0:
        return f"The model avoids slot {pair.letter} when the original is in it ({test})."
    return (
        f"A preference for slot {pair.letter} does not explain the choice ({test}). A preference "
        "for the original's wording still may; a control partition shows whether it does."
    )


def distribution(results: Sequence[Result]) -> pd.DataFrame:
    """Answers by kind of quiz, for ``dcq.charts.option_distribution``: kind, answer, count."""
    rows = []
    for result in results:
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
