"""What a curator has typed and done outlives the page, in Chromium."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from dcq.store import Store, samples, variants
from dcq.store.variants import Flag, StoredVariant
from tests.conftest import small_sample

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


@pytest.fixture
def sample(store_path: Path) -> str:
    """A sample that is there before the app is."""
    return samples.save(Store(store_path), small_sample(3))


def _open(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/variants")
    _wait(page)


def _wait(page: Page) -> None:
    expect(page.get_by_text("number 0 of")).to_have_count(5)
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
    page.wait_for_timeout(1500)  # shortcuts are heard a moment after the page is there


def _first(store: Store, sample_id: str) -> StoredVariant:
    instance = samples.load(store, sample_id).instances[0].id
    return variants.current(store, sample_id)[instance][0]


def test_a_refresh_in_the_middle_of_an_edit_and_an_undo_after_one(
    sample: str, tab: Page, app_url: str, fresh_store: Store
) -> None:
    before = _first(fresh_store, sample)
    _open(tab, app_url)
    tab.keyboard.press("5")
    box = tab.get_by_label("Text of variant A")
    expect(box).to_be_focused()
    tab.keyboard.press("Control+Home")
    tab.keyboard.type("Today: ")
    expect(tab.get_by_text("Draft saved")).to_be_visible()  # the box still has the focus

    tab.reload()
    expect(box).to_have_value(f"Today: {before.text}")
    assert _first(fresh_store, sample) == before
    box.focus()
    tab.keyboard.press("Control+s")
    expect(tab.get_by_text("edited by Ada")).to_be_visible()
    assert _first(fresh_store, sample).text == f"Today: {before.text}"

    tab.reload()
    _wait(tab)
    expect(tab.get_by_role("button", name=re.compile("^Undo"))).to_be_enabled()
    tab.keyboard.press("z")
    expect(tab.get_by_text("edited by Ada")).to_have_count(0)
    now = _first(fresh_store, sample)
    assert (now.text, now.origin, now.author) == (before.text, before.origin, before.author)


def test_a_variant_is_flagged_by_the_keyboard_and_is_so_after_a_refresh(
    sample: str, tab: Page, app_url: str, fresh_store: Store
) -> None:
    _open(tab, app_url)
    tab.keyboard.press("f")
    note = tab.get_by_label("Note", exact=True)
    expect(note).to_be_focused()
    tab.keyboard.type("a <b>name</b>?")
    tab.keyboard.press("Enter")
    shown = tab.get_by_text("by Ada: a <b>name</b>?")
    expect(shown).to_be_visible()
    expect(note).to_have_count(0)
    assert _first(fresh_store, sample).flag == Flag("a <b>name</b>?", "Ada")
    tab.reload()
    expect(shown).to_be_visible()
