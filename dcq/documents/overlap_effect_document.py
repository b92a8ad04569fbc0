"""The effect of overlap as JSON, an entry for each model, and in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dcq.evidence.compare import Comparison
from dcq.evidence.subsets import Accuracy, Adjusted
from dcq.overlap.benchmarks import MeanEffect
from dcq.overlap.effect import Effect
from dcq.overlap.effect_report import EffectReport, EffectReports, WindowGrowth
from dcq.words import (
    interval_words,
    listed,
    model_title,
    p_words,
    percent,
    points_words,
    two_decimals,
)


def documents(report: EffectReport) -> list[dict[str, Any]]:
    """The entries of one benchmark, one for each model. Shares are fractions; a value that does not
    apply is None. What concerns the benchmark rather than a model (windows, domains left out, the
    trend over sizes) is the same in each entry."""
    shared = {
        "windows": [
            {
                "window": window_share.window,
                **_accuracy(window_share.share_found, "share"),
                "input_only": window_share.input_only,
                "input_and_label": window_share.input_and_label,
            }
            for window_share in report.windows
        ],
        "growth": [
            {
                "before": window_growth.before,
                "after": window_growth.after,
                "n": window_growth.change.n_first,
                **_difference(window_growth.change),
            }
            for window_growth in report.growth
        ],
        "avoided": [
            {"domains": avoided.domains, "n": avoided.n, "avoided": avoided.avoided}
            for avoided in report.web.avoided
        ],
        "blocklist": _blocklist(report),
    }
    return [
        _model_entry(effect, report) | shared | {"size": _size_entry(effect, report)}
        for effect in report.models
    ]


def benchmark_documents(effect_reports: EffectReports) -> list[dict[str, Any]]:
    """The entries of each benchmark with its name; with two or more benchmarks, then one for each
    mean over them, whose benchmark is None."""
    entries = [
        {"benchmark": name, **entry}
        for name, report in effect_reports.reports.items()
        for entry in documents(report)
    ]
    if len(effect_reports.reports) < 2:
        return entries
    return [*entries, *(_mean_entry(mean_effect) for mean_effect in effect_reports.means)]


def _mean_entry(mean_effect: MeanEffect) -> dict[str, Any]:
    return {
        "benchmark": None,
        "benchmarks": list(mean_effect.benchmarks),
        "model": mean_effect.model,
        "categories": {
            name: {"n": part.n, "accuracy": part.accuracy}
            for name, part in mean_effect.categories.items()
        },
        "difference": {
            "value": mean_effect.difference,
            "low": mean_effect.low,
            "high": mean_effect.high,
            "p_value": None,
        },
    }


def _model_entry(effect: Effect, report: EffectReport) -> dict[str, Any]:
    return {
        "model": effect.model,
        "categories": _categories(effect.categories),
        "difference": _difference(effect.difference),
        "adjusted": _adjusted(effect.adjusted),
        "by_score": [
            {"start": part.start, "end": part.end, **_accuracy(part.accuracy)}
            for part in effect.by_score
            if part.accuracy.n
        ],
        "by_subject": {
            subject: _categories(parts)
            for subject, parts in report.subjects.get(effect.model, {}).items()
        },
        "by_domain": [
            {"domain": domain, **_accuracy(part)}
            for domain, part in report.domains.get(effect.model, {}).items()
        ],
    }


def _categories(parts: Mapping[str, Accuracy]) -> dict[str, Any]:
    return {name: {"n": part.n, "accuracy": part.accuracy} for name, part in parts.items()}


def _accuracy(part: Accuracy, key: str = "accuracy") -> dict[str, Any]:
    return {"n": part.n, key: part.accuracy, "low": part.low, "high": part.high}


def _difference(comparison: Comparison | Adjusted) -> dict[str, Any]:
    return {
        "value": comparison.difference,
        "low": comparison.low,
        "high": comparison.high,
        "p_value": comparison.p_value,
    }


def _adjusted(adjusted: Adjusted) -> dict[str, Any]:
    return _difference(adjusted) | {
        "n": adjusted.n,
        "strata": adjusted.strata,
        "others": adjusted.others,
    }


def _blocklist(report: EffectReport) -> dict[str, Any] | None:
    blocklist = report.web.blocklist
    if blocklist is None:
        return None
    return {"n": blocklist.n, "by_address": blocklist.by_address, "by_domain": blocklist.by_domain}


def _size_entry(effect: Effect, report: EffectReport) -> dict[str, Any]:
    billions = next((m.billions for m in report.sizes.models if m.model == effect.model), None)
    trend = report.sizes.trend
    return {
        "billions": billions,
        "models": trend.n,
        "correlation": trend.correlation,
        "low": trend.low,
        "high": trend.high,
        "p_value": trend.p_value,
    }


_FEW = 10  # models, below which a trend over sizes, or a lead over them, is only a hint


def effect_sentence(effect: Effect) -> str:
    """One model in words: its accuracy on found and on clean instances, and how its lead over the
    other models differs between them."""
    comparison, model = effect.difference, model_title(effect.model)
    clean_score, found_score = effect.categories["clean"], effect.categories["not-clean"]
    if (
        comparison.difference is None
        or comparison.low is None
        or comparison.high is None
        or comparison.p_value is None
    ):
        empty_category = "clean" if not clean_score.n else "found"
        return (
            f"{model}: no instance with an answer is {empty_category}, so there is no difference."
        )
    # As above; for the type checker.
    if clean_score.accuracy is None or found_score.accuracy is None:
        return f"{model}: no difference."
    sentence = (
        f"{model} is right on {percent(found_score.accuracy)} of {found_score.n:,} found instances "
        "and on "
        f"{percent(clean_score.accuracy)} of {clean_score.n:,} clean ones: "
        f"{points_words(comparison.difference, comparison.low, comparison.high)} points, "
        f"{p_words(comparison.p_value)}."
    )
    return f"{sentence} {_lead_sentence(effect.adjusted)}"


def _lead_sentence(adjusted_effect: Adjusted) -> str:
    if adjusted_effect.difference is None or adjusted_effect.p_value is None:
        return "Nothing tells whether the found instances are easier for every model."
    other_models = (
        "one other model"
        if adjusted_effect.others == 1
        else f"{adjusted_effect.others} other models"
    )
    if adjusted_effect.low is None or adjusted_effect.high is None:
        return (
            f"Beside {other_models} the answers vary too little to tell whether the found "
            "instances are easier for every model."
        )
    hint = " So few other models show a hint at most." if adjusted_effect.others < _FEW else ""
    return (
        "From clean to found instances that equally many models get right, its lead over "
        f"{other_models} changes by "
        f"{points_words(adjusted_effect.difference, adjusted_effect.low, adjusted_effect.high)}"
        " points, "
        f"{p_words(adjusted_effect.p_value)}.{hint}"
    )


def assumption_sentence(report: EffectReport) -> str:
    """What the differences adjusted for other models assume; empty where there are none."""
    other_counts = [
        effect.adjusted.others for effect in report.models if effect.adjusted.difference is not None
    ]
    if not other_counts:
        return ""
    sentence = (
        "The adjusted difference assumes that models differ in ability alone; what all of them "
        "gain alike does not show, and a gain of the others looks like a loss."
    )
    if min(other_counts) < _FEW:
        sentence += (
            f" With fewer than {_FEW} other models it can be significant without being found "
            "having helped: in up to a third of simulated cases where difficulty matters more to "
            "some models than to others."
        )
    return sentence


def growth_sentence(window_growth: WindowGrowth) -> str:
    """The change in the share found, from one window of time to the next."""
    change = window_growth.change
    if (
        change.difference is None
        or change.low is None
        or change.high is None
        or change.p_value is None
    ):
        return f"{window_growth.before} and {window_growth.after} have no instance in common."
    return (
        f"From {window_growth.before} to {window_growth.after}, over {change.n_first:,} instances "
        "looked for in both: "
        f"{points_words(change.difference, change.low, change.high)} points, "
        f"{p_words(change.p_value)}."
    )


def blocklist_sentences(report: EffectReport) -> list[str]:
    """How many found instances leaving out domains would avoid (contamination report, §7.1)."""
    sentences = []
    for avoided in report.web.avoided:
        domain_words = (
            "the commonest domain" if avoided.domains == 1 else f"{avoided.domains:,} domains"
        )
        sentences.append(
            f"Leaving out {domain_words} would avoid {avoided.avoided:,} of {avoided.n:,} "
            f"({percent(avoided.avoided / avoided.n)})."
        )
    blocklist = report.web.blocklist
    if blocklist is not None and (blocklist.by_address is None or blocklist.by_domain is None):
        sentences.append("No found instance has an address, so the blocklist cannot be tried.")
    elif (
        blocklist is not None
        and blocklist.by_address is not None
        and blocklist.by_domain is not None
    ):
        sentences.append(
            f"The blocklist's addresses would avoid {percent(blocklist.by_address)} of "
            f"{blocklist.n:,}, all "
            f"its domains {percent(blocklist.by_domain)}."
        )
    return sentences


def size_sentence(report: EffectReport) -> str:
    """Whether larger models gain more, and how little a few models can say about it."""
    sizes = report.sizes
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
