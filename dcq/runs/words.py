"""Numbers and names as people read them."""

from __future__ import annotations

from dcq.records import Outcome
from dcq.runs.results import Result

_UNUSABLE = (Outcome.REFUSED, Outcome.INVALID, Outcome.ERROR)


def counted(result: Result) -> str:
    """``92 answers to 100 questions; 5 refused, 3 invalid: 8 % unusable``. A rotated quiz asks four
    questions an instance."""
    lost = {outcome: result.outcomes.get(outcome, 0) for outcome in _UNUSABLE}
    answers = result.asked - sum(lost.values())
    nouns = "answer" if answers == 1 else "answers"
    words = f"{answers:,} {nouns} to {result.asked:,} questions"
    if not any(lost.values()):
        return words
    named = ", ".join(f"{count:,} {outcome}" for outcome, count in lost.items() if count)
    return f"{words}; {named}: {percent(result.unusable)} unusable"


def place(result: Result) -> str:
    """The partition as a person says it."""
    return f"{result.title} {result.split_title}"


def kappa_words(value: float | None, low: float | None, high: float | None) -> str:
    """κ with its 95 % interval, as far as it has one; ``no value`` without κ."""
    if value is None:
        return "no value"
    if low is None or high is None:
        return two_decimals(value)
    return f"{two_decimals(value)} {interval_words(low, high)}"


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
