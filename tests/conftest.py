"""Fixtures that every kind of test shares: stores and small samples, made by the real functions."""

from __future__ import annotations

import functools
import gc
import importlib.util
import os
import shutil
import signal
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import hypothesis
import locate
import pandas as pd
import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest, app_test, local_script_runner
from streamlit.testing.v1.element_tree import Button

from dcq.jobs import process
from dcq.overlap.search import client
from dcq.overlap.search.archives import CommonCrawl, Wayback
from dcq.overlap.search.brave import Brave
from dcq.overlap.search.infinigram import InfiniGram
from dcq.overlap.search.serpapi import SerpApi
from dcq.quiz import freeze
from dcq.records import DatasetTask, Instance, Partition, PartitionRole, QuizKind, Sample
from dcq.settings import ROOT
from dcq.store import Store, samples
from tests.support import commands, kept_open, readers
from tests.support.batches import BatchProvider
from tests.support.provider import FakeProvider
from tests.support.search_services import FakeWeb

kept_open.install()

# To find its own folder, wordfreq has the source read of all that is on the stack, which in a test
# is so much that it takes seconds.
found = importlib.util.find_spec("wordfreq")
assert found is not None
with pytest.MonkeyPatch.context() as patched:
    patched.setattr(locate, "this_dir", lambda: Path(found.origin or "").parent)
    import wordfreq  # noqa: F401

# A slow example on a busy machine is not a wrong one.
hypothesis.settings.register_profile("unhurried", deadline=None)
hypothesis.settings.load_profile("unhurried")

# What takes longest begins first, so that no worker is left alone with it at the end.
LONGEST = ("browser", "embedded", "slow")

# Stores in memory, where there is plenty: a disk makes a write to one wait ten times as long as it
# takes. What `tmp_path_retention_policy` keeps of failed tests is there too.
MEMORY = Path("/dev/shm")  # noqa: S108 - pytest makes a folder there that only its user can open
if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > 6 * 2**30:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

# A shell's background job ignores Ctrl-C, one under nohup a hang-up, and so would the commands that
# these are tried on.
for ignored, handler in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGHUP, signal.SIG_DFL),
):
    if signal.getsignal(ignored) is signal.SIG_IGN:
        signal.signal(ignored, handler)

KEY = "sk-test-not-a-real-key"
WORDS = ("brook", "stream", "beck", "creek", "river")


def small_sample(
    n: int = 6, *, key: str = "rivers", role: PartitionRole = PartitionRole.TARGET
) -> Sample:
    """``n`` made-up instances with four variants each."""
    instances = tuple(
        Instance(f"Text: the {WORDS[0]} number {i} of {key} is long\nLabel: 0 (Wet)", label="Wet")
        for i in range(n)
    )
    return Sample(
        partition=Partition(key, "test", "Rivers", "test", role, DatasetTask.CLASSIFICATION),
        instances=instances,
        requested=n,
        available=n,
        seed=0,
        stratified=False,
        variants={
            i.id: tuple(i.text.replace(WORDS[0], word) for word in WORDS[1:]) for i in instances
        },
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:  # `make browser` looks nowhere else
        if item.get_closest_marker("browser") and "browser" not in item.path.parts:
            raise pytest.UsageError(f"{item.nodeid} drives a browser; move it to tests/browser.")
    items.sort(key=lambda item: [item.get_closest_marker(name) is None for name in LONGEST])


def pytest_collection_finish() -> None:
    # What was collected stays until the end; to look through it for garbage again and again takes a
    # twelfth of the tests' time.
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(autouse=True)
def _stores_stay_open(request: pytest.FixtureRequest) -> Iterator[None]:
    with kept_open.kept_open(request.path):
        yield


@pytest.fixture
def store_path(tmp_path: Path) -> Path:
    return tmp_path / "store" / "dcq.duckdb"


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a store with nothing in it: making one takes ten times as long as a copy."""
    store = Store(tmp_path_factory.mktemp("empty") / "dcq.duckdb")
    with store.write():
        pass
    return store.path


@pytest.fixture
def fresh_store(store_path: Path, empty_store: Path) -> Store:
    store_path.parent.mkdir()
    shutil.copy(empty_store, store_path)
    return Store(store_path)


@pytest.fixture
def sample_id(fresh_store: Store) -> str:
    return samples.save(fresh_store, small_sample())


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchProvider]:
    """As ``provider``, with a Batch API."""
    with BatchProvider(key=KEY) as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield running


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeProvider]:
    """A fake provider on 127.0.0.1, set as the endpoint for plain model names."""
    with FakeProvider(key=KEY) as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield running


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeWeb]:
    """A small web with all search services and archives, asked without pauses from this process."""
    with FakeWeb({}) as running:
        for variable, value in running.addresses().items():
            monkeypatch.setenv(variable, value)
        for kind in (Brave, SerpApi, InfiniGram, CommonCrawl, Wayback):
            place = [field.name for field in fields(kind)].index("pause")
            defaults = list(kind.__init__.__defaults__ or ())
            monkeypatch.setattr(
                kind.__init__, "__defaults__", (*defaults[:place], 0.001, *defaults[place + 1 :])
            )
        monkeypatch.setattr(client, "FIRST_WAIT", 0.01)
        yield running


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the app starts in processes of their own starts at once: ``support/commands.py``."""
    monkeypatch.setattr(process, "spawn", commands.spawn)


@pytest.fixture
def forked_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that decodes a bundle's tables starts at once: ``support/readers.py``."""
    readers.fork(monkeypatch)


def _wait_for_script(runner: local_script_runner.LocalScriptRunner, timeout: float = 3) -> None:
    """As Streamlit's own, which looks a thousand times a second whether the script has ended and
    takes a fifth of its time with that."""
    thread = runner._script_thread
    assert thread is not None
    thread.join(timeout)
    if not runner.script_stopped():
        runner.request_stop()
        raise TimeoutError(f"A page took more than {timeout:g} seconds.")


_component_manifests = functools.cache(manifest_scanner.scan_component_manifests)
_compiled = ScriptCache()


@pytest.fixture
def app(fresh_store: Store, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The app on a fresh store, at its first page, not run yet."""
    # Streamlit reads what every installed package says of itself as a server starts; to a test,
    # each app is a server. It compiles a page once, and a test would each time that it is drawn.
    monkeypatch.setattr(manifest_scanner, "scan_component_manifests", _component_manifests)
    for drawing in (app_test, local_script_runner):
        monkeypatch.setattr(drawing, "ScriptCache", lambda: _compiled)
    monkeypatch.setattr(local_script_runner, "require_widgets_deltas", _wait_for_script)
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    return AppTest.from_file(ROOT / "app.py", default_timeout=60)


def frame_with(at: AppTest, column: str) -> pd.DataFrame:
    """The last table of a page that has this column."""
    return next(
        frame.value for frame in reversed(list(at.dataframe)) if column in frame.value.columns
    )


def button_called(at: AppTest, label: str) -> Button:
    """The one button of a page with this label."""
    (found,) = (button for button in at.button if button.label == label)
    return found


def letters(markdown: str) -> str:
    """What ``dcq.ui.text.plain`` shows, as it is read: without its backslashes and joiners."""
    return markdown.replace("\\", "").replace("\u2060", "")


@pytest.fixture
def quiz_id(fresh_store: Store, sample_id: str) -> str:
    return freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz
