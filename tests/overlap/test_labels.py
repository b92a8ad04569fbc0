from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from dcq.errors import InputError
from dcq.overlap.label import Label
from dcq.overlap.labels import merged, read_labels, read_windows
from dcq.overlap.match import Category


def test_labels_are_read_from_csv_and_from_the_authors_annotations(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("instance_id,category,score\n1,clean,\n2,input-only,0.8\n")
    found = read_labels(tmp_path / "a.csv")
    assert math.isnan(found["1"].score)
    assert found["2"] == Label(Category.INPUT_ONLY, 0.8)
    notes = {"1": ["clean", 0.1], "2": ["input-and-label contamination", 0.9]}
    (tmp_path / "a.json").write_text(json.dumps(notes))
    assert read_labels(tmp_path / "a.json")["2"] == Label(Category.INPUT_AND_LABEL, 0.9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,category\n1,clean\n", "lacks instance_id or category in row 1"),
        ("instance_id,category\n1,dirty\n", "calls '1' 'dirty'"),
        ("instance_id,category\n1,clean\n1,clean\n", "'1' twice"),
        ("instance_id,category,score\n1,clean,high\n", "score 'high'"),
        ("instance_id,category,score\n1,clean,1.5\n", "from 0 to 1"),
    ],
)
def test_mistakes_in_labels_are_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        read_labels(tmp_path / "a.csv")


def test_addresses_and_texts_come_with_a_label(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "instance_id,category,score,sources,text\n1,input-only,0.8,http://a.org  b.org,Who?\n"
    )
    assert read_labels(tmp_path / "a.csv") == {
        "1": Label(Category.INPUT_ONLY, 0.8, ("http://a.org", "b.org"), "Who?")
    }
    (tmp_path / "a.jsonl").write_text(
        '{"instance_id": 1, "category": "clean", "score": null, "sources": ["a b", "a b"]}'
    )
    assert read_labels(tmp_path / "a.jsonl")["1"].sources == ("a b",)


def test_windows_are_rows_or_files_and_together_the_most_serious_counts(tmp_path: Path) -> None:
    (tmp_path / "both.csv").write_text(
        "instance_id,category,score,window,sources\n1,clean,0.2,2017-2020,\n"
        "1,input-and-label,0.9,2020-2023,a.org\n2,input-only,,2017-2020,\n2,clean,0.1,2020-2023,\n"
    )
    (tmp_path / "later.csv").write_text("instance_id,category\n1,clean\n")
    found = read_windows([tmp_path / "both.csv", tmp_path / "later.csv"])
    assert list(found) == ["2017-2020", "2020-2023", "later"]
    together = merged(found.values())
    assert together["1"] == Label(Category.INPUT_AND_LABEL, 0.9, ("a.org",))
    assert together["2"] == Label(Category.INPUT_ONLY, 0.1)


def test_one_window_has_an_instance_once(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("instance_id,category,window\n1,clean,x\n1,clean,x\n")
    with pytest.raises(InputError, match=r"'1' twice.*column window"):
        read_windows([tmp_path / "a.csv"])


def test_what_a_search_prints_is_read(tmp_path: Path) -> None:
    printed = {
        "run": "r1",
        "window": ["2017-01-01", "2020-12-31"],
        "rows": [
            {"instance_id": "a", "category": "input-only", "score": 0.8, "sources": ["http://a.b"]},
            {"instance_id": "b", "category": None, "score": None, "sources": []},
            {"instance_id": "c", "category": "clean", "score": 0.1, "sources": []},
        ],
    }
    (tmp_path / "found.json").write_text(json.dumps(printed))
    [(window, labels)] = read_windows([tmp_path / "found.json"]).items()
    assert window == "2017-01-01 to 2020-12-31"
    assert list(labels) == ["a", "c"]  # b was not searched for
    assert labels["a"].sources == ("http://a.b",)
