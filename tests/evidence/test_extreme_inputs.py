"""Whatever numbers a public function of the evidence is given, it gives a value, None, or an error
of ours: never NaN where a number is promised, a p-value outside 0 to 1, limits in the wrong order,
or another library's exception.

The functions are found by walking the package, so a new one needs its strategy here.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import math
import os
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

import dcq.evidence as package
from dcq.errors import DcqError
from dcq.evidence.ablation import Ablation
from dcq.evidence.check import Check, CheckWords, Mark, Topic
from dcq.evidence.controls import expect
from dcq.evidence.inflation import Drop
from dcq.evidence.interval import Interval
from dcq.evidence.kappa import Kappa
from dcq.evidence.lazy_field import Later
from dcq.evidence.looks import EndedAtLook, Looks
from dcq.evidence.lot import assess
from dcq.evidence.prediction import predict
from dcq.evidence.record import Context, Evidence, Measure, MethodEstimate
from dcq.evidence.share_prediction import Prior, Shares

CASES = max(5, int(os.environ.get("DCQ_FUZZ", "500")) // 20)  # of each function

# Numbers.
wild = st.floats() | st.sampled_from([-1.0, -1e-17, 0.0, 1e-17, 0.25, 0.5, 1 - 1e-16, 1.0, 2.0])


def mostly(usual: SearchStrategy[Any], other: SearchStrategy[Any] = wild) -> SearchStrategy[Any]:
    """Usual values eleven times in twelve: what is refused at once tests little."""
    return st.integers(0, 11).flatmap(lambda drawn: other if drawn == 7 else usual)


unit = st.floats(0, 1)
share = mostly(unit)
level = mostly(st.sampled_from([0.05, 0.2, 0.5, 0.8, 0.95]))
whole = st.integers(0, 60)
few = mostly(whole, st.integers(-2, 60))
count = mostly(whole, st.sampled_from([-1, 10**6, 10**12, 10**400]))
seed = mostly(st.integers(0, 5), st.just(-1))
draws = mostly(st.integers(1, 40), st.integers(-1, 0))
p_value = mostly(unit | st.none())
label = st.sampled_from(["a", "b", "c"]) | st.none()

# Arrays, of one kind of numbers each, and some with a wild number put into them.
Kind = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
ANSWERS: tuple[Kind, ...] = (
    lambda rng, shape: rng.integers(0, 2, shape) * 1.0,
    lambda rng, shape: rng.integers(0, 5, shape) / 4,
    lambda rng, shape: rng.random(shape),
    lambda rng, shape: np.full(shape, rng.integers(0, 2) * 1.0),
    lambda rng, shape: np.where(rng.random(shape) < 0.1, np.nan, rng.integers(0, 2, shape)),
)
OTHERS: tuple[Kind, ...] = (
    lambda rng, shape: rng.uniform(-1, 1, shape),
    lambda rng, shape: -rng.exponential(5, shape),
    lambda rng, shape: rng.normal(size=shape) * 10.0 ** rng.integers(-300, 300, shape),
)
kinds = mostly(st.sampled_from(ANSWERS), st.sampled_from(OTHERS))
sizes = st.sampled_from([0, 1, 2, 3, 9, 12, 12, 35])
columns = mostly(st.sampled_from([1, 2, 4]), st.just(0))
odd = mostly(st.just(0), st.integers(0, 1))
pokes = mostly(st.just([]), st.lists(st.tuples(st.integers(0, 99), wild), min_size=1, max_size=2))


def _array(kind: Kind | SearchStrategy[float], *shape: int) -> SearchStrategy[np.ndarray]:
    """An array of this kind, or of single draws of a strategy."""
    if isinstance(kind, SearchStrategy):
        size = math.prod(shape)
        return st.lists(kind, min_size=size, max_size=size).map(
            lambda values: np.array(values, dtype=np.float64).reshape(shape)
        )
    return st.builds(
        lambda number, poked: _poked(kind(np.random.default_rng(number), shape), poked),
        st.integers(0, 10**6),
        pokes,
    )


def _poked(made: np.ndarray, poked: list[tuple[int, float]]) -> np.ndarray:
    for place, value in poked:
        if made.size:
            made.flat[place % made.size] = value
    return made


@st.composite
def lists(draw: st.DrawFn, number: int = 1) -> list[np.ndarray]:
    """So many lists, of one length nearly always."""
    size, kind, more = draw(sizes), draw(kinds), draw(odd)
    return [draw(_array(kind, size + more * (place == 0))) for place in range(number)]


@st.composite
def tables(draw: st.DrawFn, number: int = 1, axes: int = 2) -> list[np.ndarray]:
    """So many tables with equally many columns nearly always."""
    kind, width, size = draw(kinds), draw(columns), draw(sizes)
    same = draw(st.booleans())
    made = []
    for _ in range(number):
        rows = size if same else draw(sizes)
        wide = width + (draw(odd) if number > 1 else 0)
        made.append(draw(_array(kind, *(rows, wide, 4)[:axes])))
    return made


table = tables().map(lambda made: made[0])
values = lists().map(lambda made: made[0])


def pair(first: str, second: str, **rest: SearchStrategy[Any]) -> SearchStrategy[dict[str, Any]]:
    """Two lists of one length, and other arguments."""
    return _joined(lists(2), (first, second), rest)


def table_pair(
    first: str, second: str, **rest: SearchStrategy[Any]
) -> SearchStrategy[dict[str, Any]]:
    return _joined(tables(2), (first, second), rest)


def _joined(
    made: SearchStrategy[list[np.ndarray]],
    names: tuple[str, ...],
    rest: Mapping[str, SearchStrategy[Any]],
) -> SearchStrategy[dict[str, Any]]:
    return st.tuples(made, st.fixed_dictionaries(dict(rest))).map(
        lambda both: dict(zip(names, both[0], strict=True)) | both[1]
    )


def of(**arguments: SearchStrategy[Any]) -> SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(arguments)


@st.composite
def clean_models(draw: st.DrawFn, **rest: SearchStrategy[Any]) -> dict[str, Any]:
    """A target's gaps and those of references, and what else there is of each instance."""
    kind, size, models = draw(kinds), draw(sizes | st.just(35)), draw(st.sampled_from([0, 1, 3, 5]))
    made = {
        "target": draw(_array(kind, size)),
        "references": draw(_array(kind, size, models)),
    }
    return made | {name: draw(_array(draw(st.sampled_from(ANSWERS)), size)) for name in rest}


