"""Results with all that bears on them: text-only baselines, controls of the same model, a verdict.

The family of a verdict is what is judged together: pass what is shown together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from dcq.evidence import verdict
from dcq.evidence.controls import Calibration, calibrate_counts, calibrate_rotated
from dcq.evidence.kappa import Kappa
from dcq.evidence.verdict import Case, Verdict
from dcq.quiz.leakage import TextOnly, text_only
from dcq.records import Kind, Mode, Role
from dcq.runs.results import Result
from dcq.store import Store, quizzes, results, samples, variants

Table = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Judged:
    """A result and what is to be said of it. ``calibration`` is None without controls, ``verdict``
    None for a control partition and where there is no original to find."""

    result: Result
    baselines: tuple[TextOnly, ...]
    calibration: Calibration | None
    verdict: Verdict | None


def judge(store: Store, found: Sequence[Result]) -> list[Judged]:
    """Judge ``found`` as one family; in the same order.

    The controls of a result are the control partitions in ``found`` that the same model took with
    the same kind of quiz and the original in the same slot.
    """
    turned = _rotated_tables(store, found)
    scored = [r for r in found if r.kappa_fixed is not None]
    baselines = {r.run: baselines_of(store, r.quiz) for r in scored}
    writers = variants.writers(store, list({r.sample for r in scored}))
    controls = {r.run: [c for c in scored if _is_control_of(c, r)] for r in scored if _is_judged(r)}
    calibrations = {
        r.run: _calibrate(r, controls[r.run], turned) for r in scored if r.run in controls
    }
    cases = {
        r.run: Case(
            kappa=_kappa(r),
            calibration=calibrations[r.run],
            asked=_asked(r),
            text_only={b.name: b.kappa for b in baselines[r.run]},
            rotated=r.kind is Kind.ROTATED or r.mode is Mode.LIKELIHOOD,  # no slot to like
            doubts=_doubts(r, controls[r.run], writers),
        )
        for r in scored
        if r.run in controls
    }
    verdicts = dict(zip(cases, verdict.judge(list(cases.values())), strict=True))
    return [
        Judged(r, baselines.get(r.run, ()), calibrations.get(r.run), verdicts.get(r.run))
        for r in found
    ]


@lru_cache(maxsize=256)
def baselines_of(store: Store, quiz_id: str) -> tuple[TextOnly, ...]:
    """The text-only baselines of a quiz; worked out once, since a quiz never changes."""
    quiz = quizzes.load(store, quiz_id)
    language = samples.load(store, quiz.sample_id).partition.language
    return text_only(quiz.items, language)


def _is_judged(result: Result) -> bool:
    return result.role != Role.CONTROL


def _kappa(result: Result) -> Kappa:
    return Kappa(
        result.n,
        result.correct or 0,
        result.score,
        result.kappa_fixed,
        result.kappa_low,
        result.kappa_high,
        result.p_value,
    )


def _asked(result: Result) -> int:
    """Instances that were asked, errors included. A reply that names no letter is an answer of
    which no use can be made, so it counts against the share of valid ones."""
    asked = sum(result.outcomes.values())
    return asked if result.kind is not Kind.ROTATED else -(-asked // 4)


def _is_control_of(other: Result, result: Result) -> bool:
    return (
        other.role == Role.CONTROL
        and other.model == result.model
        and other.kind is result.kind
        and other.slot == result.slot
    )


def _doubts(
    result: Result, controls: Sequence[Result], writers: Mapping[str, str]
) -> tuple[str, ...]:
    return (*_unfinished(result), *_other_writers(result, controls, writers))


def _unfinished(result: Result) -> tuple[str, ...]:
    """Who stops a run by its first answers chooses what it says."""
    if result.carried_out:
        return ()
    return (f"The run is unfinished: {result.progress} questions are answered so far.",)


def _other_writers(
    result: Result, controls: Sequence[Result], writers: Mapping[str, str]
) -> tuple[str, ...]:
    """A model may take to one writer's wording or shun another's, seen or unseen, so a control is
    a fair yardstick where the same hand wrote both partitions' variants."""
    mine = writers.get(result.sample, "")
    others = sorted({writers.get(c.sample, "") for c in controls} - {mine})
    if not others:
        return ()
    return (
        f"The variants here are from another writer ({_writer(mine)}) than the control's "
        f"({', '.join(map(_writer, others))}), and a liking for one writer's wording looks like "
        "memory: have both written by the same.",
    )


def _writer(origin: str) -> str:
    words = {"bundled": "bundled with the data", "offline": "the offline generator", "": "unknown"}
    return words.get(origin, origin.removeprefix("model:"))


def _calibrate(
    result: Result, controls: Sequence[Result], turned: Mapping[str, Table]
) -> Calibration | None:
    if result.kind is Kind.ROTATED:
        return calibrate_rotated(turned[result.run], [turned[c.run] for c in controls])
    counts = [(c.correct or 0, c.n) for c in controls]
    return calibrate_counts((result.correct or 0, result.n), counts)


def _rotated_tables(store: Store, found: Sequence[Result]) -> dict[str, Table]:
    """Of each rotated run, who was right where: run → table (instances, slots)."""
    wanted = [r.run for r in found if r.kind is Kind.ROTATED]
    if not wanted:
        return {}
    scores = results.item_scores(store, wanted)
    return {
        str(run): own.pivot(index="instance", columns="slot", values="right").to_numpy(float)
        for run, own in scores.groupby("run")
    }
