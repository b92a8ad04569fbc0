"""Whatever a person names where a file is wanted, every option and variable answers at once.

The options are those of the commands themselves: a new one that names a file fails here until it is
listed with a call that comes to it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, get_args

import pytest
import typer
from typer.testing import CliRunner

from dcq.cli import app
from dcq.errors import DcqError
from dcq.models.bleurt import Bleurt
from dcq.models.cutoffs import cutoff_of
from dcq.models.prices import find_price
from dcq.overlap.scan.shards import files_of
from dcq.passport import keys
from dcq.settings import ROOT, Settings
from dcq.store import Store, samples
from dcq.ui.roles import read_roles
from tests.conftest import small_sample
from tests.support.judged import SEEN, put, put_controls
from tests.support.no_plain_files import make
from tests.support.result_files import write_csv

pytestmark = [
    pytest.mark.ci,
    pytest.mark.skipif(os.name != "posix", reason="pipes and devices are POSIX's"),
]

# FILE is what is named there; the other words in capitals are good files of their kind.
READ = {
    "sample --file": "sample rivers test --file FILE.csv",
    "investigate sample": "investigate FILE.csv --model embedded --yes",
    "audit file": "audit FILE.csv",
    "replicate --audit": "replicate --audit FILE.csv",
    "replicate --against": "replicate --audit COMPLETIONS --against FILE.csv",
    "overlap match file": "overlap match FILE.jsonl",
    "overlap scan queries": "overlap scan FILE.jsonl QUERIES",
    "overlap scan corpus": "overlap scan QUERIES FILE.jsonl",
    "overlap scan --manifest": "overlap scan QUERIES QUERIES --manifest FILE",
    "overlap effect results": "overlap effect FILE.csv --labels LABELS",
    "overlap effect --labels": "overlap effect SCORES --labels FILE.json",
    "overlap effect --sizes": "overlap effect SCORES --labels LABELS --sizes FILE.csv",
    "overlap effect --blocklist": "overlap effect SCORES --labels LABELS --blocklist FILE.txt",
    "matter files": "matter FILE.csv",
    "matter --seen": "matter SCORES --seen FILE.csv",
    "matter --dates": "matter SCORES --dates FILE.csv",
    "protect verify secret": "protect verify FILE COMMITMENT PUBLISHED",
    "protect verify commitment": "protect verify SECRET FILE PUBLISHED",
    "protect verify published": "protect verify SECRET COMMITMENT FILE.csv",
    "protect check secret": "protect check FILE --model gpt-4o",
    "protect watch secret": "protect watch FILE --model gpt-4o",
    "protect test file": "protect test FILE.csv",
    "passport make --key": "passport make --out NEW --key FILE",
    "passport make --from": "passport make --out NEW --key KEY --from FILE.zip",
    "passport verify file": "passport verify FILE.json --key PUBLIC",
    "passport verify --key": "passport verify PASSPORT --key FILE.pub",
    "passport verify --bundle": "passport verify PASSPORT --key PUBLIC --bundle FILE.zip",
    "import file": "import FILE.json",
    "import file (bundle)": "import FILE.zip",
    "import file (quiz)": "import FILE.parquet",
    "restore file": "restore FILE.duckdb --force",
    "study plan file": "study plan FILE.toml",
    "study run file": "study run FILE.toml --yes",
    "study check file": "study check FILE.toml",
    "study check --against": "study check STUDY --against FILE.json",
}
WRITTEN = {
    "protect make --out": "protect make SAMPLE --out FILE --accepted-by R",
    "passport key --out": "passport key --out FILE",
    "passport make --out": "passport make --out FILE.json --key KEY --partition rivers/test",
    "passport make --bundle": "passport make --out NEW --key KEY --bundle FILE.zip",
    "export --to": "export results --to FILE.csv",
    "backup file": "backup FILE.duckdb --force",
    "study init --to": "study init --to FILE.toml",
    "study check --markdown": "study check STUDY --markdown FILE.md",
    "study check --junit": "study check STUDY --junit FILE.xml",
}
# No files of ours: the second may be one and is tried; the third is read by Ray.
TEXTS = {"matter --reference", "overlap scan queries", "overlap scan --ray", "matter files"}
# Who reads what these settings name.
VARIABLES: Mapping[str, Callable[[Path], object]] = {
    "DCQ_STORE": lambda _: call("results", {}),
    "DCQ_PRICES": lambda _: find_price("gpt-4o"),
    "DCQ_CUTOFFS": lambda _: cutoff_of("gpt-4o"),
    "DCQ_CORPUS": lambda path: files_of([path]),
    "DCQ_BLEURT": Bleurt,
    "DCQ_ROLES": read_roles,
}


def parameters() -> Iterator[tuple[str, bool]]:
    """Each argument and option of each command, and whether it is declared as a path."""

    def below(command: Any, names: tuple[str, ...]) -> Iterator[tuple[str, bool]]:
        if hasattr(command, "list_commands"):
            context = typer.Context(command)
            for name in command.list_commands(context):
                inner = command.get_command(context, name)
                assert inner is not None
                yield from below(inner, (*names, name))
            return
        for parameter in command.params:
            annotation = getattr(parameter, "type_descriptor", None)
            kinds = {annotation.annotation, *get_args(annotation.annotation)} if annotation else ()
            name = next((o for o in parameter.opts if o.startswith("--")), parameter.name)
            yield " ".join((*names, str(name))), Path in kinds

    yield from below(typer.main.get_command(app), ())


def test_every_option_that_names_a_file_is_tried() -> None:
    known = {name.partition(" (")[0] for name in READ} | WRITTEN.keys()
    declared = {name for name, is_path in parameters() if is_path}
    assert declared - known == set()
    assert known - {name for name, _ in parameters()} == set()
    settings = {
        str(field.validation_alias)
        for field in Settings.model_fields.values()
        if Path in {field.annotation, *get_args(field.annotation)}
    }
    assert settings == VARIABLES.keys()


@contextmanager
def at_once(seconds: float = 10) -> Iterator[None]:
    """Fail where what is done inside waits."""

    def give_up(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError("it waits for the file")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """Good files of each kind, and a store."""
    folder = tmp_path_factory.mktemp("good")
    with pytest.MonkeyPatch.context() as patched:
        store = Store(folder / "dcq.duckdb")
        patched.setenv("DCQ_STORE", str(store.path))
        sample = samples.save(store, small_sample(12))
        keys.make(folder / "key")
        out = folder / "p"
        put_controls(store)
        put(store, "rivers", SEEN)
        passport = folder / "passport.json"
        key = f"--key {folder / 'key'} --partition rivers/test"
        call(f"passport make --out {passport} {key}", {})
        assert passport.exists()
        call(f"protect make {sample} --out {out} --accepted-by R", {})  # nothing leaves after it
        row = {"model": "m", "role": "target", "instance_id": "a", "correct": 1}
        versions = [{**row, "version": version} for version in ("original", "reworded")]
        scores = write_csv(folder / "scores.csv", versions)
        label = {"instance_id": "a", "category": "clean", "score": 0.1}
        labels = write_csv(folder / "labels.csv", [label])
        queries = folder / "queries.jsonl"
        queries.write_text('{"id": "a", "query": "the brook is long", "text": "the brook"}\n')
        study = folder / "study.toml"
        call(f"study init --to {study}", {})
        completion = {
            "first_piece": "a b", "second_piece": "c d", "generated_guided_completion": "c d",
        }  # fmt: skip
        return {
            "STORE": str(store.path),
            "SAMPLE": sample,
            "KEY": str(folder / "key"),
            "PUBLIC": str(folder / "key.pub"),
            "SECRET": str(out / "private.dcqsecret"),
            "COMMITMENT": str(out / "commitment.json"),
            "PUBLISHED": str(out / "published.jsonl"),
            "SCORES": str(scores),
            "LABELS": str(labels),
            "QUERIES": str(queries),
            "COMPLETIONS": str(write_csv(folder / "completions.csv", [completion])),
            "NEW": str(folder / "new.json"),
            "PASSPORT": str(passport),
            "STUDY": str(study),
        }


def call(line: str, words: Mapping[str, str]) -> None:
    CliRunner().invoke(
        app, [words.get(word, word) for word in line.split()], catch_exceptions=False
    )


def name_file(line: str, kind: str, folder: Path) -> tuple[str, Path]:
    """The line with something of this kind at FILE, and where it lies."""
    [word] = [word for word in line.split() if word.startswith("FILE")]
    path = make(kind, folder / word.replace("FILE", "given"))
    return line.replace(word, str(path)), path


def refusal(line: str, good: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("DCQ_STORE", good["STORE"])
    with at_once(), pytest.raises(DcqError) as raised:
        call(line, good)
    assert raised.value.exit_code == 2, raised.value
    sentence = str(raised.value)
    assert "\n" not in sentence
    return sentence


@pytest.mark.parametrize("kind", ["pipe", "endless", "linked pipe", "socket"])
@pytest.mark.parametrize("option", READ)
def test_what_is_no_plain_file_is_one_sentence(
    option: str,
    kind: str,
    good: Mapping[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line, path = name_file(READ[option], kind, tmp_path)
    assert path.name in refusal(line, good, monkeypatch)


@pytest.mark.parametrize("kind", ["pipe", "endless", "socket"])
@pytest.mark.parametrize("option", WRITTEN)
def test_nothing_is_written_to_what_is_no_plain_file(
    option: str,
    kind: str,
    good: Mapping[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line, path = name_file(WRITTEN[option], kind, tmp_path)
    before = path.lstat()
    refusal(line, good, monkeypatch)
    assert path.lstat().st_ino == before.st_ino


@pytest.mark.parametrize("kind", ["pipe", "endless", "linked pipe", "socket"])
@pytest.mark.parametrize("variable", VARIABLES)
def test_a_variable_that_names_no_plain_file_is_one_sentence(
    variable: str,
    kind: str,
    good: Mapping[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = make(kind, tmp_path / "given.toml")
    monkeypatch.setenv("DCQ_STORE", good["STORE"])
    monkeypatch.setenv(variable, str(path))
    with at_once(), pytest.raises(DcqError, match=r"given\.toml"):
        VARIABLES[variable](path)


def test_standard_input_and_open_files_are_read_where_one_file_is(
    good: Mapping[str, str], tmp_path: Path
) -> None:
    signed = tmp_path / "passport.json"
    signed.write_bytes(b"{}")
    for name in ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
        with signed.open("rb") as file:
            ways: list[dict[str, Any]] = [{"stdin": file}, {"input": b"{}"}]
            for given in ways:
                words = ("passport", "verify", name, "--key", good["PUBLIC"])
                done = subprocess.run(
                    [sys.executable, "-m", "dcq", *words],
                    cwd=ROOT, capture_output=True, check=False, **given,
                )  # fmt: skip
                assert (done.returncode, b"is no passport" in done.stderr) == (2, True), done.stderr
