"""What an investigation is about: a target, the kind of quiz, and the controls that fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dcq.errors import InputError
from dcq.quiz import controls, freeze
from dcq.records import Kind, Partition, Role
from dcq.store import Store, samples
from dcq.store.investigations import Place, places_of
from dcq.store.samples import ListedSample
from dcq.words import place

KINDS = (Kind.STANDARD, Kind.ROTATED)


@dataclass(frozen=True)
class Choice:
    """The target ``sample`` and its ``controls``, by the ids of samples, and the ``kind`` of the
    quizzes with originals."""

    sample: str
    kind: Kind
    controls: tuple[str, ...]

    @property
    def places(self) -> tuple[Place, ...]:
        """Its quizzes, in the order in which they are asked."""
        return places_of(self.sample, self.kind, self.controls)


def choose(
    store: Store,
    sample_id: str,
    kind: Kind = Kind.STANDARD,
    named: Sequence[str] | None = None,
) -> Choice:
    """The choice of these controls, all ``usual`` ones if None. Raises InputError if the sample is
    no target, a control cannot be compared with it, or there is none."""
    if kind not in KINDS:
        raise InputError(f"A {kind} quiz has no verdict; investigate with standard or rotated.")
    target = samples.load(store, sample_id)
    if target.partition.role is Role.CONTROL:
        raise InputError(
            f"{_name(target.partition)} is a control, on which there is no verdict; choose a "
            "target."
        )
    if named is None:
        named = [one.id for one in usual(fitting(store, target.partition))]
    if not named:
        raise InputError(
            f"There is no control {_like(target.partition)} in the store; draw one first (python -m"
            " dcq datasets lists the bundled ones, sample --file with --role control takes texts of"
            " your own), or make a placebo of the sample."
        )
    found = {control.id: control for control in (samples.load(store, one) for one in named)}
    for control in found.values():
        _check(target.partition, control.partition)
    return Choice(target.id, kind, tuple(found))


def fitting(store: Store, target: Partition) -> list[ListedSample]:
    """Samples of control partitions that can be compared with a target, the newest first."""
    found = controls.stored(store, target.task, target.language)
    return [sample for sample in found if sample.partition != target.id]


def usual(found: Sequence[ListedSample]) -> list[ListedSample]:
    """Of these controls those that are asked unless others are named: of each partition the newest
    sample that has variants, without further sets of variants."""
    first = {
        sample.partition: sample
        for sample in reversed(found)
        if sample.with_variants and not sample.set_of
    }
    return [sample for sample in found if first.get(sample.partition) is sample]


def check_questions(store: Store, choice: Choice) -> None:
    """Raise InputError, with the name of the partition, if a quiz of a choice has no question."""
    for sentence in questions_lack(store, choice).values():
        raise InputError(sentence)


def questions_lack(store: Store, choice: Choice) -> dict[str, str]:
    """Why quizzes of a choice have no question: a sentence for each sample that lacks variants, by
    its id."""
    found: dict[str, str] = {}
    for kind, sample_id in choice.places:
        sample = samples.load(store, sample_id)
        try:
            freeze.questions(store, sample, kind, None)
        except InputError as error:
            found.setdefault(sample_id, f"{_name(sample.partition)}, {kind} quiz: {error}")
    return found


def _check(target: Partition, control: Partition) -> None:
    if control.role is not Role.CONTROL:
        raise InputError(
            f"{_name(control)} is no control, as a model may have seen it; leave it out, or give it"
            " the role control."
        )
    if (control.task, control.language) != (target.task, target.language):
        raise InputError(
            f"{_name(control)} is {control.task} in {control.language} and {_name(target)} is "
            f"{target.task} in {target.language}, so they cannot be compared; leave it out."
        )


def _name(partition: Partition) -> str:
    return place(partition.shown_title, partition.split_title)


def _like(partition: Partition) -> str:
    return f"of the same task and language ({partition.task}, {partition.language})"
