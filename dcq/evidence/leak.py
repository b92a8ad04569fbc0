"""Whether the original can be found without any memory, by text-only strategies."""

from __future__ import annotations

from collections.abc import Mapping

from dcq.evidence.family import holm
from dcq.evidence.kappa import Kappa

WORTH_NAMING = 0.1  # a κ below it explains too little of a score to call a quiz leaky


def leaks(text_only: Mapping[str, Kappa], *, alpha: float = 0.05) -> tuple[str, ...]:
    """Names of the strategies that solve the quiz: κ at least 0.1 and above chance after Holm.

    ``text_only`` maps a strategy's name to its score, computed as for a model.
    """
    adjusted = holm([kappa.p_value for kappa in text_only.values()])
    return tuple(
        name
        for (name, kappa), p in zip(text_only.items(), adjusted, strict=True)
        if p is not None
        and p <= alpha
        and kappa.kappa_fixed is not None
        and kappa.kappa_fixed >= WORTH_NAMING
    )


def strategy_words(name: str) -> str:
    """A text-only strategy in words: ``always the most central``."""
    words = {"medoid": "most central", "frequent": "commonest wording"}
    return f"always the {words.get(name, name)}"
