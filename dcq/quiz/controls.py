"""Which results can be compared with which: the same model asked in the same way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dcq.evidence.case import MOST_UNUSABLE
from dcq.quiz.build import WITHOUT_ORIGINAL
from dcq.quiz.results import Result
from dcq.records import Kind, Mode, Role
from dcq.store import Store, samples
from dcq.store.samples import ListedSample


@dataclass(frozen=True)
class Setting:
    """What a result must share with its controls, for a run that has no result yet."""

    model: str
    kind: Kind
    mode: Mode
    prompt: str
    slot: int | None
    task: str
    language: str


def is_control(result: Result) -> bool:
    """True for a finished result on a control partition; for a bcq, only if it has a bdq to compare
    it with."""
    return (
        result.role == Role.CONTROL
        and result.finished
        and result.kind not in WITHOUT_ORIGINAL
        and (result.kind is not Kind.BCQ or result.own is not None)
    )


def is_usable(control: Result) -> bool:
    """True if at most a fifth of a control's replies are unusable."""
    return control.unusable <= MOST_UNUSABLE


def controls_of(result: Result | Setting, pool: Sequence[Result]) -> tuple[tuple[Result, ...], str]:
    """The results of ``pool`` that can serve ``result`` as controls, and what is wrong with them.

    A control has the same model, kind, mode, prompt and slot, and the same task and language. If
    all with the former are of another task or language, they are returned with a sentence that
    names the mismatch; it is empty otherwise.
    """
    alike = tuple(c for c in pool if asked_alike(c, result))
    fitting = tuple(c for c in alike if (c.task, c.language) == (result.task, result.language))
    if fitting or not alike:
        return fitting, ""
    theirs = sorted({f"{c.task} in {c.language}" for c in alike})
    return alike, (
        f"The only controls are of another task or language ({', '.join(theirs)}; the target is "
        f"{result.task} in {result.language}), so the comparison is not fair."
    )


def asked_alike(one: Result, other: Result | Setting) -> bool:
    """True if the same model was asked in the same way: kind, mode, prompt and slot."""
    return (one.model, one.kind, one.mode, one.prompt, one.slot) == (
        other.model,
        other.kind,
        other.mode,
        other.prompt,
        other.slot,
    )


def stored(store: Store, task: str, language: str) -> list[ListedSample]:
    """The samples of control partitions that can be compared with a target of this task and
    language, the newest first."""
    return [
        sample
        for sample in samples.listing(store)
        if sample.role is Role.CONTROL and (sample.task, sample.language) == (task, language)
    ]
