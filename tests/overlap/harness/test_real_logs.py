"""Logs that current releases of the harnesses wrote (``tests/fixtures/harness_logs``)."""

from __future__ import annotations

import json
import shutil
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
        ("aisbench/predictions/say-A/mcq.jsonl", "predictions of .*AISBench.*folder results"),
        (
            "aisbench/predictions/say-A/mcq_failed.jsonl",
            "predictions of .*AISBench.*folder results",
        ),
        ("opencompass/predictions/say-A/qa.json", "predictions of OpenCompass.*folder results"),
        ("helm/run_spec.json", "HELM.*per_instance_stats.json beside it"),
        ("helm/scenario_state.json", "HELM.*per_instance_stats.json beside it"),
        ("helm/stats.json", "HELM.*per_instance_stats.json beside it"),
        ("helm/instances.json", "HELM.*per_instance_stats.json beside it"),
        ("helm/display_predictions.json", "HELM.*per_instance_stats.json beside it"),
    ],
)
def test_files_beside_the_instances_name_the_right_one(file: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_results(LOGS / file)


def _run_of_aisbench(folder: Path) -> Path:
    """The folder of a run, whose configuration is Python and lies here as a text."""
    run = shutil.copytree(LOGS / "aisbench", folder / "run")
    [config] = run.glob("configs/*.txt")
    config.rename(config.with_suffix(""))
    return run / "results" / "say-A"


ASKED = {
    "0": "Q1 Which river, says the keeper, floods first?",
    "1": "Q2 How many boats did the harbour master count?",
    "2": "Q3 What grows behind the mill?",
    "3": "Q4 Who kept the lamp before the fire?",
    "5": "Q6 Where was the second bell cast?",
}


@pytest.mark.parametrize(("dataset", "right"), [("mcq", {"0", "1", "3"}), ("qa", {"0", "3"})])
def test_results_of_aisbench(tmp_path: Path, dataset: str, right: set[str]) -> None:
    """The request of instance 4 failed, which AISBench counts as wrong; the model is called after
    the server in its own configurations."""
    read = read_results(_run_of_aisbench(tmp_path) / f"{dataset}.json")
    assert {answer.model for answer in read.answers} == {"org/say:A"}
    assert {a.instance_id: a.correct for a in read.answers} == {i: i in right for i in ASKED}
    assert all(ASKED[answer.instance_id] in answer.texts[0] for answer in read.answers)
    assert (read.metric, read.left_out) == ("correct", {"without a reply": 1})


def test_results_of_aisbench_without_their_run(tmp_path: Path) -> None:
    path = Path(shutil.copy(LOGS / "aisbench" / "results" / "say-A" / "mcq.json", tmp_path))
    read = read_results(path, model="toy")
    assert {(answer.model, answer.texts) for answer in read.answers} == {("toy", ())}
    assert [answer.correct for answer in read.answers] == [1, 1, 0, 1, 0, 0]


def test_repetitions_that_aisbench_mixes_up_are_refused() -> None:
    with pytest.raises(InputError, match=r"repetitions of different instances in one entry"):
        read_results(LOGS / "aisbench" / "repeated.json")


@pytest.mark.parametrize(("dataset", "right"), [("mcq", {"0", "1", "3"}), ("qa", {"0", "3"})])
def test_results_of_opencompass(dataset: str, right: set[str]) -> None:
    read = read_results(LOGS / "opencompass" / "results" / "say-A" / f"{dataset}.json")
    assert {answer.model for answer in read.answers} == {"say-A"}
    assert {a.instance_id: a.correct for a in read.answers} == {i: i in right for i in ASKED}
    assert all(ASKED[answer.instance_id] in answer.texts[0] for answer in read.answers)
    assert (read.metric, read.left_out) == ("correct", {"without a reply": 1})


def test_a_model_of_opencompass_whose_name_has_a_slash(tmp_path: Path) -> None:
    """Both tools join the name to the folder, so it becomes two folders."""
    for part in ("results", "predictions"):
        shutil.copytree(LOGS / "opencompass" / part / "say-A", tmp_path / part / "org" / "say")
    read = read_results(tmp_path / "results" / "org" / "say" / "mcq.json")
    assert {answer.model for answer in read.answers} == {"org/say"}
    assert ASKED["5"] in read.answers[-1].texts[0]


def test_predictions_of_opencompass_in_several_files(tmp_path: Path) -> None:
    run = shutil.copytree(LOGS / "opencompass", tmp_path / "run")
    folder = run / "predictions" / "say-A"
    whole = list(json.loads((folder / "mcq.json").read_text()).values())
    (folder / "mcq.json").unlink()
    for number, part in enumerate((whole[:4], whole[4:])):
        numbered = {str(place): entry for place, entry in enumerate(part)}
        (folder / f"mcq_{number}.json").write_text(json.dumps(numbered))
    read = read_results(run / "results" / "say-A" / "mcq.json")
    assert {a.instance_id for a in read.answers if ASKED[a.instance_id] in a.texts[0]} == set(ASKED)


def test_a_run_whose_other_files_are_broken_is_read_as_if_alone(tmp_path: Path) -> None:
    run = shutil.copytree(LOGS / "opencompass", tmp_path / "run")
    (run / "predictions" / "say-A" / "mcq.json").write_text('{"0": ')
    (run / "configs").mkdir()
    (run / "configs" / "a.py").write_text("models = [")
    read = read_results(run / "results" / "say-A" / "mcq.json")
    assert [answer.correct for answer in read.answers] == [1, 1, 0, 1, 0, 0]


@pytest.mark.parametrize("file", ["out.json", "out.jsonl"])
def test_output_of_promptfoo(file: str) -> None:
    """A test of two assertions of which one held is wrong, though its score is a half."""
    read = read_results(LOGS / "promptfoo" / file)
    assert (read.metric, read.others) == ("success", ("score", "letter"))
    for model in ("openai:chat:say:A", "other"):  # by its id, and by the label it was given
        own = {a.instance_id: (a.correct, a.texts) for a in read.answers if a.model == model}
        assert own == {"1": (0, (ASKED["1"],)), "3": (1, (ASKED["3"],))}
    assert read.left_out == {"whose sample ended in an error": 2}


def test_tests_of_promptfoo_that_nothing_graded_are_left_out(tmp_path: Path) -> None:
    """An assertion whose code fails counts as wrong there, a test without assertions as right."""
    files = (LOGS / "promptfoo" / name for name in ("out.jsonl", "ungraded.jsonl"))
    (tmp_path / "a.jsonl").write_text("".join(file.read_text() for file in files))
    read = read_results(tmp_path / "a.jsonl")
    assert {answer.model for answer in read.answers} == {"openai:chat:say:A", "other"}
    assert read.left_out == {"whose sample ended in an error": 4, "without a grade": 1}


def test_prompts_for_one_test_of_promptfoo_are_averaged(tmp_path: Path) -> None:
    lines = (LOGS / "promptfoo" / "out.jsonl").read_text().splitlines()
    first = next(row for row in map(json.loads, lines) if row["testIdx"] == 1)
    again = first | {"promptIdx": 5, "prompt": {"raw": "Other"}, "success": True}
    broken = {"success": True}  # of no test
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, (first, again, broken))))
    assert [answer.correct for answer in read_results(tmp_path / "a.jsonl").answers] == [0.5]


