"""Bundles on the command line."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from dcq.store import Store, runs, studies
from dcq.store.studies import Study
from tests.support import commands
from tests.support.judged import SEEN, UNSEEN, put, put_controls

pytestmark = pytest.mark.slow


def test_a_study_goes_from_one_store_to_another(
    fresh_store: Store, store_path: Path, tmp_path: Path
) -> None:
    put_controls(fresh_store, 2)
    put(fresh_store, "rivers", SEEN)
    put(fresh_store, "lakes", UNSEEN)
    studies.save(fresh_store, Study("Only rivers", partitions=("rivers/test",)))
    here, there = {"DCQ_STORE": str(store_path)}, {"DCQ_STORE": str(tmp_path / "new.duckdb")}
    file = tmp_path / "rivers.zip"
    asked = ("export", "bundle", "--study", "Only rivers", "--to", str(file), "--json")
    done = commands.run(*asked, environment=here)
    assert done.returncode == 0, done.stderr
    written = json.loads(done.stdout)
    assert (written["study"], written["text"], written["tables"]["run"]) == (
        "Only rivers", "whole", 3,
    )  # fmt: skip
    assert written["rows"] == sum(written["tables"].values())
    done = commands.run("import", str(file), "--json", environment=there)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["agree"], found["stored"], found["differences"]) == (True, True, [])
    assert (found["sender"], found["added"]) == ("the sender of rivers.zip", {})
    answer = ("answer", "--study", "Only rivers", "--json")
    [said] = json.loads(commands.run(*answer, environment=here).stdout)
    [listed] = json.loads(commands.run("imported", "list", "--json", environment=there).stdout)
    [entry] = listed["conclusions"]
    assert (entry["ruling"], entry["sentence"]) == (said["ruling"], said["sentence"])
    shown = commands.run("answer", "--json", environment=there)  # nothing was asked there
    assert [one["senders"] for one in json.loads(shown.stdout)] == [["the sender of rivers.zip"]]
    assert "These are the results of the sender of rivers.zip" in shown.stderr
    taken = commands.run("imported", "take-in", found["id"][:8], "--json", environment=there)
    assert json.loads(taken.stdout)["taken_in"] is True
    [now] = json.loads(commands.run("answer", "--json", environment=there).stdout)
    assert (now["ruling"], now["senders"]) == (said["ruling"], ["the sender of rivers.zip"])
    assert commands.run("imported", "take-back", found["id"], environment=there).returncode == 0
    shown = commands.run("answer", "--json", environment=there)
    assert "These are the results of the sender" in shown.stderr


def test_differences_are_named_and_end_with_one(
    fresh_store: Store, store_path: Path, tmp_path: Path
) -> None:
    put(fresh_store, "rivers", SEEN)
    here = {"DCQ_STORE": str(store_path)}
    file = tmp_path / "all.zip"
    done = commands.run(
        "export", "bundle", "--to", str(file), "--without-text", "--tables", "csv", environment=here
    )
    assert done.returncode == 0, done.stderr
    assert "withheld" in done.stderr
    with zipfile.ZipFile(file) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    assert "csv/answer.csv" in contents
    manifest = json.loads(contents["manifest.json"])
    manifest["outcomes"]["results"][0]["verdict"] = "no evidence"
    contents["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in contents.items():
            archive.writestr(name, data)
    new = tmp_path / "new.duckdb"
    done = commands.run("import", str(file), environment={"DCQ_STORE": str(new)})
    assert done.returncode == 1, done.stdout
    assert "not no evidence" in done.stdout
    assert "Nothing was stored" in done.stdout
    assert runs.listing(Store(new)) == []


@pytest.mark.parametrize(
    "asked",
    [
        ("export", "bundle"),
        ("export", "bundle", "--to", "b.csv"),
        ("export", "bundle", "--to", "b.zip"),
        ("export", "bundle", "--to", "b.zip", "--study", "unknown"),
        ("export", "bundle", "--to", "b.zip", "--tables", "xlsx"),
        ("export", "bundle", "of", "--to", "b.zip"),
        ("export", "results", "--to", "r.csv", "--without-text"),
        ("import", "nowhere.zip"),
        ("import", "nowhere.zip", "--add-variants"),
        ("import", "nowhere.zip", "--split", "test"),
    ],
)
def test_mistakes_are_said_in_a_sentence(store_path: Path, asked: tuple[str, ...]) -> None:
    done = commands.run(*asked, environment={"DCQ_STORE": str(store_path)})
    assert done.returncode == 2, done.stderr
    assert done.stderr.strip().count("\n") == 0
    assert "Traceback" not in done.stderr
