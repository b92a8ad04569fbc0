"""Could guessing alone have done it? Exact one-sided binomial test against the chance level."""

from __future__ import annotations

from scipy import special

from dcq.evidence.counts import check_counts


def chance_p_value(correct: int, n: int, chance: float = 0.25) -> float | None:
    """P(at least ``correct`` of ``n`` right) for a model that guesses; None where n is 0.

    Small values speak against guessing, not yet for memory: a model may like the original's
    wording or slot without having seen it. Raises ``InputError`` on impossible counts.
    """
    check_counts(correct, n, chance)
    return binomial_tail(correct, n, chance) if n else None


def binomial_tail(correct: float, n: float, chance: float) -> float:
    """P(X ≥ correct) for X ~ Binomial(n, chance), continued to counts that are not whole.

    The upper tail is an incomplete beta function, which also takes the effective sizes of
    repeated questions. 1 where nothing is correct.
    """
    if correct <= 0:
        return 1.0
    return float(special.betainc(correct, n - correct + 1, chance))
