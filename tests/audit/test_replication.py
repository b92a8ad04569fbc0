from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dcq.audit.replication import audit_replication
from dcq.audit.sentences import describe_replication
from dcq.cli import app
from dcq.errors import InputError
from tests.support.result_files import WNLI, release_rows, write_csv

SHARED = Path(__file__).resolve().parents[3] / "shared" / "fixtures"
KEYS = [
    "n", "rouge_l", "bleurt", "exact", "near_exact", "human", "algorithm1", "algorithm2",
    "human_verdict",
]  # fmt: skip


def row(number: int, **changes: str) -> dict[str, str]:
    """A row as the authors publish it: completed in other words than the reference."""
    cells = {
        "sentence1": f"Person {number} gave the book to a friend, since it was heavy.",
        "sentence2": f"The book of person {number} was heavy.",
        "label": "1 (entailment)",
        "generated_guided_completion": f"Person {number} had a heavy book.",
        "generated_general_completion": "It rained.",
        "rouge_score_for_general_completion": "0",
        "rouge_score_for_guided_completion": "0.46",
        "bleurt_score_for_general_completion": "0.3",
        "bleurt_score_for_guided_completion": "0.5",
        "gpt4_icl_evaluation": "No",
        "annotator1_evaluation": "No",
        "annotator2_evaluation": "no",
    }
    return cells | changes


def copied(number: int) -> dict[str, str]:
    """A row that was completed exactly."""
    return row(
        number,
        generated_guided_completion=f"the book of  person {number} was heavy.",
        rouge_score_for_guided_completion="1",
        gpt4_icl_evaluation="Yes (exact match)",
        annotator1_evaluation="Yes (exact match)",
        annotator2_evaluation="yes (Exact match)",
    )


def audited(path: Path, rows: list[dict[str, str]]) -> Any:
    return audit_replication(write_csv(path / "file.csv", rows))


def call(*words: str) -> Any:
    return CliRunner().invoke(app, ["replicate", *words])


def test_a_file_with_all_columns(tmp_path: Path) -> None:
    found = audited(tmp_path, [copied(1), *(row(i) for i in range(2, 11))])
    document = found.document()
    assert list(document) == KEYS
    assert document["n"] == 10
    assert document["rouge_l"] == {
        "general": 0.0, "guided": pytest.approx(0.514), "p_value": 0.0,
    }  # fmt: skip
    assert document["bleurt"]["guided"] == pytest.approx(0.5)
    assert (document["exact"], document["near_exact"]) == (1, 0)
    assert document["human"] == {"exact": 1, "near_exact": 0, "agreement": 1.0}
    assert document["algorithm1"] == {"rouge_l": True, "bleurt": True}
    assert document["algorithm2"] is document["human_verdict"] is True
    assert found.equal == (1,)
    assert (found.mismatches, found.compared) == ((), 20)


def test_a_stored_score_that_is_not_ours_is_shown(tmp_path: Path) -> None:
    rows = [row(1), row(2, rouge_score_for_guided_completion="0.64"), row(3)]
    assert audited(tmp_path, rows).mismatches == (2,)
    done = call("--audit", str(tmp_path / "file.csv"), "--json")
    assert list(json.loads(done.stdout)) == KEYS
    assert "1 of 3 rows" in done.stderr
    assert "rows 2" in done.stderr


def test_judge_and_people_may_differ(tmp_path: Path) -> None:
    near = "Yes (near-exact match)"
    rows = [
        row(1, annotator1_evaluation=near, annotator2_evaluation="Yes (exact match)"),
        row(2, gpt4_icl_evaluation=near),
        row(3),
    ]
    found = audited(tmp_path, rows)
    assert found.document()["human"] == {
        "exact": 0, "near_exact": 1, "agreement": pytest.approx(2 / 3),
    }  # fmt: skip
    assert found.judge_differs == (1, 2)
    assert (found.algorithm2, found.document()["human_verdict"]) == (False, False)


