"""Sentences on the findings of a quiz and on its own checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dcq.evidence.check import CheckWords
from dcq.evidence.leak import CHANCE
from dcq.evidence.record import FOUND, Evidence, MethodWords
from dcq.words import p_words, percent

if TYPE_CHECKING:
    from dcq.evidence.controls import Calibration


def unfinished(which: str, progress: str) -> CheckWords:
    """``which`` is the run itself or its bdq."""
    return CheckWords(progress, f"{which} is unfinished: {progress} questions have a reply so far.")


def stopped_between_looks(look: int, of: int) -> CheckWords:
    return CheckWords(
        f"{look} of {of} looks",
        "The run stopped between its planned looks, which is not a planned end: resume it.",
    )


def ended_at_look(
    look: int, of: int, n: int, instances: int, decision: str, p_value: float | None, limit: float
) -> CheckWords:
    p = "no p-value" if p_value is None else p_words(p_value)
    reason = {
        "seen": f"{p} was below the limit of {limit:.3f}",
        "futile": f"{p} showed that the rest was unlikely to find anything",
    }.get(decision, f"{p} stayed above the limit of {limit:.3f}")
    where = f"after {n:,} of {instances:,} instances"
    if look == of:
        where = "after all instances"
    return CheckWords(
        f"look {look} of {of}",
        f"The looks were planned before the first call; the run ended at look {look} of {of}, "
        f"{where}, where {reason}. The p-value counts all looks.",
    )


def scored_separately() -> CheckWords:
    return CheckWords("none", "Each option was scored separately.")


def every_slot() -> CheckWords:
    return CheckWords("all", "The original was in every slot in turn.")


def slot_unknown(letter: str, without: str) -> CheckWords:
    return CheckWords(
        letter,
        f"How often the model picks position {letter} where no original is there is not known: "
        f"the {without} quiz was not asked. Controls with the original at {letter} show it too.",
    )


def slot_preferred(letter: str, share: float) -> CheckWords:
    return CheckWords(
        f"{letter}: {percent(share)}",
        f"{_without(letter, share)}: it prefers that slot, which leaves little room for memory to "
        "show.",
    )


def slot_from_few(letter: str, share: float, unusable: float) -> CheckWords:
    return CheckWords(
        f"{letter}: {percent(share)}",
        f"{percent(unusable)} of the replies without the original were unusable, so slot {letter} "
        "may seem to be chosen least only because its replies were lost. Ask that quiz again.",
    )


def slot_not_preferred(letter: str, share: float) -> CheckWords:
    return CheckWords(f"{letter}: {percent(share)}", f"{_without(letter, share)}.")


def _without(letter: str, share: float) -> str:
    return f"Without the original, the model chose slot {letter} in {percent(share)}"


def no_bdq() -> CheckWords:
    return CheckWords(
        "none",
        "The bdq, which has no original, was not asked, so there is nothing to compare this quiz "
        "with.",
        "what unseen text would score",
    )


def people(
    people: int, right: int, n: int, score: float, low: float, high: float, find_it: bool
) -> CheckWords:
    noun = "1 person" if people == 1 else f"{people:,} people"
    number = f"{right:,} of {n:,}"
    sentence = (
        f"{noun}: {number} right ({percent(score)}, interval {percent(low)} to {percent(high)})"
    )
    if find_it:
        sentence += (
            ". People find it too: the original can be told without having been trained on it."
        )
    else:
        sentence += f", where guessing finds {percent(CHANCE)}."
    return CheckWords(number, sentence)


def other_set_counts(name: str, of: int, counts: str) -> CheckWords:
    return CheckWords(
        f"1 of {of} sets", f"{_set(name, of)}; the set “{counts}” stands for them in the study."
    )


def set_chosen_late(name: str, of: int) -> CheckWords:
    return CheckWords(
        f"1 of {of} sets",
        f"{_set(name, of)}, made to stand for them when runs of theirs had been planned already.",
    )


def set_counts(name: str, of: int) -> CheckWords:
    return CheckWords(f"1 of {of} sets", f"{_set(name, of)}, and stands for them in the study.")


def _set(name: str, of: int) -> str:
    return f"These variants are the set “{name}”, one of {of} of the same instances"


def finding(
    evidence: Evidence, calibrations: Mapping[str, Calibration], by_letters: Calibration | None
) -> str:
    share, own_ablation = evidence.estimate.share, evidence.ablation
    calibration = calibrations.get(FOUND)
    if not evidence.usable or share is None:
        return "There is no usable answer."
    if calibration is not None and by_letters is not None:
        return (
            f"The originals had {percent(calibration.score, 1)} of the options' "
            "probability, where "
            f"{percent(calibration.control_score, 1)} are expected on unseen text "
            f"({percent(calibration.control_low)} to "
            f"{percent(calibration.control_high)}); by letters "
            f"{percent(by_letters.score, 1)} were found, where "
            f"{percent(by_letters.control_score, 1)} are expected ({p_words(by_letters.p_value)})."
        )
    if calibration is not None:
        return (
            f"{percent(calibration.score, 1)} of the originals were found, where "
            f"{percent(calibration.control_score, 1)} are expected on unseen text "
            f"({percent(calibration.control_low)} to "
            f"{percent(calibration.control_high)})."
        )
    summary = f"{percent(share, 1)} of the originals were found"
    if own_ablation is not None and own_ablation.modified_share is not None:
        return (
            f"{summary}; without the original the model chose its slot in "
            f"{percent(own_ablation.modified_share, 1)} of the same instances."
        )
    if evidence.chance is None:
        return f"{summary}, and there is nothing to compare that with."
    return f"{summary}, where guessing finds {percent(evidence.chance)}."


WORDS = MethodWords(
    finding,
    effect="a κ",
    otherwise="memory cannot be told from a preference for the original's wording",
    seen="picks the original",
    unseen="picks the original no more often than on unseen text",
    figure="picked {share} of the originals",
)
