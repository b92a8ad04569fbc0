"""The page New check: three questions, a plan, a button; its progress, and what it found."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dcq.partitions import uploads
from dcq.store import Store
from tests.conftest import letters
from tests.support.newcomer import write_benchmark
from tests.support.provider import FakeProvider

N = 16


@pytest.fixture
def page(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("DCQ_AUTHOR", "Ada")
    return app.switch_page("pages/new_check.py")


def visit(app: AppTest) -> AppTest:
    """The page as somebody else sees it."""
    other = AppTest.from_file(app._script_path, default_timeout=60)
    return other.switch_page("pages/new_check.py")


def words(at: AppTest) -> str:
    shown = [*at.subheader, *at.markdown, *at.caption, *at.info, *at.warning, *at.error]
    return letters("\n".join(str(element.value) for element in shown))


def drop(at: AppTest, folder: Path, count: int = N) -> AppTest:
    file = write_benchmark(folder / "my.csv", count)
    at.file_uploader(key="check_upload").upload(file.name, file.read_bytes(), "text/csv").run()
    assert not at.exception
    return at


def choose(at: AppTest, *models: str, writer: str = "synonyms") -> AppTest:
    """Before anything is drawn: a test cannot type into a list."""
    at.session_state["check_models"] = list(models)
    at.session_state["check_writer"] = writer
    at.run()
    assert not at.exception
    return at


def test_a_file_is_understood_and_can_be_corrected(
    page: AppTest, app: AppTest, fresh_store: Store, tmp_path: Path
) -> None:
    at = drop(page.run(), tmp_path)
    assert f"{N} rows · text = question · label = answer · question answering · en" in words(at)
    [file] = uploads.listing(fresh_store.path.parent / "uploads")
    again = visit(app)
    again.session_state["check_file"] = file.name
    again.session_state[f"check_label_{file.name}"] = None
    again.run()
    assert f"{N} rows · text = question · no label · text · en" in words(again)
    assert "Answer:" not in "".join(code.value for code in again.code)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("bad.csv", b"\xff\xfe\x00broken", "bad"),
        ("empty.csv", b"question,answer\n", "no row"),
        ("blank.csv", b'question,answer\n"",1\n', "No row has a text"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_a_sentence(
    page: AppTest, name: str, data: bytes, said: str
) -> None:
    at = page.run()
    at.file_uploader(key="check_upload").upload(name, data, "text/csv").run()
    assert not at.exception
    assert said in words(at)
    assert "Choose a benchmark first" in words(at)


def name(at: AppTest, dataset: str) -> AppTest:
    at.session_state["check_dataset"] = dataset
    at.session_state["check_from"] = "Catalog or Hub"
    at.run()
    assert not at.exception
    return at


def test_a_name_is_found_in_the_catalog(page: AppTest) -> None:
    assert "rows" in words(name(page, "kjv"))


def test_a_name_that_nobody_has_is_refused_with_the_fix(page: AppTest) -> None:
    assert "The catalog has no dataset nothing" in words(name(page, "nothing"))


def test_without_a_network_the_hub_is_one_sentence(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = name(page, "someone/benchmark")
    assert not at.error
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    at.button(key="check_look").click().run()
    assert not at.exception
    assert "local cache has no copy of someone/benchmark" in words(at)
    assert "Choose a benchmark first" in words(at)


def test_a_model_without_a_key_is_one_sentence(
    page: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    at = drop(choose(page, "gpt-4o", writer="Offline generator (weaker)"), tmp_path)
    assert "OPENAI_API_KEY" in words(at)
    assert at.button(key="check_start").disabled


def test_too_few_rows_are_said_with_what_helps(
    page: AppTest, provider: FakeProvider, tmp_path: Path
) -> None:
    assert provider.base_url
    at = drop(choose(page, "guess"), tmp_path, 3)
    assert "No conclusion is possible" in words(at)
    assert at.button(key="check_start").disabled
