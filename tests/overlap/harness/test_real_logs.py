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
