"""One command from a csv to conclusions, as somebody new types it: on a real server, to the end."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

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
    asked = server.counts.total()
    assert server.counts["remembers"] >= 60

    done = investigate(server, store, *words)
    assert done.returncode == 0, done.stderr
    assert "Contaminated. remembers has probably seen my." in done.stdout
    assert "There is no evidence that forgets has seen my" in done.stdout
    assert server.counts.total() > asked


@pytest.mark.timeout(SECONDS)
def test_offline_rewordings_come_to_the_same_conclusion_from_python(
    server: FakeProvider, benchmark: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import dcq

    for name, value in environment(server, tmp_path / "dcq.duckdb").items():
        monkeypatch.setenv(name, value)
    store = dcq.open_store()
    before = server.counts["synonyms"]
    done = dcq.investigate(store, benchmark, "remembers", name="My benchmark")
    assert done["answer"]["ruling"] == "contaminated"
    assert done["answer"]["partition"] == "My benchmark/test"
    assert server.counts["synonyms"] == before
    asked = server.counts.total()
    again = dcq.investigate(store, done["sample"], "remembers")
    assert again["answer"]["ruling"] == "contaminated"
    assert server.counts.total() == asked
