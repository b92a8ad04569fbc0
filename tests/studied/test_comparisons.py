from __future__ import annotations

import pytest

from dcq.documents.result_tables import COMPARISON_COLUMNS, rank
from dcq.evidence.family import holm
from dcq.judging.comparisons import among
from dcq.judging.study import comparisons
from dcq.records import PartitionRole, QuizKind
from dcq.result_columns import cells
from dcq.store import Store
from tests.support.judged import SEEN, UNSEEN, N, put
from tests.support.runs import NOBODY

pytestmark = pytest.mark.slow

OTHER = "other@http://127.0.0.1:9/v1"
THIRD = "third@http://127.0.0.1:9/v1"


def test_models_are_paired_by_instance_and_splits_are_two_samples(fresh_store: Store) -> None:
    put(fresh_store, "rivers", UNSEEN)
    put(fresh_store, "rivers", SEEN, model=OTHER)
    put(fresh_store, "rivers", {"D": 60, "A": 40}, split="train", n=N - 1)
    models, splits = sorted(comparisons(fresh_store), key=lambda one: not one.of_models)
    assert models.comparison.paired
    # SEEN finds the first 80, UNSEEN the first 26 of the same instances: 54 gained, none lost.
    assert (models.first.model, models.second.model) == (OTHER, NOBODY)
    assert models.comparison.difference == pytest.approx(-0.54)
    assert models.comparison.p_value == pytest.approx(2 * 0.5**54)
    assert (splits.first.partition, splits.second.partition) == ("rivers/test", "rivers/train")
    assert splits.comparison.difference == pytest.approx(60 / 99 - 0.26)
    assert "points" in splits.sentence()
    assert models.document() == {
        "kind": "standard",
        "slot": "D",
        "slots": ["D", "D"],
        "first": {"model": OTHER, "partition": "rivers/test"},
        "second": {"model": NOBODY, "partition": "rivers/test"},
        "n_first": N,
        "n_second": N,
        "paired": True,
        "difference": models.comparison.difference,
        "low": models.comparison.low,
        "high": models.comparison.high,
        "p_value": models.comparison.p_value,
        "p_holm": models.p_holm,
        "method": models.comparison.method,
    }


def test_all_comparisons_of_the_store_are_one_family_whatever_is_shown(fresh_store: Store) -> None:
    runs = [
        put(fresh_store, "rivers", UNSEEN),
        put(fresh_store, "rivers", {"D": 40, "A": 60}, model=OTHER),
        put(fresh_store, "rivers", {"D": 45, "A": 55}, model=THIRD),
    ]
    found = comparisons(fresh_store)
    assert len(found) == 3
    assert tuple(one.p_holm for one in found) == holm([one.comparison.p_value for one in found])
    [shown] = among(found, runs[:2])
    assert shown in found


def test_what_was_asked_otherwise_is_not_compared(fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN)
    put(fresh_store, "rivers", {"A": 4 * N}, model=THIRD, kind=QuizKind.ROTATED, slot=None)
    put(fresh_store, "lakes", SEEN)
    put(fresh_store, "rivers", {"D": 10}, model="fourth@http://127.0.0.1:9/v1")
    put(fresh_store, "rivers", SEEN, split="train", slot="B")  # of one model the slot must agree
    assert comparisons(fresh_store) == []


def test_models_with_a_slot_of_their_own_are_compared_and_the_slots_named(
    fresh_store: Store,
) -> None:
    put(fresh_store, "rivers", UNSEEN)
    put(fresh_store, "rivers", {"B": 80, "A": 20}, model=OTHER, slot="B")
    [one] = comparisons(fresh_store)
    assert (one.first.model, one.second.model) == (OTHER, NOBODY)
    assert one.comparison.paired
    assert one.comparison.difference == pytest.approx(-0.54)
    assert "original at D against B, each model's own slot" in one.sentence()
    assert "D against B" in str(cells(COMPARISON_COLUMNS, [one])["Quiz"][0])
    assert one.document()["slot"] is None
    assert one.document()["slots"] == ["B", "D"]


def test_a_pair_at_the_same_slot_goes_before_a_newer_one_at_two(fresh_store: Store) -> None:
    same = [put(fresh_store, "rivers", UNSEEN), put(fresh_store, "rivers", SEEN, model=OTHER)]
    put(fresh_store, "rivers", {"B": 80, "A": 20}, model=OTHER, slot="B")
    [one] = comparisons(fresh_store)
    assert {one.first.run, one.second.run} == set(same)
    assert "each model's own slot" not in one.sentence()
    assert (one.document()["slot"], one.document()["slots"]) == ("D", ["D", "D"])


