"""Chooses the slot of the original for each model and sample that are asked together.

Models prefer different slots, so each gets the slot that it chose least itself. Further samples are
compared with the first, so they get the slot that the model has there, whatever it chose
elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dcq import settings
from dcq.asking import launch
from dcq.asking.options import DEFAULTS, Options
from dcq.errors import InputError, ModelChoiceError
from dcq.models.endpoints import resolve
from dcq.quiz import build, freeze
from dcq.quiz.method import QUIZ
from dcq.records import QuizKind, slot_letter
from dcq.store import Store
from dcq.store.moment import at_one_moment


@dataclass(frozen=True)
class Placement:
    """The slot of the original for one sample and model: ``slot`` 0 to 3, or None if the quiz has
    no single slot for it. ``why`` is a sentence, empty if there is nothing to explain; ``why_not``
    says what has to be done before the slot is known, None if it is; ``bdq`` is the quiz whose
    variants a bcq has to show, None if the model has taken no bdq."""

    slot: int | None
    why: str = ""
    why_not: str | None = None
    bdq: str | None = None

    @property
    def letter(self) -> str | None:
        """The letter of the slot."""
        return slot_letter(self.slot)


Places = Mapping[tuple[str, str], Placement]


@at_one_moment
def place_originals(
    store: Store,
    sample_id: str,
    others: Sequence[str],
    kind: QuizKind,
    models: Sequence[str],
    *,
    letter: str | None = None,
) -> dict[tuple[str, str], Placement]:
    """The place for each (sample, model): ``letter`` for all of them, or, if None, the slot that
    the model chose least in its own modified quiz of ``sample_id`` (D without one), also for
    ``others``. A bcq takes the first slot that the model's own bdq shows to be non-preferred."""
    placements = {}
    for model in dict.fromkeys(models):
        place = _place(store, sample_id, kind, model, letter)
        placements[sample_id, model] = place
        for other in others:
            why = f"At {place.letter} as in the first sample, to compare them." * bool(place.why)
            placements[other, model] = Placement(
                place.slot, why, place.why_not, _bdq(store, other, kind, model)
            )
    return placements


def begin(
    store: Store,
    places: Places,
    kind: QuizKind,
    options: Options = DEFAULTS,
) -> list[str]:
    """Freeze a quiz for each sample and slot and give it to its models, all in one process; returns
    the run ids. Raises InputError if a slot is not known yet."""
    reasons = [place.why_not for place in places.values() if place.why_not]
    if reasons:
        raise InputError(reasons[0])
    quiz_keys = {(sample_id, place.letter, place.bdq) for (sample_id, _), place in places.items()}
    quizzes = {
        (sample_id, letter, bdq): (
            freeze.freeze_bcq(store, bdq, letter)
            if bdq and letter
            else freeze.freeze(store, sample_id, kind, slot=letter)
        ).quiz
        for sample_id, letter, bdq in sorted(quiz_keys, key=str)
    }
    pairs = [
        (quizzes[sample, place.letter, place.bdq], model)
        for (sample, model), place in places.items()
    ]
    return launch.begin_pairs(store, QUIZ, pairs, options)


def _place(
    store: Store, sample_id: str, kind: QuizKind, model: str, letter: str | None
) -> Placement:
    if kind not in build.PLACED:
        return Placement(None)
    if letter is not None:
        return Placement(
            freeze.read_slot(letter),
            "The slot was chosen by hand.",
            bdq=_bdq(store, sample_id, kind, model),
        )
    name = stored_name(model)
    if kind is QuizKind.STANDARD:
        return Placement(*freeze.propose(store, sample_id, name))
    try:
        slot, reason, bdq = freeze.propose_non_preferred(store, sample_id, name)
    except InputError as error:
        return Placement(None, "", str(error))
    return Placement(slot, reason, bdq=bdq)


def _bdq(store: Store, sample_id: str, kind: QuizKind, model: str) -> str | None:
    """The model's own bdq of a sample, for a bcq."""
    return freeze.bdq_of(store, sample_id, stored_name(model)) if kind is QuizKind.BCQ else None


def stored_name(model: str) -> str:
    """The name under which results of ``model`` are stored, however it was spelt."""
    try:
        return resolve(model, settings.load()).name
    except ModelChoiceError:  # reported when the model is asked
        return model
