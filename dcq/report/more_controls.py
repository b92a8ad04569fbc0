"""Which partitions could serve a result as further controls, and how a quiz of each is frozen.

They come from the store (control partitions with variants, placebos included) and from the bundled
partitions, which have variants and are drawn only when they are asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from dcq.asking.estimate import Estimate
from dcq.asking.prompt import Prompt
from dcq.errors import InputError
from dcq.partitions import draw_sample, entries, open_partition
from dcq.quiz import build, freeze
from dcq.quiz.estimate import estimate_questions
from dcq.quiz.results import Result
from dcq.records import Item, Kind, Role, Sample, slot_letter
from dcq.store import Store, samples, variants
from dcq.variants.placebo import is_placebo

_MOST_DRAWN = 100  # instances of a bundled partition


@dataclass(frozen=True)
class Candidate:
    """A control partition that could be asked: its ``name`` on the screen, the sample to freeze a
    quiz from or, if none is drawn yet, the ``bundled`` dataset and split, and the questions."""

    name: str
    partition: str
    sample: str | None
    bundled: tuple[str, str] | None
    items: tuple[Item, ...]
    dataset: str  # as named in the prompt
    split: str  # as named in the prompt

    def estimate(self, model: str, prompt: Prompt) -> Estimate:
        """What asking ``model`` costs: calls, tokens and USD."""
        return estimate_questions(model, prompt, self.dataset, self.split, self.items)

    def freeze(self, store: Store, result: Result) -> list[str]:
        """Freeze the quizzes that make this partition a control of ``result``, after drawing it if
        need be."""
        sample_id = self.sample
        if sample_id is None and self.bundled is not None:
            sample_id = samples.save(store, _draw(*self.bundled))
        assert sample_id is not None  # noqa: S101  (one of the two is there)
        slots = {kind: slot_letter(result.slot) for kind in build.PLACED}
        return [
            freeze.freeze(store, sample_id, kind, slot=slots.get(kind)).quiz
            for kind in _kinds(result)
        ]


def _kinds(result: Result) -> list[Kind]:
    """A bcq can only be read against the bdq of the same sample."""
    return [Kind.BDQ, Kind.BCQ] if result.kind is Kind.BCQ else [result.kind]


@dataclass(frozen=True)
class Unwritten:
    """A control sample in the store that lacks variants."""

    name: str
    sample: str


def candidates(store: Store, result: Result, beside: Sequence[str]) -> Iterator[Candidate]:
    """Partitions of the task and language of ``result``, except those in ``beside``, that can be
    asked the same kind of quiz, with variants by the same writer: human texts before placebos, and
    larger ones before smaller. Built lazily."""
    rows = _stored(store, result, beside)
    writers = variants.writers(store, [result.sample, *(row["sample"] for row in rows)])
    mine = writers.get(result.sample)

    def rank(partition: str, n: int) -> tuple[bool, int]:
        return is_placebo(partition), -n

    ranked: list[tuple[tuple[bool, int], str | None, tuple[str, str] | None]] = [
        (rank(row["partition"], row["n"]), row["sample"], None)
        for row in rows
        if row["with_variants"] and writers.get(row["sample"]) == mine
    ]
    known = {row["partition"] for row in samples.listing(store).to_dict("records")} | set(beside)
    ranked += [
        (rank("", _draw(*place).n), None, place)
        for place in _bundled(result)
        if mine == "bundled" and "/".join(place) not in known
    ]
    taken: set[str] = set()
    for _, sample_id, place in sorted(ranked, key=lambda row: row[0]):
        found = _candidate(store, result, sample_id, place)
        if found is not None and found.partition not in taken:
            taken.add(found.partition)
            yield found


def unwritten(store: Store, result: Result, beside: Sequence[str]) -> list[Unwritten]:
    """Control samples that could be used if they had variants."""
    return [
        Unwritten(_name(row["title"], row["split_title"], row["partition"]), row["sample"])
        for row in _stored(store, result, beside)
        if not row["with_variants"]
    ]


def _stored(store: Store, result: Result, beside: Sequence[str]) -> list[dict[str, Any]]:
    listed = samples.listing(store)
    fitting = listed[
        (listed["role"] == Role.CONTROL)
        & (listed["task"] == result.task)
        & (listed["language"] == result.language)
        & ~listed["partition"].isin(list(beside))
    ]
    return [{str(k): v for k, v in row.items()} for row in fitting.to_dict("records")]


def _bundled(result: Result) -> Iterator[tuple[str, str]]:
    for entry in entries():
        fits = (str(entry.layout.task), entry.language) == (result.task, result.language)
        if entry.role is Role.CONTROL and entry.files and fits:
            for split in entry.splits:
                yield entry.key, split


@lru_cache(maxsize=16)
def _draw(key: str, split: str) -> Sample:
    """A seeded sample of a bundled partition, which never changes."""
    return draw_sample(open_partition(key, split), _MOST_DRAWN)


def _candidate(
    store: Store, result: Result, sample_id: str | None, place: tuple[str, str] | None
) -> Candidate | None:
    """A candidate from a sample or a bundled partition; None if no question can be built."""
    slot = build.DEFAULT_SLOT if result.slot is None else result.slot
    try:
        if sample_id is not None:
            sample = samples.load(store, sample_id)
            partition = sample.partition
            built = [freeze.questions(store, sample, kind, slot) for kind in _kinds(result)]
        else:
            assert place is not None  # noqa: S101  (one of the two is there)
            drawn = _draw(*place)
            partition = drawn.partition
            texts = {i: dict(enumerate(written)) for i, written in drawn.variants.items()}
            built = [
                build.build(kind, drawn.instances, texts, slot=slot) for kind in _kinds(result)
            ]
    except InputError:
        return None
    return Candidate(
        name=_name(partition.title, partition.split_title, partition.id),
        partition=partition.id,
        sample=sample_id,
        bundled=place,
        items=tuple(item for quiz in built for item in quiz.items),
        dataset=partition.title,
        split=partition.split_title,
    )


def _name(title: str, split_title: str, partition: str) -> str:
    """The name on the screen; ``Result.place`` is the same for a stored result."""
    mark = " (placebo)" if is_placebo(partition) else ""
    return f"{title}{mark} {split_title}"
