from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dcq.audit.audit import AnswersFormat, audit
from dcq.audit.release import analyse as analyse_table
from dcq.audit.release_rows import EQUAL, read_rows
from dcq.evidence.ablation import mcnemar
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
        return audit(write_csv(tmp_path / "file.csv", rows), AnswersFormat.DCQ).document()

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
            "difference": 0.78,
            "difference_low": found["positions"]["D"]["difference_low"],
            "difference_high": found["positions"]["D"]["difference_high"],
            "p_own": mcnemar(78, 0),
        }
    )
    assert found["positions"]["D"]["p_value"] < 1e-20
    assert 0.6 < found["positions"]["D"]["difference_low"] < 0.78
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
        frozenset(
            {
                "correct",
                "score",
                "kappa_fixed",
                "p_value",
                "bdq_chosen",
                "difference",
                "difference_low",
                "difference_high",
                "p_own",
            }
        )
    }


def with_original_at(slot: str, rows: list[dict[str, str]]) -> list[dict[str, str]]:
    for row in rows:
        row[f"option_{slot.lower()}"] = row["instance"]
    return rows


def test_a_file_whose_option_d_is_the_original_keeps_the_quiz_at_d(analyse: Any) -> None:
    found = analyse(with_original_at("D", release_rows(WNLI)))
    assert (round(found["min"], 4), round(found["max"], 4)) == (0.493, 0.507)
    assert found["defects"]["option_equals_original"] == 71
    assert found["defect_rows"]["option_equals_original"] == list(range(1, 72))
    clean = found["clean"]
    assert clean["n"] == 71
    assert clean["positions"]["D"]["correct"] == 35
    assert all(clean["positions"][slot]["score"] is None for slot in "ABC")
    assert clean["max"] == pytest.approx(35 / 71)
    assert clean["min"] == pytest.approx((35 - 1) / (71 - 1))
    assert set(clean["defects"].values()) == {0}


def test_a_quiz_without_originals_that_held_them_is_no_baseline(analyse: Any) -> None:
    found = analyse(with_original_at("D", release_rows(WNLI)))
    for estimate in (found, found["clean"]):
        assert estimate["positions"]["D"]["difference"] is None
        assert estimate["positions"]["D"]["p_own"] is None
        assert estimate["verdict"] == "inconclusive"
        assert any("had the original too" in reason for reason in estimate["reasons"])
        assert not any("sample is too small" in reason for reason in estimate["reasons"])
    assert any("the quiz at D is sound" in reason for reason in found["reasons"])


def test_rows_that_are_sound_at_one_slot_alone_are_kept_where_they_are_more(analyse: Any) -> None:
    rows = release_rows(GSM8K)
    with_original_at("C", rows[:60])
    clean = analyse(rows)["clean"]
    assert clean["n"] == 100
    assert clean["positions"]["C"]["correct"] == 69
    assert clean["positions"]["B"]["score"] is clean["positions"]["D"]["score"] is None
    # The baseline is that of the 40 rows whose quiz without originals held none.
    assert clean["positions"]["C"]["difference"] == pytest.approx((9 - 1) / 40)
    rows = release_rows(GSM8K)
    with_original_at("C", rows[:40])
    clean = analyse(rows)["clean"]
    assert clean["n"] == 60
    assert clean["positions"]["B"]["score"] is not None


def test_an_original_in_two_options_is_sound_nowhere(analyse: Any) -> None:
    rows = with_original_at("A", with_original_at("D", release_rows(WNLI)))
    found = analyse(rows)
    assert found["clean"]["n"] == 0
    assert found["clean"]["min"] is None
    assert found["clean"]["positions"]["A"]["score"] is None
    assert found["clean"]["verdict"] == "inconclusive"
    assert any(
        "None of the 71 rows is without a defect; 80 % are needed." in reason
        for reason in found["reasons"]
    )


def test_a_model_that_says_none_everywhere_avoids_nothing(analyse: Any) -> None:
    columns = {name: {"E": 100} for name in GSM8K}
    found = analyse(fair(release_rows(columns)))
    at = found["positions"]["D"]
    assert (at["correct"], at["difference"], at["p_own"]) == (0, 0.0, 1.0)
    assert found["verdict"] == "no evidence"
    assert not any("avoid" in reason or "against" in reason for reason in found["reasons"])


