"""Addresses that somebody else wrote: a page shows, whatever its numbers are said to be."""

from __future__ import annotations

import asyncio
import re
import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dcq.records import QuizKind
from dcq.replication.replicate import replicate
from dcq.settings import ROOT
from dcq.store import Store, samples
from dcq.ui import links
from tests.conftest import small_sample
from tests.support import once
from tests.support.asked import ask

pytestmark = pytest.mark.usefixtures("provider")

PAGES = {
    "answers_question": "answers",
    "ablation_question": "ablation",
    "case_positions_question": "case",
    "case_replies_question": "case",
    "dataset_seed": "dataset",
    "replication_at": "replication",
    "variants_at": "variants",
}
VIEWS = {
    "case_positions_question": "Position preference",
    "case_replies_question": "Questions and replies",
}
NO_NUMBERS = ("1e999", "-inf", "nan", "1e300", "9" * 400, "-1", "x", "")


def _fill(store: Store) -> None:
    sample_id = samples.save(store, small_sample())
    ask(store, sample_id, QuizKind.STANDARD, "always-a")
    ask(store, sample_id, QuizKind.MODIFIED, "always-a")
    asyncio.run(replicate(store, sample_id, "always-a"))


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a store with something to show on each of these pages."""
    return once.store(tmp_path_factory, "links", _fill)


@pytest.mark.parametrize("key", PAGES)
def test_a_page_shows_whatever_a_link_says_its_number_is(
    app: AppTest, fresh_store: Store, filled: Path, key: str
) -> None:
    shutil.copy(filled, fresh_store.path)
    for value in NO_NUMBERS:
        at = AppTest.from_file(app._script_path, default_timeout=60)
        at.switch_page(f"pages/{PAGES[key]}.py")
        at.query_params[key] = value
        at.query_params["replication_view"] = "Review"
        if view := VIEWS.get(key):
            at.query_params["case_view"] = view
        at.run()
        assert not at.exception, value
        assert at.number_input(key=key).value in {None, 0, 1}
        assert key not in at.query_params
    at.query_params[key] = "inf"  # and on a page that is open already
    at.run()
    assert not at.exception


def test_every_number_that_an_address_holds_is_looked_at() -> None:
    assert set(PAGES) == links.NUMBERS
    found = 0
    for file in [*(ROOT / "dcq" / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py")]:
        for call in re.split(r"\b(?:number_input|slider)\(", file.read_text("utf-8"))[1:]:
            found += 'bind="query-params"' in re.split(r"\n\s*\)\n", call)[0]
    assert found == 3  # one list of replies, whatever its prefix
