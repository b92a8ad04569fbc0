from __future__ import annotations

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from dcq.errors import InputError
from dcq.evidence.replication.cross_check import cross_check
from dcq.evidence.replication.guidance import compare_instructions
from dcq.evidence.replication.matches import count_matches, false_alarms
from dcq.evidence.replication.verdict import Replicated, examine, rule
from dcq.evidence.verdict import Ruling

NAN = float("nan")


def test_a_clear_gain_and_none() -> None:
    general = np.linspace(0, 0.4, 10)
    better = compare_instructions(general, general + 0.2)
    assert (better.p_value, better.contaminated) == (0.0, True)
    assert better.difference == pytest.approx(0.2)
    assert compare_instructions(general, general - 0.2).p_value == 1.0


def test_ties_count_against_the_guided_instruction() -> None:
    same = compare_instructions([0.1] * 10, [0.1] * 10)
    assert (same.p_value, same.contaminated) == (1.0, False)
    # One instance of ten is better: it is missing from (9/10)^10 of the resamples.
    one = compare_instructions([0.1] * 10, [0.1] * 9 + [0.5])
    assert one.p_value == pytest.approx(0.9**10, abs=0.02)
    # 0.3 − 0.1 and 0.2 − 0.4 cancel but for rounding.
    tie = compare_instructions([0.1, 0.4], [0.3, 0.2])
    assert tie.p_value == pytest.approx(0.75, abs=0.02)


def test_missing_scores_and_few_instances() -> None:
    assert compare_instructions([], []).general is None
    assert compare_instructions([NAN, 0.1], [0.5, 0.2]).n == 1
    assert compare_instructions([0.1], [0.2]).p_value is None
    few = compare_instructions([0.1] * 9, [0.2] * 9)
    assert (few.low, few.p_value) == (None, 0.0)
    with pytest.raises(InputError, match="differ in number"):
        compare_instructions([0.1], [0.1, 0.2])


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=30), st.integers(0, 9))
def test_the_seed_decides(pairs: list[tuple[float, float]], seed: int) -> None:
    general, guided = [a for a, _ in pairs], [b for _, b in pairs]
    found = [compare_instructions(general, guided, samples=200, seed=seed) for _ in (1, 2)]
    assert found[0] == found[1]
    assert found[0].p_value is None or 0 <= found[0].p_value <= 1


@pytest.mark.parametrize(
    ("exact", "near", "contaminated"), [(0, 0, False), (0, 1, False), (0, 2, True), (1, 0, True)]
)
def test_algorithm_2(exact: int, near: int, contaminated: bool) -> None:
    found = count_matches(10, exact, near)
    assert found.contaminated is contaminated
    assert found.rate == (exact + near) / 10
    assert found.interval is not None
    assert found.interval.low <= found.rate <= found.interval.high


def test_impossible_counts() -> None:
    assert count_matches(0, 0, 0).rate is None
    with pytest.raises(InputError, match="impossible"):
        count_matches(2, 2, 1)
    with pytest.raises(InputError, match="impossible"):
        count_matches(2, -1, 1)
    assert false_alarms([True, False]).flagged == 1
    assert false_alarms([]).interval is None


def test_two_methods_on_the_same_instances() -> None:
    right = [1] * 4 + [0] * 7 + [1] * 30 + [0] * 30
    match = [1] * 11 + [0] * 60
    found = cross_check(right, match)
    assert (found.match_right, found.match_wrong) == (4, 7)
    assert (found.other_right, found.other_wrong) == (30, 30)
    assert found.difference == pytest.approx(4 / 11 - 0.5)
    assert found.odds_ratio == pytest.approx(4.5 * 30.5 / (7.5 * 30.5))
    assert found.p_value == pytest.approx(
        scipy.stats.fisher_exact(np.array([[4, 7], [30, 30]])).pvalue
    )
    assert found.low is not None
    assert found.high is not None
    assert found.difference is not None
    assert found.low < found.difference < found.high


def test_a_cross_check_without_matches_or_with_gaps() -> None:
    empty = cross_check([1, 0], [0, 0])
    assert (empty.n, empty.difference, empty.odds_ratio, empty.p_value) == (2, None, None, None)
    assert cross_check([1, NAN, 1], [1, 1, NAN]).n == 1
    with pytest.raises(InputError, match="same instances"):
        cross_check([1], [1, 0])


