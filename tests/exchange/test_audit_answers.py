from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dcq.errors import InputError
from dcq.evidence.controls import calibrate_counts, calibrate_rotated
from dcq.evidence.holm import holm
from dcq.exchange.answers_file import Answers
from dcq.exchange.answers_file import analyse as analyse_table
from dcq.exchange.audit import audit
from tests.support.result_files import answers

KEYS = {
    "model", "partition", "role", "n", "correct", "score", "kappa_fixed", "p_chance", "p_control",
    "kappa_control", "p_control_holm", "verdict", "reasons",
}  # fmt: skip
Rows = Sequence[Mapping[str, object]]


def analyse(rows: Rows) -> list[dict[str, Any]]:
    return analyse_table(pd.DataFrame(rows).astype(str).astype(object), "x.csv").document()


def controls(model: str = "m", slots: str = "D") -> list[dict[str, object]]:
    return [
        row
        for i, right in enumerate((16, 18, 17, 19))
        for row in answers(model, f"control-{i}", "control", right, 40, slots)
    ]


def test_the_keys_are_the_promised_ones() -> None:
    assert {frozenset(found) for found in analyse(answers("m", "p", "target", 30, 40))} == {
        frozenset(KEYS)
    }


def test_a_target_above_its_controls_is_contaminated_and_they_are_not() -> None:
    rows = answers("m", "seen", "target", 38, 40) + answers("m", "new", "target", 17, 40)
    seen, new, *others = analyse(rows + controls())
    assert seen["verdict"] == "contaminated"
    assert (seen["n"], seen["correct"], seen["score"]) == (40, 38, 0.95)
    known = calibrate_counts((38, 40), [(16, 40), (18, 40), (17, 40), (19, 40)])
    assert known is not None
    assert seen["p_control"] == pytest.approx(known.p_value)
    assert seen["kappa_control"] == pytest.approx(known.kappa_control)
    assert (seen["p_control_holm"], new["p_control_holm"]) == pytest.approx(
        holm([seen["p_control"], new["p_control"]])
    )
    # Above chance, and yet not above what the model scores on unseen text.
    assert new["p_chance"] < 0.05
    assert new["verdict"] != "contaminated"
    assert [found["role"] for found in others] == ["control"] * 4
    assert all(found["p_control"] is None for found in others)
    assert all("yardstick" in found["reasons"][0] for found in others)


def test_without_controls_it_stays_inconclusive() -> None:
    (found,) = analyse(answers("m", "p", "target", 40, 40))
    assert found["verdict"] == "inconclusive"
    assert found["p_control_holm"] is None
    assert any("control partition" in reason for reason in found["reasons"])


def test_controls_of_another_model_or_slot_are_no_yardstick() -> None:
    target = answers("m", "p", "target", 38, 40)
    (found, *_) = analyse(target + controls("other"))
    assert found["p_control"] is None
    (found, *_) = analyse(target + controls(slots="A"))
    assert found["p_control"] is None
    assert any("no yardstick here" in reason for reason in found["reasons"])


def test_rotated_answers_are_scored_over_instances() -> None:
    rows = answers("m", "p", "target", 30, 40, "ABCD")
    rows[0]["answer"] = "B"  # one of the four calls of an instance is wrong
    found, *_ = analyse(rows + controls(slots="ABCD"))
    assert (found["n"], found["correct"]) == (40, 119)
    assert found["score"] == pytest.approx(119 / 160)
    right = [[1.0] * 4] * 30 + [[0.0] * 4] * 10
    right[0] = [0.0, 1.0, 1.0, 1.0]
    base = [[[1.0] * 4] * k + [[0.0] * 4] * (40 - k) for k in (16, 18, 17, 19)]
    known = calibrate_rotated(right, base)
    assert known is not None
    assert found["p_control"] == pytest.approx(known.p_value)


