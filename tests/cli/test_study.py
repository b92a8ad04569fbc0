"""Studies on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from dcq import methods
from dcq.cli import app
from dcq.store import Store, studies
from dcq.store.connect import utc_now
from tests.support import commands
from tests.support.judged import SEEN, put, put_controls
from tests.support.runs import NOBODY

pytestmark = pytest.mark.slow


def test_a_study_is_saved_listed_judged_and_taken_off(store_path: Path, fresh_store: Store) -> None:
    put_controls(fresh_store, 2)
    put(fresh_store, "rivers", SEEN)
    put(fresh_store, "lakes", SEEN)
    here = {"DCQ_STORE": str(store_path), "DCQ_AUTHOR": "Ada"}
    narrowed = ("--partition", "rivers/test", "--control", "unseen-0/test")
    done = commands.run("study", "Rivers only", *narrowed, "--json", environment=here)
    assert done.returncode == 0, done.stderr
    assert "python -m dcq results --study 'Rivers only'" in done.stderr  # as a shell takes it
    made = json.loads(done.stdout)
    assert (made["partitions"], made["models"], made["author"]) == (
        ["rivers/test"],
        [NOBODY],
        "Ada",
    )
    assert (made["methods"], made["revision"]) == ([*methods.names()], 1)
    listed = json.loads(commands.run("study", "--json", environment=here).stdout)
    assert [one["name"] for one in listed] == ["Rivers only"]
    asked = ("results", "--study", "Rivers only", "--json")
    rows = json.loads(commands.run(*asked, environment=here).stdout)
    assert {row["partition"] for row in rows} == {"rivers/test", "unseen-0/test"}
    done = commands.run("study", "Rivers only", "--remove", environment=here)
    assert done.returncode == 0, done.stderr
    assert studies.listing(fresh_store) == []


@pytest.mark.parametrize(
    "asked",
    [
        ("study", "--partition", "rivers/test"),
        ("study", "unknown"),
        ("study", "--remove"),
        ("study", "s", "--method", "guessing"),
        ("results", "--study", "unknown"),
    ],
)
def test_mistakes_are_said_in_a_sentence(store_path: Path, asked: tuple[str, ...]) -> None:
    done = commands.run(*asked, environment={"DCQ_STORE": str(store_path)})
    assert done.returncode == 2
    assert done.stderr.strip()
    assert "Traceback" not in done.stderr


def call(*words: str) -> Result:
    return CliRunner().invoke(app, ["study", *words])


def test_the_commands_do_what_the_earlier_form_did(
    store_path: Path, fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_controls(fresh_store, 1)
    put(fresh_store, "rivers", SEEN)
    monkeypatch.setenv("DCQ_STORE", str(store_path))
    made = call("save", "Rivers", "--partition", "rivers/test", "--json")
    assert made.exit_code == 0, made.exception
    saved = json.loads(made.stdout)
    for words in (("show", "Rivers", "--json"), ("Rivers", "--json"), ("--json", "--", "Rivers")):
        assert json.loads(call(*words).stdout) == saved
    assert json.loads(call("list", "--json").stdout) == [saved]
    assert json.loads(call("--json").stdout) == [saved]
    assert json.loads(call("remove", "Rivers", "--json").stdout) == {"removed": "Rivers"}
    assert studies.listing(fresh_store) == []
    assert "--everything" in str(call("save", "Rivers").exception)


@pytest.mark.parametrize("verb", studies.COMMANDS)
def test_a_study_that_bears_the_name_of_a_command_is_still_reached(
    store_path: Path, fresh_store: Store, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    monkeypatch.setenv("DCQ_STORE", str(store_path))
    for words in (("save", verb, "--everything"), ("--everything", verb)):
        assert "is a command of study" in str(call(*words).exception)
    with fresh_store.write() as db:  # as an earlier release could save it
        db.execute(
            "INSERT INTO study (name, methods, author, made_at) VALUES (?, 'null', '', ?)",
            [verb, utc_now()],
        )
    assert json.loads(call("show", verb, "--json").stdout)["name"] == verb
    assert json.loads(call("--json", "--", verb).stdout)["name"] == verb
    assert call("remove", verb).exit_code == 0
    assert studies.listing(fresh_store) == []
