"""Logs that current releases of the harnesses wrote (``tests/fixtures/harness_logs``)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dcq.errors import InputError
from dcq.overlap.results import read_results
from dcq.settings import ROOT

LOGS = ROOT / "tests" / "fixtures" / "harness_logs"
SEPARATORS = "Second\u2028letter? \x85 \u202e bidi"


def test_two_scorers() -> None:
    read = read_results(LOGS / "two.eval")
    assert (read.metric, read.others) == ("exact", ("f1",))
    assert {a.instance_id: a.correct for a in read.answers} == {"i1": 0, "i2": 1, "i3": 0}
    assert read.answers[1].texts == (SEPARATORS * 3,)  # long texts lie in attachments


def test_a_sample_that_ended_in_an_error() -> None:
    read = read_results(LOGS / "failing.eval")
    assert {answer.instance_id for answer in read.answers} == {"i1", "i3"}
    assert read.left_out == {"whose sample ended in an error": 1}


def test_a_scorer_with_two_values() -> None:
    read = read_results(LOGS / "dicty.eval")
    assert (read.metric, read.others) == ("dictscore/right", ("dictscore/other",))
    assert sum(answer.correct for answer in read.answers) == 1
    assert read_results(LOGS / "dicty.eval", metric="dictscore/other").answers[0].correct == (
        pytest.approx(0.3)
    )


def test_the_model_has_its_own_name_and_filters_can_be_chosen() -> None:
    """The folder is called ``say__A``, which is as much ``say/A`` as ``say:A``."""
    [path] = (LOGS / "say__A").glob("samples_*.jsonl")
    read = read_results(path)
    assert {answer.model for answer in read.answers} == {"say:A"}
    assert (read.metric, [answer.correct for answer in read.answers]) == ("exact_match", [1, 0, 0])
    assert SEPARATORS in read.answers[1].texts
    assert read_results(path, metric="exact_match,flex").metric == "exact_match"
    with pytest.raises(InputError, match=r"no filter 'loose'; choose from strict, flex"):
        read_results(path, metric="exact_match,loose")


def test_a_summary_is_told_from_samples() -> None:
    [path] = (LOGS / "say__A").glob("results_*.json")
    with pytest.raises(InputError, match=r"summary of lm-evaluation-harness.*--log_samples"):
        read_results(path)


def test_what_opencompass_predicted_and_expected_is_compared(tmp_path: Path) -> None:
    """github.com/open-compass/opencompass, ``openicl_eval.py``: without details of the evaluator,
    no entry says whether it is correct."""
    entry = {"prompt": [{"role": "HUMAN", "prompt": "Q?"}], "predictions": "A", "references": "A"}
    details = {"type": "GEN", "0": entry, "1": entry | {"references": "B"}}
    (tmp_path / "a.json").write_text(json.dumps({"accuracy": 50.0, "details": details}))
    assert [answer.correct for answer in read_results(tmp_path / "a.json").answers] == [1, 0]
    (tmp_path / "a.json").write_text(json.dumps({"accuracy": 100.0, "details": details}))
    with pytest.raises(InputError, match=r"gives 50.0 % where its accuracy is 100.0"):
        read_results(tmp_path / "a.json")


QUESTIONS = (
    "Which river, says the keeper, floods first?",
    "How many boats did the harbour master count?",
    "What grows behind the mill?",
)


def test_reviews_of_evalscope() -> None:
    [path] = (LOGS / "evalscope" / "reviews" / "say_A").glob("*.jsonl")
    read = read_results(path)
    assert read.metric == "accuracy"
    assert {answer.model for answer in read.answers} == {"say:A"}  # the folder is "say_A"
    assert {a.instance_id: a.correct for a in read.answers} == {"1": 1, "2": 0, "3": 1}
    asked = {answer.instance_id: answer.texts[0] for answer in read.answers}
    assert all(text in asked[str(n)] for n, text in enumerate(QUESTIONS, 1))


def test_a_sample_that_evalscope_could_not_score_is_counted(tmp_path: Path) -> None:
    [path] = (LOGS / "evalscope" / "reviews" / "say_A").glob("*.jsonl")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[0]["sample_score"]["score"] |= {"value": {}, "status": "error"}
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, lines)))
    read = read_results(tmp_path / "a.jsonl")
    assert len(read.answers) == 2
    assert read.left_out == {"whose sample could not be scored": 1}


def test_details_of_lighteval() -> None:
    [path] = (LOGS / "lighteval" / "details").rglob("*.parquet")
    read = read_results(path)
    assert (read.metric, read.others) == ("acc", ("prob_f1",))
    assert {answer.model for answer in read.answers} == {"org/toy"}
    assert [answer.correct for answer in read.answers] == [1, 0, 1]
    assert [answer.texts for answer in read.answers] == [(text,) for text in QUESTIONS]


def test_a_test_run_of_deepeval() -> None:
    [path] = (LOGS / "deepeval").glob("*.json")
    read = read_results(path, model="toy")
    assert (read.metric, read.others) == ("success", ("Exact Match",))
    assert [(answer.model, answer.correct) for answer in read.answers] == [
        ("toy", 1),
        ("toy", 0),
        ("toy", 1),
    ]
    assert [answer.texts for answer in read.answers] == [(text,) for text in QUESTIONS]


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("evalscope/predictions/say_A/general_mcq_example.jsonl", "predictions.*folder reviews"),
        ("evalscope/reports/say_A/general_mcq.json", "report of EvalScope.*folder reviews"),
        (
            "lighteval/results/org/toy/results_2026-11-27T17-57-12.012980.json",
            "summary of lighteval.*--save-details",
        ),
    ],
)
def test_files_beside_the_instances_name_the_right_one(file: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_results(LOGS / file)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            {"evalId": "eval-1", "results": {"version": 3, "results": [{"success": True}]}},
            "output of promptfoo, which is not read; give a csv",
        ),
        (
            [{"instance_id": "id1", "train_trial_index": 0, "stats": [{"name": {}, "mean": 1.0}]}],
            "statistics of HELM by instance, which are not read; give a csv",
        ),
        (
            [{"instance_id": "id1", "predicted_text": "A", "stats": {"exact_match": 1.0}}],
            "predictions of HELM, which are not read; give a csv",
        ),
    ],
)
def test_harnesses_that_are_not_read_are_named(tmp_path: Path, value: object, message: str) -> None:
    """promptfoo's ``--output`` and HELM's ``per_instance_stats.json``, ``display_predictions.json``
    as their sources write them."""
    (tmp_path / "a.json").write_text(json.dumps(value))
    with pytest.raises(InputError, match=message):
        read_results(tmp_path / "a.json")