def test_reused_answers_are_left_out_and_said() -> None:
    rows = answers("m", "p", "target", 30, 40)
    (found,) = analyse([*rows, *rows[:3]])
    assert (found["n"], found["correct"]) == (40, 30)
    assert "3 rows are left out: a reused answer" in found["reasons"][-1]


def test_replies_in_words_count_and_missing_ones_do_not() -> None:
    rows = answers("m", "p", "target", 40, 40)
    for row, reply in zip(rows, ("d", "D)", "The answer is D.", "", "no idea", "F"), strict=False):
        row["answer"] = reply
    (found,) = analyse(rows)
    assert (found["n"], found["correct"]) == (39, 37)


def test_too_few_readable_replies_leave_it_open_and_make_no_yardstick() -> None:
    rows = answers("m", "p", "target", 38, 40)
    mute = controls()
    for row in mute[:10]:
        row["answer"] = "no idea"
    found, first, *_ = analyse(rows + mute)
    assert "on 3 controls" in found["reasons"][0]
    assert first["verdict"] == "inconclusive"
    for row in rows[:10]:
        row["answer"] = "no idea"
    found, *_ = analyse(rows + controls())
    assert found["verdict"] == "inconclusive"
    assert found["reasons"][0] == "Only 30 of 40 replies name a letter, under the 80 % needed."


def test_unreadable_slots_are_left_out_and_said() -> None:
    rows = answers("m", "p", "target", 30, 40)
    rows[0]["correct"] = "?"
    rows[1]["correct"] = "d)"
    (found,) = analyse(rows)
    assert (found["n"], found["correct"]) == (39, 29)
    assert found["reasons"][-1] == "1 row is left out: no letter from A to D in the column correct."


def test_kinds_are_kept_apart_and_quizzes_without_original_left_out() -> None:
    rows = [row | {"kind": "standard"} for row in answers("m", "p", "target", 30, 40)]
    rows += [row | {"kind": "Rotated"} for row in answers("m", "p", "target", 10, 40, "ABCD")]
    rows += [row | {"kind": "modified", "correct": ""} for row in rows[:7]]
    found = analyse_table(pd.DataFrame(rows).astype(str).astype(object), "x.csv")
    assert [one.kappa.n for one in found.results] == [40, 40]
    assert found.notes == ("7 rows are left out: their quiz has no original to find.",)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"role": "unseen"}, "Row 3 of x.csv has the role 'unseen'; write target"),
        ({"role": ""}, "has the role ''"),
        ({"role": "control"}, "two roles"),
        ({"model": " "}, "Row 3 of x.csv has no model"),
        ({"instance_id": ""}, "no instance_id"),
    ],
)
def test_what_cannot_be_placed_is_named(change: dict[str, str], told: str) -> None:
    rows = answers("m", "p", "target", 30, 40)
    rows[2] |= change
    with pytest.raises(InputError, match=told):
        analyse(rows)


def test_a_file_without_a_readable_slot_is_told() -> None:
    rows = [row | {"correct": "the first"} for row in answers("m", "p", "target", 3, 4)]
    with pytest.raises(InputError, match="has a letter from A to D"):
        analyse(rows)


def test_roles_may_differ_between_models() -> None:
    rows = answers("old", "book", "control", 10, 40) + answers("new", "book", "target", 30, 40)
    assert [found["role"] for found in analyse(rows)] == ["control", "target"]


def test_json_lines_are_read_like_csv(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    frame = pd.DataFrame(answers("m", "p", "target", 30, 40))
    path.write_text(frame.to_json(orient="records", lines=True))
    found = audit(path)
    assert isinstance(found, Answers)
    assert found.results[0].kappa.correct == 30


@settings(max_examples=15)
@given(st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(shuffler: random.Random) -> None:
    rows = answers("m", "p", "target", 30, 40, "ABCD") + answers("m", "q", "target", 9, 20, "ABCD")
    before = {found["partition"]: found for found in analyse(rows)}
    shuffler.shuffle(rows)
    assert {found["partition"]: found for found in analyse(rows)} == before
