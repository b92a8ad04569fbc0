"""Replications through the judge: two measures, of which the smaller p-value decides, doubled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from dcq.evidence.controls import Calibration
from dcq.evidence.record import GAIN, MATCHES, MethodEstimate
from dcq.evidence.replication.replicated import Replicated
from dcq.judging.judged import JudgedResult, Ruling, Verdict, compare
from dcq.judging.verdict import judge
from dcq.replication import wording
from tests.support.cases import evidence

NAN = float("nan")


def examine(target: Replicated, controls: Sequence[Replicated]) -> JudgedResult:
    made = [
        evidence(
            method="replication",
            words=wording.WORDS,
            place=one.name,
            measures=one.measures,
            usable=max(one.matches.n, len(one.gains)),
            planned=len(one.exact),
            unusable=one.unusable,
            estimate=MethodEstimate(one.matches.rate, None, None, "match rate", one.matches.rate),
        )
        for one in (target, *controls)
    ]
    return compare(made[0], made[1:])


def rule(cases: Sequence[JudgedResult]) -> tuple[Verdict, ...]:
    return judge(cases)


def make(
    name: str, seed: int, *, gain: float = 0.0, rate: float = 0.0, n: int = 20, unusable: float = 0
) -> Replicated:
    rng = np.random.default_rng(seed)
    general = rng.random(n) * 0.4
    exact = (np.arange(n) < round(rate * n)).astype(float)
    guided = np.clip(general + rng.normal(gain, 0.05, n), 0, 1)
    return Replicated(name, general, guided, exact, np.zeros(n), unusable)


def of_matches(case: JudgedResult) -> Calibration:
    return dict(case.calibrations)[MATCHES]


def refused(case: JudgedResult) -> float:
    found = case.against_controls(lambda known: known.p_refused)
    assert found is not None
    return found


CONTROLS = [make(f"control {i}", i) for i in range(1, 4)]


@pytest.mark.parametrize(
    ("gain", "rate", "ruling"),
    [
        (0.0, 0.0, Ruling.NO_EVIDENCE),
        (0.4, 0.0, Ruling.CONTAMINATED),
        (0.0, 0.4, Ruling.CONTAMINATED),
        (0.3, 0.3, Ruling.CONTAMINATED),
    ],
)
def test_either_measure_can_decide(gain: float, rate: float, ruling: Ruling) -> None:
    found = examine(make("target", 0, gain=gain, rate=rate), CONTROLS)
    [verdict] = rule([found])
    assert verdict.ruling is ruling
    assert found.minimum_effect is not None
    known = dict(found.calibrations)
    assert found.p_value == min(1, 2 * min(known[GAIN].p_value, known[MATCHES].p_value))


def test_without_controls_it_is_inconclusive() -> None:
    found = examine(make("target", 0, gain=0.5, rate=1.0), [])
    [verdict] = rule([found])
    assert verdict.ruling is Ruling.INCONCLUSIVE
    assert any("no control" in reason for reason in verdict.reasons)
    assert (verdict.p_value, verdict.q_value) == (None, None)


def test_unusable_replies_and_none_at_all() -> None:
    poor = examine(make("target", 0, gain=0.5, rate=1.0, unusable=0.3), CONTROLS)
    assert rule([poor])[0].ruling is Ruling.INCONCLUSIVE
    gaps = np.full(20, NAN)
    nothing = examine(Replicated("target", gaps, gaps, gaps, gaps, 1.0), CONTROLS)
    [verdict] = rule([nothing])
    assert (verdict.ruling, verdict.p_value) == (Ruling.INCONCLUSIVE, None)


def test_a_family_makes_it_harder() -> None:
    weak = [examine(make(f"t{i}", i, rate=0.2), CONTROLS) for i in range(2)]
    none = [examine(make(f"n{i}", i), CONTROLS) for i in range(30)]
    alone, among = rule(weak)[0], rule([*weak, *none])[0]
    assert alone.q_value is not None
    assert among.q_value is not None
    assert among.q_value > alone.q_value


@pytest.mark.simulation
def test_unseen_partitions_are_rarely_called_contaminated() -> None:
    """Partitions differ in their rate of matches by a few points, as the rule assumes."""
    rng = np.random.default_rng(1)
    called, rounds = 0, 300
    for _ in range(rounds):
        made = []
        for name in ("target", "a", "b", "c"):
            rate, gain = rng.beta(2, 38), rng.normal(0, 0.03)
            general = rng.random(20) * 0.5
            guided = general + rng.normal(gain, 0.15, 20)
            exact = (rng.random(20) < rate).astype(float)
            made.append(Replicated(name, general, guided, exact, np.zeros(20)))
        called += rule([examine(made[0], made[1:])])[0].ruling is Ruling.CONTAMINATED
    assert called / rounds <= 0.05 + 0.03


def rates(name: str, exact: int, n: int = 100, missing: int = 0) -> Replicated:
    """Completions of which so many match, and so many are missing; guidance changes nothing."""
    matches = np.concatenate([np.full(missing, NAN), np.arange(n - missing) < exact])
    none = np.where(np.isnan(matches), NAN, 0.0)
    return Replicated(name, none + 0.1, none + 0.1, matches, none, missing / n)


UNMATCHED = [rates(name, k) for name, k in zip("abcdefghij", [0] * 6 + [1, 0, 8, 2], strict=True)]


def test_match_rates_near_zero_are_counted() -> None:
    """Where most unseen partitions have no match and a few have some, six of a hundred are no
    evidence; a normal prediction gives them p < .025."""
    found = examine(rates("target", 6), UNMATCHED)
    assert of_matches(found).p_value > 0.05
    seen = examine(rates("target", 25), UNMATCHED)
    assert rule([seen])[0].ruling is Ruling.CONTAMINATED
    # With a single control a fifth of matches is found too.
    alone = examine(rates("target", 30), [rates("a", 0)])
    assert of_matches(alone).p_value <= 0.025


def test_missing_completions_are_counted_against_memory_too() -> None:
    found = examine(rates("target", 14, missing=18), UNMATCHED)
    whole = examine(rates("target", 14), UNMATCHED)
    assert of_matches(found).p_refused == pytest.approx(of_matches(whole).p_value)
    p_value, p_refused = found.p_value, refused(found)
    assert p_value is not None
    assert p_refused > p_value


def test_a_result_that_rests_on_what_is_missing_is_inconclusive() -> None:
    for exact in range(5, 30):
        found = examine(rates("target", exact, missing=20), UNMATCHED)
        if (found.p_value or 0) <= 0.05 < refused(found):
            break
    [verdict] = rule([found])
    assert verdict.ruling is Ruling.INCONCLUSIVE
    assert any("depends on what was refused" in reason for reason in verdict.reasons)


def test_the_odd_control_and_an_easier_text_are_named() -> None:
    controls = [rates("a", 0), rates("b", 1), rates("c", 30)]
    [verdict] = rule([examine(rates("target", 28), controls)])
    [odd] = [one for one in verdict.checks if "disagrees" in one.sentence]
    assert "c disagrees most" in odd.sentence
    assert "would be contaminated" in odd.sentence
    assert verdict.ruling is not Ruling.CONTAMINATED
    [clear] = rule([examine(rates("target", 60), UNMATCHED)])
    assert any("5 points easier than its controls" in reason for reason in clear.reasons)
