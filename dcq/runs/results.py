"""What runs came to, with the statistics: one ``Result`` a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pandas as pd

from dcq.evidence import rotated
from dcq.evidence.kappa import kappa_fixed
from dcq.quiz.build import WITHOUT_ORIGINAL
from dcq.records import Kind, Mode, Outcome
from dcq.runs.placebo import is_placebo
from dcq.store import Store, results

OPTIONS = 4


@dataclass(frozen=True)
class Result:
    """One model on one partition with one kind of quiz.

    ``n`` counts questions with a reply (instances, for a rotated quiz), ``correct`` calls that
    chose the original; both statistics are None where there is no original to find or n is 0.
    Chance is 1/4 for a bcq too: its fifth option is never the original, and a row there is one slot
    of the range that ``dcq.runs.protocol2`` estimates. ``questions`` is how many the whole quiz
    has; a run that is not ``finished`` says little about them (see ``dcq.store.results.counts``).
    ``carried_out``: all that was planned was asked, be it a part of the quiz.
    """

    run: str
    quiz: str
    sample: str
    model: str
    partition: str
    title: str
    split_title: str
    role: str
    kind: Kind
    slot: int | None
    n: int
    correct: int | None
    score: float | None
    kappa_fixed: float | None
    kappa_low: float | None
    kappa_high: float | None
    p_value: float | None
    outcomes: Mapping[str, int]
    chosen: tuple[int, int, int, int]
    at: datetime  # when the run was planned, UTC
    mode: Mode = Mode.LETTER
    questions: int = 0
    finished: bool = True
    carried_out: bool = True

    @property
    def progress(self) -> str:
        """How far a run came that is not finished, ``9 of 40``; empty for one that is."""
        if self.finished:
            return ""
        replies = sum(self.outcomes.values()) - self.outcomes.get(Outcome.ERROR, 0)
        return f"{replies:,} of {self.questions:,}"

    def row(self) -> dict[str, Any]:
        """The keys that the command line promises."""
        keys = "model partition role kind n correct score kappa_fixed kappa_low kappa_high p_value"
        return {key: getattr(self, key) for key in keys.split()} | {"outcomes": dict(self.outcomes)}


def table(
    store: Store,
    *,
    model: str | None = None,
    partition: str | None = None,
    every_run: bool = False,
) -> list[Result]:
    """Results by partition, model and kind: of the run of each model, partition, kind and slot that
    says most, the newest finished one if there is one; or of every run, in that order. See
    ``dcq.store.results.counts``."""
    counts = results.counts(store, model=model, partition=partition, every_run=every_run)
    counts = counts.sort_values(["partition", "model", "kind"], kind="stable")
    turned = [str(run) for run in counts.loc[counts["kind"] == Kind.ROTATED, "run"]]
    scores = results.item_scores(store, turned) if turned else None
    return [_result(row, scores) for row in counts.to_dict("records")]


def _result(row: Mapping[Any, Any], scores: pd.DataFrame | None) -> Result:
    kind = Kind(row["kind"])
    n, correct = int(row["n"]), int(row["correct"])
    statistics: dict[str, Any]
    if kind is Kind.ROTATED and scores is not None:
        own = scores[scores["run"] == row["run"]]
        by_slot = own.pivot(index="instance", columns="slot", values="right")
        found = rotated.rotated_kappa(by_slot.to_numpy())
        n, correct = found.n, found.correct
        statistics = _statistics(found)
    elif kind in WITHOUT_ORIGINAL:
        statistics = dict.fromkeys(_STATISTICS)
    else:
        statistics = _statistics(kappa_fixed(correct, n, 1 / OPTIONS))
    slot = row["slot"]
    return Result(
        run=str(row["run"]),
        quiz=str(row["quiz"]),
        sample=str(row["sample"]),
        model=str(row["model"]),
        partition=str(row["partition"]),
        title=_title(row),
        split_title=str(row["split_title"]),
        role=str(row["role"]),
        kind=kind,
        slot=None if pd.isna(slot) else int(slot),
        n=n,
        correct=None if kind in WITHOUT_ORIGINAL else correct,
        **statistics,
        outcomes={str(outcome): int(row[str(outcome)]) for outcome in Outcome},
        chosen=(int(row["A"]), int(row["B"]), int(row["C"]), int(row["D"])),
        at=row["made_at"].to_pydatetime(),
        mode=Mode(row["mode"]),
        questions=int(row["questions"]),
        finished=bool(row["finished"]),
        carried_out=bool(row["carried_out"]),
    )


def _title(row: Mapping[Any, Any]) -> str:
    """What a person calls the dataset: a prompt names a placebo as the dataset it was made of."""
    return f"{row['title']} (placebo)" if is_placebo(str(row["partition"])) else str(row["title"])


_STATISTICS = ("score", "kappa_fixed", "kappa_low", "kappa_high", "p_value")


def _statistics(found: object) -> dict[str, float | None]:
    return {name: getattr(found, name) for name in _STATISTICS}


def cost_usd(progress: Mapping[Any, Any]) -> float | None:
    """What a row of ``runs.progress`` has cost so far; None where the price is not known."""
    if pd.isna(progress["price_in"]) or pd.isna(progress["price_out"]):
        return None
    tokens_in, tokens_out = int(progress["tokens_in"]), int(progress["tokens_out"])
    return float(tokens_in * progress["price_in"] + tokens_out * progress["price_out"]) / 1e6
