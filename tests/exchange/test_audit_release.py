from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dcq.exchange.audit import Form, audit
from dcq.exchange.release import analyse as analyse_table
from dcq.exchange.release_rows import read_rows
from tests.support.result_files import GSM8K, WNLI, release_rows, write_csv

ESTIMATE = {
    "n", "non_preferred", "positions", "min", "max", "outcomes", "defects", "text_only", "verdict",
    "reasons",
}  # fmt: skip
DEFECTS = {"missing_options", "duplicate_options", "option_equals_original", "unparsed_answers"}
FIXTURES = Path(__file__).resolve().parents[3] / "shared" / "fixtures" / "dcq_release"


@pytest.fixture
def analyse(tmp_path: Path) -> Any:
    def make(rows: list[dict[str, str]]) -> Any:
        return audit(write_csv(tmp_path / "file.csv", rows), Form.DCQ).document()

    return make


def test_the_published_range_comes_out(analyse: Any) -> None:
    found = analyse(release_rows(GSM8K))
    assert found["non_preferred"] == ["B", "C", "D"]
    assert (round(found["min"], 4), round(found["max"], 4)) == (0.7879, 0.79)
    assert found["positions"]["D"] == pytest.approx(
        {
            "correct": 79,
            "score": 0.79,
            "kappa_fixed": 0.72,
            "p_value": found["positions"]["D"]["p_value"],
            "bdq_chosen": 1,
        }
    )
    assert found["positions"]["D"]["p_value"] < 1e-20
    assert found["outcomes"] == {
        "answered": 320, "none": 80, "refused": 0, "invalid": 0, "error": 0,
    }  # fmt: skip
    # Built so: the original is the shortest text in every row.
    assert found["text_only"]["shortest"] == 1.0
    assert found["text_only"]["longest"] == 0.0
    assert found["verdict"] == "inconclusive"
    assert any("leaky" in reason for reason in found["reasons"])


def test_the_keys_are_the_promised_ones(analyse: Any) -> None:
    found = analyse(release_rows(GSM8K))
    assert set(found) == ESTIMATE | {"clean", "defect_rows"}
    assert set(found["clean"]) == ESTIMATE
    assert set(found["defects"]) == DEFECTS
    assert set(found["text_only"]) == {"shortest", "longest", "medoid"}
    assert {frozenset(at) for at in found["positions"].values()} == {
        frozenset({"correct", "score", "kappa_fixed", "p_value", "bdq_chosen"})
    }


def test_an_option_that_is_the_original_everywhere_is_said_first(analyse: Any) -> None:
    rows = release_rows(WNLI)
    for row in rows:
        row["option_d"] = row["instance"]
    found = analyse(rows)
    assert (round(found["min"], 4), round(found["max"], 4)) == (0.493, 0.507)
    assert found["defects"]["option_equals_original"] == 71
    assert found["defect_rows"]["option_equals_original"] == list(range(1, 72))
    assert found["reasons"][0] == "None of the 71 rows is without a defect, under the 80 % needed."
    assert "Option D equals the original in all 71 rows" in found["reasons"][1]
    assert found["clean"]["n"] == 0
    assert found["clean"]["min"] is None
    assert found["clean"]["positions"]["A"]["score"] is None
    assert found["clean"]["verdict"] == "inconclusive"


def test_rows_with_a_defect_are_counted_listed_and_left_out(analyse: Any) -> None:
    rows = release_rows(GSM8K)
    rows[0]["option_b"] = "  "
    rows[1]["option_a"] = rows[1]["option_c"] + " "
    rows[2]["option_d"] = rows[2]["instance"]
    rows[3]["bdq_results"] = "I cannot help with that."
    rows[4]["bcq_results_for_position_d"] = ""
    rows[5]["bcq_results_for_position_d"] = "F"
    rows[7] = rows[6]
    found = analyse(rows)
    assert found["defect_rows"] == {
        "missing_options": [1],
        "duplicate_options": [2],
        "option_equals_original": [3],
        "unparsed_answers": [4, 5, 6],
        "repeated_instances": [8],
    }
    assert found["defects"] == {
        "missing_options": 1, "duplicate_options": 1, "option_equals_original": 1,
        "unparsed_answers": 3,
    }  # fmt: skip
    assert found["clean"]["n"] == 93
    assert set(found["clean"]["defects"].values()) == {0}
    # Rows 5 and 6 lost their D, and the clean estimate loses all seven D's of rows 1 to 6 and 8.
    assert found["positions"]["D"]["correct"] == 77
    assert found["clean"]["positions"]["D"]["correct"] == 72
    assert (found["outcomes"]["error"], found["outcomes"]["refused"]) == (1, 1)
    assert any("In 1 of 100 rows the instance had been asked before" in r for r in found["reasons"])


