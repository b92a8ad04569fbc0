"""The effect of overlap in sentences, the same on screens and on the command line."""

from __future__ import annotations

from dcq.overlap.effect import Effect
from dcq.overlap.windows import WindowGrowth
from dcq.report.overlap_effect import EffectReport
from dcq.words import interval_words, listed, p_words, percent, points_words, two_decimals

_FEW = 10  # models, below which a trend over sizes is a hint


def effect_sentence(one: Effect) -> str:
    """One model as it can be read aloud: the gap, and the gap among equally hard instances."""
    gap = one.difference
    clean, dirty = one.categories["clean"], one.categories["not-clean"]
    if gap.difference is None or gap.low is None or gap.high is None or gap.p_value is None:
        which = "clean" if not clean.n else "found"
        return f"{one.model}: no instance with an answer is {which}, so there is no difference."
    if clean.accuracy is None or dirty.accuracy is None:  # as above; for the type checker
        return f"{one.model}: no difference."
    sentence = (
        f"{one.model} is right on {percent(dirty.accuracy)} of {dirty.n:,} found instances and on "
        f"{percent(clean.accuracy)} of {clean.n:,} clean ones: "
        f"{points_words(gap.difference, gap.low, gap.high)} points, {p_words(gap.p_value)}."
    )
    same = one.adjusted
    if same.difference is None or same.low is None or same.high is None:
        return f"{sentence} Nothing tells whether the found instances are easier for every model."
    return (
        f"{sentence} Among instances that equally many of the other models get right: "
        f"{points_words(same.difference, same.low, same.high)} points."
    )


def growth_sentence(one: WindowGrowth) -> str:
    """What came from one window to the next."""
    gap = one.change
    if gap.difference is None or gap.low is None or gap.high is None or gap.p_value is None:
        return f"{one.before} and {one.after} have no instance in common."
    return (
        f"From {one.before} to {one.after}, over {gap.n_first:,} instances looked for in both: "
        f"{points_words(gap.difference, gap.low, gap.high)} points, {p_words(gap.p_value)}."
    )


def blocklist_sentences(found: EffectReport) -> list[str]:
    """What leaving out domains would have avoided (the report's section 7.1)."""
    said = []
    for one in found.web.avoided:
        which = "the commonest domain" if one.domains == 1 else f"{one.domains:,} domains"
        said.append(
            f"Leaving out {which} would avoid {one.avoided:,} of {one.n:,} "
            f"({percent(one.avoided / one.n)})."
        )
    own = found.web.blocklist
    if own is not None and (own.by_address is None or own.by_domain is None):
        said.append("No found instance has an address, so the blocklist cannot be tried.")
    elif own is not None and own.by_address is not None and own.by_domain is not None:
        said.append(
            f"The blocklist's addresses would avoid {percent(own.by_address)} of {own.n:,}, all "
            f"its domains {percent(own.by_domain)}."
        )
    return said


def size_sentence(found: EffectReport) -> str:
    """Whether larger models gain more, with how little a few models can say."""
    sizes = found.sizes
    n, unsized = len(sizes.models), sizes.unsized
    if sizes.trend.correlation is None or sizes.trend.p_value is None:
        sentence = f"{n} models of known size are too few, or too alike, for a trend over sizes."
    else:
        limits = ""
        if sizes.trend.low is not None and sizes.trend.high is not None:
            limits = f" {interval_words(sizes.trend.low, sizes.trend.high)}"
        sentence = (
            f"Size and gain over {n} models: rank correlation "
            f"{two_decimals(sizes.trend.correlation)}{limits}, {p_words(sizes.trend.p_value)}."
        )
        if n < _FEW:
            sentence += " So few models show a hint at most."
    if unsized:
        sentence += f" Of unknown size: {listed(unsized, 5)}."
    return sentence
