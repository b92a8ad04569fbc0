"""Cuts the instances of a sample, and stores the pieces that models are to complete."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from dcq import columns
from dcq.errors import InputError
from dcq.records import DatasetTask, Instance
from dcq.replication.pieces import (
    AS_RELEASED,
    CutBy,
    CutRange,
    PieceForm,
    Pieces,
    Unfit,
    cut_at,
    split,
)
from dcq.replication.prompts import Instruction, Version, wrong_label
from dcq.store import Store, replications, samples
from dcq.store.replications import MovedCut, Replication, StoredPiece
from dcq.store.samples import StoredSample

PAIRED = (Instruction.GUIDED, Instruction.GENERAL)  # the two that the paper compares


@dataclass(frozen=True)
class Cut:
    """An instance with its pieces, or the reason why it has none. ``moved``: a person chose the
    place, ``author``, if a name was given."""

    instance: Instance
    outcome: Pieces | Unfit
    moved: bool = False
    author: str = ""

    @property
    def by(self) -> CutBy:
        """What decided the cut."""
        if self.moved:
            return CutBy.PERSON
        if columns.pieces_of(self.instance) is not None:
            return CutBy.FILE
        is_pair = isinstance(self.outcome, Pieces) and self.outcome.form is PieceForm.NLI
        return CutBy.PAIR if is_pair else CutBy.SEED


def preview(
    store: Store, sample: StoredSample, seed: int | None = None, cut_range: CutRange = AS_RELEASED
) -> tuple[Cut, ...]:
    """How the instances of a sample are cut under this ``seed``, by default the sample's own, in
    their order. Cuts are drawn within ``cut_range``; those of the sample's own file stay."""
    return _cut_all(store, sample, sample.seed if seed is None else seed, cut_range)


def move_cut(
    store: Store,
    sample_id: str,
    instance_id: str,
    offset: int | None,
    author: str,
    *,
    seed: int | None = None,
) -> Pieces:
    """Cut an instance after ``offset`` characters of its pieces' text from now on; None takes a
    person's cut back. Returns the pieces. Replications frozen before keep theirs. ``seed`` is as in
    ``preview``.

    Raises ``InputError`` where the sample has no such instance, or it cannot be cut there.
    """
    sample = samples.load(store, sample_id)
    instance = next(
        (candidate for candidate in sample.instances if candidate.id == instance_id), None
    )
    if instance is None:
        raise InputError(f"Sample {sample.id} has no instance {instance_id!r}; choose one of its.")
    seed = sample.seed if seed is None else seed
    language = sample.partition.language
    pieces = split(instance, sample.partition.task, language=language, seed=seed)
    if isinstance(pieces, Unfit):
        raise InputError(f"This instance cannot be cut: {pieces}; choose another row.")
    if offset is not None:
        pieces = cut_at(pieces, offset, language=language)
    replications.move(store, sample.id, instance_id, seed, offset, author)
    return pieces


def freeze(
    store: Store,
    sample_id: str,
    *,
    version: Version = Version.PAPER,
    instructions: Sequence[Instruction] = PAIRED,
    judge: str = "",
    seed: int | None = None,
    cut_range: CutRange = AS_RELEASED,
    author: str = "",
) -> str:
    """Store the pieces of a sample, to be completed under each of the ``instructions``, and the
    name of the model that is to judge; returns the id of the replication. ``seed`` and
    ``cut_range`` are as in ``preview``. Raises ``InputError`` where no instance can be cut, the
    guided or the general instruction is missing, the wrong-label control is wanted of instances
    without labels or no two different labels, or a ``cut_range`` is given where no cut is
    drawn."""
    ordered_instructions = [
        instruction for instruction in Instruction if instruction in set(instructions)
    ]
    if not set(PAIRED) <= set(ordered_instructions):
        raise InputError(
            "The guided and the general completions are compared; ask for both of them."
        )
    sample = samples.load(store, sample_id)
    seed = sample.seed if seed is None else seed
    cuts = _cut_all(store, sample, seed, cut_range)
    can_be_cut = [(cut, cut.outcome) for cut in cuts if isinstance(cut.outcome, Pieces)]
    if not can_be_cut:
        raise InputError("No instance of this sample can be cut in two; draw longer ones.")
    if cut_range != AS_RELEASED and all(cut.by is not CutBy.SEED for cut, _ in can_be_cut):
        raise InputError(
            "No cut of this sample is drawn, because its file or people say where it is or it is "
            "of pairs; leave the share out."
        )
    labels = [pieces.label for _, pieces in can_be_cut if pieces.label]
    if Instruction.WRONG_LABEL in ordered_instructions and len(labels) < len(can_be_cut):
        raise InputError(
            "The wrong-label control needs a label of each instance; leave it out for this sample."
        )
    stored_pieces = [
        _stored(
            cut,
            pieces,
            wrong_label(pieces.label or "", labels, seed=seed, instance_id=cut.instance.id)
            if Instruction.WRONG_LABEL in ordered_instructions
            else None,
        )
        for cut, pieces in can_be_cut
    ]
    return replications.save(
        store,
        Replication(
            id="",
            sample_id=sample.id,
            version=version,
            instructions=tuple(ordered_instructions),
            judge=judge,
            seed=seed,
            earliest=cut_range.earliest,
            latest=cut_range.latest,
            author=author,
            left_out={
                cut.instance.id: cut.outcome.value for cut in cuts if isinstance(cut.outcome, Unfit)
            },
            pieces=tuple(stored_pieces),
        ),
    )


def pieces_of(stored: StoredPiece) -> Pieces:
    """The pieces as they were frozen."""
    return Pieces(
        PieceForm(stored.form),
        stored.first,
        stored.second,
        label=stored.label,
        gap=stored.gap,
        inside_sentence=stored.inside_sentence,
    )


def _stored(cut: Cut, pieces: Pieces, other_label: str | None) -> StoredPiece:
    return StoredPiece(
        cut.instance.id,
        pieces.form,
        pieces.first,
        pieces.second,
        pieces.label,
        pieces.gap,
        pieces.inside_sentence,
        other_label,
        cut.by,
    )


def _cut_all(store: Store, sample: StoredSample, seed: int, cut_range: CutRange) -> tuple[Cut, ...]:
    moved = replications.current(store, sample.id, seed)
    partition = sample.partition
    drawn = _draw(store, sample.id, partition.task, partition.language, seed, cut_range)
    return tuple(_move(cut, moved, partition.language) for cut in drawn)


# Finding the sentences takes a millisecond an instance, and a cut that is moved is one of many.
@lru_cache(maxsize=8)
def _draw(
    store: Store, sample_id: str, task: DatasetTask, language: str, seed: int, cut_range: CutRange
) -> tuple[Cut, ...]:
    """How the instances are cut where nobody moved a cut; a sample's instances never change."""
    return tuple(
        Cut(instance, split(instance, task, language=language, seed=seed, cut_range=cut_range))
        for instance in samples.load(store, sample_id).instances
    )


def _move(cut: Cut, moved: Mapping[str, MovedCut], language: str) -> Cut:
    moved_cut = moved.get(cut.instance.id)
    if isinstance(cut.outcome, Unfit) or moved_cut is None:
        return cut
    pieces = cut_at(cut.outcome, moved_cut.offset, language=language)
    return Cut(cut.instance, pieces, moved=True, author=moved_cut.author)
