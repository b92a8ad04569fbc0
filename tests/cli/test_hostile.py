"""No argument, file or place of output brings a traceback from any command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dcq import cli
from dcq.errors import ModelChoiceError
from dcq.models.address import check_url
from dcq.quiz import freeze
from dcq.records import QuizKind
from dcq.store import Store

BROKEN = "\udcff"  # how Python holds a byte that is not UTF-8
HUGE = "9" * 25
LONG = "x" * 300

# SAMPLE, QUIZ and TMP stand for what the fixture makes.
MISTAKES = [
    "export sample SAMPLE --to /nonexistent/x.json",
    "export sample SAMPLE --to TMP",
    f"export sample SAMPLE --to TMP/{LONG}.json",
    "export results --to /nonexistent/x.csv",
    "export results --to TMP/x.csv --columns nosuch",
    "export report --to TMP/x.csv",
    "export report --to /nonexistent/x.html",
    "export report SAMPLE --to TMP/x.html",
    "export report --study nosuch --to TMP/x.html",
    f"export report --study {BROKEN} --to TMP/x.html",
    "export results --without-text --to TMP/x.csv",
    "export answers nosuch --to TMP/x.csv",
    "export answers --to TMP/x.csv",
    "export quiz nosuch --to TMP/x.csv",
    "export variants nosuch --to TMP/x.csv",
    f"export variants {BROKEN} --to TMP/x.csv",
    f"sample control-news test --seed {HUGE}",
    f"sample control-news test --seed -{HUGE}",
    f"sample control-news test --n {HUGE}",
    "sample control-news test --n -5",
    f"sample {BROKEN} test",
    f"sample control-news {BROKEN}",
    f"sample a test --file TMP/{BROKEN}.csv",
    "sample a test --file /dev/null",
    f"perturb {BROKEN}",
    f"perturb SAMPLE --model m{BROKEN}",
    f"perturb SAMPLE --variants {HUGE}",
    f"quiz {BROKEN}",
    f"quiz SAMPLE --model {BROKEN}",
    "quiz SAMPLE --slot Z",
    f"run {BROKEN} --model m",
    f"run --run {BROKEN}",
    "run --run nosuch",
    f"run QUIZ --model m --limit -{HUGE}",
    "run QUIZ --model m --budget nan",
    f"run QUIZ --model m --max-calls {HUGE}",
    f"run QUIZ --model m --concurrency {HUGE}",
    "run QUIZ --model m --rpm nan",
    "run QUIZ --model likelihood:/nonexistent",
    "run QUIZ --model m@https://[",
    f"run QUIZ --model m@https://h{BROKEN}/v1",
    "run QUIZ --model m@http://☃.例/v1",
    "run QUIZ --model m@http://１２７.0.0.1:9",
    "run QUIZ --model m@http://a⁄b.com/v1",
    "run QUIZ --model m@http://a\u00adb.com/v1",
    f"results --model {BROKEN}",
    "kappa --correct 5",
    f"kappa --correct {HUGE}9 --n {HUGE}",
    "kappa --correct 5 --n 10 --chance nan",
    "kappa --correct 5 --n 10 --chance inf",
    "audit /nonexistent",
    "audit /dev/null",
    "audit TMP",
    "audit TMP/\0.csv",
    "sample a test --file TMP/\0.csv",
    f"audit TMP/{BROKEN}",
    f"audit {sys.executable}",
    "import /nonexistent",
    "import TMP",
    f"import {sys.executable}",
    f"import TMP/{BROKEN}.json",
    "nosuch",
    f"{BROKEN}",
    "status --json=x",
]


@pytest.fixture
def call(
    fresh_store: Store,
    sample_id: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> object:
    """Calls the command line in this process; returns its exit code and what stands on stderr."""
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="A").quiz
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")

    def call(line: str) -> tuple[int, str]:
        named = line.replace("SAMPLE", sample_id).replace("QUIZ", quiz)
        words = named.replace("TMP", str(tmp_path)).split(" ")
        monkeypatch.setattr(sys, "argv", ["dcq", *words])
        with pytest.raises(SystemExit) as left:
            cli.main()
        assert isinstance(left.value.code, int)
        return left.value.code, capsys.readouterr().err

    return call


@pytest.mark.parametrize("line", MISTAKES, ids=ascii)
def test_a_mistake_is_one_sentence(call: object, line: str) -> None:
    assert callable(call)
    code, said = call(line)
    assert code == 2, said
    assert said.strip()
    assert "Traceback" not in said


@pytest.mark.parametrize(
    "url",
    [
        *("https://[", "https://a b/v1", "https://h\n/v1", "https://h\\@x/v1", "https://h%00/v1"),
        *("https://h:99999/v1", "https://h:-1/v1", "https://h:x/v1", "https://..../v1"),
        *("https://a..b/v1", f"https://{LONG}.com/v1", "https://[v1.x]/v1", f"https://{BROKEN}/v1"),
        *(
            "https:///v1",
            "http://@/v1",
            "ftp://h/v1",
            "https://\u2603\u3002/v1 ",
            "https://xn--\u00fc/v1",
        ),
    ],
    ids=ascii,
)
def test_an_odd_host_is_no_endpoint(url: str) -> None:
    with pytest.raises(ModelChoiceError):
        check_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://bücher.example/v1",
        "http://[::1]:8000/v1",
        "http://my_host:8000/v1",
        "http://a.b./v1",
    ],
)
def test_a_host_that_can_be_is_one(url: str) -> None:
    assert check_url(url) == url


def dcq(*words: str, stdout: int, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dcq", *words],
        env=os.environ | more,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
    )


@pytest.mark.slow
def test_a_full_disk_is_said_in_a_sentence(store_path: Path) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        for words in (["datasets", "--json"], ["--help"], ["status"]):
            done = dcq(*words, stdout=full, DCQ_STORE=str(store_path))
            assert done.returncode == 1
            assert "Traceback" not in done.stderr
            assert "Exception" not in done.stderr
            assert "could not be written" in done.stderr or "No space" in done.stderr
    finally:
        os.close(full)


@pytest.mark.slow
def test_whoever_reads_the_output_may_leave(store_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = dcq("datasets", "--json", stdout=write, DCQ_STORE=str(store_path))
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_a_terminal_that_has_no_greek(store_path: Path) -> None:
    done = dcq(
        *("kappa", "--correct", "5", "--n", "10"),
        stdout=subprocess.DEVNULL,
        DCQ_STORE=str(store_path),
        PYTHONIOENCODING="ascii",
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("place", ["", "/dev/null", "TEXT", "DIRECTORY"])
def test_a_store_that_is_none_is_one_sentence(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "text").write_text("text")
    place = place.replace("TEXT", str(tmp_path / "text")).replace("DIRECTORY", str(tmp_path))
    monkeypatch.setenv("DCQ_STORE", place or f"{tmp_path}/{BROKEN}.duckdb")
    monkeypatch.setattr(sys, "argv", ["dcq", "sample", "control-news", "test", "--n", "2"])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code in {1, 2}
    assert "Traceback" not in capsys.readouterr().err