predictions = st.sampled_from(
    [
        predict([0.3, 0.35], [33, 33], 0.1),
        predict([0.999], [1], 1e-9),
        predict([-1, 1], [2, 5], 0.5, 1.0),
        Shares([3, 9], [20, 33]).predict(),
        Shares([0], [0], Prior(0.06, 1.4)).predict(),
        Shares([30, 30], [30, 30]).predict(),
    ]
)
size_of_target = mostly(st.floats(1, 1e6) | st.sampled_from([10, 33, math.inf]))
priors = st.sampled_from([None, Prior(0.03, 2.0), Prior(0.06, 1.4)])
shares_of_controls = st.sampled_from([Shares([3, 9, 30], [20, 33, 33]), Shares([0], [4])])
kappas = st.builds(
    lambda of_n, p: Kappa(4, 2, of_n, of_n, of_n, of_n, p), st.none() | share, p_value
)
ablations = st.builds(
    lambda n, b, p: Ablation(n, 1, 0, b, p, p - b, -0.1, 0.9, 0.5), st.integers(1, 9), share, share
) | st.just(Ablation(0, 0, 0, None, None, None, None, None, None))
intervals = st.tuples(share, share).map(lambda ends: Interval(min(ends), max(ends)))
counts_by_slot = st.dictionaries(st.sampled_from("ABCD"), few)
looks_of = st.just(Looks((10, 20, 33), (0.001, 0.02, 0.04), (0.4, 0.7, 1.0)))
checks = st.builds(
    Check, st.just(Topic.POWER), st.sampled_from(Mark), st.just(lambda: CheckWords("1", "One."))
)


def _evidence(unusable: float, numbers: np.ndarray, role: str) -> Evidence:
    measure = Measure("found", numbers)
    estimate = MethodEstimate(None, None, None, "κ")
    return Evidence(
        "quiz", "r", "m", "p", "P", role, estimate, measures=(measure,), unusable=unusable
    )


