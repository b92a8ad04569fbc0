"""One result in words that can be read aloud, and what does and does not explain it.

A verdict is not given here: above chance is not yet proof of memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dcq.records import LETTERS, Kind, Mode, Role
from dcq.runs.results import OPTIONS, Result

ALPHA = 0.05


@dataclass(frozen=True)
class Summary:
    """``headline`` is the sentence to read aloud; ``context`` says in a few more what explains the
    figure and what does not. Both are plain text and hold names as they were given."""

    headline: str
    context: tuple[str, ...]


def summarise(result: Result, others: Sequence[Result]) -> Summary:
    """Put ``result`` into words; ``others`` are searched for the same model's controls and for its
    modified quiz of the same sample."""
    subject = f"{result.model} on {place(result)}"
    if result.n == 0:
        return Summary(f"{subject}: no usable answer yet, so κ has no value.", ())
    so_far = f"So far, with {result.progress} questions answered: " if not result.finished else ""
    if result.kappa_fixed is None:
        headline, meaning = _without_original(result)
        return Summary(f"{so_far}{headline}", meaning)
    controls = [r for r in others if _is_control_of(r, result)]
    context = [_guessing(result)]
    if result.p_value is not None and result.p_value <= ALPHA:
        context += _liking_of_slot(result, others)
        context.append(_liking_of_wording(result, controls))
    return Summary(
        f"{so_far}{_found(result)}: κ {kappa_words(result)}{_against(result, controls)}.",
        tuple(context),
    )


def place(result: Result) -> str:
    """The partition as a person says it."""
    return f"{result.title} {result.split_title}"


def kappa_words(result: Result) -> str:
    """κ with its 95 % interval, or ``no value``."""
    if result.kappa_fixed is None or result.kappa_low is None or result.kappa_high is None:
        return "no value"
    limits = interval_words(result.kappa_low, result.kappa_high)
    return f"{two_decimals(result.kappa_fixed)} {limits}"


def interval_words(low: float, high: float) -> str:
    """``[0.12, 0.34]``."""
    return f"[{two_decimals(low)}, {two_decimals(high)}]"


def two_decimals(value: float) -> str:
    """With a true minus sign; a zero has none."""
    return f"{value:z.2f}".replace("-", "−")


def points(share: float) -> str:
    """A difference of shares in percentage points, signed: ``+69``."""
    return f"{100 * share:+z.0f}".replace("-", "−")


def percent(share: float) -> str:
    """Without decimals: ``25 %``, which a line break does not part."""
    return f"{100 * share:.0f}\u202f%"


def p_number(p_value: float) -> str:
    """``0.012``, or ``< 0.001``."""
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def p_words(p_value: float) -> str:
    """``p = 0.012``, or ``p < 0.001``."""
    number = p_number(p_value)
    return f"p {number}" if number.startswith("<") else f"p = {number}"


def _found(result: Result) -> str:
    if result.kind is Kind.ROTATED:
        calls = OPTIONS * result.n
        return (
            f"{result.model} picked the original in {result.correct:,} of {calls:,} calls on "
            f"{result.n:,} instances of {place(result)}"
        )
    return (
        f"{result.model} picked the original in {result.correct:,} of {result.n:,} instances of "
        f"{place(result)}"
    )


def _without_original(result: Result) -> tuple[str, tuple[str, ...]]:
    shares = [count / result.n for count in result.chosen]
    least = max(slot for slot, share in enumerate(shares) if share == min(shares))
    return (
        f"Shown no original, {result.model} chose slot {LETTERS[least]} least: in "
        f"{percent(shares[least])} of {result.n:,} instances of {place(result)}.",
        ("Without an original there is nothing to find, so κ has no value here.",),
    )


def _is_control_of(other: Result, result: Result) -> bool:
    return (
        other.role == Role.CONTROL
        and result.role != Role.CONTROL
        and other.model == result.model
        and other.kind is result.kind
        and other.kappa_fixed is not None
    )


def _against(result: Result, controls: Sequence[Result]) -> str:
    known = [r.kappa_fixed for r in controls if r.kappa_fixed is not None]
    if not known:
        return ", where guessing gives 0"
    if len(controls) == 1:
        return f", against {kappa_words(controls[0])} on the control partition {place(controls[0])}"
    low, high = two_decimals(min(known)), two_decimals(max(known))
    return f", against {low} to {high} on {len(known)} controls"


def _guessing(result: Result) -> str:
    assert result.p_value is not None  # noqa: S101  (a result with κ has one)
    told = p_words(result.p_value)
    if result.p_value <= ALPHA:
        return f"Guessing does not explain this ({told})."
    if result.kappa_high is not None and result.kappa_high < 0:
        return "That is clearly below guessing: the model avoids the original's slot or wording."
    return f"Guessing explains this as well ({told})."


def _liking_of_slot(result: Result, others: Sequence[Result]) -> tuple[str, ...]:
    if result.mode is Mode.LIKELIHOOD:
        return ("Each option was scored by itself, so no slot could be liked.",)
    if result.kind is Kind.ROTATED:
        return ("The original stood in every slot in turn, so a liking for a letter cancels out.",)
    if result.slot is None:
        return ()
    letter = LETTERS[result.slot]
    bare_kind = Kind.BDQ if result.kind is Kind.BCQ else Kind.MODIFIED
    bare = next(
        (
            other
            for other in others
            if other.kind is bare_kind
            and other.n
            and (other.model, other.sample) == (result.model, result.sample)
        ),
        None,
    )
    if bare is None:
        return (
            f"A liking for slot {letter} is not ruled out: the {bare_kind} quiz, which has no "
            "original, was not asked.",
        )
    share = bare.chosen[result.slot] / bare.n
    told = f"Without the original, slot {letter} was chosen in {percent(share)}"
    if share <= 1 / OPTIONS:
        return (f"{told}, so a liking for that slot does not explain it.",)
    return (f"{told}, so a liking for that slot may explain part of it.",)


def _liking_of_wording(result: Result, controls: Sequence[Result]) -> str:
    if result.role == Role.CONTROL:
        return (
            "No model can have seen this partition, so this is what a liking for the original's "
            "wording does by itself."
        )
    if not controls:
        return (
            "A liking for the original's wording is not ruled out: this model took the same quiz "
            "on no control partition."
        )
    return (
        "Above chance is not yet proof of memory; what counts is how far it lies above the control."
    )
