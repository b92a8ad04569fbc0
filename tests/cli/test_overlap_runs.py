"""The commands ``overlap search``, ``overlap scan`` for a sample, and ``export overlap``."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from dcq.cli import app
from dcq.errors import InputError
from dcq.store import Store, overlaps
from tests.support import commands
from tests.support.replications import save
from tests.support.search_services import FakeWeb

KEYS = (
    *("run", "crawl_run", "sample", "partition", "source", "window", "total", "searched", "found"),
    *(
        "input_only",
        "input_and_label",
        "not_crawled",
        "skipped",
        "documents",
        "bytes",
        "read",
        "broken",
        "unread",
        "missed",
    ),
    *("calls", "cost_usd", "stopped", "rows"),
)


@pytest.fixture(autouse=True)
def _store(fresh_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))


def call(*words: str | Path) -> Result:
    return CliRunner().invoke(app, list(map(str, words)), catch_exceptions=False)


def document(*words: str | Path) -> Any:
    return json.loads(call(*words, "--json").stdout)


def test_a_search_prints_the_documented_keys(fresh_store: Store, web: FakeWeb) -> None:
    sample_id, texts = save(fresh_store, 2)
    web.pages = {"https://a.org": f"{texts[0]} Wet"}
    web.crawled = set(web.pages)
    words = ["overlap", "search", sample_id, "--with", "brave", "--window", "2023-01-01:2023-12-31"]
    found = document(*words, "--price", "0.005")
    assert tuple(found) == KEYS
    assert (found["total"], found["searched"], found["calls"]) == (2, 2, 2)
    assert found["window"] == ["2023-01-01", "2023-12-31"]
    assert found["cost_usd"] == pytest.approx(0.01)
    assert found["rows"][0]["category"] == "input-and-label"
    assert found["rows"][0]["sources"] == ["https://a.org"]
    said = call(*words, "--resume").stdout
    assert "instances (100.0 %) were found with brave" in said
    assert "Calls: 2, $0.01; 2 queries about 2 instances." in said
    assert [row["queries"] for row in found["rows"]] == [1, 1]
    runs = document("status")["runs"]
    assert [(run["method"], run["model"], run["state"]) for run in runs] == [
        ("crawl", "common-crawl", "finished"),
        ("search", "brave", "finished"),
    ]


def test_a_search_that_stops_prints_its_document_and_exits_with_1(
    fresh_store: Store, web: FakeWeb
) -> None:
    sample_id, _ = save(fresh_store, 3)
    web.left = 1
    done = commands.run(
        "overlap", "search", sample_id, "--with", "serpapi", "--json",
        environment=os.environ | {"DCQ_STORE": str(fresh_store.path)},
    )  # fmt: skip
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert (found["searched"], found["skipped"]) == (1, {"not searched yet": 2})
    assert "no searches left" in found["stopped"]
    assert done.stderr.strip().endswith("what was found so far is kept.")
    assert "Traceback" not in done.stderr


def test_a_sample_is_looked_for_in_a_corpus_and_its_labels_are_read(
    fresh_store: Store, tmp_path: Path
) -> None:
    sample_id, texts = save(fresh_store, 2)
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "a.txt").write_text(f"{texts[0]} Wet")
    found = document("overlap", "scan", sample_id, corpus, "--preset", "release")
    assert tuple(found) == KEYS
    assert (found["source"], found["total"], found["searched"]) == ("corpus", 2, 2)
    assert found["rows"][0]["sources"] == [str(corpus / "a.txt")]
    labels, answers = tmp_path / "labels.csv", tmp_path / "answers.csv"
    assert document("export", "overlap", found["run"], "--to", labels)["rows"] == 2
    kept = list(csv.DictReader(labels.read_text("utf-8-sig").splitlines(keepends=True)))
    assert [row["instance_id"] for row in kept] == [row["instance_id"] for row in found["rows"]]
    assert (kept[0]["category"], kept[0]["score"][:4]) == ("input-and-label", "0.99")
    rows = "".join(f"m,{row['instance_id']},1\n" for row in found["rows"])
    answers.write_text(f"model,instance_id,correct\n{rows}")
    [effect] = document("overlap", "effect", answers, "--labels", labels)
    assert effect["categories"]["all"]["n"] == 2
    again = document("overlap", "scan", sample_id, "--resume")
    assert again["run"] == found["run"]
    assert "were found in the corpus" in call("overlap", "scan", "--run", found["run"]).stdout


@pytest.mark.parametrize("where", ["brave", "corpus"])
def test_a_sample_is_searched_for_from_a_threshold_on(
    fresh_store: Store, web: FakeWeb, tmp_path: Path, where: str
) -> None:
    sample_id, texts = save(fresh_store, 1)
    half = " ".join(texts[0].split()[: round(0.7 * len(texts[0].split()))])
    web.pages = {"https://a.org": half}
    (tmp_path / "a.txt").write_text(half)
    words: list[str | Path] = ["overlap", "search", sample_id, "--with", "brave"]
    if where == "corpus":
        words = ["overlap", "scan", sample_id, tmp_path / "a.txt"]
    found = [document(*words, "--threshold", given)["found"] for given in ("1", "0.3")]
    assert found == [0, 1]
    newest = overlaps.runs_of(fresh_store)[0].overlap
    assert overlaps.load(fresh_store, newest).asked.threshold == 0.3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["search"], "Name a sample and a service"),
        (["search", "S"], "Name a sample and a service"),
        (["search", "S", "--with", "bing"], "no search service 'bing'"),
        (["search", "S", "--with", "infini-gram", "--window", "2020-01-01:2020-02-01"], "no dates"),
        (["search", "S", "--with", "brave", "--window", "2020"], "is none; write two days"),
        (["search", "S", "--with", "brave", "--window", "2021-01-01:2020-01-01"], "swap the two"),
        (["search", "S", "--with", "brave", "--crawls", "wayback"], "window of time"),
        (["search", "S", "--with", "brave", "--index", "x"], "Only infini-gram"),
        (["search", "S", "--with", "brave", "--preset", "x"], "no preset 'x'"),
        (["search", "S", "--with", "brave", "--threshold", "0"], "threshold is 0.0; give a number"),
        (["search", "S", "--with", "brave", "--threshold", "nan"], "threshold is nan; give"),
        (["search", "S", "--with", "brave", "--price", "-1"], "price of one call"),
        (["search", "S", "--with", "brave", "--limit", "0"], "asks nothing"),
        (["search", "nothing", "--with", "brave"], "No sample has the id 'nothing'"),
        (["search", "S", "--run", "x"], "give --run alone"),
        (["search", "--run", "x", "--threshold", "0.5"], "threshold already; give --run alone"),
        (["search", "--run", "x"], "No run has the id 'x'"),
        (["scan"], "Name a file of queries, or a sample"),
        (["scan", "S"], "Name the files and folders"),
        (["scan", "S", "nowhere"], "no file or folder"),
        (["scan", "nothing", "."], "No sample has the id 'nothing'"),
        (["scan", "S", ".", "--gamma", "0.5"], "leave --gamma"),
        (["scan", "S", ".", "--threshold", "1.5"], "threshold is 1.5; give a number"),
        (["scan", "--run", "x", "--threshold", "0.5"], "threshold already; give --run alone"),
        (["scan", "--run", "x", "."], "give --run alone|No sample"),
        (["scan", __file__], "Name a file of queries, or a sample"),
        (["scan", __file__, ".", "--resume"], "name --manifest for a file"),
    ],
)
def test_mistakes_are_one_sentence(
    fresh_store: Store, web: FakeWeb, words: list[str], message: str
) -> None:
    sample_id, _ = save(fresh_store, 1)
    with pytest.raises(InputError, match=message) as raised:
        call("overlap", *(sample_id if word == "S" else word for word in words))
    assert raised.value.exit_code == 2
    assert web.server.requests == []
