"""The sentences for what an audit of a file checks itself."""

from __future__ import annotations

from collections.abc import Sequence

from dcq.evidence.check import MOST_UNUSABLE, CheckWords
from dcq.words import listed

PREFERENCE = "whether the model prefers the original's slot"


# Files of answers


def rows_left_out(count: int, why: str) -> CheckWords:
    rows = f"{count} {'row is' if count == 1 else 'rows are'}"
    return CheckWords(f"{count:,} out", f"{rows} left out: {why}.")


def control() -> CheckWords:
    return CheckWords(
        "a control", "Assumed to be unseen: this model's other results are compared with it."
    )


def control_set_aside() -> CheckWords:
    return CheckWords(
        "set aside",
        "Its score looks like that of seen text, so it is set aside as a control: check whether it "
        "may have been seen.",
    )


def control_unanswered() -> CheckWords:
    return CheckWords("n = 0", "A control without a usable answer: nothing is compared with it.")


def control_lacks_bdq() -> CheckWords:
    return CheckWords(
        "no bdq",
        "A control with no usable bdq to compare it with: nothing is compared with it.",
    )


def control_without_room() -> CheckWords:
    return CheckWords(
        "no room",
        "The model chose this slot in every answer of the bdq, so the original could add nothing: "
        "nothing is compared with this control.",
    )


def unknown_writer() -> CheckWords:
    return CheckWords(
        "not known",
        "The file does not say who wrote the rewordings. A control is only fair if the same writer "
        "wrote those of target and control.",
        "who wrote the rewordings",
    )


def no_bdq() -> CheckWords:
    return CheckWords(
        "no bdq", "There is no usable bdq of this model and partition to compare this bcq with."
    )


def no_room() -> CheckWords:
    return CheckWords(
        "no room",
        "The model chose this slot in every answer of the bdq, so the original could add nothing.",
    )


def controls_lack_bdq() -> CheckWords:
    return CheckWords(
        "no bdq",
        "None of this model's controls at this slot has a usable bdq to compare with, so none of "
        "them counts.",
    )


def slots_cancel_out() -> CheckWords:
    return CheckWords(
        "every slot",
        "Each original was asked at every slot, so a preference for a slot cancels out.",
    )


def same_slots(where: str) -> CheckWords:
    return CheckWords(
        where, f"Target and controls had the original at {where}, so a preference affects both."
    )


def own_slot_subtracted(where: str) -> CheckWords:
    return CheckWords(
        where, f"How often the model chose {where} without the original is subtracted."
    )


def slot_preference_unknown(where: str) -> CheckWords:
    return CheckWords(
        where,
        f"The original was at {where}, and it is not known how often the model prefers that.",
        PREFERENCE,
    )


# Published files of protocol v2


def rows_with_defects(clean: int, total: int, sound: Sequence[str] = ()) -> CheckWords:
    """``sound`` are the slots that are counted, where those are not all."""
    where = f" at {listed(sound)}" if sound else ""
    number = f"{clean:,} of {total:,} rows"
    if clean == total:
        return CheckWords(number, f"No row has a defect{where}.")
    share = f"{clean:,} of the {total:,} rows are"
    if total - clean <= MOST_UNUSABLE * total:
        return CheckWords(number, f"{share} without a defect{where}.")
    share = f"Only {share}" if clean else f"None of the {total:,} rows is"
    needed = f"{100 * (1 - MOST_UNUSABLE):.0f} % are needed"
    return CheckWords(number, f"{share} without a defect{where}; {needed}.")


def defect(count: int, n: int, kind: str, slot: str = "") -> CheckWords:
    rows = f"all {n:,} rows" if count == n else f"{count:,} of {n:,} rows"
    number = f"{count:,} of {n:,} rows"
    if kind == "original_twice":
        return CheckWords(
            number,
            f"Option {slot} equals the original in {rows}: the quiz at {slot} is sound, those at "
            "other slots had two originals, and the quiz without originals had one.",
        )
    return CheckWords(number, f"In {rows} {_DEFECTS[kind]}.")


_DEFECTS = {
    "missing_options": "an option or the original is missing",
    "duplicate_options": "two options are the same text",
    "unparsed_answers": "an answer is empty or names no single letter",
    "repeated_instances": "the instance is that of an earlier row",
}


def slot_of_the_verdict(
    best: str,
    asked: Sequence[str],
    *,
    partly_sound: bool,
    has_baseline: bool,
    holds_original: bool,
    preferred: bool,
    skipped: Sequence[str],
) -> CheckWords:
    """``asked`` are all slots, ``best`` that of the verdict; ``skipped`` are slots that the model
    rarely chooses where the original was not asked."""
    words = []
    if len(asked) > 1:
        why = "where the original raised the choice of its slot most"
        if partly_sound:
            why = "where no row has the original twice"
        words.append(f"The original was asked at {listed(asked)}; the verdict is on {best}, {why}.")
    if has_baseline:
        words.append(f"How often the model chose {best} without the original is subtracted.")
    else:
        why = "had the original too" if holds_original else "has no usable answer"
        words.append(
            f"The quiz without originals {why}, so it is not known how often the model prefers "
            f"{best}."
        )
    if preferred:
        words.append(
            "No slot that the model rarely chooses was asked, so the range includes a preference "
            "for the slot."
        )
    elif skipped:
        words.append(
            f"The model also rarely chooses {listed(skipped)}, where the original was not asked, "
            "so the range may be too low."
        )
    return CheckWords(f"original at {best}", " ".join(words), "" if has_baseline else PREFERENCE)
