"""The instances of a partition under all models at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binomtest

from dcq.evidence.record import ByInstance, Evidence, MethodEstimate
from dcq.judging import explorer
from dcq.judging.explorer import InstanceFilter, InstanceOrder
from dcq.judging.snapshot import Snapshot

NAN = np.nan


def result(
    run: str, ids: list[str], recalled: Any, *, role: str = "target", method: str = "quiz"
) -> Evidence:
    values: NDArray[np.float64] = np.asarray(recalled, dtype=np.float64)
    return Evidence(
        method,
        run,
        model=run,
        partition=f"{role}/test",
        place=role,
        role=role,
        estimate=MethodEstimate(None, None, None, "κ"),
        each=ByInstance(ids, values.reshape(len(ids), -1), "picked"),
    )


def snapshot(*found: Evidence, standing: set[str] | None = None) -> Snapshot:
    runs = frozenset(one.run for one in found)
    kept = runs if standing is None else frozenset(standing)
    return Snapshot({one.run: one for one in found}, runs, kept, {}, {})


def test_results_meet_at_their_instances_whatever_their_order() -> None:
    read = snapshot(result("few", ["b", "a"], [1, 0]), result("many", ["c", "b"], [1, 1]))
    found = explorer.explore(read, "target/test")
    assert [one.run for one in found.results] == ["many", "few"]
    assert found.ids == ("b", "a", "c")
    np.testing.assert_array_equal(found.recalled, [[1, NAN, 1], [1, 0, NAN]])
    np.testing.assert_array_equal(found.mean_recall, [1, 0, 1])


def test_a_rotated_quiz_counts_by_the_share_of_its_answers() -> None:
    read = snapshot(result("run", ["a", "b"], [[1, 1, NAN, 0], [NAN, NAN, NAN, NAN]]))
    np.testing.assert_array_equal(explorer.explore(read, "target/test").recalled, [[2 / 3, NAN]])


def test_only_what_counts_in_the_study_is_seen_and_targets_come_first() -> None:
    read = snapshot(
        result("control", ["a"], [1], role="control"),
        result("target", ["a"], [1]),
        result("older", ["a"], [0]),
        standing={"control", "target"},
    )
    assert explorer.partitions(read) == {"target/test": "target", "control/test": "control"}
    assert len(explorer.explore(read, "target/test").results) == 1


def test_a_result_whose_instances_are_not_known_is_left_out() -> None:
    read = snapshot(result("run", ["a"], [1]))
    one = read.evidence["run"]
    object.__setattr__(one, "each", ByInstance([], np.ones((3, 1)), "picked"))
    assert explorer.partitions(read) == {}


@pytest.mark.parametrize("gaps", [0, 7])
def test_sides_are_counted_and_tested_as_by_mcnemar(gaps: int) -> None:
    rng = np.random.default_rng(3)
    ids = [f"{number:03}" for number in range(90)]
    first = (rng.random(90) < 0.6).astype(float)
    second = (rng.random(90) < 0.4).astype(float)
    second[:gaps] = NAN
    shuffled = rng.permutation(90)
    comparison = explorer.compare(
        result("one", ids, first),
        result("two", [ids[at] for at in shuffled], second[shuffled]),
    )
    only_first, only_second = int((first > second).sum()), int((second > first).sum())
    assert (comparison.first, comparison.second) == (only_first, only_second)
    assert comparison.gap.n_first == 90 - gaps
    expected = binomtest(only_first, only_first + only_second).pvalue
    assert comparison.gap.p_value == pytest.approx(expected)
    assert comparison.gap.difference == pytest.approx((only_first - only_second) / (90 - gaps))


def test_results_without_a_shared_instance_are_not_compared() -> None:
    comparison = explorer.compare(result("one", ["a"], [1]), result("two", ["b"], [1]))
    assert (comparison.first, comparison.second, comparison.gap.difference) == (0, 0, None)


def test_each_order() -> None:
    read = snapshot(
        result("one", ["a", "b", "c", "d"], [1, 0, 1, NAN]),
        result("two", ["a", "b", "c", "d"], [0, 1, 1, NAN]),
        result("three", ["a", "b", "c", "d"], [0, 1, 0, NAN]),
    )
    found = explorer.explore(read, "target/test")
    row = [one.run for one in found.results].index("one")

    def ordered(by: InstanceOrder) -> str:
        order = explorer.arrange(
            *(found, by),
            row=row,
            labels=["x", "w", "x", "w"],
            lengths=[9, 8, 7, 6],
            draw_positions=[4, 3, 2, 1],
        )
        return "".join(found.ids[at] for at in order)

    assert ordered(InstanceOrder.RECALL) == "cbad"
    assert ordered(InstanceOrder.MODEL) == "cabd"
    assert ordered(InstanceOrder.LABEL) == "bdca"
    assert ordered(InstanceOrder.LENGTH) == "dcba"
    assert ordered(InstanceOrder.SAMPLE) == "dcba"


def test_the_filters_share_out_the_instances_that_both_answered() -> None:
    read = snapshot(
        result("one", list("abcdefg"), [[1, 1], [1, 1], [0, 0], [0, 0], [1, 1], [1, 0], [1, NAN]]),
        result(
            "two", list("abcdefg"), [[1, 1], [1, 0], [0, 1], [0, 0], [NAN, NAN], [0, 1], [0, 0]]
        ),
    )
    found = explorer.explore(read, "target/test")
    first, second = ([one.run for one in found.results].index(run) for run in ("one", "two"))
    listed = {
        shown: "".join(np.array(found.ids)[explorer.select(found, shown, first, second)])
        for shown in InstanceFilter
    }
    assert listed == {
        InstanceFilter.ALL: "abcdefg",
        InstanceFilter.FIRST_MORE: "b",
        InstanceFilter.SECOND_MORE: "c",
        InstanceFilter.EQUALLY: "af",
        InstanceFilter.NEITHER: "d",
    }
    counted = explorer.compare(*(read.evidence[run] for run in ("one", "two")))
    assert (counted.first, counted.second) == (1, 1)


def test_names_tell_two_results_of_a_model_apart() -> None:
    read = snapshot(result("m", ["a"], [1]), result("n", ["a"], [1], method="replication"))
    found = explorer.explore(read, "target/test")
    assert explorer.names(found, {"m": "M", "n": "N"}) == ["M", "N"]
    assert explorer.names(found, {"m": "M", "n": "M"}) == ["M · quiz", "M · replication"]


def test_names_are_never_the_same() -> None:
    """Whatever is the same for two results, their columns in a file and options in a list are not
    one."""
    twins = [replace(result(run, ["a"], [1]), model="m") for run in ("r1", "r2")]
    found = explorer.explore(snapshot(*twins), "target/test")
    assert explorer.names(found, {"m": "M"}) == ["M · quiz · r1", "M · quiz · r2"]
    asked = [twins[0], replace(twins[1], asked_as="likelihood:m")]
    found = explorer.explore(snapshot(*asked), "target/test")
    assert explorer.names(found, {"m": "M", "likelihood:m": "M scored"}) == ["M", "M scored"]