def test_a_model_that_refuses_everything_has_no_kappa(analyse: Any) -> None:
    columns = {name: {"I'm sorry, I can't help with that.": 100} for name in GSM8K}
    found = analyse(release_rows(columns))
    assert found["positions"]["D"]["score"] is found["positions"]["D"]["kappa_fixed"] is None
    assert found["min"] is found["max"] is None
    assert found["outcomes"]["refused"] == 400
    assert found["verdict"] == "inconclusive"
    assert found["reasons"][0] == "There is no usable answer."


def test_the_judged_slot_is_where_the_original_raised_its_choice_most(analyse: Any) -> None:
    counts = {
        "bdq_results": {"A": 55, "B": 19, "C": 18, "D": 8},
        "bcq_results_for_position_b": {"B": 30, "A": 70},
        "bcq_results_for_position_d": {"A": 72, "D": 28},
    }
    found = analyse(release_rows(counts))
    assert found["max"] == 0.3
    assert any("the verdict is on D" in reason for reason in found["reasons"])


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
    assert any(
        "1 of 100 rows the instance is that of an earlier row" in r for r in found["reasons"]
    )


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
    assert any("also rarely chooses B and C" in reason for reason in found["reasons"])


def test_a_preferred_slot_does_not_count_where_another_was_asked(analyse: Any) -> None:
    counts = GSM8K | {"bcq_results_for_position_a": {"A": 95, "E": 5}}
    found = analyse(release_rows(counts))
    assert found["positions"]["A"]["correct"] == 95
    assert found["max"] == 0.79


def test_only_preferred_slots_are_used_but_said(analyse: Any) -> None:
    counts = {
        "bdq_results": GSM8K["bdq_results"],
        "bcq_results_for_position_a": {"A": 95, "E": 5},
    }
    found = analyse(release_rows(counts))
    assert found["max"] == 0.95
    assert any("No slot that the model rarely chooses" in reason for reason in found["reasons"])


def fair(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Text that gives nothing away: each original is as long as its rewordings."""
    for row in rows:
        for slot, word in zip("abcd", ("dog", "cow", "pig", "hen"), strict=True):
            row[f"option_{slot}"] = row["instance"].replace("cat", word)
    return rows


def test_too_many_defects_keep_it_from_speaking_for_no_evidence(analyse: Any) -> None:
    counts = {
        "bdq_results": {"A": 100, "B": 100, "C": 50, "D": 60},
        "bcq_results_for_position_d": {"A": 250, "D": 60},
    }
    rows = fair(release_rows(counts))
    whole = analyse(rows)
    for row in rows[:100]:
        row["option_a"] = ""
    broken = analyse(rows)
    assert broken["verdict"] == "inconclusive"
    assert any(reason.startswith("Only 210 of the 310 rows") for reason in broken["reasons"])
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
    assert found.all_rows.n == len(rows) == len(read_rows(table))
    assert sum(found.all_rows.evidence.outcomes.values()) == len(rows) * 4
    others = {n for name, rest in found.defect_rows.items() if name != EQUAL for n in rest}
    left = [row for row in found.rows if row.number not in others]
    sound = [row for row in left if all(row.is_sound_at(slot) for slot in found.sound)]
    assert found.clean.n == len(sound)
    assert len(sound) >= sum(not row.equals_original() for row in left)


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the published files are not beside the checkout")
@pytest.mark.parametrize(
    ("name", "least", "most", "equal", "n", "clean"),
    [
        ("gsm8k_train_gpt4.csv", 0.7879, 0.79, 0, 100, (0.7879, 0.79)),
        ("wnli_valid_gpt4.csv", 0.493, 0.507, 71, 71, (0.4857, 0.493)),
    ],
)
def test_the_published_files(
    name: str, least: float, most: float, equal: int, n: int, clean: tuple[float, float]
) -> None:
    found: Any = audit(FIXTURES / name).document()
    assert (round(found["min"], 4), round(found["max"], 4)) == (least, most)
    assert found["defects"]["option_equals_original"] == equal
    assert found["clean"]["n"] == n
    assert (round(found["clean"]["min"], 4), round(found["clean"]["max"], 4)) == clean
