"""One command from a csv to conclusions, as somebody new types it: on a real server, to the end."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dcq.store import Store
from dcq.variants.method import REWORDING
from tests.conftest import KEY
from tests.support import commands
from tests.support.newcomer import known, write_benchmark
from tests.support.provider import FakeProvider

pytestmark = [pytest.mark.slow, pytest.mark.ci]

SECONDS = 1500  # for a machine with other work
MODELS = ("--model", "remembers", "--model", "forgets", "--rewordings", "synonyms")


@pytest.fixture(scope="module")
def server() -> Iterator[FakeProvider]:
    with FakeProvider(key=KEY, seen=known()) as running:
        yield running


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_benchmark(tmp_path_factory.mktemp("own") / "my.csv")


def environment(server: FakeProvider, store: Path) -> dict[str, str]:
    return os.environ | {
        "DCQ_STORE": str(store),
        "OPENAI_BASE_URL": server.base_url,
        "OPENAI_API_KEY": KEY,
    }


def investigate(server: FakeProvider, store: Path, *words: str) -> subprocess.CompletedProcess[str]:
    variables = environment(server, store)
    return commands.run("investigate", *words, environment=variables, timeout=SECONDS)


def quiz_prompts(server: FakeProvider) -> list[tuple[str, str]]:
    """What was asked so far, but for the rewordings."""
    prompts = [(body["model"], str(body["messages"])) for body in server.bodies]
    return [prompt for prompt in prompts if prompt[0] != "synonyms"]


def count_answers(store: Store) -> int:
    """The answers that are stored, but for the rewordings."""
    with store.read() as db:
        [[count]] = db.execute(
            "SELECT count(*) FROM answer a JOIN run r ON r.id = a.run_id WHERE r.method <> ?",
            [REWORDING.name],
        ).fetchall()
    return int(count)


@pytest.mark.timeout(2 * SECONDS)
def test_a_killed_command_goes_on_and_ends_in_both_conclusions(
    server: FakeProvider, benchmark: Path, tmp_path: Path
) -> None:
    store = tmp_path / "dcq.duckdb"
    words = (str(benchmark), *MODELS, "--yes")
    begun = commands.start(("investigate", *words), environment(server, store))
    until = time.monotonic() + SECONDS
    while server.counts["remembers"] < 60 and time.monotonic() < until:
        time.sleep(0.05)
    begun.kill()  # as kill -9 does
    begun.join()
    before = quiz_prompts(server)
    assert len(before) >= 60
    stored = count_answers(Store(store))

    done = investigate(server, store, *words)
    assert done.returncode == 0, done.stderr
    assert "Contaminated. remembers has probably seen my." in done.stdout
    assert "There is no evidence that forgets has seen my" in done.stdout
    after = quiz_prompts(server)[len(before) :]
    assert after
    # What was asked is asked once more only where its reply was not stored yet.
    assert len(set(before) & set(after)) <= len(before) - stored


@pytest.mark.timeout(SECONDS)
def test_offline_rewordings_come_to_the_same_conclusion_from_python(
    server: FakeProvider, benchmark: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import dcq

    for name, value in environment(server, tmp_path / "dcq.duckdb").items():
        monkeypatch.setenv(name, value)
    store = dcq.open_store()
    before = server.counts["synonyms"]
    done = dcq.investigate(store, benchmark, "remembers", name="My benchmark", n=16)
    assert done["answer"]["ruling"] == "contaminated"
    assert done["answer"]["partition"] == "My benchmark/test"
    assert server.counts["synonyms"] == before
    asked = server.counts.total()
    again = dcq.investigate(store, done["sample"], "remembers")
    assert again["answer"]["ruling"] == "contaminated"
    assert server.counts.total() == asked
