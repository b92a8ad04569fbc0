"""The effect of overlap as JSON: an entry for each model, with the keys that docs/cli.md lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dcq.evidence.compare import Comparison
from dcq.evidence.subsets import Accuracy, Adjusted
from dcq.overlap.benchmarks import MeanEffect
from dcq.overlap.effect import Effect
from dcq.overlap.effect_report import EffectReport, EffectReports


def documents(found: EffectReport) -> list[dict[str, Any]]:
    """Shares are fractions; None is what does not apply. What concerns the benchmark rather than a
    model (windows, domains left out, the trend over sizes) is the same in each entry."""
    shared = {
        "windows": [
            {
                "window": one.window,
                **_accuracy(one.found, "share"),
                "input_only": one.input_only,
                "input_and_label": one.input_and_label,
            }
            for one in found.windows
        ],
        "growth": [
            {"before": one.before, "after": one.after, "n": one.change.n_first, **_gap(one.change)}
            for one in found.growth
        ],
        "avoided": [
            {"domains": one.domains, "n": one.n, "avoided": one.avoided}
            for one in found.web.avoided
        ],
        "blocklist": _blocklist(found),
    }
    return [_model(one, found) | shared | {"size": _size(one, found)} for one in found.models]


def documents_of(found: EffectReports) -> list[dict[str, Any]]:
    """Several benchmarks: the entries of each with its name, then one for each mean, whose
    benchmark is None."""
    entries = [
        {"benchmark": name, **entry}
        for name, one in found.reports.items()
        for entry in documents(one)
    ]
    if len(found.reports) < 2:
        return entries
    return [*entries, *(_mean(one) for one in found.means)]


def _mean(one: MeanEffect) -> dict[str, Any]:
    return {
        "benchmark": None,
        "benchmarks": list(one.benchmarks),
        "model": one.model,
        "categories": {
            name: {"n": part.n, "accuracy": part.accuracy} for name, part in one.categories.items()
        },
        "difference": {"value": one.difference, "low": one.low, "high": one.high, "p_value": None},
    }


def _model(one: Effect, found: EffectReport) -> dict[str, Any]:
    return {
        "model": one.model,
        "categories": _categories(one.categories),
        "difference": _gap(one.difference),
        "adjusted": _adjusted(one.adjusted),
        "by_score": [
            {"start": part.start, "end": part.end, **_accuracy(part.accuracy)}
            for part in one.by_score
            if part.accuracy.n
        ],
        "by_subject": {
            subject: _categories(parts)
            for subject, parts in found.subjects.get(one.model, {}).items()
        },
        "by_domain": [
            {"domain": domain, **_accuracy(part)}
            for domain, part in found.domains.get(one.model, {}).items()
        ],
    }


def _categories(parts: Mapping[str, Accuracy]) -> dict[str, Any]:
    return {name: {"n": part.n, "accuracy": part.accuracy} for name, part in parts.items()}


def _accuracy(part: Accuracy, name: str = "accuracy") -> dict[str, Any]:
    return {"n": part.n, name: part.accuracy, "low": part.low, "high": part.high}


def _gap(gap: Comparison | Adjusted) -> dict[str, Any]:
    return {"value": gap.difference, "low": gap.low, "high": gap.high, "p_value": gap.p_value}


def _adjusted(gap: Adjusted) -> dict[str, Any]:
    return _gap(gap) | {"n": gap.n, "strata": gap.strata, "others": gap.others}


def _blocklist(found: EffectReport) -> dict[str, Any] | None:
    one = found.web.blocklist
    if one is None:
        return None
    return {"n": one.n, "by_address": one.by_address, "by_domain": one.by_domain}


def _size(one: Effect, found: EffectReport) -> dict[str, Any]:
    billions = next((m.billions for m in found.sizes.models if m.model == one.model), None)
    trend = found.sizes.trend
    return {
        "billions": billions,
        "models": trend.n,
        "correlation": trend.correlation,
        "low": trend.low,
        "high": trend.high,
        "p_value": trend.p_value,
    }
