"""Studies on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dcq import methods
from dcq.store import Store, studies
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
