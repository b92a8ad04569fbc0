"""From a sample and its usable variants to a frozen quiz."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from dcq.errors import InputError
from dcq.evidence.protocol2 import non_preferred
from dcq.quiz import build, prompts
from dcq.records import LETTERS, Kind, Mode
from dcq.runs import placebo
from dcq.store import Store, quizzes, results, samples, variants
from dcq.store.samples import StoredSample


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
    """Build and keep a quiz. ``slot`` is a letter A–D for a standard quiz or a bcq; None takes the
    one that the newest modified quiz or bdq proposes, taken by ``model`` or, without it, by
    anyone."""
    sample = samples.load(store, sample_id)
    notes: list[str] = []
    place: int | None = None
    if kind in build.PLACED:
        if slot is None:
            ask_where = propose_shunned if kind is Kind.BCQ else propose
            place, why = ask_where(store, sample.id, model)
            notes.append(why)
        else:
            place = read_slot(slot)
    elif slot is not None:
        raise InputError(f"A {kind} quiz has no slot to choose; leave --slot out.")
    built = questions(store, sample, kind, place)
    if built.left_out:
        reason = next(iter(built.left_out.values()))
        notes.append(
            f"{len(built.left_out)} of {len(sample.instances)} instances are left out "
            f"(the first: {reason})."
        )
    quiz_id = quizzes.save(
        store,
        sample.id,
        kind,
        place,
        prompts.prompt_for(kind).id,
        built.items,
        built.left_out,
    )
    return Frozen(quiz_id, len(built.items), place, tuple(notes))


def questions(store: Store, sample: StoredSample, kind: Kind, slot: int | None) -> build.Built:
    """The questions that freezing would keep now; ``slot`` None stands for D."""
    return build.build(
        kind,
        sample.instances,
        placebo.without_originals(sample, variants.usable_texts(store, sample.id)),
        slot=build.DEFAULT_SLOT if slot is None else slot,
    )


def read_slot(letter: str) -> int:
    """The slot (0–3) of a letter A–D; InputError for anything else."""
    index = LETTERS[: build.SLOTS].find(letter.strip().upper() or "?")
    if index < 0 or len(letter.strip()) != 1:
        raise InputError(f"There is no slot {letter!r}; choose A, B, C or D.")
    return index


def propose(store: Store, sample_id: str, model: str | None = None) -> tuple[int, str]:
    """Where the original should stand in a standard quiz of this sample, and why."""
    best = _best(store, sample_id, Kind.MODIFIED, model)
    if best is None:
        return build.DEFAULT_SLOT, (
            "The original is placed at D, the paper's default: no modified quiz of this sample has "
            "been taken yet."
        )
    chosen = [int(best[letter]) for letter in LETTERS[: build.SLOTS]]
    slot = build.propose_slot(chosen)
    told = ", ".join(f"{letter} {count}" for letter, count in zip(LETTERS, chosen, strict=False))
    return slot, (
        f"The original is placed at {LETTERS[slot]}, the slot that {best['model']} chose least "
        f"in the modified quiz ({told})."
    )


@dataclass(frozen=True)
class Shunned:
    """The slots that ``model`` prefers least by its newest bdq: the ones that a bcq may use."""

    model: str
    letters: tuple[str, ...]


def shunned(store: Store, sample_id: str, model: str | None = None) -> Shunned:
    """The non-preferred slots by the newest bdq of this sample (by ``model``, or by anyone).

    Raises InputError if none has been taken."""
    best = _best(store, sample_id, Kind.BDQ, model)
    if best is None:
        who = f"{model} has" if model else "No model has"
        raise InputError(
            f"{who} {'not ' if model else ''}taken a bdq of sample {sample_id}, which tells where "
            f"the original may stand; run one (python -m dcq quiz {sample_id} --kind bdq), or "
            "choose a slot with --slot."
        )
    chosen = {letter: int(best[letter]) for letter in LETTERS[: build.SLOTS]}
    return Shunned(str(best["model"]), non_preferred(chosen, int(best["n"])))


def propose_shunned(store: Store, sample_id: str, model: str | None = None) -> tuple[int, str]:
    """The first slot for a bcq of this sample, and which others are wanted."""
    found = shunned(store, sample_id, model)
    first, *others = found.letters
    why = (
        f"The original is placed at {first}, the first slot that {found.model} does not prefer by "
        "its bdq."
    )
    if others:
        commands = "; ".join(
            f"python -m dcq quiz {sample_id} --kind bcq --slot {letter}" for letter in others
        )
        why += f" Minimum and maximum need the other such slots as well: {commands}"
    return LETTERS.index(first), why


def _best(store: Store, sample_id: str, kind: Kind, model: str | None) -> pd.Series | None:
    """Counts of the newest finished run of such a quiz, or of the one with most replies (see
    ``dcq.store.results.counts``); where options are scored by themselves (likelihood mode) no slot
    is liked or shunned."""
    counts = results.counts(store, model=model, sample=sample_id, every_run=True)
    taken = counts[(counts["kind"] == kind) & (counts["mode"] == Mode.LETTER) & (counts["n"] > 0)]
    return None if taken.empty else taken.iloc[0]