@pytest.mark.parametrize("texts_of", ["instances.json", "scenario_state.json"])
def test_statistics_of_helm(tmp_path: Path, texts_of: str) -> None:
    for file in ("per_instance_stats.json", "run_spec.json", texts_of):
        shutil.copy(LOGS / "helm" / file, tmp_path)
    read = read_results(tmp_path / "per_instance_stats.json")
    assert read.metric == "exact_match"
    assert all("exact_match" in metric for metric in read.others)  # and no number of tokens
    assert [(a.model, a.instance_id, a.correct, a.texts) for a in read.answers] == [
        ("org/say-A", "id0", 1, (ASKED["0"],)),
        ("org/say-A", "id1", 0, (ASKED["1"],)),
        ("org/say-A", "id5", 0, (ASKED["5"],)),
    ]


def test_questions_that_helm_changed_are_left_out(tmp_path: Path) -> None:
    entries = json.loads((LOGS / "helm" / "per_instance_stats.json").read_text())
    changed = entries[0] | {"perturbation": {"name": "typos", "robustness": True}}
    (tmp_path / "per_instance_stats.json").write_text(json.dumps([*entries, changed]))
    read = read_results(tmp_path / "per_instance_stats.json", model="toy")
    assert [(answer.model, answer.correct) for answer in read.answers] == [
        ("toy", 1),
        ("toy", 0),
        ("toy", 0),
    ]
    assert read.left_out == {"whose question was changed for the test": 1}


@pytest.mark.parametrize("document", [{"accuracy": 50.0}, {"accuracy": 50.0, "type": "GEN"}])
def test_results_of_opencompass_without_details(tmp_path: Path, document: object) -> None:
    (tmp_path / "a.json").write_text(json.dumps(document))
    with pytest.raises(InputError, match=r"only numbers of a whole set.*--dump-eval-details"):
        read_results(tmp_path / "a.json")