evidence = st.builds(_evidence, wild, table, st.sampled_from(["control", "target"]))
items = st.lists(
    st.sampled_from([2, 3, 4]).flatmap(lambda size: kinds.flatmap(lambda kind: _array(kind, size)))
    | values,
    max_size=8,
)
ranks = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 4)).flatmap(
        lambda shape: st.lists(
            mostly(st.integers(2, 8), st.integers(-1, 9)), min_size=math.prod(shape)
        ).map(lambda given: np.resize(np.array(given, dtype=np.int64), shape))
    ),
    max_size=3,
)


@st.composite
def combined(draw: st.DrawFn) -> dict[str, Any]:
    size = draw(st.integers(0, 5))
    some = draw(st.lists(draw(st.sampled_from([unit, p_value])), min_size=size, max_size=size))
    weights = draw(
        st.just([1 / max(1, size)] * size) | st.lists(share, min_size=size, max_size=size)
    )
    return {"p_values": some, "weights": weights[: draw(st.integers(0, 19)) and size]}


@st.composite
def soft(draw: st.DrawFn, **rest: SearchStrategy[Any]) -> dict[str, Any]:
    [logprobs] = draw(tables(1, axes=3))
    slots = draw(st.sampled_from([st.integers(0, 3)] * 5 + [st.integers(-1, 4)]))
    shape = logprobs.shape[:2]
    correct = draw(st.lists(slots, min_size=math.prod(shape), max_size=math.prod(shape)))
    made = {"logprobs": logprobs, "correct": np.array(correct, dtype=np.int64).reshape(shape)}
    return made | {name: draw(strategy) for name, strategy in rest.items()}


TIMES: tuple[Kind, ...] = (
    lambda rng, shape: rng.integers(-10, 11, shape) * 1.0,
    lambda rng, shape: rng.normal(size=shape),
    lambda rng, shape: rng.choice([-1.0, 3.0], shape),
    lambda rng, shape: rng.normal(size=shape) * 10.0 ** rng.integers(-200, 90, shape),
)


@st.composite
def moments(draw: st.DrawFn, **rest: SearchStrategy[Any]) -> dict[str, Any]:
    """Sixty items and more on both sides of a cut, or any."""
    size = draw(st.sampled_from([0, 5, 70, 80]))
    time = draw(st.sampled_from(TIMES))
    return {
        "times": draw(_array(time, size)),
        "values": draw(_array(draw(kinds), size)),
        "cut": draw(mostly(st.just(0.0))),
    } | {name: draw(strategy) for name, strategy in rest.items()}


@st.composite
def curves(draw: st.DrawFn) -> dict[str, Any]:
    shape = draw(st.integers(0, 2)), draw(st.integers(0, 6))
    x = draw(_array(draw(kinds), *shape))
    return {
        "x": np.sort(x, axis=1),
        "y": draw(_array(share, *shape)),
        "where": draw(_array(share, shape[0])),
    }


@st.composite
def decisions(draw: st.DrawFn) -> dict[str, Any]:
    size = draw(st.integers(0, 20))
    when = draw(st.lists(mostly(st.floats(0, 9e3)), min_size=size, max_size=size))
    some = st.lists(st.booleans(), min_size=size, max_size=size)
    took = st.lists(st.none() | mostly(st.floats(0, 500)), min_size=size, max_size=size)
    return {
        "moments": when,
        "accepted": draw(some),
        "units": draw(st.lists(st.integers(0, 20), min_size=size, max_size=size)),
        "took": draw(st.none() | took | st.just([])),
    }


@st.composite
def labels(draw: st.DrawFn, first: str, second: str, gaps: bool) -> dict[str, Any]:
    size = draw(st.integers(0, 14))
    some = label if gaps else st.sampled_from(["a", "b"])
    given = st.lists(some, min_size=size, max_size=size)
    return {first: draw(given), second: draw(given)[: draw(st.integers(0, 9)) and size]}


@st.composite
def grouped(draw: st.DrawFn) -> dict[str, Any]:
    given = draw(table)
    names = st.sampled_from([["a"], ["a", "b"], ["a", "b", "c"]])
    return {
        "table": given,
        "groups": [*(draw(names) * len(given))][: len(given)],
        "chance": draw(level),
    }


