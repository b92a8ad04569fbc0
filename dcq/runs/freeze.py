"""From a sample and its usable variants to a frozen quiz."""

from __future__ import annotations

from dataclasses import dataclass

from dcq.errors import InputError
from dcq.quiz import build, prompts
from dcq.records import LETTERS, Kind
from dcq.store import Store, quizzes, results, samples, variants


@dataclass(frozen=True)
class Frozen:
    """A quiz just kept: its id, number of questions, the original's slot (None where it is absent
    or turns) and sentences worth showing."""

    quiz: str
    items: int
    slot: int | None
    notes: tuple[str, ...]


def freeze(
    store: Store,
    sample_id: str,
    kind: Kind,
    *,
    slot: str | None = None,
    model: str | None = None,
) -> Frozen:
    """Build and keep a quiz. ``slot`` is a letter A–D for a standard quiz; None takes the one that
    ``model`` (or whoever took the modified quiz last) chose least, or D."""
    sample = samples.load(store, sample_id)
    notes: list[str] = []
    place: int | None = None
    if kind is Kind.STANDARD:
        if slot is None:
            place, why = propose(store, sample.id, model)
            notes.append(why)
        else:
            place = read_slot(slot)
    elif slot is not None:
        raise InputError(f"A {kind} quiz has no slot to choose; leave --slot out.")
    built = build.build(
        kind,
        sample.instances,
        variants.usable_texts(store, sample.id),
        slot=build.DEFAULT_SLOT if place is None else place,
    )
    if built.left_out:
        reason = next(iter(built.left_out.values()))
        notes.append(
            f"{len(built.left_out)} of {len(sample.instances)} instances are left out "
            f"(the first: {reason})."
        )
    quiz_id = quizzes.save(
        store, sample.id, kind, place, prompts.QUIZ_V1.id, built.items, built.left_out
    )
    return Frozen(quiz_id, len(built.items), place, tuple(notes))


def read_slot(letter: str) -> int:
    """The slot (0–3) of a letter A–D; InputError for anything else."""
    index = LETTERS[: build.SLOTS].find(letter.strip().upper() or "?")
    if index < 0 or len(letter.strip()) != 1:
        raise InputError(f"There is no slot {letter!r}; choose A, B, C or D.")
    return index


def propose(store: Store, sample_id: str, model: str | None = None) -> tuple[int, str]:
    """Where the original should stand in a standard quiz of this sample, and why."""
    counts = results.counts(store, model=model, sample=sample_id, every_run=True)
    taken = counts[counts["kind"] == Kind.MODIFIED]
    if taken.empty:
        return build.DEFAULT_SLOT, (
            "The original is placed at D, the paper's default: no modified quiz of this sample has "
            "been taken yet."
        )
    newest = taken.sort_values("made_at").iloc[-1]
    chosen = [int(newest[letter]) for letter in LETTERS[: build.SLOTS]]
    slot = build.propose_slot(chosen)
    told = ", ".join(f"{letter} {count}" for letter, count in zip(LETTERS, chosen, strict=False))
    return slot, (
        f"The original is placed at {LETTERS[slot]}, the slot that {newest['model']} chose least "
        f"in the modified quiz ({told})."
    )
