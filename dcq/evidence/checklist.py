"""The checks of a verdict that are computed from numbers alone."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dcq.evidence.alternatives import refused
from dcq.evidence.case import MOST_UNUSABLE, Case, Check, Mark, Topic
from dcq.evidence.compare import compare_unpaired
from dcq.evidence.controls import FEWEST_CONTROL, FEWEST_TARGET, MANY
from dcq.evidence.kappa import Kappa, unscale
from dcq.evidence.leak import CHANCE, leaks, smallest_leak, strategy_words
from dcq.evidence.people import Pooled
from dcq.evidence.power import ALPHA, ENOUGH_POWER, POWER, detectable_gain, detectable_kappa
from dcq.words import listed, p_number, p_words, percent

_NAMED = 4  # controls named in a sentence
NONE_APART = 0.05  # shares of "none of these" that differ by less are not worth a caution

# What a check says that it could not check.
UNSEEN = "what unseen text would score"
PREFERENCE = "whether the model prefers the original's slot"
LEAK = "whether the options' text alone gives originals away"


def replies(case: Case, p: float | None, p_refused: float | None, alpha: float) -> Check:
    """Are enough of the instances usable, on the target and on its controls, and would the result
    be the same if what was refused were wrong? ``p`` is against the controls, None without any."""
    number = f"{percent(1 - case.unusable)} usable"
    few = f"more than {percent(MOST_UNUSABLE)}: the others need not be representative."
    if case.unusable > MOST_UNUSABLE:
        sentence = f"{percent(case.unusable)} of the instances lack a usable reply, {few}"
        return Check(Topic.REPLIES, Mark.BAD, number, sentence)
    if case.calibration is not None and case.control_unusable > MOST_UNUSABLE:
        share = percent(case.control_unusable)
        sentence = f"{share} of the controls' instances lack a usable reply, {few}"
        return Check(Topic.REPLIES, Mark.BAD, number, sentence)
    if not case.unusable:
        return Check(Topic.REPLIES, Mark.GOOD, number, "All replies are usable.")
    words = f"{percent(1 - case.unusable, 1)} of the instances have usable replies."
    if p is None or p_refused is None:
        return Check(Topic.REPLIES, Mark.GOOD, number, words)
    why = refused(p, p_refused, alpha)
    if why:
        return Check(Topic.REPLIES, Mark.BAD, number, f"{words} {why}")
    beside = f"With the rest counted as wrong p would be {p_number(p_refused)}."
    return Check(Topic.REPLIES, Mark.GOOD, number, f"{words} {beside}")


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


def leak(text_only: Mapping[str, Kappa], score: float | None, *, significant: bool) -> Check:
    """Do strategies without memory find originals from their text, and could one that this check
    does not notice explain the model's ``score``?"""
    scores = {name: kappa.score for name, kappa in text_only.items() if kappa.score is not None}
    best = max(scores, key=lambda name: scores[name], default=None)
    if best is None:
        sentence = "There is no option to choose by its text."
        return Check(Topic.LEAK, Mark.GOOD, "–", sentence, LEAK)
    number = f"{percent(scores[best])} at most"
    solved = leaks(text_only)
    if solved:
        named = ", ".join(f"{strategy_words(name)}: {percent(scores[name])}" for name in solved)
        return Check(
            Topic.LEAK,
            Mark.BAD,
            number,
            f"The quiz is leaky: its text alone gives originals away, without memory ({named}).",
        )
    n = text_only[best].n
    found = (
        "The text of the options alone does not give originals away: "
        f"{strategy_words(best)} finds {percent(scores[best])}, the most of all strategies."
    )
    least = smallest_leak(n, len(scores))
    if least is None:
        seen = f"With n = {n:,} no leak could have been noticed"
    else:
        seen = (
            f"With n = {n:,} a leak is noticed in {percent(POWER)} of cases if it finds "
            f"{percent(least)} or more"
        )
    if score is None:
        return Check(Topic.LEAK, Mark.GOOD, number, f"{found} {seen}.")
    if significant and (least is None or score <= least):
        return Check(
            Topic.LEAK,
            Mark.CAUTION,
            number,
            f"{found} {seen}, and the model found {percent(score)}: a leak too small to be noticed "
            "could reach that.",
        )
    return Check(
        Topic.LEAK, Mark.GOOD, number, f"{found} {seen}; the model found {percent(score)}."
    )


def none_of_these(mine: int, n: int, theirs: int, m: int) -> Check | None:
    """Protocol v2: is "none of these" said as often on the target (``mine`` of ``n`` answers) as on
    its controls (``theirs`` of ``m``)? None where one side has no answer, or neither says it.

    A model that says it less often on the target chooses the original's slot more often, seen or
    not. Two shares are called different by Fisher's exact test at 5 % and five points.
    """
    if not n or not m or not (mine or theirs):
        return None
    found = compare_unpaired(
        *(np.repeat([1.0, 0.0], [k, size - k])[:, None] for k, size in ((theirs, m), (mine, n)))
    )
    said = f"“None of these” is {percent(mine / n)} of the answers here and {percent(theirs / m)}"
    number = f"{percent(mine / n)} against {percent(theirs / m)}"
    apart = abs(mine / n - theirs / m) >= NONE_APART
    if found.p_value is not None and found.p_value <= ALPHA and apart:
        return Check(
            Topic.SLOT,
            Mark.CAUTION,
            number,
            f"{said} on the controls: a model that says it less often chooses every slot more "
            "often, so part of the difference need not be memory.",
        )
    return Check(Topic.SLOT, Mark.GOOD, number, f"{said} on the controls.")


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
        LEAK,
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
    if not case.calibration.leaves_room:
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