evidence_of_drop = st.builds(
    lambda n, a, b: Drop(n, a, b, None, None, None, None), few, st.none() | share, st.none() | share
)
functions = st.sampled_from(
    [lambda x: x, lambda x: x - 0.3, lambda _: 1.0, lambda _: math.nan, lambda x: x**3]
)
counts_of = st.integers(0, 3).flatmap(
    lambda size: st.lists(st.integers(-1, 40), min_size=size**2, max_size=size**2).map(
        lambda given: np.array(given, dtype=np.int64).reshape(size, size)
    )
)
expected = st.sampled_from(
    [
        expect([np.eye(4)[[0, 1, 2]], np.eye(4)]),
        expect([np.array([[1.0], [0.0]])] * 4),
        expect([np.array([[0.5], [-0.5]])], gains=True),
    ]
)
effect = {"critical": share, "kappa": share, "own_share": share}
confidence = level

# Of each function, what it is called with; of a method, with ``self``.
STRATEGIES: dict[str, SearchStrategy[dict[str, Any]]] = {
    "ablation.above_own_baseline": of(ablation=ablations),
    "ablation.compare": pair("modified", "standard", confidence=confidence),
    "ablation.mcnemar": of(gained=count, lost=count),
    "agreement.agree": st.tuples(
        labels("first", "second", gaps=True), of(seed=seed), st.booleans()
    ).map(lambda made: made[0] | made[1] | ({"units": made[0]["first"]} if made[2] else {})),
    "arguments.check_chance": of(chance=wild),
    "arguments.check_counts": of(correct=count, n=count, chance=wild),
    "arguments.check_confidence": of(confidence=wild),
    "arguments.check_level": of(value=wild),
    "arguments.check_number": of(value=wild, name=st.just("It"), low=share, high=share),
    "arguments.random_numbers": of(seed=seed),
    "arguments.read_flags": of(values=table | values, name=st.just("Flags")),
    "arguments.read_numbers": of(
        values=table | values, name=st.just("Numbers"), gaps=st.booleans()
    ).filter(lambda made: not made["gaps"]),
    "association.associate": pair("first", "second", confidence=confidence),
    "auroc.auroc": st.one_of(
        pair("members", "others", confidence=confidence),
        of(members=values, others=values, confidence=confidence),
    ),
    "bootstrap.paired_bootstrap": pair(
        "first", "second", samples=draws, seed=seed, confidence=confidence
    ),
    "bootstrap.resampled_means": of(
        values=values, samples=draws, rng=st.builds(np.random.default_rng, st.just(0))
    ),
    "chance.binomial_pmf": of(n=few | st.just(10**9), chance=share),
    "chance.binomial_tail": of(correct=few, n=few, chance=share),
    "chance.chance_p_value": of(correct=few, n=count, chance=level),
    "check.is_bad": of(checks=st.lists(checks, max_size=3)),
    "choice.group_alike": of(results=st.lists(evidence, max_size=3)),
    "choice.is_control": of(evidence=evidence),
    "choice.is_usable": of(control=evidence),
    "combine.cauchy": combined(),
    "combine.harmonic_factor": of(count=count),
    "combine.harmonic_mean": combined(),
    "combine.weighted_holm": combined(),
    "compare.compare_paired": table_pair("first", "second", confidence=confidence),
    "compare.compare_unpaired": table_pair("first", "second", confidence=confidence),
    "consistency.compare_sets": of(table=table, seed=seed),
    "constat.constat": tables(2).flatmap(
        lambda made: of(
            original=st.just(np.tile(made[0], (3, 1))[:7]),
            reworded=st.just(np.tile(made[1], (3, 1))[:7]),
            chance=share,
            samples=draws,
            seed=seed,
        )
    ),
    "constat.spline_at": curves(),
    "controls.calibrate": tables(4).flatmap(
        lambda made: of(
            target=st.just(made[0]),
            controls=st.sampled_from([made[1:], made[1:2], made[1:] * 4, []]),
            own_share=st.none() | share,
            refused_as_wrong=st.none() | st.just(made[0]) | st.just(made[1]),
            prior=priors,
            confidence=confidence,
        )
    ),
    "controls.compare_with": of(
        expected=expected,
        target=table,
        own_share=st.none() | share,
        confidence=confidence,
    ),
    "controls.expect": tables(4).flatmap(
        lambda made: of(
            controls=st.sampled_from([made, made[:1], made * 3, []]),
            gains=st.booleans(),
            prior=priors,
            ratio=st.none() | share,
        )
    ),
    "controls.noise_of": of(parts=st.lists(values, max_size=3)),
    "controls.slot_weights": tables(3).flatmap(
        lambda made: of(controls=st.sampled_from([made, made[:1], []]))
    ),
    "controls.Calibration.used": of(
        self=expected.map(
            lambda made: importlib.import_module("dcq.evidence.controls").compare_with(
                made, np.ones((12, len(made.weights)))
            )
        ),
        controls=st.lists(st.integers(), max_size=3),
    ),
    "family.benjamini_hochberg": of(p_values=st.lists(share | p_value, max_size=6)),
    "family.holm": of(p_values=st.lists(share | p_value, max_size=6)),
    "family.q_among": of(p_value=share, others=values),
    "groups.compare_groups": grouped(),
    "inflation.alike": of(level=share, other=share),
    "inflation.inflation_above": st.tuples(clean_models(), of(confidence=confidence)).map(
        lambda made: made[0] | made[1]
    ),
    "inflation.level_of": of(drop=evidence_of_drop),
    "inflation.near_guessing": of(level=share, chance=share),
    "inflation.paired_drop": pair("original", "reworded"),
    "inflation.within_model": st.tuples(
        clean_models(seen=values, level=values), of(draws=draws, seed=seed)
    ).map(lambda made: made[0] | made[1]),
    "inflation.without_each": clean_models(),
    "interval.effective_answers": pair("right", "asked", confidence=confidence),
    "interval.effective_size": of(shares=values, confidence=confidence),
    "interval.kappa_interval": of(
        score=share,
        limits=intervals,
        base=share,
        base_limits=intervals | st.tuples(wild, wild).map(lambda ends: Interval(*ends)),
    ),
    "interval.mean_interval": of(values=values, confidence=confidence),
    "interval.normal_quantile": of(confidence=confidence),
    "interval.score_interval": of(share=share, n=few, confidence=confidence),
    "interval.variance_of_mean": of(values=values),
    "interval.wilson": of(correct=few, n=count, confidence=confidence),
    "interval.wilson_over_instances": of(shares=values, confidence=confidence),
    "jump.jump": moments(confidence=confidence),
    "jump.placebo_jumps": moments(),
    "kappa.cohen": labels("answers", "truth", gaps=False),
    "kappa.cohen_of": of(tables=counts_of),
    "kappa.from_parts": of(
        n=few,
        correct=few,
        score=st.none() | share,
        limits=st.none() | intervals,
        p_value=share,
        chance=level,
    ),
    "kappa.kappa_fixed": of(correct=few, n=count, chance=level, confidence=confidence),
    "kappa.rescale": of(share=share, chance=level),
    "kappa.unscale": of(kappa=share, chance=level),
    "leak.leaks": of(text_only=st.dictionaries(st.sampled_from("xyz"), kappas), alpha=level),
    "leak.smallest_leak": of(n=count, strategies=few, chance=level, alpha=level),
    "leak.strategy_words": of(name=st.text(max_size=5)),
    "looks.EndedAtLook.overall": of(
        self=st.builds(EndedAtLook, st.just(()), looks_of, few, st.none(), st.just(True)),
        p_value=share,
    ),
    "looks.Looks.overall_p": of(self=looks_of, look=st.integers(-1, 3), p_value=share),
    "looks.plan_looks": of(
        prediction=predictions, n=st.just((10, 20)) | st.lists(few, max_size=3), alpha=level
    ),
    "looks.plan_shares": of(instances=count),
    "lot.as_one_draw": of(test=st.just(assess([[1.0, 0.0, 0.5]] * 9)), wordings=few),
    "lot.assess": of(items=items),
    "lot.chance_of_repeats": of(times=few, items=count, wordings=few),
    "lot.call_models": of(e_values=st.lists(mostly(st.floats(0, 1e5)), max_size=5), alpha=level),
    "lot.e_process": pair("fractions", "chances"),
    "lot.picked_fractions": of(items=items),
    "lot.power_at": of(items=count, wordings=few, share=share, alpha=level),
    "lot.smallest_share": of(items=count, wordings=few, power=level, alpha=level),
    "lot_tail.tail": of(tables=ranks),
    "midrank.beats_all": of(scores=table),
    "midrank.midranks": of(scores=table),
    "pace.pace": decisions(),
    "people.pool": of(
        answers=st.lists(
            st.tuples(st.integers(0, 2), st.integers(0, 4), st.booleans()), max_size=9
        ),
        chance=level,
        confidence=confidence,
    ),
    "power.critical_counts": of(n=few, chance=level, alpha=level),
    "power.detectable_gain": of(gained=few, lost=few, n=few, power=level, alpha=level),
    "power.detectable_kappa": of(n=count, power=level, alpha=level, chance=level),
    "power.minimum_kappa": of(prediction=predictions, n=size_of_target, own_share=share),
    "power.needed_instances": of(prediction=predictions, own_share=share),
    "power.needed_n": of(kappa=share, power=level, alpha=level, chance=level),
    "power.power": of(
        prediction=predictions,
        kappa=share,
        n=size_of_target,
        own_share=share,
        alpha=level,
    ),
    "prediction.check_effect": of(n=wild, **effect),
    "prediction.check_score": of(score=wild, n=wild),
    "prediction.predict": pair("scores", "n", noise=share, ratio=st.none() | share).flatmap(
        lambda made: st.sampled_from([made, made | {"n": np.abs(made["n"]) + 1}])
    ),
    **{
        f"{where}.{method}": strategy
        for where in ("prediction.NormalPrediction", "share_prediction.SharePrediction")
        for method, strategy in {
            "critical": of(self=predictions, n=size_of_target, alpha=level),
            "limits": of(self=predictions, confidence=confidence),
            "p_value": of(self=predictions, score=share, n=size_of_target),
            "share_above": of(self=predictions, n=size_of_target, **effect),
        }.items()
    },
    "prompt_ceiling.count_cut": st.lists(
        st.tuples(st.integers(-1, 500), st.integers(0, 9000)), max_size=9
    ).flatmap(
        lambda pairs: of(
            tokens=st.just(np.array([one for one, _ in pairs], dtype=np.int64)),
            characters=st.just(np.array([one for _, one in pairs], dtype=np.int64)),
        )
    ),
    "protocol2.contamination_range": of(chosen=counts_by_slot, correct=counts_by_slot, n=few),
    "protocol2.non_preferred": of(chosen=counts_by_slot, n=few),
    "record.Context.served_by": of(
        self=st.just(Context()), runs=st.dictionaries(st.text(max_size=2), st.text(max_size=2))
    ),
    "record.Evidence.mean": of(self=evidence, measure=st.sampled_from(["found", "none"])),
    "record.estimate_share": of(right=few, n=count, unit=st.just("κ")),
    "replication.cross_check.cross_check": pair("right", "match", confidence=confidence),
    "replication.guidance.compare_instructions": pair(
        "general", "guided", samples=draws, seed=seed
    ),
    "replication.replicated.count_matches": of(n=few, exact=few, near_exact=few),
    "replication.replicated.false_alarms": of(flags=st.lists(st.booleans(), max_size=9)),
    "root.find_root": of(function=functions, low=wild, high=wild),
    "rotated.as_table": of(right=table),
    "rotated.complete_rows": of(right=table | values),
    "rotated.rotated_kappa": of(right=table, chance=level, confidence=confidence),
    "share_prediction.Prior": of(median=share, width=share),
    "share_prediction.Shares": pair("right", "n"),
    "share_prediction.Shares.predict": of(
        self=shares_of_controls, indices=st.none() | st.lists(st.integers(-1, 3), max_size=3)
    ),
    "share_prediction.Shares.tails": of(
        self=shares_of_controls, indices=st.lists(st.integers(-1, 3), max_size=3)
    ),
    "soft.letter_logprobs": of(
        candidates=st.dictionaries(st.sampled_from(["A", " A", "B", "x"]), wild),
        letters=st.sampled_from(["", "AB", "ABCD"]),
    ),
    "soft.original_probability": soft(),
    "soft.slot_preference": of(logprobs=table | values),
    "soft.soft_score": soft(preference=st.none() | values, confidence=confidence),
    "subsets.accuracy_by_score": pair("scores", "correct", bins=few),
    "subsets.accuracy_of": of(correct=values, confidence=confidence),
    "subsets.adjusted_difference": _joined(
        lists(3), ("correct", "part", "level"), {"confidence": confidence}
    ),
    "subsets.difference_between": of(first=values, second=values),
    "subsets.lead_differences": table.flatmap(
        lambda made: of(
            answers=st.just(made), part=_array(ANSWERS[0], len(made)), confidence=confidence
        )
    ),
    "subsets.trend": pair("sizes", "gains", confidence=confidence).filter(
        lambda made: len(made["sizes"]) != 9  # all orders of nine, of which there are many
    ),
}

