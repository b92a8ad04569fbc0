"""The commands ``overlap match``, ``scan`` and ``effect``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from dcq.cli import app
from dcq.errors import InputError

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
    shown = call("effect", results, "--labels", labels)
    assert "have no label: 1 answers" in shown.stderr
    assert "+100" in shown.stdout


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
