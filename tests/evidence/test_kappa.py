import csv
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa  # type: ignore[import-untyped]  # it ships no types

from dcq.errors import InputError
from dcq.evidence.chance import chance_p_value
from dcq.evidence.interval import Interval, wilson
from dcq.evidence.kappa import cohen, from_parts, kappa_fixed
from dcq.settings import DATA

counts = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
letters = st.sampled_from("ABCD")
pairs = st.lists(st.tuples(letters, letters), min_size=1, max_size=60)


def table1() -> list[dict[str, str]]:
    with (DATA / "reference" / "dcq_table1.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_all_settings_of_table_1_by_the_formula() -> None:
    rows = table1()
    assert len(rows) == 28
    departures = []
    for row in rows:
        found = kappa_fixed(int(row["correct"]), int(row["n"])).contamination
        assert found is not None
        assert f"{100 * found:.2f}" == row["formula_contamination_pct"]
        if row["printed_contamination_pct"] != row["formula_contamination_pct"]:
            departures.append((row["model"], row["dataset"], row["split"], f"{100 * found:.2f}"))
    assert departures == [("gpt-4-0613", "WNLI", "train", "53.33")]


@given(counts)
def test_range_order_and_sign(case: tuple[int, int]) -> None:
    correct, n = case
    found = kappa_fixed(correct, n)
    assert found.kappa_fixed is not None
    assert found.kappa_low is not None
    assert found.kappa_high is not None
    assert -1 / 3 <= found.kappa_low <= found.kappa_fixed <= found.kappa_high <= 1
    assert (found.kappa_fixed > 0) == (4 * correct > n)


def test_edges() -> None:
    assert asdict(kappa_fixed(0, 0)) == {
        "n": 0,
        "correct": 0,
        "score": None,
        "kappa_fixed": None,
        "kappa_low": None,
        "kappa_high": None,
        "p_value": None,
    }
    assert kappa_fixed(0, 0).contamination is None
    assert kappa_fixed(1, 1).kappa_fixed == 1
    assert kappa_fixed(100, 100).kappa_high == 1
    assert kappa_fixed(0, 100).kappa_fixed == pytest.approx(-1 / 3)
    assert kappa_fixed(0, 100).contamination == 0


def test_chance_and_confidence_can_be_given() -> None:
    found, limits = kappa_fixed(30, 50, 0.2, confidence=0.8), wilson(30, 50, 0.8)
    assert limits is not None
    assert found.kappa_fixed == pytest.approx((0.6 - 0.2) / 0.8)
    assert (found.kappa_low, found.kappa_high) == pytest.approx(
        ((limits.low - 0.2) / 0.8, (limits.high - 0.2) / 0.8)
    )
    assert found.p_value == chance_p_value(30, 50, 0.2)
    assert (found.n, found.correct, found.score) == (50, 30, 0.6)


def test_parts_without_an_interval_are_no_value() -> None:
    found = from_parts(1, 1, 1.0, None, 0.25, 0.25)
    assert (found.n, found.correct, found.score, found.p_value) == (1, 1, None, None)
    assert from_parts(1, 1, None, Interval(0, 1), 0.25, 0.25).kappa_fixed is None


def test_impossible_counts_are_refused_in_one_sentence() -> None:
    with pytest.raises(InputError, match="5 correct answers out of 3 is impossible; give"):
        kappa_fixed(5, 3)


@given(pairs)
def test_cohen_agrees_with_statsmodels(case: list[tuple[str, str]]) -> None:
    table = [[sum(pair == (a, b) for pair in case) for b in "ABCD"] for a in "ABCD"]
    answers, truth = [a for a, _ in case], [b for _, b in case]
    found = cohen(answers, truth)
    if len(set(answers) | set(truth)) == 1:
        assert found is None
    else:
        assert found == pytest.approx(cohens_kappa(table, return_results=False), abs=1e-9)


@given(pairs)
def test_cohen_is_symmetric_and_at_most_1(case: list[tuple[str, str]]) -> None:
    answers, truth = [a for a, _ in case], [b for _, b in case]
    found = cohen(answers, truth)
    assert found == cohen(truth, answers)
    if found is not None:
        assert -1 <= found <= 1
        assert (found == 1) == (answers == truth)


def test_cohen_is_kappa_fixed_where_the_original_takes_every_slot_equally() -> None:
    truth = "ABCD" * 25
    answers = "A" * 10 + truth[10:70] + "B" * 30
    correct = sum(a == b for a, b in zip(answers, truth, strict=True))
    assert cohen(answers, truth) == pytest.approx(kappa_fixed(correct, 100).kappa_fixed)


def test_cohen_edges() -> None:
    assert cohen([], []) is None
    assert cohen(["A"], ["B"]) == 0
    assert cohen(["A", "A"], ["A", "A"]) is None
    assert cohen(["A", "B"], ["B", "A"]) == -1
    with pytest.raises(InputError, match="2 answers for 1 questions"):
        cohen(["A", "B"], ["A"])
