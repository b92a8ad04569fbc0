"""How far two annotators agree, in a sentence."""

from __future__ import annotations

from dcq.evidence.agreement import Agreement
from dcq.evidence.interval import Interval
from dcq.words import kappa_words, percent


def tell(who: str, found: Agreement) -> str:
    """``who`` agree on how many of the items that both labelled, with percent, κ, α and their
    intervals, as far as there are any."""
    if found.interval is None or found.share is None:
        return f"{who} have labelled nothing in common."
    low, high = found.interval
    parts = [
        f"{who} agree on {found.same:,} of {found.n:,} "
        f"({percent(found.share)}, {percent(low)} to {percent(high)})"
    ]
    if found.kappa is not None:
        parts.append(f"Cohen's κ {_words(found.kappa, found.kappa_interval)}")
    if found.alpha is not None:
        parts.append(f"Krippendorff's α {_words(found.alpha, found.alpha_interval)}")
    return ", ".join(parts) + "."


def _words(value: float, interval: Interval | None) -> str:
    return kappa_words(value, *(interval or (None, None)))
