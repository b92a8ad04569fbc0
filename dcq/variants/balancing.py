"""What choosing among candidates came to, for screens, commands and files."""

from __future__ import annotations

from typing import Any

from dcq.evidence.leak import strategy_words
from dcq.records import LETTERS
from dcq.variants.balance import SLOTS, Ranks
from dcq.variants.choose import Chosen
from dcq.words import percent


def balancing_document(found: Chosen) -> dict[str, Any]:
    """As JSON: what each strategy finds (0 to 1), by slot of the original A to D, before and after;
    and the shares of the original's ranks, from the shortest, the most central and the commonest,
    over all slots."""
    return {
        "sample": found.sample,
        "instances": found.instances,
        "chosen": found.changed,
        "without_choice": found.without_choice,
        "before": _shares(found.before),
        "after": _shares(found.after),
        "ranks": {"before": _ranks(found.before), "after": _ranks(found.after)},
    }


def tell_ranks(ranks: Ranks) -> str:
    """One sentence on the strategy that finds most originals, in its worst slot."""
    best = _best(ranks)
    if best is None:
        return "No instance has three usable variants yet."
    name, share, slot = best
    return (
        f"Of the strategies without memory, {strategy_words(name)} finds most originals: "
        f"{percent(share)} with the original at {LETTERS[slot]}."
    )


def tell(before: Ranks, after: Ranks) -> str:
    """One sentence on what a choice has changed."""
    was, now = _best(before), _best(after)
    if now is None:
        return tell_ranks(after)
    found = f"no strategy finds more than {percent(now[1])}"
    if was is None:
        return f"Now {found}."
    chose = strategy_words(was[0]).replace("always the", "always choosing the")
    return f"Before, {chose} found {percent(was[1])} of originals; now {found}."


def strategy_rows(before: Ranks | None, after: Ranks) -> list[dict[str, str]]:
    """One row a strategy: its name in words, and what it finds at each slot, before and now."""
    earlier = before.strategies() if before else {}
    return [
        {"strategy": strategy_words(name)}
        | {
            LETTERS[slot]: (f"{percent(earlier[name][slot])} → " if name in earlier else "")
            + percent(shares[slot])
            for slot in range(SLOTS)
        }
        for name, shares in after.strategies().items()
    ]


def _best(ranks: Ranks) -> tuple[str, float, int] | None:
    """The strategy that finds most originals in some slot, its share there, and the slot."""
    found = [
        (name, share, slot)
        for name, shares in ranks.strategies().items()
        for slot, share in enumerate(shares)
    ]
    return max(found, key=lambda one: one[1]) if found else None


def _shares(ranks: Ranks) -> dict[str, dict[str, float]]:
    return {
        name: {LETTERS[slot]: round(share, 6) for slot, share in enumerate(shares)}
        for name, shares in ranks.strategies().items()
    }


def _ranks(ranks: Ranks) -> dict[str, list[float]]:
    return {
        feature: [round(float(share), 6) for share in shares.mean(axis=0)]
        for feature, shares in ranks.shares.items()
    }
