"""Loading from the Hub, against a real server that speaks its endpoints.

The Hub's client reads ``HF_ENDPOINT`` when it is imported, so each situation has its own process.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import datasets  # type: ignore[import-untyped]  # it ships no types
import pytest

from tests.support.hub import COMMIT, Hub, serve_hub

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
CHILD = """
import json, sys
from dcq.errors import PartitionError
from dcq.partitions import draw_sample, open_partition
for name, split, options in json.loads(sys.argv[1]):
    try:
        opened = open_partition(name, split, **options)
        answer = {
            "source": opened.partition.source,
            "rows": opened.row_count,
            "balance": opened.label_balance(),
            "texts": [item.text for item in draw_sample(opened, 3).instances],
            "notes": list(opened.notes),
        }
    except PartitionError as error:
        answer = {"error": str(error)}
    print(json.dumps(answer))
"""
NAMES = ["World", "Sports", "Business", "Sci/Tech"]
CARD = b"""---
configs:
- config_name: default
  data_files:
  - split: train
    path: data/train-*
  - split: test
    path: data/test-*
---
"""


def parquet(rows: int) -> bytes:
    features = datasets.Features(
        {"text": datasets.Value("string"), "label": datasets.ClassLabel(names=NAMES)}
    )
    texts = [f"row {index} with {{braces}}" for index in range(rows)]
    labels = [index % 4 for index in range(rows)]
    data = datasets.Dataset.from_dict({"text": texts, "label": labels}, features=features)
    buffer = io.BytesIO()
    data.to_parquet(buffer)
    return buffer.getvalue()


@dataclass(frozen=True)
class FreshProcess:
    """Opens partitions in a fresh process."""

    home: Path

    def open(
        self, *wanted: tuple[str, str] | tuple[str, str, dict[str, str]], **environment: str
    ) -> list[dict[str, Any]]:
        triples = [(*item, {})[:3] for item in wanted]
        kept = {key: value for key, value in os.environ.items() if not key.startswith("HF_")}
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", CHILD, json.dumps(triples)],
            cwd=ROOT,
            env={**kept, "HF_HOME": str(self.home), **environment},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.stderr == ""  # neither bars nor log lines
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(answers) == len(wanted)
        return answers


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> FreshProcess:
    return FreshProcess(tmp_path_factory.mktemp("hub"))


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    news = {
        "README.md": CARD,
        "data/train-00000-of-00001.parquet": parquet(24),
        "data/test-00000-of-00001.parquet": parquet(8),
    }
    served = Hub(
        files={
            "fancyzhx/ag_news": news,
            "someone/plain": {"train.csv": b"body,topic\nhello,1\nworld,2\n"},
            "someone/script": {"README.md": b"# old\n", "script.py": b"raise SystemExit\n"},
            "someone/gated": news,
            "someone/closed": news,
            "someone/token": news,
            "someone/forbidden": news,
            "someone/broken": news,
            "stanfordnlp/imdb": news,
        },
        faults={
            "someone/gated": "gated-anonymous",
            "someone/closed": "gated-stranger",
            "someone/token": "bad-token",
            "someone/forbidden": "forbidden",
            "someone/broken": "error",
            "stanfordnlp/imdb": "hang",
        },
        renamed={"someone/formerly": "fancyzhx/ag_news"},
    )
    with serve_hub(served):
        yield served


@pytest.fixture(scope="module")
def online(reader: FreshProcess, hub: Hub) -> list[dict[str, Any]]:
    """The answers to all requests that the Hub can serve; they leave AG News in the cache."""
    body = {"text": "body", "label": "topic"}
    text = {"text": "text", "label": "label"}
    return reader.open(
        ("ag_news", "train"),
        ("AG News", "test", {"revision": COMMIT}),
        ("someone/plain", "train", body),
        ("someone/formerly", "test", text),
        HF_ENDPOINT=hub.url,
    )


def test_a_split_is_loaded_with_its_commit(online: list[dict[str, Any]]) -> None:
    train, test, _, _ = online
    assert train["source"] == f"hub:fancyzhx/ag_news@{COMMIT}"
    assert (train["rows"], test["rows"]) == (24, 8)
    assert set(train["balance"]) == {f"{index} ({name})" for index, name in enumerate(NAMES)}
    assert all(text.startswith("Article: row ") for text in train["texts"])
    assert all(" with {braces}\nLabel: " in text for text in train["texts"])


def test_a_dataset_outside_the_catalog_takes_columns(online: list[dict[str, Any]]) -> None:
    assert set(online[2]["texts"]) == {"Text: hello\nLabel: 1", "Text: world\nLabel: 2"}


def test_a_renamed_dataset_is_followed_and_class_names_are_its_own(
    online: list[dict[str, Any]],
) -> None:
    renamed = online[3]
    assert renamed["notes"] == ["someone/formerly is now called fancyzhx/ag_news on the Hub."]
    assert renamed["source"] == f"hub:fancyzhx/ag_news@{COMMIT}"
    assert "2 (Business)" in renamed["balance"]


REFUSALS = {
    ("someone/gated", "train"): "is gated: accept its terms at .*someone/gated and set HF_TOKEN",
    ("someone/closed", "train"): "is gated: accept its terms",
    ("someone/token", "train"): "does not accept the token in HF_TOKEN",
    ("someone/forbidden", "train"): "refuses access to someone/forbidden",
    ("someone/nobody", "train"): "no dataset someone/nobody.*renamed.*present name",
    ("someone/a/b", "train"): '"someone/a/b" is not a name on the Hub',
    ("someone/broken", "train"): "error 500, and the local cache has no copy",
    ("someone/plain", "test"): "no split test; choose from: train",
    ("someone/plain:pro", "train"): "no configuration pro; choose from: default",
    ("someone/plain", "train"): "Choose the column .*body, topic",
    ("someone/script", "train"): "only a loading script.*give the file",
}


def test_every_refusal_is_one_sentence_with_a_fix(reader: FreshProcess, hub: Hub) -> None:
    answers = reader.open(
        *REFUSALS, ("fancyzhx/ag_news", "train", {"revision": "v9"}), HF_ENDPOINT=hub.url
    )
    messages = [answer.get("error", "") for answer in answers]
    for message, expected in zip(messages, [*REFUSALS.values(), "no revision v9"], strict=True):
        assert_matches(message, expected)
        assert message.count(". ") == 0
    assert hub.asked["someone/broken"] == 1  # an error is not waited for again and again


def test_a_hub_that_never_answers_is_given_up_while_it_holds_the_line(
    reader: FreshProcess, hub: Hub
) -> None:
    (answer,) = reader.open(("imdb", "train"), HF_ENDPOINT=hub.url)
    assert_matches(answer["error"], "did not answer within .*choose a bundled dataset")
    assert hub.asked["stanfordnlp/imdb"] == 1
    assert not hub.released.is_set()


def test_without_a_network_the_cache_serves_and_the_rest_is_an_error(
    reader: FreshProcess, online: list[dict[str, Any]]
) -> None:
    nowhere = "http://127.0.0.1:9"  # the discard port: nothing listens
    missing, cached, pinned, other = reader.open(
        ("imdb", "train"),
        ("ag_news", "train"),
        ("ag_news", "test", {"revision": COMMIT}),
        ("ag_news", "test", {"revision": "0" * 40}),
        HF_ENDPOINT=nowhere,
    )
    assert_matches(missing["error"], "cannot be reached, .*no copy of stanfordnlp/imdb")
    assert cached["texts"] == online[0]["texts"]
    assert cached["source"] == online[0]["source"]
    assert cached["notes"] == [
        f"The Hub at {nowhere} cannot be reached; the copy in the local cache is used."
    ]
    assert pinned["rows"] == 8
    assert_matches(other["error"], "no copy of fancyzhx/ag_news")


def test_offline_mode_is_honoured(
    reader: FreshProcess, online: list[dict[str, Any]], hub: Hub
) -> None:
    cached, missing = reader.open(
        ("ag_news", "train"), ("xsum", "train"), HF_ENDPOINT=hub.url, HF_HUB_OFFLINE="1"
    )
    assert cached["texts"] == online[0]["texts"]
    assert_matches(missing["error"], "HF_HUB_OFFLINE is set.*no copy of EdinburghNLP/xsum")


def assert_matches(message: str, pattern: str) -> None:
    assert re.search(pattern, message), message
