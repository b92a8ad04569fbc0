"""The commands ``overlap match``, ``scan`` and ``effect``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from dcq.cli import app
from dcq.errors import InputError
from dcq.settings import ROOT
from dcq.store import Store, samples

QUESTION = "The flaw in Anderson's ACT theory was that some considered it"
ANSWER = "untestable and thus of uncertain scientific value"


def call(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["overlap", *map(str, words)], catch_exceptions=False)


def document(*words: str | Path) -> Any:
    return json.loads(call(*words, "--json").stdout)


def write(path: Path, *rows: object) -> Path:
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


def test_match_scores_pairs_in_order(tmp_path: Path) -> None:
    text = f"Well: {QUESTION} {ANSWER}."
    file = write(
        tmp_path / "a.jsonl",
        {"query": QUESTION, "text": text},
        {"query": QUESTION, "text": "quartz"},
        {"query": " ".join(reversed(QUESTION.split())), "text": text},
    )
    first, second, third = document("match", file, "--gamma", "0.8")
    assert first["score"] > 0.99
    assert text[slice(*first["span"])] == QUESTION
    assert second == {"score": 0, "span": None}
    assert third["score"] < 0.75
    assert document("match", file, "--gamma", "0")[2]["score"] == 1
    shown = call("match", file).stdout
    assert "best passage" in shown
    assert QUESTION in shown


def test_scan_finds_queries_and_prints_the_documented_keys(tmp_path: Path) -> None:
    queries = write(
        tmp_path / "q.jsonl",
        {"id": 1, "query": QUESTION, "label": ANSWER},
        {"id": "b", "query": "some words that stand nowhere at all"},
    )
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    write(corpus / "a.jsonl", {"text": "x"}, {"text": f"{QUESTION} {ANSWER}"})
    found = document("scan", queries, corpus)
    keys = ["queries", "documents", "bytes", "seconds", "hits"]
    assert list(found) == [*keys, "read", "broken", "unread", "missed"]
    assert (found["queries"], found["documents"]) == (2, 2)
    [hit] = found["hits"]
    assert list(hit) == ["id", "score", "category", "source", "document", "text"]
    assert (hit["id"], hit["category"], hit["document"]) == ("1", "input-and-label", "2")
    assert "Found 1 of 2 queries" in call("scan", queries, corpus, "--preset", "release").stdout


def test_effect_prints_the_documented_keys(tmp_path: Path) -> None:
    labels, results = tmp_path / "labels.csv", tmp_path / "results.csv"
    labels.write_text("instance_id,category,score\n1,clean,0.1\n2,input-only,0.8\n")
    results.write_text("model,instance_id,correct\nm,1,0\nm,2,1\nm,3,1\n")
    [one] = document("effect", results, "--labels", labels)
    assert one["model"] == "m"
    assert one["categories"] == {
        "all": {"n": 2, "accuracy": 0.5},
        "clean": {"n": 1, "accuracy": 0.0},
        "not-clean": {"n": 1, "accuracy": 1.0},
        "input-only": {"n": 1, "accuracy": 1.0},
        "input-and-label": {"n": 0, "accuracy": None},
    }
    assert list(one["difference"]) == ["value", "low", "high", "p_value"]
    assert one["adjusted"]["value"] is None  # there is no other model
    assert [(part["start"], part["n"]) for part in one["by_score"]] == [(0.1, 1), (0.8, 1)]
    assert list(one["adjusted"]) == ["value", "low", "high", "p_value", "n", "strata", "others"]
    shown = call("effect", results, "--labels", labels)
    assert "have no label: 1 answers" in shown.stderr
    assert "adjusted difference assumes" not in shown.stdout
    assert "+100" in shown.stdout


def test_effect_shows_windows_domains_subjects_and_sizes(tmp_path: Path) -> None:
    early, late = tmp_path / "2017-2020.csv", tmp_path / "2020-2023.csv"
    early.write_text("instance_id,category\n1,clean\n2,clean\n3,clean\n")
    late.write_text(
        "instance_id,category,score,sources\n1,clean,0.1,\n2,input-only,0.8,https://a.org/1\n"
        "3,input-and-label,0.9,https://www.a.org/2 https://b.org\n"
    )
    results, sizes, block = (tmp_path / name for name in ("r.csv", "sizes.csv", "block.txt"))
    models = "".join(
        f"{model},{one},{right},{'ab'[one == '2']}\n"
        for model, given in {"x": "011", "y": "001", "z-9b": "000"}.items()
        for one, right in zip("123", given, strict=True)
    )
    results.write_text(f"model,instance_id,correct,subject\n{models}")
    sizes.write_text("model,parameters\nx,70\ny,7\n")
    block.write_text("a.org\n")
    options: list[str | Path] = [
        "--labels",
        early,
        "--labels",
        late,
        "--sizes",
        sizes,
        "--blocklist",
        block,
    ]
    shown = call("effect", results, *options).stdout
    for text in (
        "Accuracy by METEOR",
        "Accuracy of x by subject",
        "66.7 % of 3",
        "From 2017-2020 to 2020-2023, over 3 instances looked for in both: +67",
        "Commonest domains of 2 found instances with an address",
        "Leaving out the commonest domain would avoid 1 of 2 (50 %).",
        "all its domains 50 %",
        "Size and gain over 3 models: rank correlation 0.50",
    ):
        assert text in shown
    one = document("effect", results, *options)[0]
    assert one["size"]["billions"] == 70
    assert one["blocklist"] == {"n": 2, "by_address": 0.0, "by_domain": 0.5}
    assert [part["domain"] for part in one["by_domain"]] == ["a.org", "b.org"]


def test_effect_says_what_the_adjusted_difference_assumes(tmp_path: Path) -> None:
    labels, results = tmp_path / "labels.csv", tmp_path / "results.csv"
    kinds = ("clean", "input-only")
    labels.write_text(
        "instance_id,category\n" + "".join(f"{one},{kinds[one % 2]}\n" for one in range(12))
    )
    rows = [f"{model},{one},{int(one % step < 2)}\n" for model, step in (("x", 3), ("y", 4))
            for one in range(12)]  # fmt: skip
    results.write_text("model,instance_id,correct\n" + "".join(rows))
    shown = call("effect", results, "--labels", labels).stdout
    assert "assumes that models differ in ability alone" in " ".join(shown.split())
    assert document("effect", results, "--labels", labels)[0]["adjusted"]["others"] == 1


def test_scan_takes_a_threshold(tmp_path: Path) -> None:
    queries = write(tmp_path / "q.jsonl", {"id": "a", "query": f"{QUESTION} {ANSWER}"})
    corpus = write(tmp_path / "c.jsonl", {"text": QUESTION})
    for preset in ("paper", "release"):
        options: list[str | Path] = ["scan", queries, corpus, "--preset", preset]
        assert document(*options)["hits"] == []
        [hit] = document(*options, "--threshold", "0.5")["hits"]
        assert 0.5 <= hit["score"] < 0.7
        assert document(*options, "--threshold", "1")["hits"] == []
    for wrong in ("0", "-1", "1.01", "nan", "inf"):
        with pytest.raises(InputError, match=r"threshold is .*; give a number above 0"):
            call("scan", queries, corpus, "--threshold", wrong)


NOTES = {
    "mmlu": {"a 1": ["clean", 0.1], "a 2": ["input contamination", 0.8]},
    "ARC": {
        "a 1": ["input-and-label contamination", 0.9],
        "b": ["clean", 0],
        "c": ["clean", 0.2],
    },
}
PREDICTIONS = {
    "mmlu": {"a 1": {"gold": "A", "pred": "B"}, "a 2": {"gold": "A", "pred": "A"}},
    "ARC": {one: {"gold": "A", "pred": "AB"[one == "c"]} for one in ("a 1", "b", "c")},
    "winogrande": {"a 1": {"gold": 1, "pred": 1}},
}


def published(folder: Path) -> tuple[list[Path], list[str | Path]]:
    """Predictions of two models, and the annotations of two benchmarks as options."""
    models = [write(folder / f"{name}_autogptq.json", PREDICTIONS) for name in ("m", "n")]
    options: list[str | Path] = []
    for name, notes in NOTES.items():
        write(folder / f"{name}_annotations.json", notes)
        options += ["--labels", f"{name}={folder}/{name}_annotations.json"]
    return models, options


def test_effect_over_several_benchmarks_has_their_mean(tmp_path: Path) -> None:
    models, options = published(tmp_path)
    found = document("effect", *models, *options)
    assert [(one["benchmark"], one["model"]) for one in found] == [
        ("mmlu", "m"),
        ("mmlu", "n"),
        ("ARC", "m"),
        ("ARC", "n"),
        (None, "m"),
        (None, "n"),
    ]
    alone = document("effect", *models, *options[:2])
    assert [one["benchmark"] for one in alone] == ["mmlu", "mmlu"]  # one has no mean
    assert list(found[0]) == ["benchmark", *list(alone[0])[1:]]
    values = [one["difference"]["value"] for one in found[::2]]
    assert values == [1.0, 0.5, 0.75]
    mean = found[4]
    keys = ["benchmark", "benchmarks", "model", "categories", "difference", "metrics", "left_out"]
    assert list(mean) == keys
    assert mean["benchmarks"] == ["mmlu", "ARC"]
    assert mean["categories"]["clean"] == {"n": 3, "accuracy": 0.25}
    assert mean["categories"]["input-only"] == {"n": 1, "accuracy": None}
    assert mean["difference"]["low"] < 0.75 < mean["difference"]["high"]
    shown = call("effect", *models, *options)
    assert "Mean over 2 benchmarks" in shown.stdout
    assert "no labels: 2 answers" in shown.stderr


def test_effect_of_one_benchmark_has_the_keys_that_it_had(tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_text("instance_id,category\n1,clean\n2,input-only\n")
    (tmp_path / "r.csv").write_text("model,instance_id,correct\nm,1,0\nm,2,1\n")
    [plain] = document("effect", tmp_path / "r.csv", "--labels", tmp_path / "l.csv")
    assert next(iter(plain)) == "model"
    assert "benchmark" not in plain
    options = ["effect", f"x={tmp_path}/r.csv", "--labels", f"X={tmp_path}/l.csv"]
    assert document(*options) == [{"benchmark": "X", **plain}]


def test_a_model_without_a_benchmark_has_no_mean(tmp_path: Path) -> None:
    models, options = published(tmp_path)
    write(models[1], {"mmlu": PREDICTIONS["mmlu"]})
    shown = call("effect", *models, *options, "--json")
    assert [one["model"] for one in json.loads(shown.stdout) if one["benchmark"] is None] == ["m"]
    assert "Without a mean, for want of a benchmark: n." in shown.stderr


def test_one_id_in_two_benchmarks_is_not_mixed(tmp_path: Path) -> None:
    models, _ = published(tmp_path)
    labels = tmp_path / "mmlu_annotations.json"
    with pytest.raises(InputError, match=r"'a 1' in two benchmarks, mmlu and ARC; .*NAME=FILE"):
        call("effect", *models, "--labels", labels)


@pytest.mark.parametrize(
    ("results", "labels", "message"),
    [
        ("{}/r.csv", ["a={}/l.csv"], "results of m name no benchmark, and the labels do"),
        ("a={}/r.csv", ["b={}/l.csv"], "No results are of b; the results have a"),
        ("a={}/r.csv", ["a={}/l.csv", "{}/l.csv"], "names no benchmark, and other labels do"),
        ("a={}/r.csv", ["={}/l.csv"], "names no benchmark and file; write NAME=FILE"),
        ("a={}/none.csv", ["a={}/l.csv"], "There is no file .*none.csv"),
        ("a={}/r.csv", ["a={}/none.csv"], "none.csv"),
    ],
)
def test_benchmarks_named_wrongly_are_one_sentence(
    tmp_path: Path, results: str, labels: list[str], message: str
) -> None:
    (tmp_path / "l.csv").write_text("instance_id,category\n1,clean\n")
    (tmp_path / "r.csv").write_text("model,instance_id,correct\nm,1,0\n")
    options = [word for one in labels for word in ("--labels", one.format(tmp_path))]
    with pytest.raises(InputError, match=message):
        call("effect", results.format(tmp_path), *options)


def test_effect_matches_by_the_texts_of_a_sample(
    tmp_path: Path, fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    made = json.loads(
        CliRunner().invoke(app, ["sample", "control-nli", "test", "--n", "30", "--json"]).stdout
    )
    ids = [one.id for one in samples.load(fresh_store, made["sample"]).instances]
    labels = tmp_path / "labels.csv"
    rows = [f"{one},{('clean', 'input-only')[n % 2]}" for n, one in enumerate(ids)]
    labels.write_text("\n".join(["instance_id,category", *rows]))
    [log] = (ROOT / "tests/fixtures/evaluations/toy-7b").glob("samples_*.jsonl")
    with pytest.raises(InputError, match=r"such as 'nli-001' and .*--sample"):
        call("effect", log, "--labels", labels)
    shown = call("effect", log, "--labels", labels, "--sample", made["sample"], "--json")
    assert "Matched by the text of the instance: 30 answers." in shown.stderr
    assert json.loads(shown.stdout)[0]["categories"]["all"] == {"n": 30, "accuracy": 14 / 30}


@pytest.mark.parametrize(
    ("words", "rows", "message"),
    [
        (["match", "F"], [{"query": "a"}], 'no text "text" in row 1'),
        (["match", "F"], [{"query": 1, "text": "a"}], 'no text "query" in row 1'),
        (["match", "F"], [], "has no rows"),
        (["match", "F", "--gamma", "2"], [{"query": "a", "text": "b"}], "gamma is 2.0"),
        (["match", "F", "--preset", "new"], [{"query": "a", "text": "b"}], "no preset 'new'"),
        (["scan", "F", "F"], [{"id": 1}], 'no text "query" in row 1'),
        (["scan", "F", "F"], [{"query": "a"}], 'no "id" in row 1'),
        (["scan", "F", "F"], [{"id": 1, "query": "a"}] * 2, "an id twice"),
        (["scan", "F", "nowhere"], [{"id": 1, "query": "a"}], "no file or folder nowhere"),
    ],
)
def test_mistakes_are_one_sentence(
    tmp_path: Path, words: list[str], rows: list[object], message: str
) -> None:
    file = str(write(tmp_path / "a.jsonl", *rows))
    with pytest.raises(InputError, match=message):
        call(*(file if word == "F" else word for word in words))
