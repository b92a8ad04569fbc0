"""The effect of overlap in sentences, the same on screens and on the command line."""

from __future__ import annotations

from dcq.evidence.subsets import Adjusted
from dcq.overlap.effect import Effect
from dcq.overlap.effect_report import EffectReport
from dcq.overlap.windows import WindowGrowth
from dcq.words import interval_words, listed, p_words, percent, points_words, two_decimals

_FEW = 10  # models, below which a trend over sizes, or a lead over them, is a hint


def effect_sentence(one: Effect) -> str:
    """One model as it can be read aloud: the gap, and that of its lead over the other models."""
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
    return f"{sentence} {_lead(one.adjusted)}"


def _lead(one: Adjusted) -> str:
    if one.difference is None or one.p_value is None:
        return "Nothing tells whether the found instances are easier for every model."
    beside = "one other model" if one.others == 1 else f"{one.others} other models"
    if one.low is None or one.high is None:
        return (
            f"Beside {beside} the answers vary too little to tell whether the found instances are "
            "easier for every model."
        )
    hint = " So few other models show a hint at most." if one.others < _FEW else ""
    return (
        f"From clean to found instances that equally many models get right, its lead over {beside} "
        f"changes by {points_words(one.difference, one.low, one.high)} points, "
        f"{p_words(one.p_value)}.{hint}"
    )


def assumption_sentence(found: EffectReport) -> str:
    """What the adjusted differences take for granted, or an empty text where there is none."""
    others = [one.adjusted.others for one in found.models if one.adjusted.difference is not None]
    if not others:
        return ""
    sentence = (
        "The adjusted difference assumes that models differ in ability alone; what all of them "
        "gain alike does not show, and a gain of the others looks like a loss."
    )
    if min(others) < _FEW:
        sentence += (
            f" With fewer than {_FEW} other models it can be significant without being found "
            "having helped: in up to a third of simulated cases where difficulty matters more to "
            "some models than to others."
        )
    return sentence


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
