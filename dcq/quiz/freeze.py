"""Freezes a quiz from a sample and its usable variants."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace

import pandas as pd

from dcq.errors import InputError
from dcq.quiz import build, prompts, protocol2
from dcq.quiz.text_scores import text_scores
from dcq.records import LETTERS, Item, Mode, QuizKind
from dcq.store import Store, quizzes, results, samples, sources, variants
from dcq.store.moment import at_one_moment, until_written_to
from dcq.store.quizzes import StoredQuiz
from dcq.store.samples import StoredSample
from dcq.variants import placebo
from dcq.words import model_title


@dataclass(frozen=True)
class FrozenQuiz:
    """A quiz just saved: its id, number of questions, the original's slot (None if it is absent or
    rotated) and notes to show."""

    quiz: str
    items: int
    slot: int | None
    notes: tuple[str, ...]


def freeze(
    store: Store,
    sample_id: str,
    kind: QuizKind,
    *,
    slot: str | None = None,
    model: str | None = None,
) -> FrozenQuiz:
    """Build and save a quiz. ``slot`` is a letter A–D for a standard quiz or a bcq; None takes the
    slot that the newest modified quiz or bdq proposes, taken by ``model`` or, without it, by any
    model. A bcq has the variants of a bdq if that bdq proposed the slot, or if ``model`` has taken
    one; otherwise the current variants of the sample. Raises InputError for a slot or a model that
    would change nothing."""
    notes: list[str] = []
    place: int | None = None
    from_bdq: tuple[str, str] | None = None  # a bdq, and the letter for the original
    if model is not None and (
        kind not in build.PLACED or (slot is not None and kind is not QuizKind.BCQ)
    ):
        raise InputError(
            "A model proposes the original's slot, and this quiz has no slot left to propose; "
            "leave the model out."
        )
    with store.hold():
        sample = samples.load(store, sample_id)
        if kind in build.PLACED:
            bdq: str | None = None
            if slot is not None:
                place = read_slot(slot)
                bdq = bdq_of(store, sample.id, model) if kind is QuizKind.BCQ and model else None
            elif kind is QuizKind.BCQ:
                place, why, bdq = propose_non_preferred(store, sample.id, model)
                notes.append(why)
            else:
                place, why = propose(store, sample.id, model)
                notes.append(why)
            if bdq is not None:
                from_bdq = bdq, LETTERS[place]
        elif slot is not None:
            raise InputError(f"A {kind} quiz has no slot to choose; leave --slot out.")
        if from_bdq is None:
            built = questions(store, sample, kind, place)
    if from_bdq is not None:
        bcq = freeze_bcq(store, *from_bdq)
        return replace(bcq, notes=(*notes, *bcq.notes))
    if built.note:
        notes.append(built.note)
    if built.left_out:
        reason = next(iter(built.left_out.values()))
        verb = "is" if len(built.left_out) == 1 else "are"
        notes.append(
            f"{len(built.left_out)} of {len(sample.instances)} instances {verb} left out "
            f"(the first: {reason})."
        )
    if whose := sources.whose_rewordings(store, sample.id):
        notes.append(whose)
    quiz_id = quizzes.save(
        store,
        sample.id,
        kind,
        place,
        prompts.prompt_for(kind).id,
        built.items,
        built.left_out,
    )
    text_scores(store, [quiz_id])
    return FrozenQuiz(quiz_id, len(built.items), place, tuple(notes))


def freeze_bcq(store: Store, bdq_id: str, letter: str) -> FrozenQuiz:
    """Freeze the bcq with the original at ``letter`` and exactly the variants of a bdq: those of
    the sample may have been edited since."""
    bdq, slot = quizzes.load(store, bdq_id), read_slot(letter)
    items = bcq_questions(store, bdq, slot).items
    quiz_id = quizzes.save(
        store, bdq.sample_id, QuizKind.BCQ, slot, bdq.prompt, items, bdq.left_out
    )
    text_scores(store, [quiz_id])
    return FrozenQuiz(quiz_id, len(items), slot, ())


def bcq_questions(store: Store, bdq: StoredQuiz, slot: int) -> build.Built:
    """The questions of a bdq with the original in one slot."""
    texts = {
        instance.id: instance.text for instance in samples.load(store, bdq.sample_id).instances
    }
    items = tuple(
        Item(
            item.instance_id,
            (*item.options[:slot], texts[item.instance_id], *item.options[slot + 1 :]),
            slot,
        )
        for item in bdq.items
    )
    return build.Built(items, bdq.left_out)


def questions(store: Store, sample: StoredSample, kind: QuizKind, slot: int | None) -> build.Built:
    """The questions that freezing now would give; ``slot`` None means D."""
    return build.build(
        kind,
        sample.instances,
        placebo.without_originals(sample, variants.usable_texts(store, sample.id)),
        slot=build.DEFAULT_SLOT if slot is None else slot,
    )


@until_written_to()
def quiz_now(store: Store, sample_id: str, kind: QuizKind, slot: int | None) -> str:
    """The id of the quiz that freezing a sample now gives, with the original at ``slot`` (None
    where the kind of quiz has no slot); empty where no question can be made."""
    sample = samples.load(store, sample_id)
    try:
        items = questions(store, sample, kind, slot).items
    except InputError:
        return ""
    return quizzes.identify(sample.id, kind, slot, prompts.prompt_for(kind).id, items)


def read_slot(letter: str) -> int:
    """The slot (0–3) of a letter A–D; InputError for anything else."""
    index = LETTERS[: build.SLOTS].find(letter.strip().upper() or "?")
    if index < 0 or len(letter.strip()) != 1:
        raise InputError(f"There is no slot {letter!r}; choose A, B, C or D.")
    return index


@at_one_moment
def propose_kind(store: Store, sample_id: str) -> QuizKind:
    """The kind of quiz that a sample should have next: the modified one, which shows where to put
    the original, until a model has taken it; then the standard one. If no instance has the four
    variants that the modified quiz needs, the standard one at once."""
    texts = variants.usable_texts(store, samples.load(store, sample_id).id)
    if not any(len(slots) == build.SLOTS for slots in texts.values()):
        return QuizKind.STANDARD
    counts = _own_counts(store, sample_id)
    is_modified = counts["carried_out"] & (counts["n"] > 0) & (counts["kind"] == QuizKind.MODIFIED)
    return QuizKind.STANDARD if is_modified.any() else QuizKind.MODIFIED


def propose(store: Store, sample_id: str, model: str | None = None) -> tuple[int, str]:
    """The slot for the original in a standard quiz of this sample, and why."""
    best = _best(store, sample_id, QuizKind.MODIFIED, model)
    if best is None:
        return build.DEFAULT_SLOT, (
            "The original is placed at D, the paper's default: no modified quiz of this sample has "
            f"been taken{f' by {model}' if model else ''} yet."
        )
    chosen = [int(best[letter]) for letter in LETTERS[: build.SLOTS]]
    slot = build.propose_slot(chosen)
    counts = ", ".join(f"{letter} {count}" for letter, count in zip(LETTERS, chosen, strict=False))
    return slot, (
        f"The original is placed at {LETTERS[slot]}, the slot that {best['model']} chose least "
        f"in the modified quiz ({counts})."
    )


@dataclass(frozen=True)
class NonPreferredSlots:
    """The slots that ``model`` does not prefer by its newest bdq, which a bcq may use; and the id
    of that bdq, a quiz."""

    model: str
    letters: tuple[str, ...]
    bdq: str


@at_one_moment
def non_preferred_slots(
    store: Store, sample_id: str, model: str | None = None
) -> NonPreferredSlots:
    """The non-preferred slots by the newest bdq of this sample (of ``model``, or of any model).

    Raises InputError if none has been taken."""
    best = _best(store, sample_id, QuizKind.BDQ, model)
    if best is None:
        who = f"{model} has" if model else "No model has"
        raise InputError(
            f"{who} {'not ' if model else ''}taken a bdq of sample {sample_id}, which shows where "
            f"the original may go; run one (python -m dcq quiz {sample_id} --kind bdq), or choose "
            "a slot with --slot."
        )
    letters = protocol2.non_preferred_by(store, str(best["run"]))
    return NonPreferredSlots(str(best["model"]), letters, str(best["quiz"]))


def bdq_of(store: Store, sample_id: str, model: str) -> str | None:
    """The quiz of the newest bdq that a model has taken of this sample, None if there is none. The
    model's bcqs are made from it."""
    best = _best(store, sample_id, QuizKind.BDQ, model)
    return None if best is None else str(best["quiz"])