@pytest.mark.parametrize("answer", ["d", "D)", "**D**", "The answer is D.", "D) The cat 3 sat."])
def test_answers_in_words_count(analyse: Any, answer: str) -> None:
    rows = release_rows(GSM8K)
    rows[0]["bcq_results_for_position_d"] = answer
    assert analyse(rows)["positions"]["D"]["correct"] == 79


def test_one_slot_alone_gives_kappa_as_the_low_end(analyse: Any) -> None:
    counts = {name: GSM8K[name] for name in ("bdq_results", "bcq_results_for_position_d")}
    found = analyse(release_rows(counts))
    assert list(found["positions"]) == ["D"]
    assert found["min"] == pytest.approx((79 - 1) / (100 - 1))
    assert any("also shuns B and C" in reason for reason in found["reasons"])


def test_a_liked_slot_does_not_count_where_a_shunned_one_was_asked(analyse: Any) -> None:
    counts = GSM8K | {"bcq_results_for_position_a": {"A": 95, "E": 5}}
    found = analyse(release_rows(counts))
    assert found["positions"]["A"]["correct"] == 95
    assert found["max"] == 0.79


def test_only_liked_slots_are_used_but_said(analyse: Any) -> None:
    counts = {
        "bdq_results": GSM8K["bdq_results"],
        "bcq_results_for_position_a": {"A": 95, "E": 5},
    }
    found = analyse(release_rows(counts))
    assert found["max"] == 0.95
    assert any("No slot that the model shuns was asked" in reason for reason in found["reasons"])


def test_too_many_defects_keep_it_from_speaking_for_no_evidence(analyse: Any) -> None:
    counts = {
        "bdq_results": {"A": 100, "B": 100, "C": 100, "D": 10},
        "bcq_results_for_position_d": {"D": 78, "A": 232},
    }
    rows = release_rows(counts)
    # Text that gives nothing away: each original is as long as its rewordings.
    for row in rows:
        for slot in "abcd":
            row[f"option_{slot}"] = row["instance"].replace(
                "cat", {"a": "dog", "b": "cow", "c": "pig", "d": "hen"}[slot]
            )
    whole = analyse(rows)
    for row in rows[:100]:
        row["option_a"] = ""
    broken = analyse(rows)
    assert broken["verdict"] == "inconclusive"
    assert broken["reasons"][0].startswith("Only 210 of the 310 rows")
    assert whole["verdict"] == "no evidence"


def test_huge_and_hostile_cells_pass_through(analyse: Any) -> None:
    rows = release_rows(GSM8K)[:3]
    rows[0]["instance"] = "{x} A) <script> " * 20_000
    rows[1]["option_a"] = "=1+1 %s {0.__class__}"
    rows[2]["bdq_results"] = "no idea " * 5_000
    found = analyse(rows)
    assert found["n"] == 3
    assert found["defect_rows"]["unparsed_answers"] == [3]


@settings(max_examples=40)
@given(
    st.lists(
        st.fixed_dictionaries(
            dict.fromkeys(
                release_rows(GSM8K)[0], st.sampled_from(["", "A", "B)", "a cat", "E", "Ω"])
            )
        ),
        min_size=1,
        max_size=6,
    )
)
def test_no_row_is_too_odd_to_be_counted(rows: list[dict[str, str]]) -> None:
    table = pd.DataFrame(rows, dtype=object)
    found = analyse_table(table, "x.csv")
    assert found.whole.n == len(rows) == len(read_rows(table))
    assert sum(found.whole.outcomes.values()) == len(rows) * 4
    flawed = {number for numbers in found.defect_rows.values() for number in numbers}
    assert found.clean.n == len(rows) - len(flawed)


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the published files are not beside the checkout")
@pytest.mark.parametrize(
    ("name", "least", "most", "equal"),
    [("gsm8k_train_gpt4.csv", 0.7879, 0.79, 0), ("wnli_valid_gpt4.csv", 0.493, 0.507, 71)],
)
def test_the_published_files(name: str, least: float, most: float, equal: int) -> None:
    found: Any = audit(FIXTURES / name).document()
    assert (round(found["min"], 4), round(found["max"], 4)) == (least, most)
    assert found["defects"]["option_equals_original"] == equal
