"""Does a target of that κ and size really have that power? Partitions drawn as they are meant."""

import numpy as np
import pytest
from scipy import stats

from dcq.evidence.controls import calibrate, expect
from dcq.evidence.power import minimum_kappa, needed_instances, power
from dcq.evidence.prediction import NormalPrediction
from tests.support.tables import unseen

KNOWN = NormalPrediction(np.array([0.4]), np.array([0.0]), np.array([1.0]), 0.24)


def test_without_a_spread_it_is_the_power_of_a_z_test() -> None:
    # One slot, unseen share 0.4: share with κ 0.2 is 0.52, variance 0.52·0.48.
    critical = 0.4 + stats.norm.isf(0.05) * np.sqrt(0.24 / 50)
    expected = stats.norm.sf(critical, 0.52, np.sqrt(0.52 * 0.48 / 50))
    assert power(KNOWN, 0.2, 50) == pytest.approx(expected)
    strict = 0.4 + stats.norm.isf(0.01) * np.sqrt(0.24 / 50)
    expected = stats.norm.sf(strict, 0.52, np.sqrt(0.52 * 0.48 / 50))
    assert power(KNOWN, 0.2, 50, alpha=0.01) == pytest.approx(expected)
    assert power(KNOWN, 0.0, 50) == pytest.approx(0.05)


def test_a_spread_is_averaged_over() -> None:
    wide = NormalPrediction(np.array([0.3, 0.5]), np.array([0.01, 0.02]), np.array([0.7, 0.3]), 0.2)
    rng = np.random.default_rng(0)
    part = rng.choice(2, p=[0.7, 0.3], size=200_000)
    base = rng.normal(np.array([0.3, 0.5])[part], np.sqrt([0.01, 0.02])[part])
    true = base + 0.35 * (1 - base)
    within = 0.65 * 0.2 + 0.35 * 0.65 * (1 - wide.center) ** 2
    score = rng.normal(true, np.sqrt(within / 30))
    found = (score >= wide.critical(30, 0.05)).mean()
    assert power(wide, 0.35, 30) == pytest.approx(found, abs=0.004)


def test_with_its_own_baseline_scores_are_differences() -> None:
    # The model chooses the slot in 0.1 of the instances without the original; unseen originals add
    # 0.05. With κ 0.1 the share is 0.15 + 0.1·0.85, and the choices without it vary for themselves.
    rng = np.random.default_rng(1)
    without = rng.random((20_000, 100)) < 0.1
    unseen_right = rng.random((20_000, 100)) < 0.15
    right = unseen_right | (rng.random((20_000, 100)) < 0.1)
    gaps = right.mean(axis=1) - without.mean(axis=1)
    noise = 0.1 * 0.9 + 0.15 * 0.85
    known = NormalPrediction(np.array([0.05]), np.array([0.0]), np.array([1.0]), noise)
    found = (gaps >= known.critical(100, 0.05)).mean()
    assert power(known, 0.1, 100, own_share=0.1) == pytest.approx(found, abs=0.025)
    # By the law of total variance, with the slot chosen in 0.4 without the original.
    often = NormalPrediction(np.array([0.05]), np.array([0.0]), np.array([1.0]), 0.45)
    variance = 0.5 * 0.45 + 0.5 * 0.4 * 0.6 + 0.25 * 0.55**2
    expected = stats.norm.sf(often.critical(12, 0.05), 0.325, np.sqrt(variance / 12))
    assert power(often, 0.5, 12, own_share=0.4) == pytest.approx(expected)
    smallest = minimum_kappa(known, 60, own_share=0.1)
    assert smallest is not None
    assert power(known, smallest, 60, own_share=0.1) == pytest.approx(0.8)
    needed = needed_instances(known, own_share=0.1)
    assert needed is not None
    assert power(known, 0.2, needed, own_share=0.1) >= 0.8
    assert power(known, 0.2, needed - 1, own_share=0.1) < 0.8


def test_the_smallest_effect_has_a_power_of_80_per_cent() -> None:
    for n in (12, 60, 500):
        found = minimum_kappa(KNOWN, n)
        assert found is not None
        assert power(KNOWN, found, n) == pytest.approx(0.8)
    assert minimum_kappa(KNOWN, 10_000) == pytest.approx(0.02, abs=0.003)


@pytest.mark.simulation
@pytest.mark.parametrize("slots", [1, 4])
@pytest.mark.parametrize("spread", [0.02, 0.06])
def test_it_is_found_as_often_as_promised(slots: int, spread: float) -> None:
    rng = np.random.default_rng(7)
    shares = np.array([0.6, 0.35, 0.25, 0.15])[:slots]

    def drawn(kappa: float) -> np.ndarray:
        right = rng.random((60, slots)) < np.clip(shares + spread * rng.normal(), 0.01, 0.99)
        right[rng.random(60) < kappa] = True
        return right.astype(np.float64)

    found = []
    for _ in range(400):
        controls = [drawn(0.0) for _ in range(6)]
        expected = expect(controls)
        assert expected is not None
        kappa = minimum_kappa(expected.prediction, 60)
        assert kappa is not None
        known = calibrate(drawn(kappa), controls)
        assert known is not None
        found.append(known.p_value <= 0.05)
    assert 0.74 <= np.mean(found) <= 0.9  # scatters by .02


def test_no_effect_is_found_where_even_all_right_is_not_enough() -> None:
    assert (
        minimum_kappa(NormalPrediction(np.array([0.9]), np.zeros(1), np.ones(1), 0.09), 10) is None
    )


def test_the_needed_number_is_the_first_that_suffices() -> None:
    found = needed_instances(KNOWN)
    assert found is not None
    assert power(KNOWN, 0.2, found - 1) < 0.8 <= power(KNOWN, 0.2, found)
    # The textbook's normal formula for 0.4 against 0.52.
    exact = ((1.644854 * 0.24**0.5 + 0.841621 * (0.52 * 0.48) ** 0.5) / 0.12) ** 2
    assert found == np.ceil(exact)


def test_no_number_suffices_where_partitions_differ_too_much() -> None:
    apart = NormalPrediction(np.array([0.4]), np.array([0.06**2]), np.ones(1), 0.24)
    assert power(apart, 0.2, np.inf) < 0.8
    assert needed_instances(apart) is None
    near = NormalPrediction(np.array([0.4]), np.array([0.03**2]), np.ones(1), 0.24)
    assert needed_instances(near) is not None


def test_more_instances_than_there_are_do_not_count() -> None:
    # Nearly all originals are found on unseen text as well, so κ 0.2 adds 4 or 2 in 10,000.
    nearly = NormalPrediction(np.array([0.998]), np.zeros(1), np.ones(1), 0.002)
    assert needed_instances(nearly) == pytest.approx(72_000, rel=0.01)
    assert (
        needed_instances(NormalPrediction(np.array([0.999]), np.zeros(1), np.ones(1), 0.001))
        is None
    )


def test_a_few_instances_may_be_enough() -> None:
    sure = NormalPrediction(np.array([0.0]), np.zeros(1), np.ones(1), 1e-9)
    found = needed_instances(sure)
    assert found == 3  # by the normal approximation


def test_controls_alike_find_smaller_effects() -> None:
    alike, one = expect(unseen(6)), expect(unseen(1))
    assert alike is not None
    assert one is not None
    assert (minimum_kappa(alike.prediction, 60) or 1) < (minimum_kappa(one.prediction, 60) or 1)
