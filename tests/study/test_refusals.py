"""What is wrong with a call of ``investigate`` is one sentence, and nothing is asked or lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from dcq.cli import app
from dcq.records import PartitionRole
from dcq.store import Store, samples
from tests.conftest import small_sample
from tests.support.newcomer import write_benchmark
from tests.support.provider import FakeProvider
from tests.support.shell import Shell

pytestmark = pytest.mark.slow

MODEL = ("--model", "guess")


@pytest.fixture
def shell(store_path: Path, provider: FakeProvider) -> Shell:
    return Shell(store_path, provider.base_url)


@pytest.fixture
def benchmark(tmp_path: Path) -> Path:
    return write_benchmark(tmp_path / "my.csv")


def test_a_mistake_is_one_sentence(
    shell: Shell, benchmark: Path, tmp_path: Path, fresh_store: Store, provider: FakeProvider
) -> None:
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "header.csv").write_text("question,answer\n")
    odd = tmp_path / "odd.csv"
    odd.write_text("a,b\n1,2\n")
    file, target = str(benchmark), samples.save(fresh_store, small_sample(40))
    lakes = samples.save(fresh_store, small_sample(9, key="lakes", role=PartitionRole.CONTROL))
    for words, sentence in (
        ((file, *MODEL), "Add --yes to start, or --budget 5"),
        ((file, *MODEL, "--budget", "5"), "The price of guess is not known"),
        ((file, *MODEL, "--yes", "--text", "nosuch"), "nosuch"),
        ((str(odd), *MODEL, "--yes"), "Choose the column with the text"),
        ((str(tmp_path / "absent.csv"), *MODEL, "--yes"), "There is no file"),
        ((str(tmp_path / "empty.csv"), *MODEL, "--yes"), "empty.csv"),
        ((str(tmp_path / "header.csv"), *MODEL, "--yes"), "has no rows"),
        (("nosuch", *MODEL, "--yes"), "neither a file here nor a name"),
        ((file, "--model", "antropic:claude-3-haiku", "--yes"), "anthropic:claude-3-haiku"),
        ((file, *MODEL, "--rewordings", "antropic:x", "--yes"), "anthropic"),
        ((file, *MODEL, "--resume"), "leave --resume out"),
        ((file, *MODEL, "--yes", "--language", "fr"), "English only"),
        ((target, *MODEL, "--text", "question"), "leave --text out"),
        ((target, *MODEL, "--plan", "--resume"), "leave --resume out"),
        (("ag_news", *MODEL, "--name", "Mine"), "leave --name out"),
        ((lakes, *MODEL, "--yes"), "is a control"),
    ):
        code, said = shell.fails("investigate", *words)
        assert (code, sentence in " ".join(said.split())) == (2, True), (words, said)
    assert not provider.counts


def test_where_no_conclusion_is_possible_the_repair_is_named_and_nothing_starts(
    shell: Shell, tmp_path: Path, fresh_store: Store, provider: FakeProvider
) -> None:
    few = write_benchmark(tmp_path / "few.csv", 6)
    code, said = shell.fails("investigate", str(few), *MODEL, "--yes")
    said = " ".join(said.split())
    assert code == 2
    assert "No conclusion is possible, so nothing was started." in said
    assert "instances of the target" in said or "Draw a larger sample" in said
    assert samples.listing(fresh_store) == []
    assert not provider.counts


def test_an_endpoint_that_is_down_ends_in_one_sentence_and_keeps_the_texts(
    store_path: Path, benchmark: Path, fresh_store: Store
) -> None:
    shell = Shell(store_path, "http://127.0.0.1:9/v1")
    words = ("investigate", str(benchmark), *MODEL, "--yes", "--rewordings", "guess")
    code, said = shell.fails(*words)
    assert code == 1
    assert "127.0.0.1:9" in said
    [kept] = samples.listing(fresh_store)
    assert kept.n == 40


def test_on_a_terminal_the_plan_is_shown_and_a_person_is_asked(
    store_path: Path,
    benchmark: Path,
    fresh_store: Store,
    provider: FakeProvider,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DCQ_STORE", str(store_path))
    monkeypatch.setattr("dcq.commands.investigate._is_terminal", lambda: True)
    words = ["investigate", str(benchmark), *MODEL]
    done = CliRunner().invoke(app, words, input="n\n", catch_exceptions=False)
    assert done.exit_code == 0
    assert done.output.count("Start?") == 1
    assert "As planned: " in done.output
    assert "Nothing was asked." in done.output
    assert samples.listing(fresh_store) == []
    assert not provider.counts
