from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dcq.audit.answers_file import Answers
from dcq.audit.answers_file import analyse as analyse_table
from dcq.audit.audit import audit
from dcq.errors import InputError
from dcq.evidence.ablation import mcnemar
from dcq.evidence.controls import calibrate
from dcq.evidence.family import benjamini_hochberg, holm
from tests.support.result_files import answers

KEYS = {
    "model", "partition", "role", "n", "correct", "score", "kappa_fixed", "p_chance", "p_control",
    "kappa_control", "q_control", "p_control_holm", "verdict", "reasons",
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


def column(right: int, n: int = 40) -> list[list[float]]:
    return [[float(i < right)] for i in range(n)]


CONTROLS = [column(right) for right in (16, 18, 17, 19)]


def test_a_target_above_its_controls_is_contaminated_and_they_are_not() -> None:
    rows = answers("m", "seen", "target", 38, 40) + answers("m", "new", "target", 17, 40)
    seen, new, *others = analyse(rows + controls())
    assert seen["verdict"] == "contaminated"
    assert (seen["n"], seen["correct"], seen["score"]) == (40, 38, 0.95)
    known = calibrate(column(38), CONTROLS)
    assert known is not None
    assert seen["p_control"] == pytest.approx(known.p_value)
    assert seen["kappa_control"] == pytest.approx(known.kappa_control)
    # Above chance, and yet not above what the model scores on unseen text.
    assert new["p_chance"] < 0.05
    assert new["verdict"] != "contaminated"
    assert [found["role"] for found in others] == ["control"] * 4
    assert all(found["p_control"] is None for found in others)
    assert all("Assumed to be unseen" in found["reasons"][0] for found in others)


def test_all_targets_of_a_file_are_one_family() -> None:
    rows = [
        row for i, right in enumerate((38, 33, 32)) for row in
        answers("m", f"seen-{i}", "target", right, 40)
    ]  # fmt: skip
    found = analyse(rows + controls())[:3]
    p = [one["p_control"] for one in found]
    assert [one["q_control"] for one in found] == pytest.approx(benjamini_hochberg(p))
    assert [one["p_control_holm"] for one in found] == pytest.approx(holm(p))


def partitions(role: str, scores: Sequence[int]) -> list[dict[str, object]]:
    return [
        row
        for i, right in enumerate(scores)
        for row in answers("m", f"{role}-{i}", role, right, 100)
    ]


def test_positive_partitions_leave_the_threshold_of_targets_as_it_is() -> None:
    rows = partitions("target", (38, 26, 25, 24, 23))
    rows += partitions("control", (22, 24, 25, 26, 27, 28))
    before = analyse(rows)[:5]
    found = analyse(rows + partitions("positive", [90] * 11 + [28]))
    assert found[:5] == before
    assert before[0]["p_control"] < 0.05 < before[0]["q_control"]
    first, second = found[-2:]
    for one in (first, second):  # as if it were one more target
        p = [other["p_control"] for other in (*before, one)]
        assert one["q_control"] == pytest.approx(benjamini_hochberg(p)[-1])
        assert one["p_control_holm"] == pytest.approx(holm(p)[-1])
    assert (first["verdict"], second["q_control"] > 0.05) == ("contaminated", True)


def test_the_controls_are_named() -> None:
    found = analyse(answers("m", "p", "target", 38, 40) + controls())[0]
    assert any(
        "Compared with control-0, control-1, control-2 and control-3" in reason
        for reason in found["reasons"]
    )


def test_a_control_that_looks_seen_is_set_aside_and_named() -> None:
    rows = answers("m", "p", "target", 30, 40) + answers("m", "leaked", "control", 40, 40)
    for i in range(9):
        rows += answers("m", f"control-{i}", "control", 9 + i % 3, 40)
    found, leaked, other, *_ = analyse(rows)
    assert found["verdict"] == "contaminated"
    assert any("leaked scores as only seen text does" in reason for reason in found["reasons"])
    assert "set aside" in leaked["reasons"][0]
    assert (leaked["verdict"], other["verdict"]) == ("inconclusive", "no evidence")


def test_without_controls_it_stays_inconclusive() -> None:
    (found,) = analyse(answers("m", "p", "target", 40, 40))
    assert found["verdict"] == "inconclusive"
    assert found["p_control_holm"] is None
    assert any("control partition" in reason for reason in found["reasons"])


def test_controls_of_another_model_or_slot_are_none() -> None:
    target = answers("m", "p", "target", 38, 40)
    (found, *_) = analyse(target + controls("other"))
    assert found["p_control"] is None
    (found, *_) = analyse(target + controls(slots="A"))
    assert found["p_control"] is None
    assert any("in another way (slot differs)" in reason for reason in found["reasons"])


def test_rotated_answers_are_scored_over_instances() -> None:
    rows = answers("m", "p", "target", 30, 40, "ABCD")
    rows[0]["answer"] = "B"  # one of the four calls of an instance is wrong
    found, *_ = analyse(rows + controls(slots="ABCD"))
    assert (found["n"], found["correct"]) == (40, 119)
    assert found["score"] == pytest.approx(119 / 160)
    right = [[1.0] * 4] * 30 + [[0.0] * 4] * 10
    right[0] = [0.0, 1.0, 1.0, 1.0]
    base = [[[1.0] * 4] * k + [[0.0] * 4] * (40 - k) for k in (16, 18, 17, 19)]
    known = calibrate(right, base)
    assert known is not None
    assert found["p_control"] == pytest.approx(known.p_value)


def test_quizzes_rotated_over_other_slots_are_no_controls() -> None:
    found, *_ = analyse(answers("m", "p", "target", 30, 40, "ABC") + controls(slots="ABCD"))
    assert found["p_control"] is None


def test_reused_answers_are_left_out_and_said() -> None:
    rows = answers("m", "p", "target", 30, 40)
    (found,) = analyse([*rows, *rows[:3]])
    assert (found["n"], found["correct"]) == (40, 30)
    assert any("3 rows are left out: a reused answer" in reason for reason in found["reasons"])


def test_replies_in_words_count_and_what_is_no_answer_does_not() -> None:
    rows = answers("m", "p", "target", 40, 40)
    replies = ("d", "D)", "The answer is D.", "", "no idea", "F", "E", "I cannot help with that.")
    for row, reply in zip(rows, replies, strict=False):
        row["answer"] = reply
    (found,) = analyse(rows)
    assert (found["n"], found["correct"]) == (35, 35)


def refuse(rows: list[dict[str, object]], count: int) -> list[dict[str, object]]:
    for row in rows[:count]:
        row["answer"] = "I'm sorry, I cannot help with that."
    return rows


def test_a_model_that_refuses_its_controls_is_not_contaminated_for_it() -> None:
    """Refusals counted as wrong would put the controls at a score that nothing compares with."""
    mute = [
        row for i in range(4) for row in refuse(answers("m", f"control-{i}", "control", 40, 40), 20)
    ]
    found, *others = analyse(answers("m", "p", "target", 38, 40) + mute)
    assert [other["n"] for other in others] == [20] * 4
    assert found["p_control"] > 0.05
    assert found["verdict"] == "inconclusive"
    assert any(
        "50 % of the controls' instances lack a usable reply" in line for line in found["reasons"]
    )


def test_a_rotated_target_is_as_usable_as_its_complete_instances() -> None:
    """Of 40 instances 19 have all four answers; 86 % of the calls have one."""
    rows = answers("m", "seen", "target", 40, 40, "ABCD")
    by_instance: dict[object, int] = {}
    for row in rows:
        count = by_instance[row["instance_id"]] = by_instance.get(row["instance_id"], 0) + 1
        if len(by_instance) > 19 and count == 4:
            row["answer"] = "I cannot say."
    found, *_ = analyse(rows + controls(slots="ABCD"))
    assert found["n"] == 19
    assert found["verdict"] == "inconclusive"
    assert any("52 % of the instances lack a usable reply" in line for line in found["reasons"])


def test_a_target_whose_refusals_decide_is_inconclusive() -> None:
    rows = answers("m", "p", "target", 24, 40)
    for row in rows[-8:]:
        row["answer"] = "I cannot say."
    found, *_ = analyse(rows + controls())
    assert found["p_control"] <= 0.05
    assert found["verdict"] == "inconclusive"
    assert any("depends on what was refused" in line for line in found["reasons"])


def test_none_of_these_said_less_often_than_on_the_controls_is_a_caution() -> None:
    def both(name: str, role: str, found: int) -> list[dict[str, object]]:
        with_it = answers("m", name, role, found, 40, "B")
        without = [{**row, "kind": "bdq", "answer": "A"} for row in with_it]
        kept = [row if row["answer"] == "B" else {**row, "answer": "E"} for row in with_it]
        return [*without, *({**row, "kind": "bcq"} for row in kept)]

    rows = both("p", "target", 30)
    for name in ("a", "b", "c"):
        rows += both(name, "control", 5)
    found, *_ = analyse(rows)
    assert any(
        "“None of these” is 25 % of the answers here and 88 %" in r for r in found["reasons"]
    )


def test_a_control_without_any_answer_is_named_as_left_out() -> None:
    mute = refuse(answers("m", "mute", "control", 40, 40), 40)
    found, *others = analyse(answers("m", "p", "target", 38, 40) + controls() + mute)
    [line] = [line for line in found["reasons"] if "mute" in line]
    assert line.startswith("Left out, because more than 20 % of the instances lack a usable reply")
    found["reasons"].remove(line)
    assert found == analyse(answers("m", "p", "target", 38, 40) + controls())[0]
    assert others[-1]["verdict"] == "inconclusive"


def test_too_many_replies_without_an_answer_leave_it_open() -> None:
    rows = refuse(answers("m", "p", "target", 38, 40), 8)
    assert analyse(rows + controls())[0]["verdict"] == "contaminated"
    found, *_ = analyse(refuse(rows, 9) + controls())
    assert found["verdict"] == "inconclusive"
    assert found["n"] == 31
    assert any("above the limit of 20 %" in reason for reason in found["reasons"])


@pytest.mark.parametrize("kind", ["standard", "bcq"])
def test_a_model_that_refuses_everything_has_no_kappa(kind: str) -> None:
    (found,) = analyse(
        [row | {"kind": kind} for row in refuse(answers("m", "p", "target", 0, 40), 40)]
    )
    assert (found["n"], found["score"], found["kappa_fixed"]) == (0, None, None)
    assert found["verdict"] == "inconclusive"
    assert not any("avoid" in reason for reason in found["reasons"])


def bcq(
    partition: str, role: str, with_it: str, without: str, slot: str = "B"
) -> list[dict[str, object]]:
    """A letter an instance, with the original at ``slot`` and without it."""
    common = {"model": "m", "partition": partition, "role": role}
    return [
        common | {"instance_id": i, "kind": kind, "correct": correct, "answer": letter}
        for kind, correct, letters in (("bdq", "", without), ("bcq", slot, with_it))
        for i, letter in enumerate(letters)
    ]


def test_a_bcq_is_measured_from_the_models_own_choices_without_the_original() -> None:
    (found,) = analyse(bcq("p", "target", "B" * 30 + "E" * 10, "B" * 10 + "E" * 30))
    assert (found["n"], found["correct"]) == (40, 30)
    assert found["kappa_fixed"] == pytest.approx((0.75 - 0.25) / (1 - 0.25))
    assert found["p_chance"] == pytest.approx(mcnemar(20, 0))
    assert "without the original the model chose its slot in 25.0 %" in found["reasons"][0]
    assert (found["kind"], found["slot"]) == ("bcq", "B")


def test_a_model_that_says_none_everywhere_avoids_nothing() -> None:
    (found,) = analyse(bcq("p", "target", "E" * 100, "E" * 100))
    assert (found["n"], found["kappa_fixed"], found["p_chance"]) == (100, 0.0, 1.0)
    assert found["verdict"] == "no evidence"
    assert not any("avoid" in reason for reason in found["reasons"])


def test_a_bcq_is_paired_by_instance_and_each_slot_is_a_quiz() -> None:
    rows = bcq("p", "target", "B" * 30, "A" * 30)
    rows += bcq("p", "target", "CE" * 15, "A" * 30, slot="C")[30:]
    rows = [row for row in rows if (row["kind"], row["instance_id"]) != ("bdq", 0)]
    at_b, at_c = analyse(rows)
    assert (at_b["slot"], at_b["n"], at_b["correct"]) == ("B", 29, 29)
    assert (at_c["slot"], at_c["n"], at_c["correct"]) == ("C", 29, 14)
    assert any("did not ask this instance" in reason for reason in at_b["reasons"])


def test_controls_of_a_bcq_are_compared_by_what_the_original_brought() -> None:
    # The model chooses B as often on the control, with and without the original: it prefers B.
    rows = bcq("p", "target", "B" * 30 + "E" * 10, "E" * 40)
    for i in range(4):
        rows += bcq(f"c{i}", "control", "B" * 28 + "E" * 12, "B" * 28 + "E" * 12)
    found = analyse(rows)[0]
    gains = [[1.0]] * 30 + [[0.0]] * 10
    known = calibrate(gains, [[[0.0]] * 40] * 4, own_share=0.0)
    assert known is not None
    assert found["p_control"] == pytest.approx(known.p_value)
    assert found["verdict"] == "contaminated"


def test_a_bcq_without_a_bdq_is_compared_with_nothing() -> None:
    rows = bcq("p", "target", "B" * 95 + "E" * 5, "E" * 100)[100:]
    for i in range(3):
        rows += bcq(f"c{i}", "control", "B" * 15 + "E" * 85, "E" * 100)
    found, *others = analyse(rows)
    assert (found["kappa_fixed"], found["p_chance"], found["p_control"]) == (None, None, None)
    assert found["verdict"] == "inconclusive"
    assert any(
        "There is no usable bdq of this model and partition" in line for line in found["reasons"]
    )
    assert [other["verdict"] for other in others] == ["no evidence"] * 3


def test_controls_without_a_bdq_do_not_turn_a_preferred_slot_into_memory() -> None:
    """The target brought 2 points over its own bdq; what its controls would bring is not known."""
    rows = bcq("p", "target", "D" * 62 + "E" * 38, "D" * 60 + "E" * 40, "D")
    for i in range(3):
        rows += bcq(f"c{i}", "control", "D" * 15 + "E" * 85, "E" * 100, "D")[100:]
    found, *others = analyse(rows)
    assert (found["p_control"], found["q_control"]) == (None, None)
    assert found["p_chance"] == pytest.approx(mcnemar(2, 0))
    assert found["verdict"] == "no evidence"
    assert any("controls at this slot has a usable bdq" in line for line in found["reasons"])
    assert [other["verdict"] for other in others] == ["inconclusive"] * 3
    assert all("no usable bdq" in other["reasons"][0] for other in others)


def test_a_control_without_a_bdq_leaves_the_others_as_they_are() -> None:
    rows = bcq("p", "target", "B" * 50 + "E" * 50, "B" * 10 + "E" * 90)
    for i in range(3):
        rows += bcq(f"c{i}", "control", "B" * (20 + i) + "E" * (80 - i), "B" * 9 + "E" * 91)
    lacking = bcq("c3", "control", "B" * 2 + "E" * 98, "E" * 100)[100:]
    before, after = analyse(rows)[0], analyse(rows + lacking)[0]
    assert before["p_control"] is not None
    assert after == before


def test_a_slot_that_the_bdq_chose_throughout_leaves_nothing_to_compare() -> None:
    rows = bcq("p", "target", "B" * 100, "B" * 100)
    rows += bcq("c", "control", "B" * 100, "B" * 100)
    target, control = analyse(rows)
    assert (target["p_control"], target["verdict"]) == (None, "inconclusive")
    assert control["verdict"] == "inconclusive"
    assert all(
        "chose this slot in every answer of the bdq" in " ".join(found["reasons"])
        for found in (target, control)
    )


def test_unreadable_slots_are_left_out_and_said() -> None:
    rows = answers("m", "p", "target", 30, 40)
    rows[0]["correct"] = "?"
    rows[1]["correct"] = "d)"
    (found,) = analyse(rows)
    assert (found["n"], found["correct"]) == (39, 29)
    left_out = "1 row is left out: no letter from A to D in the column correct."
    assert left_out in found["reasons"]


def test_kinds_are_kept_apart_and_quizzes_without_original_left_out() -> None:
    rows = [row | {"kind": "standard"} for row in answers("m", "p", "target", 30, 40)]
    rows += [row | {"kind": "Rotated"} for row in answers("m", "p", "target", 10, 40, "ABCD")]
    rows += [row | {"kind": "modified", "correct": ""} for row in rows[:7]]
    found = analyse_table(pd.DataFrame(rows).astype(str).astype(object), "x.csv")
    assert [one.evidence.estimate.n for one in found.results] == [40, 40]
    assert found.notes == ("7 rows are left out: their quiz has no original.",)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"role": "unseen"}, "Row 3 of x.csv has the role 'unseen'; write target"),
        ({"role": ""}, "has the role ''"),
        ({"role": "control"}, "two roles"),
        ({"model": " "}, "Row 3 of x.csv has no model"),
        ({"instance_id": ""}, "no instance_id"),
    ],
)
def test_what_cannot_be_placed_is_named(change: dict[str, str], message: str) -> None:
    rows = answers("m", "p", "target", 30, 40)
    rows[2] |= change
    with pytest.raises(InputError, match=message):
        analyse(rows)


