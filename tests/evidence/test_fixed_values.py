"""Finite inputs give the values that they gave: one call of each statistic, and what it returned
when the table beside this file was written."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dcq.evidence import (
    ablation,
    agreement,
    association,
    auroc,
    bootstrap,
    chance,
    combine,
    compare,
    consistency,
    constat,
    controls,
    family,
    groups,
    inflation,
    interval,
    jump,
    kappa,
    leak,
    looks,
    lot,
    midrank,
    pace,
    people,
    power,
    prediction,
    protocol2,
    rotated,
    share_prediction,
    soft,
    subsets,
)
from dcq.evidence.replication import cross_check, guidance, replicated

rng = np.random.default_rng(47)
RIGHT = (rng.random((40, 4)) < 0.5) * 1.0
GAPPY = np.where(rng.random((40, 4)) < 0.05, np.nan, RIGHT)
UNSEEN = [(rng.random((33, 4)) < 0.3 + 0.03 * place).astype(np.float64) for place in range(9)]
COLUMNS = [table[:, :1] for table in UNSEEN]
SCORES, OTHERS = rng.random(40), rng.random(40)
GAPS = rng.integers(-1, 2, 40).astype(np.float64)
CLEAN = rng.integers(-1, 2, (40, 5)).astype(np.float64)
FLAGS = rng.random(40) < 0.4
LEVELS = rng.integers(0, 6, 40) / 5
MODELS = (rng.random((7, 60)) < np.linspace(0.3, 0.8, 7)[:, None]) * 1.0
TIMES = rng.uniform(-1, 1, 120)
DATED = (rng.random(120) < 0.5 - 0.2 * (TIMES > 0)) * 1.0
ITEMS = [*rng.normal(size=(12, 4)), *rng.integers(0, 3, (8, 3)) * 1.0]
LOGPROBS = np.log(rng.dirichlet(np.ones(4), (10, 4)))
NORMAL = prediction.predict([0.3, 0.36, 0.41], [33, 33, 30], 0.08)
COUNTED = share_prediction.Shares([9, 12, 7], [33, 33, 30]).predict()

CALLS: dict[str, Callable[[], Any]] = {
    "ablation.compare": lambda: ablation.compare(RIGHT[:, 0], GAPPY[:, 1]),
    "ablation.mcnemar": lambda: ablation.mcnemar(11, 3),
    "agreement.agree": lambda: agreement.agree("aabbcabcabca", "aabbcabbabcb", seed=1),
    "association.associate": lambda: association.associate(RIGHT[:, 0], GAPPY[:, 1]),
    "auroc.auroc": lambda: auroc.auroc(SCORES, OTHERS + 0.2),
    "bootstrap.paired_bootstrap": lambda: bootstrap.paired_bootstrap(SCORES, OTHERS, samples=500),
    "chance.chance_p_value": lambda: chance.chance_p_value(19, 50),
    "chance.binomial_tail": lambda: chance.binomial_tail(19.5, 50.25, 0.25),
    "chance.binomial_pmf": lambda: chance.binomial_pmf(9, 0.3),
    "combine.weighted_holm": lambda: combine.weighted_holm([0.02, None, 0.4], (0.5, 0.3, 0.1)),
    "combine.harmonic_mean": lambda: combine.harmonic_mean([0.02, None, 0.4], (0.5, 0.3, 0.1)),
    "combine.cauchy": lambda: combine.cauchy([0.02, None, 0.4], (0.5, 0.3, 0.1)),
    "compare.compare_paired": lambda: compare.compare_paired(RIGHT, GAPPY),
    "compare.compare_unpaired": lambda: compare.compare_unpaired(RIGHT, UNSEEN[0]),
    "compare.one_slot": lambda: compare.compare_unpaired(RIGHT[:, :1], COLUMNS[0]),
    "consistency.compare_sets": lambda: consistency.compare_sets(GAPPY),
    "constat.constat": lambda: constat.constat(MODELS[:, :30], MODELS[:, 30:], samples=40),
    "controls.calibrate": lambda: controls.calibrate(GAPPY, UNSEEN),
    "controls.three": lambda: controls.calibrate(RIGHT, UNSEEN[:3]),
    "controls.counted": lambda: controls.calibrate(RIGHT[:, :1], COLUMNS),
    "controls.midranks": lambda: controls.calibrate(
        SCORES[:, None], [OTHERS[:20, None], OTHERS[20:, None]], prior=None
    ),
    "controls.gains": lambda: controls.calibrate(
        RIGHT[:, :1] - RIGHT[:, 1:2],
        [c - t[:, 1:2] for c, t in zip(COLUMNS, UNSEEN, strict=True)],
        own_share=0.3,
    ),
    "controls.slot_weights": lambda: controls.slot_weights(UNSEEN),
    "controls.noise_of": lambda: controls.noise_of([SCORES, OTHERS]),
    "family.benjamini_hochberg": lambda: family.benjamini_hochberg([0.01, None, 0.04, 0.03, 0.9]),
    "family.holm": lambda: family.holm([0.01, None, 0.04, 0.03, 0.9]),
    "family.q_among": lambda: family.q_among(0.02, np.array([0.01, 0.03, 0.5])),
    "groups.compare_groups": lambda: groups.compare_groups(RIGHT, ["a", "b"] * 20),
    "inflation.paired_drop": lambda: inflation.paired_drop(LEVELS, SCORES),
    "inflation.inflation_above": lambda: inflation.inflation_above(GAPS, CLEAN),
    "inflation.within_model": lambda: inflation.within_model(GAPS, CLEAN, FLAGS, LEVELS, draws=300),
    "interval.wilson": lambda: interval.wilson(19, 50),
    "interval.effective_answers": lambda: interval.effective_answers(
        np.array([1.0, 2, 0, 3, 1]), np.array([2.0, 2, 1, 4, 3])
    ),
    "interval.wilson_over_instances": lambda: interval.wilson_over_instances(SCORES),
    "interval.mean_interval": lambda: interval.mean_interval(GAPS),
    "interval.kappa_interval": lambda: interval.kappa_interval(
        0.6, interval.Interval(0.5, 0.7), 0.4, interval.Interval(0.3, 0.5)
    ),
    "jump.jump": lambda: jump.jump(TIMES, DATED, 0.0),
    "jump.placebo_jumps": lambda: jump.placebo_jumps(
        np.linspace(-3, 1, 480), np.tile(DATED, 4), 0.0
    ),
    "kappa.kappa_fixed": lambda: kappa.kappa_fixed(19, 50),
    "kappa.cohen": lambda: kappa.cohen("aabbcabcabca", "aabbcabbabcb"),
    "leak.smallest_leak": lambda: leak.smallest_leak(40, 4),
    "looks.plan_looks": lambda: looks.plan_looks(NORMAL, (10, 20, 33)),
    "looks.overall_p": lambda: looks.plan_looks(COUNTED, (10, 20, 33)).overall_p(1, 0.01),
    "lot.assess": lambda: lot.assess(ITEMS),
    "lot.call_models": lambda: lot.call_models([50.0, 3.0, 90.0, 20.0]),
    "lot.smallest_share": lambda: lot.smallest_share(200, 4),
    "lot.power_at": lambda: lot.power_at(200, 4, 0.33),
    "midrank.midranks": lambda: midrank.midranks(GAPPY),
    "midrank.beats_all": lambda: midrank.beats_all(GAPPY),
    "pace.pace": lambda: pace.pace([*SCORES * 900], [*FLAGS], [*range(20)] * 2),
    "people.pool": lambda: people.pool(
        [(place % 3, place % 7, bool(flag)) for place, flag in enumerate(FLAGS)]
    ),
    "power.detectable_kappa": lambda: power.detectable_kappa(60),
    "power.needed_n": lambda: power.needed_n(0.2),
    "power.detectable_gain": lambda: power.detectable_gain(7, 3, 40),
    "power.minimum_kappa": lambda: [power.minimum_kappa(p, 33) for p in (NORMAL, COUNTED)],
    "power.needed_instances": lambda: [power.needed_instances(p) for p in (NORMAL, COUNTED)],
    "prediction.normal": lambda: _predicted(NORMAL),
    "prediction.counted": lambda: _predicted(COUNTED),
    "protocol2.contamination_range": lambda: protocol2.contamination_range(
        {"A": 2, "B": 5}, {"A": 9, "B": 9}, 30
    ),
    "protocol2.non_preferred": lambda: protocol2.non_preferred({"A": 2, "B": 9, "C": 7}, 30),
    "replication.cross_check": lambda: cross_check.cross_check(RIGHT[:, 0], GAPPY[:, 1]),
    "replication.guidance": lambda: guidance.compare_instructions(SCORES, OTHERS, samples=500),
    "replication.count_matches": lambda: replicated.count_matches(40, 3, 2),
    "rotated.rotated_kappa": lambda: rotated.rotated_kappa(GAPPY),
    "soft.soft_score": lambda: soft.soft_score(LOGPROBS, np.tile(np.arange(4), (10, 1))),
    "soft.slot_preference": lambda: soft.slot_preference(LOGPROBS),
    "subsets.accuracy_of": lambda: subsets.accuracy_of(SCORES),
    "subsets.difference_between": lambda: subsets.difference_between(SCORES, OTHERS),
    "subsets.adjusted_difference": lambda: subsets.adjusted_difference(SCORES, FLAGS, LEVELS),
    "subsets.lead_differences": lambda: subsets.lead_differences(GAPPY, FLAGS),
    "subsets.accuracy_by_score": lambda: subsets.accuracy_by_score(SCORES, OTHERS, 4),
    "subsets.trend": lambda: subsets.trend(SCORES[:12], OTHERS[:12]),
}


def _predicted(of: prediction.Prediction) -> list[float]:
    critical = of.critical(33, 0.05)
    return [
        of.center,
        of.spread,
        of.between,
        of.noise,
        of.p_value(0.5, 33),
        critical,
        *of.limits(),
        of.share_above(critical, 0.3, 33, 0.0),
    ]


def flat(made: Any) -> list[object]:
    """The numbers in what a function returned, in their order; "nan" for a gap."""
    if isinstance(made, np.ndarray):
        return flat(made.ravel().tolist())
    if is_dataclass(made):
        return [value for field in fields(made) for value in flat(getattr(made, field.name))]
    if isinstance(made, Mapping):
        return [value for pair in made.items() for value in flat(pair)]
    if isinstance(made, (list, tuple)):
        return [value for part in made for value in flat(part)]
    if isinstance(made, (bool, str)) or made is None:
        return [made]
    number = float(made)
    return ["nan" if math.isnan(number) else number]


VALUES: dict[str, list[object]] = json.loads(
    Path(__file__).with_name("fixed_values.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", CALLS)
def test_finite_inputs_give_what_they_gave(name: str) -> None:
    made, given = flat(CALLS[name]()), VALUES[name]
    assert len(made) == len(given)
    for value, before in zip(made, given, strict=True):
        if isinstance(value, float):
            assert value == pytest.approx(before, rel=1e-12, abs=1e-12)
        else:
            assert value == before


def test_the_table_has_no_other_calls() -> None:
    assert CALLS.keys() == VALUES.keys()
