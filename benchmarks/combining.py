"""One answer from several methods: false alarms and power of ways to combine their p-values.

    python -m benchmarks.combining [--repeats 80] [--out docs/figures/combining.csv]
    python -m benchmarks.combining --doses        # the model contaminated on purpose, dose by dose
    python -m benchmarks.combining --measured     # studies drawn from what that model answered

The seven invented models of ``dcq/invented.py`` take a rotated quiz, a replication and
a panel of likelihoods of the same 33 instances. A repeat is one study: unseen and seen targets of a
model against the same 1, 3 and 10 controls. Two things make methods depend on each other. A
partition that reads easily is easier for all of them (correlation ``alike`` of its shifts, .9 or
0), and so is an instance; and the instances that a model knows are the same for all. Of those it
picks and ranks all; it completes a share that is drawn for each seen partition from 0 to .5,
because the model of ``studies/contaminate.json`` completed none. Seen partitions are of four kinds
with other traces: all methods, quiz and likelihood only, likelihood only (as in that study),
replication only.

``--measured`` invents neither answers nor dependence: the instances of a partition are drawn, each
with its letter, its gain by the guided completion and its rank by likelihood together, from the 60
that the contaminated model answered at a dose. A seen partition has a share of those that it was
trained on, the rest, like all of an unseen one and of a control, is of those that it was not.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import read_options
from benchmarks.control_models import N
from dcq.evidence.combine import Combine, cauchy, harmonic_mean, weighted_holm
from dcq.evidence.controls import calibrate, expect
from dcq.evidence.midrank import midranks
from dcq.evidence.share_prediction import MATCHES, QUIZ, Prior
from dcq.invented import (
    SLOTS,
    SPREADS,
    WITHIN,
    WORDING,
    Array,
    chances,
    completion_rates,
    offsets,
    rank_chances,
    slope,
)
from dcq.records import slot_letter
from dcq.settings import ROOT

ALPHA = 0.05
CONTROLS = (1, 3, 10)
UNSEEN, EACH = 40, 10  # targets of a study: unseen, and seen ones of each kind
KNOWN = (0.05, 0.7)  # share of a seen partition's instances that the model knows
TRACES = {  # which methods show what is known: quiz, replication, likelihood
    "all": (1, 1, 1),
    "quiz and likelihood": (1, 0, 1),
    "likelihood": (0, 0, 1),
    "replication": (0, 1, 0),
}
MEASURED = (0.3, 1.0)  # shares of a seen partition that the model was trained on
METHODS = ("quiz", "replication", "likelihood")
PRIORS: tuple[Prior | None, ...] = (QUIZ, MATCHES, None)
MEASURED_PRIORS = (PRIORS[0], None, None)  # gains instead of matches: no counts
WEIGHTS: Mapping[str, Sequence[float]] = {
    "declared": (4 / 7, 2 / 7, 1 / 7),
    "even": (1 / 3, 1 / 3, 1 / 3),
    "quiz first, nothing fixed": (3 / 4, 1 / 8, 1 / 16),
}
RULES: Mapping[str, Combine] = {
    "Holm": weighted_holm,
    "harmonic mean": harmonic_mean,
    "Cauchy": cauchy,
}
STUDY = ROOT / "studies" / "contaminate.json"


def asked(
    rng: np.random.Generator, model: int, shares: Array, traces: Array, alike: float
) -> tuple[Array, Array, Array]:
    """What each method measures: tables (partitions, instances, slots) of right calls, (…, 1) of
    completed instances, and (…, 1) of midranks. ``shares`` has a value and ``traces`` a row
    a partition; its columns are the methods."""
    size = len(shares)
    shared = rng.normal(size=(size, 1))
    shift = [
        np.sqrt(alike) * shared + np.sqrt(1 - alike) * rng.normal(size=(size, 1)) for _ in "qrl"
    ]
    ease = rng.normal(size=(size, N))
    seen = rng.random((size, N)) < shares[:, None]
    by = [seen & (traces[:, [place]] > 0) for place in range(3)]
    spread = float(SPREADS[model])
    advantage = WORDING + spread / slope(offsets(SLOTS[model])) * shift[0] + WITHIN * ease
    right = np.maximum(chances(SLOTS[model], advantage), by[0][:, :, None])
    calls = (rng.random(right.shape) < right).astype(np.float64)
    rate = completion_rates(shift[1], ease)
    recites = rng.uniform(0, 0.5, size=(size, 1))
    completed = rng.random((size, N)) < np.maximum(rate, by[1] * recites)
    below = rank_chances(4 * spread * shift[2], ease)
    ranks = rng.binomial(3, np.maximum(below, by[2])) / 3
    return calls, completed.astype(np.float64)[:, :, None], ranks[:, :, None]


def p_values(targets: Array, controls: Array, prior: Prior | None) -> list[float]:
    """By the rule of dcq.evidence.controls."""
    expected = expect(list(controls), prior=prior)
    assert expected is not None
    scores = (targets @ expected.weights).mean(axis=1)
    return [expected.prediction.p_value(float(score), targets.shape[1]) for score in scores]


def study(rng: np.random.Generator, model: int, alike: float) -> dict[tuple[str, str, int], Array]:
    """Of one repeat, by rule, kind of target and number of controls, which targets are called."""
    kinds = ["unseen"] * UNSEEN + [kind for kind in TRACES for _ in range(EACH)]
    known_shares = np.array([0.0 if kind == "unseen" else rng.uniform(*KNOWN) for kind in kinds])
    traces = np.array([TRACES.get(kind, (0, 0, 0)) for kind in kinds])
    targets = asked(rng, model, known_shares, traces, alike)
    controls = asked(rng, model, np.zeros(max(CONTROLS)), np.zeros((max(CONTROLS), 3)), alike)
    return judged(targets, controls, kinds, PRIORS)


def judged(
    targets: Sequence[Array],
    controls: Sequence[Array],
    kinds: Sequence[str],
    priors: Sequence[Prior | None],
) -> dict[tuple[str, str, int], Array]:
    """Which targets each method and each rule calls, by rule, kind and number of controls. Targets
    and controls have a table (partitions, instances, slots) and one of ``priors`` a method."""
    outcomes = {}
    for count in CONTROLS:
        by_method = np.array(
            [
                p_values(target_values, control_values[:count], prior)
                for target_values, control_values, prior in zip(
                    targets, controls, priors, strict=True
                )
            ]
        ).T
        called = {name: by_method[:, place] <= ALPHA for place, name in enumerate(METHODS)}
        for rule, combine in RULES.items():
            for weights, shares in WEIGHTS.items():
                ps = [combine(list(row), shares) for row in by_method]
                called[f"{rule}, {weights}"] = np.array(ps) <= ALPHA
        for name, calls in called.items():
            for kind in dict.fromkeys(kinds):
                is_of_kind = np.array([partition_kind == kind for partition_kind in kinds])
                outcomes[name, kind, count] = calls[is_of_kind]
    return outcomes


def measured(repeats: int) -> pd.DataFrame:
    """A row for each dose, rule, kind of target and number of controls: the share called, with its
    Monte Carlo error over studies. Kinds of targets are named by the share that was trained on."""
    rng = np.random.default_rng(0)
    figures = json.loads(STUDY.read_text(encoding="utf-8"))
    kinds = ["unseen"] * UNSEEN + [f"{share:.0%} seen" for share in MEASURED for _ in range(EACH)]
    shares = np.repeat([0.0, *MEASURED], [UNSEEN] + [EACH] * len(MEASURED))
    rows = []
    for dose in figures["doses"]:
        trained = np.array([_answers(row) for row in dose["rows"] if row["group"] == "member"])
        others = np.array([_answers(row) for row in dose["rows"] if row["group"] != "member"])
        called: dict[tuple[str, str, int], list[float]] = {}
        for _ in range(repeats):
            targets = _drawn(rng, trained, others, shares)
            controls = _drawn(rng, trained, others, np.zeros(max(CONTROLS)))
            for key, calls in judged(targets, controls, kinds, MEASURED_PRIORS).items():
                called.setdefault(key, []).append(float(calls.mean()))
        for (rule, kind, count), means in called.items():
            rows.append(
                {
                    "exposures": dose["exposures"],
                    "rule": rule,
                    "targets": kind,
                    "controls": count,
                    "called": round(float(np.mean(means)), 4),
                    "error": round(float(np.std(means) / np.sqrt(max(repeats - 1, 1))), 4),
                    "studies": repeats,
                }
            )
    return pd.DataFrame(rows)


def _answers(row: Mapping[str, Any]) -> tuple[float, float, float]:
    """Of an instance: whether its letter was right, its gain, its midrank among its wordings."""
    scores = list(row["per_token"])
    [rank] = midranks([[scores.pop(row["slot"]), *scores]])
    return float(row["letter"] == slot_letter(row["slot"])), row["guided"] - row["general"], rank


def _drawn(
    rng: np.random.Generator, trained: Array, others: Array, shares: Array
) -> tuple[Array, Array, Array]:
    """Partitions of ``N`` instances, drawn with replacement from rows of ``_answers``: a table
    (partitions, instances, 1) a method. ``shares`` has the share of ``trained`` of each."""
    size = (len(shares), N)
    seen = rng.random(size) < shares[:, None]
    rows = np.where(
        seen[:, :, None],
        trained[rng.integers(len(trained), size=size)],
        others[rng.integers(len(others), size=size)],
    )
    return rows[:, :, [0]], rows[:, :, [1]], rows[:, :, [2]]


def simulate(repeats: int) -> pd.DataFrame:
    """A row for each rule, kind of target, number of controls and dependence: the share called, the
    worst model's, and the Monte Carlo error of both, over studies."""
    rng = np.random.default_rng(0)
    rows = []
    for alike in (0.9, 0.0):
        shares: dict[tuple[str, str, int], list[list[float]]] = {}
        for model in range(len(SLOTS)):
            for _ in range(repeats):
                for key, calls in study(rng, model, alike).items():
                    by_model = shares.setdefault(key, [[] for _ in SLOTS])
                    by_model[model].append(float(calls.mean()))
        for (rule, kind, count), by_model in shares.items():
            means = np.array(by_model)
            errors = means.std(axis=1, ddof=1) / np.sqrt(means.shape[1]) if repeats > 1 else [0.0]
            worst = int(means.mean(axis=1).argmax())
            rows.append(
                {
                    "rule": rule,
                    "targets": kind,
                    "controls": count,
                    "alike": alike,
                    "called": round(float(means.mean()), 4),
                    "error": round(float(np.sqrt(np.mean(np.square(errors)) / len(SLOTS))), 4),
                    "highest_model": round(float(means.mean(axis=1).max()), 4),
                    "highest_error": round(float(np.atleast_1d(errors)[worst % len(errors)]), 4),
                    "studies": repeats * len(SLOTS),
                }
            )
    return pd.DataFrame(rows)