@at_one_moment
def propose_non_preferred(
    store: Store, sample_id: str, model: str | None = None
) -> tuple[int, str, str | None]:
    """The first slot for a bcq of this sample, why (and which others are needed), and the bdq, a
    quiz, that shows it; None if exactly one slot has no variant at all, as in published quizzes
    with the original at D, since that slot needs no bdq."""
    empty = _empty_slots(store, sample_id)
    if len(empty) == 1:
        why = (
            f"The original is placed at {LETTERS[empty[0]]}, the slot that no instance has a "
            "variant for."
        )
        return empty[0], why, None
    slots = non_preferred_slots(store, sample_id, model)
    first, *others = slots.letters
    why = (
        f"The original is placed at {first}, the first slot that "
        f"{model_title(slots.model)} does not prefer "
        "according to its bdq."
    )
    if others:
        commands = "; ".join(
            f"python -m dcq quiz {sample_id} --kind bcq --slot {letter} "
            f"--model {shlex.quote(slots.model)}"
            for letter in others
        )
        why += f" Minimum and maximum need the other such slots as well: {commands}"
    return LETTERS.index(first), why, slots.bdq


def _empty_slots(store: Store, sample_id: str) -> list[int]:
    """The slots for which no instance has a usable variant."""
    filled = {slot for texts in variants.usable_texts(store, sample_id).values() for slot in texts}
    return [slot for slot in range(build.SLOTS) if slot not in filled]


def _own_counts(store: Store, sample_id: str, model: str | None = None) -> pd.DataFrame:
    """Where the original is put follows from one's own runs."""
    counts = results.counts(store, model=model, sample=sample_id, every_run=True)
    return counts[~counts["imported"].astype(bool)]


def _best(store: Store, sample_id: str, kind: QuizKind, model: str | None) -> pd.Series | None:
    """Counts of the most complete run of such a quiz (see ``dcq.store.results.counts``) with the
    prompt and mode of a new one: with another wording a model may prefer other slots, and in
    likelihood mode, where options are scored separately, it prefers none."""
    counts = _own_counts(store, sample_id, model)
    alike = (counts["mode"] == Mode.LETTER) & (counts["prompt"] == prompts.prompt_for(kind).id)
    usable_counts = counts[(counts["kind"] == kind) & alike & (counts["n"] > 0)]
    return None if usable_counts.empty else usable_counts.iloc[0]
