from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from dcq.errors import InputError
from dcq.overlap.harness.graded import HarnessAnswer
from dcq.overlap.results import read_results
from dcq.settings import ROOT


def _write(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".jsonl":
        path.write_text("\n".join(json.dumps(row) for row in value))
    else:
        path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def test_a_csv(tmp_path: Path) -> None:
    path = _write(tmp_path / "a.csv", "model,instance_id,correct,subject\nm,1,1,law\nm,2,False,\n")
    assert read_results(path).answers == [
        HarnessAnswer("m", "1", 1, "law"),
        HarnessAnswer("m", "2", 0, ""),
    ]


def test_lm_evaluation_harness(tmp_path: Path) -> None:
    rows = [
        {"doc_id": 0, "doc": {"id": "x7"}, "acc": 1.0, "acc_norm": 0.0, "filter": "none"},
        {"doc_id": 1, "doc": {}, "acc": 0.0, "metrics": ["acc"], "filter": "none"},
        {"doc_id": 1, "doc": {}, "acc": 1.0, "metrics": ["acc"], "filter": "flexible"},
    ]
    path = _write(tmp_path / "EleutherAI__pythia-70m" / "samples_arc_2026.jsonl", rows)
    assert read_results(path).answers == [
        HarnessAnswer("EleutherAI/pythia-70m", "x7", 1, "arc_2026", ("x7",)),
        HarnessAnswer("EleutherAI/pythia-70m", "1", 0, "arc_2026"),
    ]


SAMPLES = [
    {"id": 1, "epoch": 1, "scores": {"choice": {"value": "C"}}, "metadata": {"subject": "law"}},
    {"id": 1, "epoch": 2, "scores": {"choice": {"value": "I"}}, "metadata": {"subject": "law"}},
    {"id": "b", "epoch": 1, "scores": {"choice": {"value": 1}}},
    {"id": "c", "epoch": 1, "scores": None},
]
INSPECTED = [
    HarnessAnswer("openai/gpt-4o", "1", 0.5, "law"),
    HarnessAnswer("openai/gpt-4o", "b", 1),
]


def test_inspect_ai(tmp_path: Path) -> None:
    log = {"version": 2, "eval": {"model": "openai/gpt-4o"}, "samples": SAMPLES}
    assert read_results(_write(tmp_path / "a.json", log)).answers == INSPECTED
    with zipfile.ZipFile(tmp_path / "a.eval", "w") as archive:
        archive.writestr("header.json", json.dumps({"eval": {"model": "openai/gpt-4o"}}))
        for sample in SAMPLES:
            name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
            archive.writestr(name, json.dumps(sample))
    assert read_results(tmp_path / "a.eval").answers == INSPECTED


def test_opencompass(tmp_path: Path) -> None:
    details = {"type": "PPL", "0": {"correct": True}, "1": {"correct": False}}
    path = tmp_path / "results" / "llama-2-7b" / "ceval.json"
    _write(path, {"accuracy": 50.0, "details": details})
    assert read_results(path).answers == [
        HarnessAnswer("llama-2-7b", "0", 1, "ceval"),
        HarnessAnswer("llama-2-7b", "1", 0, "ceval"),
    ]
    _write(path, {"accuracy": 50.0, "details": {"0": {"predictions": "A"}}})
    with pytest.raises(InputError, match="whether 0 is correct"):
        read_results(path)


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({"prompt": "Q: one?"}, "Q: one?"),
        (
            {"prompt": [{"role": "HUMAN", "prompt": "Q: one?"}, {"role": "BOT", "prompt": ""}]},
            "Q: one?",
        ),
        ({"origin_prediction": {"A": {"prompt": "Q: one? A", "PPL": 2.5}}}, "Q: one? A"),
    ],
)
def test_what_opencompass_asked(tmp_path: Path, row: dict[str, Any], text: str) -> None:
    details = {"type": "GEN", "0": row | {"correct": True}}
    path = _write(tmp_path / "m" / "a.json", {"details": details})
    assert read_results(path).answers == [HarnessAnswer("m", "0", 1, "a", (text,))]


