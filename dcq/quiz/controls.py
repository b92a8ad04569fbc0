"""Which results can be compared with which: the same model asked in the same way."""

from __future__ import annotations

from dcq.quiz.results import Result
from dcq.records import Role
from dcq.store import Store, samples
from dcq.store.samples import ListedSample


def asked_alike(one: Result, other: Result) -> bool:
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
