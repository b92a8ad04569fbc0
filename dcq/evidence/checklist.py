"""The checks of a verdict that are computed from numbers alone."""

from __future__ import annotations

from collections.abc import Mapping

from dcq.evidence.case import MOST_UNUSABLE, Case, Check, Mark, Topic
from dcq.evidence.controls import FEWEST_CONTROL, FEWEST_TARGET, MANY
from dcq.evidence.kappa import Kappa, unscale
from dcq.evidence.leak import leaks, strategy_words
from dcq.evidence.people import Pooled
from dcq.evidence.power import ENOUGH_POWER, POWER, detectable_gain, detectable_kappa
from dcq.words import listed, p_words, percent

_NAMED = 4  # controls named in a sentence
CHANCE = 0.25  # of a person's question, which has four options

# What a check says that it could not check.
UNSEEN = "what unseen text would score"
PREFERENCE = "whether the model prefers the original's slot"


def replies(case: Case) -> Check:
    """Are enough of the replies usable, on the target and on its controls?"""
    number = f"{percent(1 - case.unusable)} usable"
    if case.unusable > MOST_UNUSABLE:
        return Check(
            Topic.REPLIES,
            Mark.BAD,
            number,
            f"{percent(case.unusable)} of the replies are unusable, more than "
            f"{percent(MOST_UNUSABLE)}: the others need not be representative.",
        )
    if case.calibration is not None and case.control_unusable > MOST_UNUSABLE:
        return Check(
            Topic.REPLIES,
            Mark.BAD,
            number,
            f"{percent(case.control_unusable)} of the replies on the controls are unusable, "
            f"more than {percent(MOST_UNUSABLE)}: the others need not be representative.",
        )
    words = "All replies are usable."
    if case.unusable:
        words = f"{percent(1 - case.unusable, 1)} of the replies are usable."
    return Check(Topic.REPLIES, Mark.GOOD, number, words)


def controls(case: Case, alpha: float) -> Check:
    """What is the result compared with, and is that enough?"""
    known = case.calibration
    if known is None:
        return _uncontrolled(case, alpha)
    number = "1 control" if known.controls == 1 else f"{known.controls} controls"
    used = [name for place, name in enumerate(case.control_names) if place not in known.aside]
    beside = f"Compared with {listed(used, _NAMED)}" if used else f"Compared with {number}"
    if case.mismatch:
        return Check(Topic.CONTROLS, Mark.BAD, number, f"{beside}. {case.mismatch}")
    if known.n < FEWEST_TARGET or known.control_instances < FEWEST_CONTROL:
        return Check(
            Topic.CONTROLS,
            Mark.BAD,
            number,
            f"{beside}, but {known.n} instances against {known.control_instances} are too few: "
            f"{FEWEST_TARGET} of the target and {FEWEST_CONTROL} of all its controls are needed.",
        )
    if known.aside:
        names = [case.control_names[place] for place in known.aside if case.control_names]
        sentence = (
            f"{beside}. {listed(names, _NAMED) or 'One control'} scores as only seen text does"
        )
        sentence += ": check it."
        if known.p_value <= alpha < known.p_all:
            sentence += f" With it among the controls p would be {known.p_all:.3f}."
        return Check(Topic.CONTROLS, Mark.CAUTION, number, sentence)
    if known.controls < MANY:
        return Check(
            Topic.CONTROLS,
            Mark.CAUTION,
            number,
            f"{beside}. With fewer than {MANY} controls, how much unseen partitions differ is "
            "assumed, not measured.",
        )
    return Check(Topic.CONTROLS, Mark.GOOD, number, f"{beside}.")


def _uncontrolled(case: Case, alpha: float) -> Check:
    if case.mismatch:
        return Check(Topic.CONTROLS, Mark.BAD, "none", case.mismatch, UNSEEN)
    if case.own is not None and case.own.p_value is not None and case.own.p_value > alpha:
        return Check(
            Topic.CONTROLS,
            Mark.CAUTION,
            "own baseline",
            "Compared with the model's own choices without the original; there is no control "
            "partition.",
        )
    return Check(
        Topic.CONTROLS,
        Mark.BAD,
        "none",
        "There is no control partition, so memory cannot be distinguished from a preference for, "
        "or against, the original's wording.",
        UNSEEN,
    )