def test_a_file_of_the_guided_instruction_alone(tmp_path: Path) -> None:
    kept = ("sentence1", "sentence2", "generated_guided_completion", "gpt4_icl_evaluation")
    rows = [{name: cells[name] for name in kept} for cells in (copied(1), row(2))]
    document = audited(tmp_path, rows).document()
    assert document["rouge_l"] == {
        "general": None, "guided": pytest.approx(0.73), "p_value": None,
    }  # fmt: skip
    assert document["bleurt"] is document["human"] is document["human_verdict"] is None
    assert document["algorithm1"] == {"rouge_l": None, "bleurt": None}
    assert (document["exact"], document["algorithm2"]) == (1, True)


def test_without_a_judge_only_equality_is_known(tmp_path: Path) -> None:
    kept = ("sentence1", "sentence2", "generated_guided_completion")
    rows = [{name: cells[name] for name in kept} for cells in (copied(1), row(2))]
    document = audited(tmp_path, rows).document()
    assert (document["exact"], document["near_exact"], document["algorithm2"]) == (1, None, True)
    assert audited(tmp_path, rows[1:]).algorithm2 is None


def test_single_pieces_in_chinese(tmp_path: Path) -> None:
    rows = [
        {
            "first_piece": "今天天气很好，",
            "second_piece": "我们去公园。",
            "generated_guided_completion": "我们去公园。",
            "generated_general_completion": "他们在家。",
        }
    ]
    document = audited(tmp_path, rows).document()
    assert document["rouge_l"]["guided"] == 1.0
    assert document["exact"] == 1


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"rouge_score_for_guided_completion": "nan"}, "write a number"),
        ({"rouge_score_for_guided_completion": "1e999"}, "write a number"),
        ({"bleurt_score_for_general_completion": "=1+1"}, "write a number"),
        ({"gpt4_icl_evaluation": "perhaps"}, "write Yes"),
        ({"annotator2_evaluation": "Yes"}, "write Yes"),
        ({"sentence2": "  "}, "sentence2 is empty in row 1"),
    ],
)
def test_a_cell_that_cannot_be_read(tmp_path: Path, changes: dict[str, str], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        audited(tmp_path, [row(1, **changes)])


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("empty.csv", b"", "no rows"),
        ("header.csv", b"sentence1,sentence2,generated_guided_completion\n", "no rows"),
        ("other.csv", b"a,b\n1,2\n", "no replication file"),
        ("twice.csv", b"sentence1,Sentence1\n1,2\n", "two columns"),
        ("latin.csv", "sentence1\n\xe9\n".encode("latin-1"), "UTF-8"),
        ("file.exe", b"x", "not one of the kinds"),
    ],
)
def test_a_file_that_cannot_be_read(tmp_path: Path, name: str, data: bytes, sentence: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=sentence):
        audit_replication(tmp_path / name)


def test_a_missing_file_and_a_sample() -> None:
    for words in (["--audit", "nowhere.csv"], [], ["a-sample"], ["s", "--audit", "x.csv"]):
        with pytest.raises(InputError):
            CliRunner().invoke(app, ["replicate", *words], catch_exceptions=False)


def quiz_and_replication(folder: Path) -> tuple[Path, Path]:
    quiz = release_rows(WNLI)
    for number, cells in enumerate(quiz):
        cells["instance"] = (
            f"sentence1: {row(number)['sentence1']}\nsentence2: {row(number)['sentence2']}"
        )
    made = [copied(0), *(row(i) for i in range(1, 8)), row(99_999)]
    return write_csv(folder / "quiz.csv", quiz), write_csv(folder / "replication.csv", made)


def test_the_quiz_beside_the_replication(tmp_path: Path) -> None:
    quiz, made = quiz_and_replication(tmp_path)
    done = call("--audit", str(made), "--against", str(quiz), "--json")
    found = json.loads(done.stdout)
    assert list(found) == [*KEYS, "cross_check"]
    beside = found["cross_check"]
    assert beside["matched"] == 8
    with quiz.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for slot, one in beside["slots"].items():
        right = [
            cells[f"bcq_results_for_position_{slot.lower()}"].strip().startswith(slot)
            for cells in rows[:8]
        ]
        assert one["match_right"] == right[0]
        assert one["other_right"] == sum(right[1:])
        assert one["match_right"] + one["match_wrong"] == 1
        assert -1 <= one["difference_low"] <= one["difference"] <= one["difference_high"] <= 1
    shown = call("--audit", str(made), "--against", str(quiz)).stdout
    assert "8 of the instances are in the quiz" in shown


