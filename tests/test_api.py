"""What ``import dcq`` gives beyond what its page shows: what goes wrong, and Ctrl-C."""

from __future__ import annotations

import asyncio
import dataclasses
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import dcq
from dcq.api.waiting import wait_for
from dcq.errors import InputError, StoreError
from dcq.places import ROOT
from dcq.records import QuizKind
from dcq.replication.replicate import replicate
from dcq.store import Store
from dcq.store.samples import StoredSample
from tests.support import replications
from tests.support.languages import TEXTS
from tests.support.provider import FakeProvider

pytestmark = pytest.mark.slow


@pytest.fixture
def sample(fresh_store: Store) -> StoredSample:
    return dcq.draw_sample(fresh_store, "control-nli", "test", 6)


def test_import_alone_brings_nothing_along() -> None:
    code = (
        "import sys, typing; known = set(sys.modules); import dcq; print(*set(sys.modules) - known)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert sorted(done.stdout.split()) == ["dcq", "dcq.version"]


def test_a_name_that_is_not_there_is_no_attribute() -> None:
    assert set(dcq.__all__) <= set(dir(dcq))
    with pytest.raises(AttributeError, match="'sample_all'"):
        dcq.sample_all  # type: ignore[attr-defined]  # noqa: B018


def test_a_store_is_made_where_it_is_wanted_or_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = dcq.open_store("new/study.duckdb")
    assert store.path == tmp_path / "new" / "study.duckdb"
    assert store.path.exists()
    monkeypatch.setenv("DCQ_STORE", str(tmp_path / "usual.duckdb"))
    assert dcq.open_store().path == tmp_path / "usual.duckdb"
    (tmp_path / "broken").write_bytes(b"no store" * 1000)
    with pytest.raises(StoreError, match="not a readable store"):
        dcq.open_store(tmp_path / "broken")
    with pytest.raises(StoreError, match="cannot be written"):
        dcq.open_store(tmp_path / "broken" / "store")


def test_the_error_for_a_wrong_word_lists_the_right_ones(
    fresh_store: Store, sample: StoredSample, provider: FakeProvider
) -> None:
    with pytest.raises(InputError, match="no kind 'hard'; choose from modified, standard"):
        dcq.freeze_quiz(fresh_store, sample, "hard")
    with pytest.raises(InputError, match="no role 'suspect'; choose from target, control"):
        dcq.draw_sample(fresh_store, "control-nli", "test", role="suspect")
    with pytest.raises(InputError, match="no protocol 'v3'; choose from v1, v2"):
        dcq.write_variants(fresh_store, sample, "gpt-4o-mini", prompt="v3")
    with pytest.raises(InputError, match="name a model or no prompt"):
        dcq.write_variants(fresh_store, sample, prompt="v2")
    with pytest.raises(InputError, match="No quiz has the id"):
        dcq.run_quiz(fresh_store, "none", "gpt-4o-mini")
    with pytest.raises(InputError, match="budget"):
        dcq.run_quiz(fresh_store, dcq.freeze_quiz(fresh_store, sample), "always-a", budget=-1)


def test_the_language_of_a_file_is_given_or_guessed_with_a_note(
    fresh_store: Store, tmp_path: Path
) -> None:
    file = tmp_path / "snow.csv"
    file.write_text(f'text\n"{TEXTS["kk"][0]}"\n', encoding="utf-8")
    drawn = dcq.draw_sample(fresh_store, "snow", "test", file=file, text="text")
    assert drawn.partition.language == "kk"
    assert drawn.notes[-1].endswith("give its code as language.")
    given = dcq.draw_sample(fresh_store, "snow", "test", file=file, text="text", language="KK")
    assert given == dataclasses.replace(drawn, notes=drawn.notes[:-1])
    with pytest.raises(InputError, match="no code of a language"):
        dcq.draw_sample(fresh_store, "snow", "test", file=file, text="text", language="xx")


def test_a_model_writes_variants_and_progress_is_heard(
    fresh_store: Store, provider: FakeProvider
) -> None:
    verses = dcq.draw_sample(fresh_store, "kjv", "verses", 3)
    heard: list[tuple[int, int]] = []
    written = dcq.write_variants(
        fresh_store, verses.id[:8], "reword", on_progress=lambda *counts: heard.append(counts)
    )
    assert (written.variants, written.failed) == (12, 0)
    assert (heard[0], heard[-1]) == ((0, 3), (3, 3))
    assert heard == sorted(heard)


def test_a_run_that_ends_early_says_why_and_goes_on(
    fresh_store: Store, sample: StoredSample, provider: FakeProvider
) -> None:
    quiz = dcq.freeze_quiz(fresh_store, sample, slot="D")
    with pytest.raises(dcq.DcqError, match="2 calls"):
        dcq.run_quiz(fresh_store, quiz, "always-d", max_calls=2)
    heard: list[tuple[int, int]] = []
    run = dcq.run_quiz(
        fresh_store,
        quiz.quiz,
        "always-d",
        resume=True,
        max_calls=100,
        on_progress=lambda *counts: heard.append(counts),
    )
    assert (heard[0], heard[-1]) == ((2, 6), (6, 6))
    assert (run["n"], run["correct"], provider.counts["always-d"]) == (6, 6, 6)
    assert set(dcq.read_answers(fresh_store, run["run"])["letter"]) == {"D"}


async def test_it_works_where_an_event_loop_is_running(
    fresh_store: Store, sample: StoredSample, provider: FakeProvider
) -> None:
    """As in a notebook."""
    assert asyncio.get_running_loop()
    quiz = dcq.freeze_quiz(fresh_store, sample, slot="D")
    assert dcq.run_quiz(fresh_store, quiz, "always-a")["n"] == 6


def test_ctrl_c_keeps_what_is_answered(
    fresh_store: Store,
    sample: StoredSample,
    provider: FakeProvider,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    provider.answers_at_most = 1

    def answer_once_stopped(work: Coroutine[Any, Any, Any], stop: asyncio.Event) -> Any:
        async def answer() -> None:
            await stop.wait()
            provider.answers_at_most = math.inf

        async def both() -> Any:
            answering = asyncio.create_task(answer())
            try:
                return await work
            finally:
                answering.cancel()

        return wait_for(both(), stop)

    monkeypatch.setattr("dcq.api.wait_for", answer_once_stopped)
    quiz = dcq.freeze_quiz(fresh_store, sample, slot="D")

    def interrupt() -> None:
        while provider.counts["always-d"] < 2:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    # What a shell runs in the background ignores Ctrl-C, these tests perhaps.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        dcq.run_quiz(fresh_store, quiz, "always-d", concurrency=1)
    signal.signal(signal.SIGINT, before)
    kept = provider.counts["always-d"]
    assert kept == 2
    run = dcq.run_quiz(fresh_store, quiz, "always-d", resume=True)
    assert (run["n"], provider.counts["always-d"]) == (6, 6)


def test_no_result_is_an_empty_table_that_cannot_be_drawn(
    fresh_store: Store, sample: StoredSample, provider: FakeProvider
) -> None:
    table = dcq.read_results(fresh_store)
    assert table.empty
    with pytest.raises(InputError, match="no result to draw"):
        dcq.plot_results(table)
    with pytest.raises(InputError, match="no column 'partition'"):
        dcq.plot_results(pd.DataFrame({"model": ["m"]}))
    dcq.run_quiz(fresh_store, dcq.freeze_quiz(fresh_store, sample, QuizKind.MODIFIED), "always-a")
    with pytest.raises(InputError, match="without an original"):
        dcq.plot_results(dcq.read_results(fresh_store))


def test_the_figure_has_a_line_for_each_quiz(
    fresh_store: Store, sample: StoredSample, provider: FakeProvider
) -> None:
    for kind, slot in (("standard", "D"), ("standard", "A"), ("rotated", None)):
        quiz = dcq.freeze_quiz(fresh_store, sample, kind, slot=slot)
        dcq.run_quiz(fresh_store, quiz, "always-d")
    dcq.run_quiz(fresh_store, quiz, "always-a", limit=2)
    table = dcq.read_results(fresh_store)
    figure = dcq.plot_results(table)
    words = "\n".join(str(note.text) for note in figure.layout.annotations)
    for line in ("always-d · standard at D", "always-d · standard at A", "always-d · rotated"):
        assert line in words
    assert "always-a\n" in words
    assert "2, unfinished" in words
    assert len(dcq.read_results(fresh_store, model="always-a")) == 1
    assert dcq.read_results(fresh_store, partition="control-nli-work/test").empty
    with pytest.raises(InputError, match="Did you mean"):
        dcq.read_results(fresh_store, partition="control-nli/none")


def test_replications_are_results_that_have_no_kappa_to_draw(
    fresh_store: Store, sample: StoredSample, provider: FakeProvider
) -> None:
    cut, _ = replications.save(fresh_store, 4)
    asyncio.run(replicate(fresh_store, cut, "always-d"))
    table = dcq.read_results(fresh_store)
    assert table["method"].tolist() == ["replication"]
    assert table["estimate"].tolist() == [0.0]
    with pytest.raises(InputError, match="have no κ to draw"):
        dcq.plot_results(table)
    quiz = dcq.freeze_quiz(fresh_store, sample, "standard", slot="D")
    dcq.run_quiz(fresh_store, quiz, "always-d")
    table = dcq.read_results(fresh_store)
    assert table["method"].tolist() == ["quiz", "replication"]
    words = "\n".join(str(n.text) for n in dcq.plot_results(table).layout.annotations)
    assert "always-d" in words
    assert "Brooks" not in words
    assert len(dcq.read_results(fresh_store, partition="brooks/test")) == 1
