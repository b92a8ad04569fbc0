import csv
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa  # type: ignore[import-untyped]  # it ships no types

from dcq.errors import InputError
from dcq.evidence.kappa import cohen, kappa_fixed
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
    with pytest.raises(InputError, match="2 answers for 1 questions"):
        cohen(["A", "B"], ["A"])
