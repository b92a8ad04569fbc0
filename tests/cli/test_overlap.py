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
    assert list(found) == ["queries", "documents", "bytes", "seconds", "hits"]
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
