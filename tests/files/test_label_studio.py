"""Variants to Label Studio and back.

``tests/fixtures/label_studio.json`` was made by Label Studio's own library (label-studio-sdk 2.1.2)
from what ``dump`` writes for two instances: it checked each task and each annotation against the
interface, and put the annotations in.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dcq.cli import app
from dcq.errors import InputError
from dcq.files import label_studio
from dcq.places import ROOT
from dcq.store import Store, reviews, samples, variants
from dcq.store.connect import utc_now
from dcq.store.variants import Decision, NewVariant, StoredVariant
from tests.conftest import small_sample

MADE = ROOT / "tests/fixtures/label_studio.json"


@pytest.fixture
def sample(fresh_store: Store) -> str:
    return samples.save(fresh_store, small_sample(2))


def current(store: Store, sample: str) -> list[StoredVariant]:
    return [one for slots in variants.current(store, sample).values() for one in slots.values()]


def annotate(tasks: list[dict[str, Any]], choice: str = "accepted", **facts: Any) -> None:
    for task in tasks:
        result = [
            {"from_name": "decision", "to_name": "variant", "type": "choices",
             "value": {"choices": [choice]}}
        ]  # fmt: skip
        task["annotations"] = [
            {"result": result, "completed_by": 3, "created_at": "2026-11-20T10:00:00.5Z", **facts}
        ]


def test_what_goes_out_is_a_task_for_each_variant(fresh_store: Store, sample: str) -> None:
    [first, *_] = current(fresh_store, sample)
    reviews.decide(fresh_store, sample, [first], Decision.REJECTED, "Ada")
    tasks = json.loads(label_studio.dump(fresh_store, sample))
    assert len(tasks) == 8
    data = tasks[0]["data"]
    assert (data["sample"], data["instance"], data["slot"]) == (sample, first.instance_id, "A")
    assert data["variant"] == first.text
    [said] = tasks[0]["predictions"]
    assert said["model_version"] == "dcq: Ada"
    assert said["result"][0]["value"] == {"choices": ["rejected"]}
    assert tasks[1]["predictions"] == []


def test_a_file_of_its_own_library_comes_back(fresh_store: Store, sample: str) -> None:
    taken = label_studio.take(fresh_store, MADE)
    assert (taken.sample, taken.new, taken.present, taken.outdated) == (sample, 8, 0, 0)
    found = current(fresh_store, sample)
    assert [one.decision for one in found] == [Decision.ACCEPTED, Decision.REJECTED] * 4
    assert {one.reviewer for one in found} == {"Label Studio user 7"}
    [(name, pace)] = taken.paces
    # Its lead_time is 4.5, 5.5, … seconds; two instances, four variants each.
    assert (name, pace.n, pace.seconds) == ("Label Studio user 7", 8, 8.0)
    assert (pace.seconds_early, pace.seconds_late) == (6.0, 10.0)
    assert "takes 8 s a variant (6 s, then 10 s)" in taken.sentence()
    assert taken.document()["pace"][0]["annotator"] == name
    again = label_studio.take(fresh_store, MADE)
    assert (again.new, again.present) == (0, 8)


def test_who_and_when_are_kept(fresh_store: Store, sample: str, tmp_path: Path) -> None:
    tasks = json.loads(label_studio.dump(fresh_store, sample))
    annotate(tasks[:1], completed_by={"id": 3, "email": "ada@example.org"})
    path = tmp_path / "back.json"
    path.write_text(json.dumps(tasks))
    assert label_studio.take(fresh_store, path).new == 1
    with fresh_store.read() as db:
        rows = db.execute("SELECT author, made_at FROM review").fetchall()
    assert rows == [("ada@example.org", datetime(2026, 11, 20, 10, 0, 0, 500_000))]


def test_the_newest_annotation_counts(fresh_store: Store, sample: str, tmp_path: Path) -> None:
    tasks = json.loads(label_studio.dump(fresh_store, sample))[:1]
    annotate(tasks, "rejected", created_at="2026-11-21T10:00:00Z")
    [late] = tasks[0]["annotations"]
    annotate(tasks)
    tasks[0]["annotations"].insert(0, late)
    tasks[0]["annotations"].append({**late, "was_cancelled": True})
    path = tmp_path / "back.json"
    path.write_text(json.dumps(tasks))
    assert label_studio.take(fresh_store, path).new == 2
    assert current(fresh_store, sample)[0].decision is Decision.REJECTED


def test_a_text_that_has_changed_since_is_left(
    fresh_store: Store, sample: str, tmp_path: Path
) -> None:
    tasks = json.loads(label_studio.dump(fresh_store, sample))
    annotate(tasks)
    path = tmp_path / "back.json"
    path.write_text(json.dumps(tasks))
    [first, *_] = current(fresh_store, sample)
    new = NewVariant(first.instance_id, first.slot, "Another text.", "person", "Ada")
    variants.add(fresh_store, sample, [new])
    taken = label_studio.take(fresh_store, path)
    assert (taken.new, taken.outdated) == (7, 1)
    assert "1 left out" in taken.sentence()


@pytest.mark.parametrize(
    "content",
    [
        "[]",
        "[1]",
        "{}",
        '[{"data": 1}]',
        "[" * 5000,
        '[{"data": {}}]',
        "[",
        '[{"data": {"a": NaN}}]',
    ],
)
def test_anything_else_is_refused(fresh_store: Store, tmp_path: Path, content: str) -> None:
    path = tmp_path / "strange.json"
    path.write_text(content)
    with pytest.raises(InputError):
        label_studio.take(fresh_store, path)


def test_a_hostile_annotation_decides_nothing(
    fresh_store: Store, sample: str, tmp_path: Path
) -> None:
    tasks = json.loads(label_studio.dump(fresh_store, sample))
    annotate(tasks[:1], completed_by="root@example.org", created_at="9999-01-01T00:00:00Z")
    tasks[0]["annotations"][0]["lead_time"] = 10**400
    annotate(tasks[1:2], "open")
    annotate(tasks[2:3], result="accepted")
    annotate(tasks[3:4], result=[{"from_name": "decision", "value": {"choices": ["accepted"] * 2}}])
    tasks[4]["annotations"] = [None, 7, {"result": [None]}]
    path = tmp_path / "back.json"
    path.write_text(json.dumps(tasks))
    assert label_studio.take(fresh_store, path).new == 1
    [first, *_] = current(fresh_store, sample)
    assert first.reviewer == "root@example.org"
    with fresh_store.read() as db:
        [(at,)] = db.execute("SELECT made_at FROM review").fetchall()
    assert at <= utc_now()


@pytest.mark.parametrize("name", ["a\u202e@b.c", "x\ny", "n" * 5_000, "\x1b[31mroot", "\u0410nna"])
def test_an_annotator_of_another_s_name_is_refused(
    fresh_store: Store, sample: str, tmp_path: Path, name: str
) -> None:
    tasks = json.loads(label_studio.dump(fresh_store, sample))
    annotate(tasks[:1], completed_by=name)
    path = tmp_path / "back.json"
    path.write_text(json.dumps(tasks))
    with pytest.raises(InputError, match="Name the annotator"):
        label_studio.take(fresh_store, path)


def test_the_command_prints_a_line_for_each_annotator(
    fresh_store: Store, sample: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    done = CliRunner().invoke(app, ["import", str(MADE)], catch_exceptions=False)
    first, ada = done.stdout.splitlines()
    assert first == f"8 decisions taken over for sample {sample}."
    assert ada.startswith("Label Studio user 7 takes 8 s a variant")
