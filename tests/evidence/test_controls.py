import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dcq.errors import InputError
from dcq.evidence.controls import calibrate, expect, noise_of, slot_weights
from dcq.evidence.interval import Interval, kappa_interval, mean_interval, wilson_over_instances
from dcq.evidence.power import minimum_kappa, needed_instances
from dcq.evidence.share_prediction import MATCHES, QUIZ, Shares
from tests.support.tables import LEVELS, SLOT_SHARES, laid_out, unseen

TARGET = laid_out(34, SLOT_SHARES + 0.25, 5)


def high(n: int, more: float, shift: int) -> np.ndarray:
    """A control that scores as only seen text does."""
    return laid_out(n, SLOT_SHARES + more, shift)


# Numbers of the prototype of the rule on the same tables: p, p with all controls, score, expected
# score, spread.
@pytest.mark.parametrize(
    ("controls", "p", "score", "base", "spread"),
    [
        (1, 0.08196607645781671, 0.5995197350930832, 0.3224074734735273, 0.12625),
        (2, 0.05426767496216028, 0.6019512983285991, 0.35975620036225003, 0.10011364504508474),
        (3, 0.022393384016553008, 0.6013655803218017, 0.3433309306130648, 0.07380896915369228),
        (5, 0.007549932119649961, 0.6014662248630831, 0.34486950268995903, 0.05741080541176653),
        (10, 0.00013565574922808516, 0.601260954676501, 0.3435989195990482, 0.028399104432374363),
    ],
)
def test_agrees_with_the_prototype_of_the_rule(
    controls: int, p: float, score: float, base: float, spread: float
) -> None:
    found = calibrate(TARGET, unseen(controls))
    assert found is not None
    assert (found.p_value, found.p_all) == pytest.approx((p, p))
    assert (found.score, found.control_score) == pytest.approx((score, base))
    assert found.spread == pytest.approx(spread)
    assert found.aside == ()
    assert (found.n, found.controls) == (34, controls)
    assert found.control_instances == sum(30 + b for b in range(controls))


def test_one_slot_agrees_with_the_prototype() -> None:
    found = calibrate(
        laid_out(12, [0.3], 1), [laid_out(9, 0.2, 4), laid_out(14, 0.35, 50), laid_out(25, 0.15, 7)]
    )
    assert found is not None
    assert found.p_value == pytest.approx(0.28281041476933405, abs=1e-4)
    assert found.score == pytest.approx(1 / 3)


def test_a_control_that_looks_seen_is_set_aside_and_named() -> None:
    controls = unseen(10)
    controls[4] = high(34, 0.4, 3)
    found = calibrate(TARGET, controls)
    assert found is not None
    assert found.aside == (4,)
    assert (found.p_value, found.p_all) == pytest.approx((0.000202393483995, 0.0756970395831))
    assert (found.controls, found.control_instances) == (9, sum(range(30, 40)) - 34)
    # Places count the controls that were given, those without a complete instance among them.
    behind = calibrate(TARGET, [np.full((3, 4), math.nan), *controls])
    assert behind is not None
    assert behind.aside == (5,)
    assert behind.p_value == found.p_value


def test_at_most_a_tenth_is_set_aside() -> None:
    low = [laid_out(30 + b, SLOT_SHARES - LEVELS[b] / 2, 17 * b) for b in range(10)]
    controls = unseen(10) + low
    controls[3], controls[14] = high(33, 0.45, 3), high(33, 0.47, 9)
    found = calibrate(TARGET, controls)
    assert found is not None
    assert found.aside == (3, 14)
    assert found.controls == 18
    assert (found.p_value, found.p_all) == pytest.approx((3.40029711442e-07, 0.0744326859284))
    controls[7] = high(33, 0.46, 20)  # three hide one another
    third = calibrate(TARGET, controls)
    assert third is not None
    assert third.aside == ()
    assert third.p_value == third.p_all == pytest.approx(0.13526396933890303)


def test_with_fewer_than_eight_none_is_set_aside() -> None:
    controls = unseen(8)
    controls[4] = high(34, 0.45, 3)
    seven, eight = calibrate(TARGET, controls[:7]), calibrate(TARGET, controls)
    assert seven is not None
    assert eight is not None
    assert (seven.aside, eight.aside) == ((), (4,))
    assert seven.p_value == pytest.approx(0.1563676704123243)
    assert eight.p_value == pytest.approx(0.0014814723641618781)


