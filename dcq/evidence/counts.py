"""The counts every estimator starts from, checked once."""

from __future__ import annotations

from dcq.errors import InputError


def check_counts(correct: int, n: int, chance: float = 0.25) -> None:
    """Raise ``InputError`` unless 0 ≤ correct ≤ n and 0 < chance < 1."""
    if n < 0:
        raise InputError(f"The number of answers is {n}; give zero or more.")
    if not 0 <= correct <= n:
        raise InputError(
            f"{correct} correct answers out of {n} is impossible; give a number from 0 to {n}."
        )
    if not 0 < chance < 1:
        raise InputError(
            f"A chance level of {chance} is impossible; give one between 0 and 1, "
            "such as 0.25 for four options."
        )