def test_a_quiz_of_another_split(tmp_path: Path) -> None:
    quiz, _ = quiz_and_replication(tmp_path)
    other = write_csv(tmp_path / "other.csv", [row(99_999)])
    with pytest.raises(InputError, match="No instance"):
        CliRunner().invoke(
            app,
            ["replicate", "--audit", str(other), "--against", str(quiz)],
            catch_exceptions=False,
        )


def test_the_command_in_words(tmp_path: Path) -> None:
    file = write_csv(tmp_path / "file.csv", [copied(1), *(row(i) for i in range(2, 11))])
    done = call("--audit", str(file))
    assert done.exit_code == 0
    assert "ROUGE-L" in done.stdout
    assert "The annotators agree on 10 of 10" in done.stdout


@pytest.mark.skipif(not SHARED.is_dir(), reason="the published files are not beside the checkout")
def test_the_published_file() -> None:
    file = SHARED / "time_travel_release" / "wnli_valid.csv"
    found = audit_replication(file)
    document: Any = found.document()
    # Tables 4 and 9: 0.36 and 0.63 with p = 0.003; 0.50 and 0.65 with p = 0.035.
    assert document["rouge_l"]["general"] == pytest.approx(0.36, abs=0.0051)
    assert document["rouge_l"]["guided"] == pytest.approx(0.63, abs=0.0051)
    assert document["rouge_l"]["p_value"] == pytest.approx(0.003, abs=0.005)
    assert document["bleurt"]["p_value"] == pytest.approx(0.035, abs=0.01)
    assert (document["exact"], document["near_exact"]) == (2, 0)
    assert document["human"] == {"exact": 2, "near_exact": 1, "agreement": 1.0}
    assert (found.mismatches, found.compared) == ((), 20)
    quiz = SHARED / "dcq_release" / "wnli_valid_gpt4.csv"
    done = call("--audit", str(file), "--against", str(quiz), "--json")
    beside = json.loads(done.stdout)["cross_check"]
    assert beside["matched"] == 10
    assert (beside["slots"]["D"]["match_right"], beside["slots"]["D"]["sound"]) == (0, True)


def test_the_headline_names_what_could_not_be_checked(tmp_path: Path) -> None:
    rows = [copied(0), *map(row, range(1, 6))]
    whole = describe_replication(audited(tmp_path, rows))
    assert whole.endswith("call file.csv contaminated.")
    assert "Could not be checked" not in whole
    bare = [
        {name: one[name] for name in ("sentence1", "sentence2", "generated_guided_completion")}
        for one in rows
    ]
    assert describe_replication(audited(tmp_path, bare)) == (
        "By the paper's rules equality calls file.csv contaminated. Could not be checked: ROUGE-L "
        "(no two completions of each instruction); BLEURT (no scores of two instances); people (no "
        "labels of two annotators)."
    )
    assert describe_replication(audited(tmp_path, bare[1:])) == (
        "None of the paper's criteria says whether file.csv is contaminated. Could not be checked: "
        "ROUGE-L (no two completions of each instruction); BLEURT (no scores of two instances); "
        "the judge (no judge, and no completion equals its reference); people (no labels of two "
        "annotators)."
    )
    judged = [one | {"gpt4_icl_evaluation": "No"} for one in bare[1:]]
    said = describe_replication(audited(tmp_path, judged))
    assert said.startswith("By the paper's rules the judge does not call file.csv contaminated.")
    path = write_csv(tmp_path / "bare.csv", bare)
    assert call("--audit", str(path)).stdout.startswith("By the paper's rules equality calls")