def test_every_eval_ever(tmp_path: Path) -> None:
    row = {
        "model_id": "openai/gpt-4o",
        "evaluation_name": "gsm8k",
        "sample_id": "gsm8k_0001",
        "input": {"raw": "How many eggs?", "reference": ["9"]},
        "evaluation": {"score": 1.0, "is_correct": True},
    }
    path = _write(tmp_path / "a_samples.jsonl", [row])
    assert read_results(path).answers == [
        HarnessAnswer("openai/gpt-4o", "gsm8k_0001", 1, "gsm8k", ("How many eggs?",))
    ]


def test_the_authors_predictions(tmp_path: Path) -> None:
    value = {"mmlu": {"1": {"gold": "A", "pred": "A"}, "2": {"gold": 0, "pred": "1"}}}
    path = _write(tmp_path / "llama-2-7b_autogptq.json", value)
    assert read_results(path).answers == [
        HarnessAnswer("llama-2-7b", "1", 1, "mmlu", benchmark="mmlu"),
        HarnessAnswer("llama-2-7b", "2", 0, "mmlu", benchmark="mmlu"),
    ]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "model,instance_id\nm,1\n", "lacks model, instance_id or correct in row 1"),
        ("a.csv", "model,instance_id,correct\nm,1,maybe\n", "'maybe' for correct at row 1"),
        ("a.csv", "model,instance_id,correct\nm,1,nan\n", "give 1 for right"),
        ("a.csv", "model,instance_id,correct\nm,1,7\n", "give 1 for right"),
        ("a.json", "{", "not valid JSON"),
        ("a.json", "[" * 100_000, "not valid JSON"),
        ("a.json", "{}", "has no answer"),
        ("a.json", '{"x": {"y": 1}}', "of no known form"),
        ("a.eval", "no zip", "not a finished log of inspect_ai"),
        ("a.jsonl", '{"doc_id": 1}', "no metric that tells"),
        ("a.jsonl", '{"doc_id": 1, "metrics": [["acc"]], "doc": 7}', "no metric that tells"),
        ("a.jsonl", '{"sample_id": 1}', "no evaluation.is_correct in row 1"),
        ("a.json", '{"eval": {}, "samples": [1, {"scores": 7}]}', "has no answer"),
        (
            "a.json",
            '{"details": {"0": {"correct": "?", "origin_prediction": {"A": 1}}}}',
            "no metric",
        ),
    ],
)
def test_mistakes_are_named(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message):
        read_results(tmp_path / name)
    with pytest.raises(InputError, match="no file"):
        read_results(tmp_path / "nowhere.csv")


EVALUATIONS = ROOT / "tests" / "fixtures" / "evaluations"
FIRST = (
    "After the boiler in the Pellworth library failed in February 2026, staff moved the fragile "
    "atlases to a chilly cellar, where a retired bookbinder inspected each volume before nightfall."
)


def test_files_that_lm_evaluation_harness_wrote() -> None:
    [path] = (EVALUATIONS / "toy-7b").glob("samples_*.jsonl")
    found = read_results(path).answers
    assert len(found) == 30
    assert sum(one.correct for one in found) == 14  # as its own table says: 0.4667
    assert (found[0].model, found[0].instance_id) == ("toy-7b", "nli-001")
    assert found[0].subject == "control_nli"
    assert FIRST in found[0].texts
    [path] = (EVALUATIONS / "toy-70b").glob("samples_*.jsonl")
    assert read_results(path).answers[29].instance_id == "29"  # without a column id, the row


def test_files_that_inspect_ai_wrote(tmp_path: Path) -> None:
    [path] = EVALUATIONS.glob("*.eval")
    found = read_results(path).answers
    assert {one.instance_id for one in found} == {str(n) for n in range(1, 9)}
    assert {one.correct for one in found} <= {0, 0.5, 1}  # of two epochs
    assert found[0].model == "openai/toy-70b"
    assert found[0].texts[0].startswith(f"Premise: {FIRST}\nHypothesis: ")
    (tmp_path / "cut.eval").write_bytes(path.read_bytes()[:-2000])
    with pytest.raises(InputError, match="not a finished log"):
        read_results(tmp_path / "cut.eval")
    damaged = bytearray(path.read_bytes())
    damaged[60:3000] = bytes(2940)
    (tmp_path / "bad.eval").write_bytes(damaged)
    with pytest.raises(InputError, match="not a finished log"):
        read_results(tmp_path / "bad.eval")