def screened(top: int) -> tuple[tuple[int, ...], float]:
    """Nine equal controls of 40 and one with ``top`` right: who is set aside; p times controls."""
    column = [np.arange(40.0)[:, None] < 12] * 9 + [np.arange(40.0)[:, None] < top]
    tables = [part.astype(np.float64) for part in column]
    found = expect(tables)
    assert found is not None
    alone = Shares([12] * 9, [40] * 9).predict()
    return found.aside, 10 * alone.p_value(top / 40, 40)


def test_the_limit_of_what_looks_seen() -> None:
    for top in range(12, 41):
        aside, p = screened(top)
        assert aside == ((9,) if p <= 0.01 else ())


def test_slots_weigh_by_how_little_they_vary() -> None:
    pooled = np.vstack([np.tile([1.0, 0, 0, 1], (6, 1)), np.tile([0.0, 0, 1, 1], (10, 1))])
    share = np.array([7, 1, 11, 17]) / 20
    weight = 1 / np.sqrt(share * (1 - share))
    found = slot_weights([pooled[:6], pooled[6:]])
    assert found == pytest.approx(weight / weight.sum())
    assert slot_weights([pooled[:, :1]]).tolist() == [1.0]


def test_noise_within_partitions() -> None:
    parts = [np.array([0.0, 0.5, 1.0]), np.array([0.2, 0.4])]
    assert noise_of(parts) == pytest.approx((0.5 + 0.02 + 0.1) / (2 + 1 + 1))
    assert noise_of([np.array([0.3])]) == pytest.approx(0.1)


def test_only_instances_with_an_answer_in_every_slot_count() -> None:
    gaps = TARGET.copy()
    gaps[::3, 2] = math.nan
    controls = unseen(3)
    controls[0][4:, 1] = math.nan
    found = calibrate(gaps, controls)
    expected = calibrate(
        np.delete(TARGET, slice(None, None, 3), 0), [controls[0][:4], *controls[1:]]
    )
    assert found is not None
    assert expected is not None
    assert found == replace(expected, p_refused=found.p_refused)
    assert found.n == 22


def test_nothing_to_compare() -> None:
    empty = np.empty((0, 4))
    assert calibrate(TARGET, []) is None
    assert calibrate(TARGET, [empty, np.full((2, 4), math.nan)]) is None
    assert calibrate(empty, unseen(2)) is None
    assert expect([]) is None


def test_other_numbers_of_slots_are_refused() -> None:
    with pytest.raises(InputError, match="The target and its controls"):
        calibrate(TARGET[:, :1], unseen(2))
    with pytest.raises(InputError, match="The controls were asked in different"):
        calibrate(TARGET, [*unseen(1), unseen(1)[0][:, :3]])


def test_kappa_is_measured_from_what_is_expected() -> None:
    controls = unseen(5)
    found, expected = calibrate(TARGET, controls, confidence=0.9), expect(controls)
    assert found is not None
    assert expected is not None
    base, limits = expected.prediction.center, expected.prediction.limits(0.9)
    assert found.kappa_control == pytest.approx((found.score - base) / (1 - base))
    assert (found.control_low, found.control_high) == pytest.approx(limits)
    own = wilson_over_instances(TARGET @ expected.weights, 0.9)
    assert own is not None
    assert (found.kappa_low, found.kappa_high) == pytest.approx(
        kappa_interval(found.score, own, base, limits)
    )
    assert found.minimum_kappa == minimum_kappa(expected.prediction, 34)
    assert found.needed_n == needed_instances(expected.prediction)


def one_slot(correct: int, n: int) -> np.ndarray:
    return (np.arange(n) < correct).astype(np.float64)[:, None]


def test_all_right_or_none() -> None:
    right = calibrate(one_slot(30, 30), [one_slot(20, 20)] * 4)
    assert right is not None
    assert 0.97 < right.control_score < 1
    assert (right.minimum_kappa, right.needed_n) == (None, None)
    assert 0.3 < right.p_value <= 0.5  # half of the chance of being all right, as they are
    none = calibrate(one_slot(0, 30), [one_slot(0, 20)] * 4)
    assert none is not None
    assert none.kappa_control == pytest.approx(0, abs=0.02)
    assert none.control_low == pytest.approx(0, abs=1e-4)
    assert 0.5 <= none.p_value < 0.7
    one = calibrate(one_slot(1, 1), [one_slot(0, 1)])
    assert one is not None
    assert one.kappa_control == 1
    assert 0 < one.p_value < 0.5
    every = calibrate(np.ones((30, 4)), [np.ones((20, 4))] * 3)
    assert every is not None
    assert every.kappa_control is None


