"""An endpoint that repeats what it is sent, in any field and any code, leaves nothing of it here:
not in the store, a bundle, a copy, an export, a log, on a terminal or on a page."""

from __future__ import annotations

import ast
import io
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
from streamlit.testing.v1 import AppTest

from dcq.models import batch_file, completion, faults, finish, stream, usage, usage_report
from dcq.models.scorers import echo
from dcq.protect import secret as private
from dcq.protect.published import rows
from dcq.protect.secret import Secret
from dcq.store import Store, runs
from tests.support import commands, echoes
from tests.support.echoes import CODES, EchoProvider
from tests.support.protected import a_secret

pytestmark = [pytest.mark.ci, pytest.mark.slow]

KEY = "sk-Zq7rVb2LmKx9WtYp4nHd"
SECRET: Secret = a_secret(3)
PUBLISHED = {row["text"] for row in rows(SECRET)}
HIDDEN = [text for item in SECRET.items for text in item.wordings if text not in PUBLISHED]
STATUSES = (400, 401, 429)
PART = 24  # characters of a wording, the word that tells it from the others among them


@pytest.fixture
def repeats(monkeypatch: pytest.MonkeyPatch) -> Iterator[EchoProvider]:
    with EchoProvider(key=KEY) as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield running


def needles() -> list[str]:
    """What may be nowhere: each wording and the key, whole or in part, in every code."""
    texts = [part for text in HIDDEN for part in (text, text[:PART])]
    texts += [KEY, KEY[3:], KEY[:16]]
    written = {code(text).strip('"\\') for text in texts for code in CODES.values()}
    # In base64 a text looks otherwise three bytes on; its middle is the same at three places.
    coded = [CODES["base64"]("x" * shift + text)[4:-8] for text in texts for shift in range(3)]
    return sorted({word.lower() for word in (*written, *coded) if len(word) > 12})


NEEDLES = needles()


def lacks_private(name: str, content: str) -> None:
    lower = content.lower()
    joined = "".join(lower.split())
    for needle in NEEDLES:
        assert needle not in lower, name
        assert needle not in joined, name


def unpacked(content: bytes, name: str) -> Iterator[tuple[str, str]]:
    """The texts in a file, out of its zip, its tables or its database."""
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.namelist():
                yield from unpacked(archive.read(member), f"{name}/{member}")
    elif name.endswith(".parquet"):
        for column in pq.read_table(io.BytesIO(content)).to_pydict().values():
            yield name, " ".join(map(str, column))
    else:
        yield name, content.decode("utf-8", "replace")


def stored(path: Path) -> Iterator[tuple[str, str]]:
    with duckdb.connect(str(path), read_only=True) as db:
        tables = [
            name for (name,) in db.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        ]
        for name in tables:
            for row in db.execute(f'FROM "{name}"').fetchall():
                yield f"{path.name}: {name}", " ".join(map(str, row))


def read_names(module: object) -> set[str]:
    """The names of members that a module reads of a reply."""
    tree = ast.parse(Path(str(getattr(module, "__file__", ""))).read_text("utf-8"))
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "get" and node.args:
            found.add(getattr(node.args[0], "value", None))
        if isinstance(node, ast.Subscript):
            found.add(getattr(node.slice, "value", None))
    return {name for name in found if isinstance(name, str)}


OF_BATCHES = {  # what is read of batches and their files, whose lines are tried in test_masking.py
    *("response", "status_code", "body", "request_counts", "metadata", "dcq_sent", "dcq_run"),
    *("output_file_id", "error_file_id", "input_file_id", "completed", "failed", "total"),
    *("errors", "completed_at", "in_progress_at", "finalizing_at", "max_completion_tokens"),
    *("max_tokens", "text_offset"),
}


MODULES = [completion, finish, faults, usage, usage_report, stream, echo, batch_file]


@pytest.mark.parametrize("module", MODULES)
def test_every_member_that_is_read_is_repeated(module: object) -> None:
    """A reader that learns another name has it tried below."""

    def names(document: object) -> Iterator[str]:
        if isinstance(document, dict):
            yield from document
            document = list(document.values())
        for member in document if isinstance(document, list) else ():
            yield from names(member)

    documents = (echoes.completion("x", "A"), echoes.error("x"), echoes.scores("x", "y z"))
    repeated = {name for document in documents for name in names(document)}
    assert read_names(module) - repeated - OF_BATCHES == set()


class Machine:
    """A store and what leaves it, as commands print and write it."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store, self.out = store, folder / "out"
        self.out.mkdir()
        self.secret = folder / "elsewhere.dcqsecret"
        self.secret.write_bytes(private.to_bytes(SECRET))

    def call(self, *words: str) -> None:
        """Run a command; what it prints has nothing private."""
        environment = os.environ | {"DCQ_STORE": str(self.store.path)}
        done = commands.run(*words, environment=environment)
        assert "Traceback" not in done.stderr
        lacks_private(" ".join(words), done.stdout + done.stderr)
        assert done.returncode in {0, 1, 2}

    def check(self, model: str, *more: str) -> None:
        self.call("protect", "check", str(self.secret), "--model", model, *more)

    def contents(self) -> Iterator[tuple[str, str]]:
        """All that is in the store, its logs and the files that were written."""
        for path in (self.store.path, self.out / "copy.duckdb"):
            yield from stored(path)
        folders = (self.out, self.store.runs_folder)
        for path in (self.store.path, *(each for one in folders for each in one.rglob("*"))):
            if path.is_file():
                yield from unpacked(path.read_bytes(), path.name)


def test_nothing_is_left_of_what_it_repeats(
    fresh_store: Store, repeats: EchoProvider, tmp_path: Path, app: AppTest
) -> None:
    machine = Machine(fresh_store, tmp_path)
    failing = [f"echo-plain-{status}" for status in STATUSES]
    for model in [*(f"echo-{code}" for code in CODES), *failing]:
        machine.check(model, "--asks", "1")
    for code in ("plain", "base64"):
        machine.check(f"likelihood:echo-{code}", "--by", "likelihood")
    assert all(repeats.counts[f"echo-{code}"] >= 3 for code in CODES)
    assert any(text in told for text in HIDDEN for told in repeats.told)

    out = machine.out
    machine.call("export", "bundle", "--to", str(out / "b.zip"), "--tables", "csv")
    machine.call("export", "bundle", "--to", str(out / "bare.zip"), "--without-text")
    machine.call("backup", str(out / "copy.duckdb"))
    for what in ("results", "pairs"):
        machine.call("export", what, "--to", str(out / f"{what}.csv"))
    for run in runs.listing(fresh_store):
        machine.call("export", "answers", run, "--to", str(out / f"{run}.jsonl"))
    for suffix in ("html", "md", "tex", "pptx"):
        machine.call("export", "report", "--to", str(out / f"report.{suffix}"))
    for command in ("status", "results", "answer", "doctor"):
        machine.call(command, "--json")

    seen = set()
    for name, text in machine.contents():
        seen.add(name.partition("/")[0])
        lacks_private(name, text)
    assert {"b.zip", "bare.zip", "pairs.csv", "report.html", "report.pptx"} <= seen
    assert any(name.endswith(".log.jsonl") or name.endswith(".jsonl") for name in seen)
    for page in ("protect", "results", "overview", "answers"):
        at = app.switch_page(f"pages/{page}.py").run()
        assert not at.exception
        lacks_private(page, str(at.main) + str([frame.value for frame in at.dataframe]))