def test_a_shared_sample_goes_before_a_newer_pair_at_the_same_slot(fresh_store: Store) -> None:
    put(fresh_store, "rivers", UNSEEN)
    shared = put(fresh_store, "rivers", {"B": 80, "A": 20}, model=OTHER, slot="B")
    put(fresh_store, "rivers", {"D": 80}, model=OTHER, n=80)
    [one] = comparisons(fresh_store)
    assert one.comparison.paired
    assert one.first.run == shared


def test_of_several_pairs_alike_the_newest_is_compared(fresh_store: Store) -> None:
    put(fresh_store, "rivers", UNSEEN)
    put(fresh_store, "rivers", SEEN, model=OTHER)
    newest = [
        put(fresh_store, "rivers", SEEN, slot="B"),
        put(fresh_store, "rivers", UNSEEN, model=OTHER, slot="B"),
    ]
    [one] = comparisons(fresh_store)
    assert {one.first.run, one.second.run} == set(newest)


def test_models_on_two_samples_of_a_partition_are_two_samples(fresh_store: Store) -> None:
    runs = [
        put(fresh_store, "rivers", UNSEEN),
        put(fresh_store, "rivers", {"D": 72, "A": 18}, model=OTHER, n=90),
    ]
    [one] = comparisons(fresh_store)
    assert not one.comparison.paired
    assert (one.comparison.n_first, one.comparison.n_second) == (90, N)
    assert one.comparison.difference == pytest.approx(-0.54)
    assert "two samples of Rivers test" in one.sentence()
    assert among([one], runs) == [one]


def test_a_sample_that_both_were_asked_goes_before_the_newest_run_of_each(
    fresh_store: Store,
) -> None:
    shared = [put(fresh_store, "rivers", UNSEEN), put(fresh_store, "rivers", SEEN, model=OTHER)]
    newest = put(fresh_store, "rivers", {"D": 80}, n=80)
    put(fresh_store, "rivers", {"D": 90}, model=THIRD, n=90)
    found = {(one.first.model, one.second.model): one for one in comparisons(fresh_store)}
    assert len(found) == 3
    one = found[OTHER, NOBODY]
    assert one.comparison.paired
    assert {one.first.run, one.second.run} == set(shared)
    # Lists show the newest run of each model; the comparison belongs to it all the same.
    assert among([one], [newest, shared[1]]) == [one]
    assert among([one], [newest]) == []


def test_results_with_more_than_a_fifth_unusable_are_not_compared(fresh_store: Store) -> None:
    put(fresh_store, "rivers", UNSEEN)
    put(fresh_store, "rivers", {"D": 10, "refused": 90}, model=OTHER)
    put(fresh_store, "rivers", {"D": 79, "refused": 21}, split="train")
    assert comparisons(fresh_store) == []
    put(fresh_store, "rivers", {"D": 80, "refused": 20}, model=THIRD)
    older = put(fresh_store, "rivers", SEEN, split="train", n=N - 1)
    found = comparisons(fresh_store)
    assert [one.comparison.n_first for one in found if one.of_models] == [80]
    assert [one.second.run for one in found if not one.of_models] == [older]


def test_controls_asked_of_both_models_do_not_dilute_the_family(fresh_store: Store) -> None:
    put(fresh_store, "rivers", {"D": 40, "A": 60})
    put(fresh_store, "rivers", {"D": 31, "A": 69}, model=OTHER)
    for number in range(3):
        put(fresh_store, f"unseen-{number}", UNSEEN, PartitionRole.CONTROL)
        put(fresh_store, f"unseen-{number}", {"D": 20, "A": 80}, PartitionRole.CONTROL, model=OTHER)
    found = comparisons(fresh_store)
    assert len(found) == 4
    [target] = [one for one in found if one.first.partition == "rivers/test"]
    assert target.p_holm == target.comparison.p_value == pytest.approx(2 * 0.5**9)
    assert "p = 0.004 (Holm)" in target.sentence()
    controls = [one for one in found if one.on_controls]
    assert all(one.p_holm is None and one.comparison.p_value == 2 * 0.5**6 for one in controls)
    assert all("p = 0.031 (control, uncorrected)" in one.sentence() for one in controls)
    written = cells(COMPARISON_COLUMNS, [target, controls[0]])["p (Holm)"]
    assert written == ["0.004", "(0.031)"]
    assert rank(controls)[0].on_controls
    assert rank(found)[0] is target


def test_a_dataset_may_be_called_after_trains(fresh_store: Store) -> None:
    """The split alone says what was trained on; the key was looked at as well."""
    for split, n in (("test", N), ("train", N - 1), ("constrained", N - 2)):
        put(fresh_store, "trains", UNSEEN if n == N else {"D": 60, "A": n - 60}, split=split, n=n)
    pairs = {(one.first.partition, one.second.partition) for one in comparisons(fresh_store)}
    assert ("trains/test", "trains/train") in pairs
    assert ("trains/constrained", "trains/train") in pairs