# What says "NaN" in its first lines: there is none, or a row has a gap.
GAPS = {
    "kappa.cohen_of",
    "midrank.beats_all",
    "midrank.midranks",
    "rotated.as_table",
    "soft.letter_logprobs",
    "soft.original_probability",
}
P_VALUES = {"p_value", "p_all", "p_refused", "p_easier", "p_holm", "p_anytime", "p_without"}
P_FUNCTIONS = {
    "ablation.mcnemar",
    "chance.binomial_tail",
    "chance.chance_p_value",
    "combine.cauchy",
    "combine.harmonic_mean",
    "combine.weighted_holm",
    "family.q_among",
    "looks.EndedAtLook.overall",
    "lot.chance_of_repeats",
    "looks.Looks.overall_p",
    "lot_tail.tail",
    "power.power",
    "prediction.NormalPrediction.p_value",
    "prediction.NormalPrediction.share_above",
    "share_prediction.SharePrediction.p_value",
    "share_prediction.SharePrediction.share_above",
}
PROTOCOLS = {"Prediction"}


def _public() -> dict[str, Callable[..., Any]]:
    """Every public function, method and class with checks of its own, by module and name."""
    found: dict[str, Callable[..., Any]] = {}
    for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        module = importlib.import_module(info.name)
        place = info.name.removeprefix(f"{package.__name__}.")
        for name, member in vars(module).items():
            if name.startswith("_") or getattr(member, "__module__", None) != info.name:
                continue
            if inspect.isclass(member):
                found |= {f"{place}.{of}": made for of, made in _of_class(member)}
            elif callable(member):
                found[f"{place}.{name}"] = member
    return found


