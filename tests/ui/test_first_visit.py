"""The question that an empty store offers is one of the example's, with what models really said."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pyarrow.parquet as pq

from dcq.records import LETTERS
from dcq.ui import example, first_visit


def _rows(bundle: zipfile.ZipFile, name: str) -> list[dict[str, Any]]:
    return list(pq.read_table(io.BytesIO(bundle.read(f"tables/{name}.parquet"))).to_pylist())


def test_the_question_is_one_of_the_examples_with_its_answers() -> None:
    item = json.loads(first_visit.ITEM.read_text("utf-8"))
    with zipfile.ZipFile(example.BUNDLE) as bundle:
        items, runs, answers = (_rows(bundle, name) for name in ("item", "run", "answer"))
    [stored] = [
        one
        for one in items
        if one["instance_id"] == item["instance"]
        and sorted(one["options"]) == sorted(item["options"])
    ]
    assert item["options"][item["original"]] == stored["options"][stored["correct"]]
    model_of = {run["id"]: run["model"] for run in runs if run["subject"] == stored["quiz_id"]}
    picked = {
        model_of[one["run_id"]].removeprefix("likelihood:"): item["options"].index(
            stored["options"][LETTERS.index(one["value"])]
        )
        for one in answers
        if one["run_id"] in model_of and one["position"] == stored["position"]
    }
    assert picked == item["picked"]
