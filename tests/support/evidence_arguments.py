"""What each public function of the evidence is called with when it is fed extreme inputs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from dcq.evidence.ablation import Ablation
from dcq.evidence.check import Check, CheckWords, Mark, Topic
from dcq.evidence.controls import calibrate, expect
from dcq.evidence.inflation import Drop
from dcq.evidence.interval import Interval
from dcq.evidence.kappa import Kappa
from dcq.evidence.looks import EndedAtLook, Looks
from dcq.evidence.lot import assess
from dcq.evidence.prediction import predict
from dcq.evidence.record import Context, Evidence, Measure, MethodEstimate
from dcq.evidence.share_prediction import Prior, Shares
from tests.support.wild_numbers import (
    ANSWERS,
    Kind,
    array,
    count,
    draws,
    few,
    joined,
    kinds,
    label,
    level,
    lists,
    mostly,
    of,
    p_value,
    pair,
    seed,
    share,
    sizes,
    table,
    table_pair,
    tables,
    unit,
    values,
    wild,
)


@st.composite
def clean_models(draw: st.DrawFn, /, **rest: SearchStrategy[Any]) -> dict[str, Any]:
    """A target's gaps and those of references, and what else there is of each instance."""
    kind, size, models = draw(kinds), draw(sizes | st.just(35)), draw(st.sampled_from([0, 1, 3, 5]))
    made = {
        "target": draw(array(kind, size)),
        "references": draw(array(kind, size, models)),
    }
    return made | {name: draw(array(draw(st.sampled_from(ANSWERS)), size)) for name in rest}


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
    st.sampled_from([2, 3, 4]).flatmap(lambda size: kinds.flatmap(lambda kind: array(kind, size)))
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
def soft(draw: st.DrawFn, /, **rest: SearchStrategy[Any]) -> dict[str, Any]:
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
def moments(draw: st.DrawFn, /, **rest: SearchStrategy[Any]) -> dict[str, Any]:
    """Sixty items and more on both sides of a cut, or any."""
    size = draw(st.sampled_from([0, 5, 70, 80]))
    time = draw(st.sampled_from(TIMES))
    return {
        "times": draw(array(time, size)),
        "values": draw(array(draw(kinds), size)),
        "cut": draw(mostly(st.just(0.0))),
    } | {name: draw(strategy) for name, strategy in rest.items()}


@st.composite
def curves(draw: st.DrawFn) -> dict[str, Any]:
    shape = draw(st.integers(0, 2)), draw(st.integers(0, 6))
    x = draw(array(draw(kinds), *shape))
    return {
        "x": np.sort(x, axis=1),
        "y": draw(array(share, *shape)),
        "where": draw(array(share, shape[0])),
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
        self=st.just(calibrate(np.ones((12, 1)), [np.eye(2)[:, :1]] * 3)),
        controls=st.lists(st.integers(), max_size=3),
    ),
    "family.benjamini_hochberg": of(p_values=st.lists(share | p_value, max_size=6)),
    "family.holm": of(p_values=st.lists(share | p_value, max_size=6)),
    "family.q_among": of(p_value=share, others=values),
    "further_controls.further_controls": tables(4).flatmap(
        lambda made: of(
            controls=st.sampled_from([made, made[:1], made * 3, []]),
            n=wild,
            own_share=st.none() | share,
            prior=priors,
        )
    ),
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
    "subsets.adjusted_difference": joined(
        lists(3), ("correct", "part", "level"), {"confidence": confidence}
    ),
    "subsets.difference_between": of(first=values, second=values),
    "subsets.lead_differences": table.flatmap(
        lambda made: of(
            answers=st.just(made), part=array(ANSWERS[0], len(made)), confidence=confidence
        )
    ),
    "subsets.trend": pair("sizes", "gains", confidence=confidence).filter(
        lambda made: len(made["sizes"]) != 9  # all orders of nine, of which there are many
    ),
}