def test_a_file_without_a_readable_slot_is_an_error() -> None:
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
    assert found.results[0].evidence.figures["correct"] == 30


@settings(max_examples=15)
@given(st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(shuffler: random.Random) -> None:
    rows = answers("m", "p", "target", 30, 40, "ABCD") + answers("m", "q", "target", 9, 20, "ABCD")
    before = {found["partition"]: found for found in analyse(rows)}
    shuffler.shuffle(rows)
    assert {found["partition"]: found for found in analyse(rows)} == before


def _one_answer_each(count: int, **columns: str) -> pd.DataFrame:
    """One row for each model, or what ``columns`` say of row ``{i}``."""
    given = {"model": "m{i}", "partition": "p/test", "role": "target", "instance_id": "i0"}
    given |= {"correct": "A", "answer": "A"} | columns
    return pd.DataFrame(
        {name: [value.format(i=i) for i in range(count)] for name, value in given.items()}
    )


def test_more_results_than_can_be_analysed_are_refused_at_once() -> None:
    begun = time.perf_counter()
    with pytest.raises(InputError, match="400,000 results, more than the 20,000"):
        analyse_table(_one_answer_each(400_000), "x.csv")
    assert time.perf_counter() - begun < 60  # 8 s alone on a machine that took over 150


def test_more_comparisons_than_can_be_made_are_refused_at_once() -> None:
    rows = _one_answer_each(2000, model="m", partition="p{i}/test")
    rows["role"] = ["control", "target"] * 1000
    with pytest.raises(InputError, match="1,000,000 comparisons of a result with a control"):
        analyse_table(rows, "x.csv")
    assert len(analyse_table(rows[:40], "x.csv").results) == 40