def doses() -> pd.DataFrame:
    """The contaminated model at each dose and set: p of each method against the one control, and of
    all together. The quiz by likelihood ranks what the letters and the completions cannot show."""
    figures = json.loads(STUDY.read_text(encoding="utf-8"))
    members: dict[str, tuple[str, ...]] = {"members": ("member",), "non-members": ("non-member",)}
    members["both halves"] = ("member", "non-member")
    rows = []
    for dose in figures["doses"]:
        gains = {
            group: [row["guided"] - row["general"] for row in dose["rows"] if row["group"] == group]
            for group in {row["group"] for row in dose["rows"]}
        }
        control_gains = np.array(gains["control"])[:, None]
        for name, groups in members.items():
            group_gains = np.array([gain for group in groups for gain in gains[group]])[:, None]
            compared = calibrate(group_gains, [control_gains], own_share=0.0)
            assert compared is not None
            estimates = dose["sets"][name]
            ps = [
                estimates["letter"]["p_control"],
                compared.p_value,
                estimates["likelihood"]["p_control"],
            ]
            rows.append(
                {"exposures": dose["exposures"], "set": name}
                | _clean([row for row in dose["rows"] if row["group"] in groups])
                | dict(zip(("letters", "replication", "quiz by likelihood"), ps, strict=True))
                | {
                    f"{rule}, {weights}": combine(ps, shares)
                    for weights, shares in WEIGHTS.items()
                    for rule, combine in RULES.items()
                }
            )
    return pd.DataFrame(rows).round(4)


def _clean(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """How many instances are left without those whose original the quiz by likelihood picks, and
    how many of them were seen."""
    left = [row for row in rows if int(np.argmax(row["per_token"])) != row["slot"]]
    return {"left": len(left), "left_seen": sum(row["group"] == "member" for row in left)}


def main() -> None:
    """Read the options, write the csv, print it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=80, help="studies of each model")
    parser.add_argument("--doses", action="store_true", help="the contaminated model; nothing else")
    parser.add_argument("--measured", action="store_true", help="studies from its answers")
    parser.add_argument("--out", type=Path, default=Path("docs/figures/combining.csv"))
    chosen = read_options(parser, repeats=1, out=Path("build/combining.csv"))
    out = chosen.out
    if chosen.doses:
        table, out = doses(), out.with_name("combining_doses.csv")
    elif chosen.measured:
        table, out = measured(chosen.repeats), out.with_name("combining_measured.csv")
    else:
        table = simulate(chosen.repeats)
    out.parent.mkdir(parents=True, exist_ok=True)
    table.to_csv(out, index=False, quoting=csv.QUOTE_MINIMAL)
    print(table.to_string(index=False))


if __name__ == "__main__":
    main()
