"""A key goes to its endpoint and nowhere else: not into the store, a log, a file, a message or the
arguments of a process."""

from __future__ import annotations

import math
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dcq.asking import launch
from dcq.asking.options import Options, Terms
from dcq.cli import app
from dcq.jobs import lock
from dcq.partitions import read_file
from dcq.quiz import freeze
from dcq.quiz.method import QUIZ
from dcq.records import QuizKind
from dcq.store import Store, runs
from tests.support import commands
from tests.support.provider import FakeProvider
from tests.support.runs import wait_for

pytestmark = pytest.mark.slow

# Distinct from anything that the product writes by itself.
KEY = "sk-Zq7rVb2LmKx9WtYp4nHd"
WRONG = "sk-wrong-Jf5cGs8TzQe1RvUo3aBi"


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeProvider]:
    with FakeProvider(key=KEY) as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield running


@pytest.fixture
def environment(fresh_store: Store, provider: FakeProvider) -> dict[str, str]:
    return os.environ | {"DCQ_STORE": str(fresh_store.path)}


def clean(data: bytes) -> None:
    for key in (KEY, WRONG):
        assert key.encode() not in data
        assert key[3:].encode() not in data


def everything_stored(store: Store) -> bytes:
    """Every row of every table: within the file they may be packed."""
    with store.read() as db:
        names = [
            name for (name,) in db.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        ]
        assert {"run", "run_event", "answer"} <= set(names)
        return repr([db.table(name).fetchall() for name in names]).encode()


def test_a_key_stays_with_its_endpoint(
    fresh_store: Store,
    sample_id: str,
    provider: FakeProvider,
    environment: dict[str, str],
    tmp_path: Path,
) -> None:
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz

    # As the app starts it; killed while it asks, so that what a crash leaves is there too.
    provider.answers_at_most = 1
    [run] = launch.begin(fresh_store, QUIZ, [quiz], ["always-d"], Options(Terms(concurrency=1)))
    wait_for(lambda: provider.counts["always-d"] >= 2)
    pid = int((fresh_store.runs_folder / f"{run}.lock").read_text().splitlines()[0])
    arguments = Path(f"/proc/{pid}/cmdline").read_bytes()
    assert run.encode() in arguments
    clean(arguments)
    assert KEY.encode() in Path(f"/proc/{pid}/environ").read_bytes()  # that is its way in
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not lock.is_held(fresh_store, run))
    provider.answers_at_most = math.inf

    # The endpoint repeats a wrong key in its answer.
    wrong = environment | {"OPENAI_API_KEY": WRONG}
    refused = commands.run("run", quiz, "--model", "always-a", environment=wrong)
    assert refused.returncode == 1
    assert "OPENAI_API_KEY" in refused.stderr

    words = ("run", quiz, "--model", "always-d", "--resume", "--json")
    done = commands.run(*words, environment=environment)
    assert done.returncode == 0
    for process in (refused, done):
        clean((process.stdout + process.stderr).encode())

    files = {
        "results.csv": ("results",),
        "answers.jsonl": ("answers", run),
        "answers.parquet": ("answers", run),
        "sample.json": ("sample", sample_id),
    }
    exports = [("export", *words, "--to", str(tmp_path / name)) for name, words in files.items()]
    for call in [("status",), ("status", "--json"), ("doctor",), ("doctor", "--json"), *exports]:
        printed = CliRunner().invoke(app, call, env=environment)
        assert printed.exit_code == 0
        clean(printed.output.encode())
    clean(everything_stored(fresh_store))
    clean(repr(list(read_file(tmp_path / "answers.parquet").rows)).encode())
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {".duckdb", ".jsonl", ".log", ".lock", ".parquet"} <= {p.suffix for p in written}
    for path in written:
        clean(path.read_bytes())
    assert len(runs.listing(fresh_store)) == 2