@pytest.mark.parametrize("controls", range(1, 11))
def test_all_right_in_every_slot_is_exactly_one(controls: int) -> None:
    found = calibrate(np.ones((50, 4)), unseen(controls))
    assert found is not None
    assert (found.score, found.kappa_control, found.kappa_high) == (1, 1, 1)


def with_and_without(n: int, with_it: int, without: int) -> np.ndarray:
    """Right with the original minus chosen without it, over the same instances."""
    return np.asarray(one_slot(with_it, n) - one_slot(without, n)[::-1])


def test_against_the_models_own_baseline_differences_are_compared() -> None:
    gaps, controls = (
        with_and_without(50, 40, 10),
        [with_and_without(50, 8 + b, 6) for b in range(3)],
    )
    found = calibrate(gaps, controls, own_share=0.2)
    expected = expect(controls, gains=True)
    assert found is not None
    assert expected is not None
    prediction = expected.prediction
    assert prediction.center == pytest.approx(0.06, abs=0.001)
    assert found.p_value == pytest.approx(prediction.p_value(0.6, 50))
    assert found.score == pytest.approx(0.8)
    assert found.control_score == pytest.approx(prediction.center + 0.2)
    assert found.kappa_control == pytest.approx(
        (0.6 - prediction.center) / (0.8 - prediction.center)
    )
    limits, own = prediction.limits(), mean_interval(gaps[:, 0])
    assert own is not None
    base = Interval(max(0.0, limits.low + 0.2), limits.high + 0.2)
    assert (found.control_low, found.control_high) == pytest.approx(base)
    assert (found.kappa_low, found.kappa_high) == pytest.approx(
        kappa_interval(0.8, Interval(own.low + 0.2, own.high + 0.2), found.control_score, base)
    )
    wide, more = (
        calibrate(gaps, controls, own_share=0.2, confidence=0.99),
        mean_interval(gaps[:, 0], 0.99),
    )
    assert wide is not None
    assert more is not None
    limits = prediction.limits(0.99)
    base = Interval(max(0.0, limits.low + 0.2), limits.high + 0.2)
    assert (wide.kappa_low, wide.kappa_high) == pytest.approx(
        kappa_interval(0.8, Interval(more.low + 0.2, more.high + 0.2), found.control_score, base)
    )
    assert found.minimum_kappa == minimum_kappa(prediction, 50, own_share=0.2)
    assert found.needed_n == needed_instances(prediction, own_share=0.2)


def test_an_own_share_of_nothing_is_one_all_the_same() -> None:
    gaps = with_and_without(50, 40, 0)
    plain, own = calibrate(gaps, [gaps * 0]), calibrate(gaps, [gaps * 0], own_share=0.0)
    assert plain is not None
    assert own is not None
    assert plain.score == own.score
    assert plain.kappa_low != own.kappa_low  # Wilson's interval and Student's
    single = calibrate(gaps[:1], [gaps], own_share=0.0)
    assert single is not None
    assert single.kappa_high == 1  # one instance has no interval of its own: 0 to 1


def test_scores_are_shares_whatever_is_added() -> None:
    found = calibrate(one_slot(40, 40), [-one_slot(20, 20)] * 3, own_share=0.5)
    assert found is not None
    assert found.score == 1
    assert found.control_score == found.control_low == 0


@given(st.integers(0, 40), st.lists(st.integers(0, 25), min_size=1, max_size=9))
@settings(max_examples=25)
def test_range_order_and_monotonicity(correct: int, controls: list[int]) -> None:
    tables = [one_slot(k, 25) for k in controls]
    found = calibrate(one_slot(correct, 40), tables)
    assert found is not None
    assert 0 <= found.p_value <= 1
    assert 0 <= found.control_low <= found.control_score <= found.control_high <= 1
    if found.kappa_control is not None and found.kappa_high is not None:
        low = -math.inf if found.kappa_low is None else found.kappa_low
        assert low <= found.kappa_control + 1e-9
        assert found.kappa_control <= found.kappa_high + 1e-9 <= 1 + 1e-8
    more = calibrate(one_slot(min(40, correct + 1), 40), tables)
    assert more is not None
    assert more.p_value <= found.p_value


