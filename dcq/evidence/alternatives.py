"""What a verdict has to survive: p under other assumptions, and what the verdict would then be."""

from __future__ import annotations

from dcq.evidence.case import Check, Mark, Topic
from dcq.evidence.controls import EASIER, OddControl
from dcq.words import p_number, p_words, percent


def refused(p_value: float, p_refused: float, alpha: float) -> str:
    """Why the replies that a model did not give decide; empty where both p-values say the same."""
    if (p_value <= alpha) == (p_refused <= alpha):
        return ""
    return (
        f"With the calls that have no answer counted as wrong p would be {p_number(p_refused)} "
        f"instead of {p_number(p_value)}, so the result depends on what was refused."
    )


def refused_among_others(p_refused: float, q_refused: float) -> Check:
    """The same for a result that is significant in both ways alone, but not among the others."""
    return Check(
        Topic.REPLIES,
        Mark.BAD,
        p_words(q_refused, "q"),
        f"With the calls that have no answer counted as wrong p would be {p_number(p_refused)}, "
        "which is too likely to be a false call among so many results: the result depends on what "
        "was refused.",
    )


def easier(p_easier: float, q_easier: float, alpha: float) -> Check:
    """Would the verdict hold if the originals of this text were a little easier to tell, seen or
    not, than those of the controls?"""
    values = p_words(p_easier)
    if q_easier > alpha >= p_easier:
        values += f" ({p_words(q_easier, 'q')} among all results)"
    sentence = (
        f"If unseen text of this kind scored {100 * EASIER:.0f} points more than the controls, "
        f"there would be {values}"
    )
    if q_easier <= alpha:
        return Check(Topic.MARGIN, Mark.GOOD, p_words(p_easier), f"{sentence}.")
    return Check(
        Topic.MARGIN,
        Mark.CAUTION,
        p_words(p_easier),
        f"{sentence}: a text that is only that much easier than its controls would explain the "
        "result.",
    )


def odd_control(name: str, odd: OddControl, change: str, measure: str = "") -> Check:
    """Which control disagrees most with the others? ``change`` is what the verdict would be without
    it, empty where it would be the same; ``measure`` in what it disagrees, if there are several."""
    sentence = (
        f"Of the controls, {name} disagrees most with the others{measure}: it scores "
        f"{percent(odd.score, 1)}, where they lead to expect {percent(odd.expected, 1)}. Without "
        f"it p would be {p_number(odd.p_without)}"
    )
    number = p_words(odd.p_without)
    if not change:
        return Check(Topic.CONTROLS, Mark.GOOD, number, f"{sentence}, with the same verdict.")
    return Check(
        Topic.CONTROLS,
        Mark.CAUTION,
        number,
        f"{sentence}, and the verdict {change}. Check whether it may have been seen, or is of "
        "another kind.",
    )