def leak(text_only: Mapping[str, Kappa]) -> Check:
    """Do strategies without memory find originals from their text?"""
    scores = {name: kappa.score for name, kappa in text_only.items() if kappa.score is not None}
    if not scores:
        return unseen_options()
    number = f"{percent(max(scores.values()))} at most"
    solved = leaks(text_only)
    if solved:
        named = ", ".join(f"{strategy_words(name)}: {percent(scores[name])}" for name in solved)
        return Check(
            Topic.LEAK,
            Mark.BAD,
            number,
            f"The quiz is leaky: its text alone gives originals away, without memory ({named}).",
        )
    return Check(
        Topic.LEAK, Mark.GOOD, number, "The text of the options alone does not give originals away."
    )


def people(found: Pooled) -> Check | None:
    """Do people, who were not trained on the text, find originals too? None if none was asked."""
    kappa, score = found.kappa, found.kappa.score
    if score is None or kappa.kappa_low is None or kappa.kappa_high is None:
        return None
    low, high = unscale(kappa.kappa_low, CHANCE), unscale(kappa.kappa_high, CHANCE)
    noun = "1 person" if found.people == 1 else f"{found.people:,} people"
    number = f"{kappa.correct:,} of {kappa.n:,}"
    sentence = (
        f"{noun}: {number} right ({percent(score)}, interval {percent(low)} to {percent(high)})"
    )
    if found.above_chance:
        return Check(
            Topic.PEOPLE,
            Mark.CAUTION,
            number,
            f"{sentence}. People find it too: the original can be told without having been trained "
            "on it.",
        )
    return Check(
        Topic.PEOPLE, Mark.GOOD, number, f"{sentence}, where guessing finds {percent(CHANCE)}."
    )


def unseen_options() -> Check:
    """The check if the text of the options is not available."""
    return Check(
        Topic.LEAK,
        Mark.CAUTION,
        "not checked",
        "The options are not available, so only the controls check whether their text alone gives "
        "originals away.",
        "whether the options' text alone gives originals away",
    )


def power(case: Case, minimum: float | None, *, significant: bool, effect: str = "a κ") -> Check:
    """Could the sample have found an effect worth knowing? ``effect``: what its size is called."""
    n = case.calibration.n if case.calibration else case.kappa.n
    number = "–" if minimum is None else f"{effect.split()[-1]} ≥ {minimum:.2f}"
    reached = (
        f"With n = {n:,} no effect could be found with a power of {percent(POWER)}."
        if minimum is None
        else f"With n = {n:,} {effect} of {minimum:.2f} or more is found with a power of "
        f"{percent(POWER)}, tested alone."
    )
    if significant or (minimum is not None and minimum <= ENOUGH_POWER):
        return Check(Topic.POWER, Mark.GOOD, number, reached)
    if case.calibration is None:
        return Check(Topic.POWER, Mark.BAD, number, f"The sample is too small. {reached}")
    if case.calibration.kappa_control is None:
        return Check(
            Topic.POWER,
            Mark.BAD,
            number,
            "The controls leave no room above them: the model finds their originals too.",
        )
    needed = case.calibration.needed_n
    if needed is None:
        return Check(
            Topic.POWER,
            Mark.BAD,
            number,
            "The controls differ too much to find an effect. More instances will not help; closer "
            "or more controls may.",
        )
    return Check(
        Topic.POWER,
        Mark.BAD,
        number,
        f"The sample is too small: about {needed:,} instances are needed to find {effect} of "
        f"{ENOUGH_POWER:.1f}.",
    )


def family(p: float, q: float, strict: float, size: int, alpha: float) -> Check:
    """Does it hold among the ``size`` results of the study?"""
    number = p_words(q, "q")
    if size == 1:
        return Check(Topic.FAMILY, Mark.GOOD, number, "It is the only result that is compared.")
    sentence = f"Among the {size:,} results compared, {number} (Benjamini–Hochberg)"
    if p <= alpha < q:
        return Check(
            Topic.FAMILY,
            Mark.BAD,
            number,
            f"{sentence}: too likely to be a false call among so many.",
        )
    if q <= alpha < strict:
        return Check(
            Topic.FAMILY,
            Mark.CAUTION,
            number,
            f"{sentence}; by Holm's strict reading it is {strict:.3f}.",
        )
    return Check(Topic.FAMILY, Mark.GOOD, number, f"{sentence}.")


def minimum_effect(case: Case) -> float | None:
    """The smallest κ that this n finds with a power of 80 %, on the scale of what it is compared
    with; None if it finds none."""
    if case.calibration is not None:
        return case.calibration.minimum_kappa
    if case.own is not None:
        own = case.own
        if not own.n or own.modified_share is None or own.modified_share == 1.0:
            return None
        gain, most = detectable_gain(own.gained, own.lost, own.n), 1 - own.modified_share
        return None if gain is None or gain > most else gain / most
    return None if case.chance is None else detectable_kappa(case.kappa.n, chance=case.chance)