def make(
    name: str, seed: int, *, gain: float = 0.0, rate: float = 0.0, n: int = 20, unusable: float = 0
) -> Replicated:
    rng = np.random.default_rng(seed)
    general = rng.random(n) * 0.4
    exact = (np.arange(n) < round(rate * n)).astype(float)
    guided = np.clip(general + rng.normal(gain, 0.05, n), 0, 1)
    return Replicated(name, general, guided, exact, np.zeros(n), unusable)


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
    assert verdict.minimum_effect is not None
    assert found.gain is not None
    assert found.rate is not None
    assert found.p_value == min(1, 2 * min(found.gain.p_value, found.rate.p_value))


def test_without_controls_it_is_inconclusive() -> None:
    found = examine(make("target", 0, gain=0.5, rate=1.0), [])
    [verdict] = rule([found])
    assert found.guidance.contaminated
    assert found.matches.contaminated
    assert verdict.ruling is Ruling.INCONCLUSIVE
    assert any("no control" in reason for reason in verdict.reasons)
    assert not found.is_member


def test_unusable_replies_and_none_at_all() -> None:
    poor = examine(make("target", 0, gain=0.5, rate=1.0, unusable=0.3), CONTROLS)
    assert rule([poor])[0].ruling is Ruling.INCONCLUSIVE
    gaps = np.full(20, NAN)
    nothing = examine(Replicated("target", gaps, gaps, gaps, gaps, 1.0), CONTROLS)
    [verdict] = rule([nothing])
    assert (verdict.ruling, verdict.p_value) == (Ruling.INCONCLUSIVE, None)
    with pytest.raises(InputError, match="differ in number"):
        Replicated("x", np.zeros(2), np.zeros(2), np.zeros(3), np.zeros(2))


def test_a_family_makes_it_harder() -> None:
    weak = [examine(make(f"t{i}", i, rate=0.2), CONTROLS) for i in range(2)]
    none = [examine(make(f"n{i}", i), CONTROLS) for i in range(30)]
    alone, among = rule(weak)[0], rule([*weak, *none])[0]
    assert alone.q_value is not None
    assert among.q_value is not None
    assert among.q_value > alone.q_value


def test_the_papers_rules_on_controls_are_counted() -> None:
    found = examine(make("t", 0), [*CONTROLS, make("odd", 9, gain=0.3, rate=0.05)])
    assert (found.alarms_2.partitions, found.alarms_2.flagged) == (4, 1)
    assert found.alarms_1.flagged >= 1


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
    assert found.rate is not None
    assert found.rate.p_value > 0.05
    seen = examine(rates("target", 25), UNMATCHED)
    assert rule([seen])[0].ruling is Ruling.CONTAMINATED
    # With a single control a fifth of matches is found too.
    alone = examine(rates("target", 30), [rates("a", 0)])
    assert alone.rate is not None
    assert alone.rate.p_value <= 0.025


def test_missing_completions_are_counted_against_memory_too() -> None:
    found = examine(rates("target", 14, missing=18), UNMATCHED)
    whole = examine(rates("target", 14), UNMATCHED)
    assert found.rate is not None
    assert whole.rate is not None
    assert found.rate.p_refused == pytest.approx(whole.rate.p_value)
    assert found.p_refused is not None
    assert found.p_value is not None
    assert found.p_refused > found.p_value
    gaps = Replicated(
        "x",
        np.array([0.2, NAN, 0.3, NAN]),
        np.array([0.5, 0.4, NAN, NAN]),
        *(np.zeros(4) for _ in range(2)),
    )
    assert gaps.least_gain[:, 0] == pytest.approx([0.3, 0.0, -0.3, 0.0])


def test_a_result_that_rests_on_what_is_missing_is_inconclusive() -> None:
    for exact in range(5, 30):
        found = examine(rates("target", exact, missing=20), UNMATCHED)
        assert found.p_value is not None
        assert found.p_refused is not None
        if found.p_value <= 0.05 < found.p_refused:
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
    assert any("5 points more than the controls" in reason for reason in clear.reasons)
