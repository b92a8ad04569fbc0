"""A key goes to its endpoint and is never on the screen, whatever the endpoint says about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from dcq.store import Store, runs, samples
from tests.browser.conftest import choose, go_to
from tests.conftest import small_sample
from tests.support.provider import FakeProvider

pytestmark = [pytest.mark.browser, pytest.mark.ci, pytest.mark.timeout(600)]

KEY = "sk-Zq7rVb2LmKx9WtYp4nHd"
WRONG = "sk-wrong-Jf5cGs8TzQe1RvUo3aBi"
PAGES = (
    "Matrix",
    "New check",
    "Dataset",
    "Variants",
    "Protect",
    "Investigate",
    "Quiz",
    "Replication",
    "Likelihood",
    "Overlap",
    "Take the quiz",
    "Results",
    "Explorer",
    "Answers",
    "Ablation",
    "Settings",
)
TYPED = "[...document.querySelectorAll('input, textarea')].map(box => box.value)"


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeProvider]:
    """A provider that repeats a wrong key in its answers, and an environment with each."""
    with FakeProvider(key=KEY) as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("DCQ_API_KEY", WRONG)
        yield running


@pytest.fixture
def asked(provider: FakeProvider, fresh_store: Store) -> FakeProvider:
    samples.save(fresh_store, small_sample())
    return provider


def clean(data: bytes) -> None:
    for key in (KEY, WRONG):
        assert key.encode() not in data
        assert key[3:].encode() not in data


def test_a_key_is_on_no_page_and_in_no_file(
    asked: FakeProvider, fresh_store: Store, page: Page, tmp_path: Path
) -> None:
    go_to(page, "Quiz")
    box = page.get_by_role("combobox", name=re.compile("Models"))
    box.press("Backspace")  # the model that is there already
    expect(page.get_by_text("Choose at least one model")).to_be_visible()
    for model in ("always-d", f"always-a@{asked.base_url}"):
        choose(page, re.compile("Models"), model).press("Escape")
        expect(
            page.get_by_role("button", name=re.compile("Ask the model|Ask in 2"))
        ).to_be_visible()
    page.get_by_role("button", name="Ask in 2 runs").click()
    expect(page.get_by_text("Latest runs").first).to_be_visible(timeout=60_000)
    expect(page.get_by_text(re.compile("DCQ_API_KEY")).first).to_be_visible()
    assert len(runs.listing(fresh_store)) == 2
    assert asked.counts["always-d"] == 6

    for name in PAGES:
        go_to(page, name)
        expect(page).to_have_url(
            re.compile("/$" if name == "Matrix" else f"/{name.split()[0].lower()}")
        )
        expect(page.get_by_role("heading", level=1).first).to_be_visible()
        expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
        clean(page.content().encode())
        clean(page.locator("body").inner_text().encode())
        clean(repr(page.evaluate(TYPED)).encode())
    for written in (path for path in tmp_path.rglob("*") if path.is_file()):
        clean(written.read_bytes())
