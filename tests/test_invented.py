"""Invented models answer as they are said to."""

from __future__ import annotations

import numpy as np
import pytest

from dcq.evidence.share_prediction import MATCHES, QUIZ
from dcq.invented import (
    SLOTS,
    SPREADS,
    Completions,
    Gains,
    InventedMeasure,
    InventedRanks,
    Picks,
    chances,
    draw_texts,
    offsets,
    picks,
    picks_of,
    ranks,
    slope,
)

MEASURES = (picks(lettered=True, one_slot=False)[1], Completions(), Gains(), ranks()[3])


def drawn(measure: InventedMeasure, seen: float, partitions: int = 200, n: int = 50) -> np.ndarray:
    rng = np.random.default_rng(1)
    return measure.draw(rng, draw_texts(rng, np.full(partitions, seen), n))


@pytest.mark.parametrize("slots", SLOTS)
def test_chances_are_those_of_a_choice_among_four(slots: np.ndarray) -> None:
    """Softmax over the slots, the original with its advantage."""
    right = chances(slots, np.array([0.7]))[0]
    for place in range(4):
        weight = np.exp(slots + 0.7 * (np.arange(4) == place))
        assert right[place] == pytest.approx(weight[place] / weight.sum())


@pytest.mark.parametrize("measure", MEASURES)
def test_what_was_seen_shows(measure: InventedMeasure) -> None:
    unseen, half, whole = (drawn(measure, share).mean() for share in (0.0, 0.5, 1.0))
    assert unseen < half < whole
    assert drawn(measure, 0.0).shape[:2] == (200, 50)


def test_all_that_was_seen_is_picked_and_ranked_first_and_some_of_it_completed() -> None:
    picked, completed, _, ranked = (drawn(measure, 1.0) for measure in MEASURES)
    assert picked.min() == 1
    assert ranked.min() == 1
    rates = completed.mean(axis=(1, 2))
    assert 0.2 < rates.mean() < 0.3
    assert rates.max() < 0.8  # .5, and chance


def test_unseen_partitions_differ_as_much_as_is_said() -> None:
    """In their score over all slots, as measured; more of a slot that is picked in half of the
    cases, less of one that is hardly picked."""
    for model, spread in zip(picks(lettered=True, one_slot=False), SPREADS, strict=True):
        scores = drawn(model, 0.0, 400, 400).mean(axis=(1, 2))
        assert scores.std() == pytest.approx(spread, abs=0.015)


def test_the_original_stands_where_the_model_picks_least() -> None:
    for model, slots in zip(picks(lettered=True, one_slot=True), SLOTS, strict=True):
        assert list(model.by_slot) == pytest.approx([min(offsets(slots))])
    for model in picks(lettered=False, one_slot=True):
        assert list(model.by_slot) == pytest.approx([-np.log(3)])


def test_letters_without_originals_show_what_a_model_prefers() -> None:
    model = picks(lettered=True, one_slot=True)[0]
    shy, keen = (picks_of(letters, model, one_slot=True) for letters in ([50, 48, 2, 0], [25] * 4))
    assert shy.by_slot < keen.by_slot
    assert drawn(shy, 0.0).mean() < 0.1 < 0.3 < drawn(keen, 0.0).mean()
    assert picks_of([25] * 4, model, one_slot=False).by_slot == pytest.approx([-np.log(3)] * 4)


TRUTHS = (
    Picks((-3.0, -1.0, 0.0, 0.5), 0.4),
    Picks((-2.0,), 0.6),
    Completions(0.1),
    Gains(0.1, 0.2, 0.08),
    InventedRanks(0.5, -0.4),
)


@pytest.mark.parametrize("truth", TRUTHS)
def test_a_model_that_was_asked_is_as_its_controls_show_it(truth: InventedMeasure) -> None:
    controls = drawn(truth, 0.0, 60, 60)
    assumed: tuple[InventedMeasure, ...] = (*MEASURES[:3], ranks()[0])
    [other] = [measure for measure in assumed if type(measure) is type(truth)]
    found = other.fitted(list(controls))
    again = drawn(found, 0.0, 400, 60)
    assert again.mean() == pytest.approx(controls.mean(), abs=0.03)
    assert again.mean(axis=(0, 1)) == pytest.approx(controls.mean(axis=(0, 1)), abs=0.06)
    if not isinstance(truth, Completions):  # whose spread is that of unseen match rates
        expected = controls.mean(axis=(1, 2)).std()
        assert again.mean(axis=(1, 2)).std() == pytest.approx(expected, rel=0.35)


def test_too_few_controls_show_no_spread() -> None:
    model = MEASURES[0]
    assert isinstance(model, Picks)
    two = model.fitted(list(drawn(model, 0.0, 2, 30)))
    assert two.between == model.between
    assert two.by_slot != model.by_slot


def test_partitions_that_are_alike_and_all_right_or_wrong_are_no_error() -> None:
    for value in (0.0, 1.0):
        for measure in MEASURES:
            slots = 4 if isinstance(measure, Picks) else 1
            found = measure.fitted([np.full((10, slots), value)] * 4)
            assert np.isfinite(drawn(found, 0.2)).all()


def test_priors_are_those_of_the_evidence() -> None:
    assert [measure.prior for measure in MEASURES] == [QUIZ, MATCHES, None, None]
    assert [measure.gains for measure in MEASURES] == [False, False, True, False]
    assert slope(offsets(SLOTS[0])) == pytest.approx(0.2, abs=0.05)