def _of_class(member: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    if member.__name__ in PROTOCOLS or member is Later:
        return
    own = vars(member)
    if "__post_init__" in own or ("__init__" in own and not is_dataclass(member)):
        yield member.__name__, member
    defaults = {field.name for field in fields(member)} if is_dataclass(member) else set[str]()
    for name, method in own.items():
        if inspect.isfunction(method) and not name.startswith("_") and name not in defaults:
            yield f"{member.__name__}.{name}", method


PUBLIC = _public()


def test_each_public_function_has_a_strategy() -> None:
    by_own_test = {"replication.replicated.Replicated"}  # its arrays are compared in length alone
    assert STRATEGIES.keys() | by_own_test == PUBLIC.keys()


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_extreme_inputs_give_a_value_none_or_an_error_of_ours(name: str) -> None:
    @settings(
        max_examples=CASES, suppress_health_check=list(HealthCheck), derandomize=True, database=None
    )
    @given(STRATEGIES[name])
    def run(arguments: dict[str, Any]) -> None:
        with contextlib.suppress(DcqError):
            made = _call(PUBLIC[name], arguments)
            _look(made, name, gaps=name in GAPS)
            assert name not in P_FUNCTIONS or made is None or 0 <= made <= 1

    run()


def _call(function: Callable[..., Any], arguments: dict[str, Any]) -> object:
    owner = arguments.get("self")
    if owner is None:
        return function(**arguments)
    rest = {name: value for name, value in arguments.items() if name != "self"}
    return getattr(owner, function.__name__)(**rest)


def _look(made: object, where: str, *, gaps: bool) -> None:
    """No NaN in what was made, and no impossible p-value or interval."""
    if isinstance(made, (float, np.floating)):
        assert gaps or not math.isnan(made), where
    elif isinstance(made, np.ndarray) and made.dtype.kind == "f":
        assert gaps or not np.isnan(made).any(), where
    elif isinstance(made, Mapping):
        for key, value in made.items():
            _look(value, f"{where} {key}", gaps=gaps)
    elif isinstance(made, Evidence):
        pass  # what came in
    elif is_dataclass(made):
        _look_at_record(made, where, gaps=gaps)
    elif isinstance(made, (list, tuple)):
        for value in made:
            _look(value, where, gaps=gaps)


def _look_at_record(made: Any, where: str, *, gaps: bool) -> None:
    of = {field.name: getattr(made, field.name) for field in fields(made)}
    for name, value in of.items():
        _look(value, f"{where} {name}", gaps=gaps)
        if name in P_VALUES and value is not None:
            assert 0 <= value <= 1, f"{where} {name}"
    if of.get("low") is not None and of.get("high") is not None:
        assert of["low"] <= of["high"] + 1e-9, where