def test_a_wide_interval_of_the_controls_leaves_no_lower_limit() -> None:
    tables = [np.repeat(one_slot(*count), 4, axis=1) for count in ((10, 12), (3, 12), (12, 12))]
    found = calibrate(np.repeat(one_slot(15, 20), 4, axis=1), tables)
    assert found is not None
    assert found.control_high == 1
    assert found.kappa_low is None
    assert found.kappa_high is not None


def test_refused_calls_are_counted_as_wrong_too() -> None:
    gaps = TARGET.copy()
    gaps[::5, 1] = math.nan
    found, expected = calibrate(gaps, unseen(5)), expect(unseen(5))
    assert found is not None
    assert expected is not None
    wrong = (np.nan_to_num(gaps) @ expected.weights).mean()
    assert found.p_refused == pytest.approx(expected.prediction.p_value(float(wrong), 34))
    assert found.p_refused > found.p_value
    whole = calibrate(TARGET, unseen(5))
    assert whole is not None
    assert whole.p_refused == whole.p_value
    # One slot: 12 of 14 with 6 refused, and 12 of 20.
    some = calibrate(np.vstack([one_slot(12, 14), np.full((6, 1), np.nan)]), [one_slot(6, 20)] * 3)
    all_of_them = calibrate(one_slot(12, 20), [one_slot(6, 20)] * 3)
    assert some is not None
    assert all_of_them is not None
    assert some.p_refused == pytest.approx(all_of_them.p_value)


def test_refused_calls_beside_the_models_own_baseline() -> None:
    with_it, without = one_slot(40, 50), one_slot(10, 50)[::-1]
    with_it[:6] = math.nan
    controls = [with_and_without(50, 8 + b, 6) for b in range(3)]
    found = calibrate(
        with_it - without,
        controls,
        own_share=0.2,
        refused_as_wrong=np.nan_to_num(with_it) - without,
    )
    expected = expect(controls, gains=True)
    assert found is not None
    assert expected is not None
    assert found.n == 44
    assert found.p_refused == pytest.approx(expected.prediction.p_value((34 - 10) / 50, 50))


def test_a_target_that_is_easier_than_its_controls() -> None:
    found, expected = calibrate(TARGET, unseen(5)), expect(unseen(5))
    assert found is not None
    assert expected is not None
    assert found.p_easier == pytest.approx(expected.prediction.p_value(found.score - 0.05, 34))
    assert found.p_easier > found.p_value


def test_from_three_controls_on_the_odd_one_is_named() -> None:
    controls = unseen(3)
    controls[1] = high(31, 0.3, 3)  # seen itself, and too few to set it aside
    found, alone = calibrate(TARGET, controls), calibrate(TARGET, [controls[0], controls[2]])
    assert found is not None
    assert alone is not None
    assert found.odd is not None
    assert found.odd.place == 1
    assert found.odd.score > found.odd.expected + 0.2
    # Weights of the slots are of all three controls, so p is nearly that of the other two.
    assert found.odd.p_without == pytest.approx(alone.p_value, abs=0.02)
    assert found.p_value > 0.1 > found.odd.p_without
    behind = calibrate(TARGET, [np.full((3, 4), math.nan), *controls])
    assert behind is not None
    assert behind.odd is not None
    assert behind.odd.place == 2
    assert alone.odd is None


def test_a_control_that_was_set_aside_is_not_the_odd_one() -> None:
    controls = unseen(10)
    controls[4] = high(34, 0.4, 3)
    found = calibrate(TARGET, controls)
    assert found is not None
    assert found.aside == (4,)
    assert found.odd is not None
    assert found.odd.place != 4


def test_a_control_that_scores_too_little_may_be_the_odd_one() -> None:
    found = calibrate(one_slot(15, 40), [one_slot(12, 40)] * 4 + [one_slot(0, 40)])
    assert found is not None
    assert found.odd is not None
    assert (found.odd.place, found.odd.score) == (4, 0)


def test_counts_have_the_prior_that_is_given() -> None:
    controls = [one_slot(1, 100), one_slot(0, 100), one_slot(2, 100)]
    quiz, matches = (calibrate(one_slot(8, 100), controls, prior=p) for p in (QUIZ, MATCHES))
    assert quiz is not None
    assert matches is not None
    shares = Shares([1, 0, 2], [100] * 3, MATCHES).predict()
    assert matches.p_value == pytest.approx(shares.p_value(0.08, 100))
    assert matches.spread > quiz.spread
