"""Small files of the shapes that the authors of the contamination report publish."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dcq.errors import InputError
from dcq.overlap.labels import read_labels, read_windows
from dcq.overlap.match import Category

NOTES = {
    "law 1": ["clean", 0],
    "law 2": ["input-and-label contamination", 0.91],
    "law 3": ["clean", 0.12],
    "law 4": ["input contamination", 0.75],
}


def page(query: str, score: float, label: float, url: str) -> dict[str, Any]:
    return {
        "query": query,
        "match_string": query,
        "score": score,
        "score_label": label,
        "name": "<b>A page</b>",
        "url": url,
        "snippet": f"<b>{query}</b> ...",
    }


MATCHES = [
    [
        page("What is a tort? A wrong", 0.71, 1.0, "https://a.org/1"),
        page("What is a tort? A wrong", 0.91, 0.4, "https://b.org"),
    ],
    [page("Who signs a bill? The head of state", 0.75, 0.69, "https://a.org/2")],
]


def write(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value))
    return path


def report(path: Path, matches: object) -> Path:
    return write(path, {"dataset_name": "mmlu", "matches": matches})


def test_a_report_gives_addresses_and_texts_to_the_annotations(tmp_path: Path) -> None:
    notes = write(tmp_path / "mmlu_annotations.json", NOTES)
    pages = report(tmp_path / "mmlu_report.json", MATCHES)
    for order in ([notes, pages], [pages, notes]):
        windows = read_windows(order)
        assert list(windows) == ["mmlu_annotations"]  # the report is no window of its own
        labels = windows["mmlu_annotations"]
        assert list(labels) == list(NOTES)
        assert labels["law 2"].sources == ("https://a.org/1", "https://b.org")
        assert labels["law 2"].text == "What is a tort? A wrong"
        assert labels["law 4"].category is Category.INPUT_ONLY
        assert labels["law 4"].sources == ("https://a.org/2",)
        assert labels["law 1"].sources == ()


def test_of_several_annotations_a_report_belongs_to_those_with_its_scores(tmp_path: Path) -> None:
    earlier = write(tmp_path / "earlier.json", {"law 2": ["input contamination", 0.8]})
    notes = write(tmp_path / "later.json", NOTES)
    windows = read_windows([earlier, notes, report(tmp_path / "r.json", MATCHES)])
    assert list(windows) == ["earlier", "later"]
    assert windows["later"]["law 2"].sources
    assert not windows["earlier"]["law 2"].sources


@pytest.mark.parametrize("matches", [MATCHES[:1], MATCHES[::-1], []])
def test_a_report_on_other_annotations_is_refused(tmp_path: Path, matches: object) -> None:
    notes = write(tmp_path / "n.json", NOTES)
    with pytest.raises(InputError, match=r"r\.json is a report on other annotations"):
        read_windows([notes, report(tmp_path / "r.json", matches)])


def test_a_report_alone_has_its_queries_as_ids_and_the_codes_threshold(tmp_path: Path) -> None:
    below = [page("A question below it", 0.65, 1.0, "https://c.org")]
    found = read_labels(report(tmp_path / "r.json", [*MATCHES, below, MATCHES[1]]))
    categories = {one: label.category for one, label in found.items()}
    assert categories == {
        "What is a tort? A wrong": Category.INPUT_AND_LABEL,
        "Who signs a bill? The head of state": Category.INPUT_ONLY,
        "A question below it": Category.CLEAN,
    }


def _with(key: str, value: object) -> Callable[[], list[Any]]:
    return lambda: [[page("Why?", 0.9, 0.1, "https://a.org") | {key: value}]]


@pytest.mark.parametrize(
    ("matches", "message"),
    [
        (lambda: [[]], "no list of pages for match 1"),
        (lambda: [{}], "no list of pages for match 1"),
        (lambda: [*MATCHES, ["x"]], "no list of pages for match 3"),
        (_with("score", None), "None as score in match 1"),
        (_with("score", math.nan), "nan as score"),
        (_with("score", math.inf), "inf as score"),
        (_with("score", 10**400), "as score in match 1"),
        (_with("score", True), "True as score"),
        (_with("score_label", "high"), "'high' as score_label"),
        (_with("score_label", 1.5), "1.5 as score_label"),
        (_with("query", ["a"]), 'no text "query" in match 1'),
        (_with("query", " "), 'no text "query" in match 1'),
        (_with("url", None), 'no text "url" in match 1'),
    ],
)
def test_what_is_no_report_is_named(
    tmp_path: Path, matches: Callable[[], object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read_labels(report(tmp_path / "r.json", matches()))


@pytest.mark.parametrize("score", ["1" + "0" * 400, "true", '"x"', "[1]", "1e400"])
def test_annotations_with_a_score_that_is_none_are_refused(tmp_path: Path, score: str) -> None:
    (tmp_path / "n.json").write_text(f'{{"a": ["clean", {score}]}}')
    if score == "true":  # is 1 in Python, and stays so
        assert read_labels(tmp_path / "n.json")["a"].score == 1
        return
    with pytest.raises(InputError, match="from 0 to 1"):
        read_labels(tmp_path / "n.json")


def test_a_large_report_is_read_at_once(tmp_path: Path) -> None:
    count = 20_000
    notes = {f"q {n}": ["input contamination", 0.7 + n / count / 10] for n in range(count)}
    matches = [
        [page(f"Question {n}?", 0.7 + n / count / 10, 0, f"https://a.org/{n}")]
        for n in range(count)
    ]
    files = [write(tmp_path / "n.json", notes), report(tmp_path / "r.json", matches)]
    [labels] = read_windows(files).values()
    assert labels["q 19999"].sources == ("https://a.org/19999",)
