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
    sample: str, page: Page, app_url: str, fresh_store: Store
) -> None:
    before = _first(fresh_store, sample)
    _open(page, app_url)
    page.keyboard.press("5")
    box = page.get_by_label("Text of variant A")
    expect(box).to_be_focused()
    page.keyboard.press("Control+Home")
    page.keyboard.type("Today: ")
    expect(page.get_by_text("Draft saved")).to_be_visible()  # the box still has the focus

    page.reload()
    expect(box).to_have_value(f"Today: {before.text}")
    assert _first(fresh_store, sample) == before
    box.focus()
    page.keyboard.press("Control+s")
    expect(page.get_by_text("edited by Ada")).to_be_visible()
    assert _first(fresh_store, sample).text == f"Today: {before.text}"

    page.reload()
    _wait(page)
    expect(page.get_by_role("button", name=re.compile("^Undo"))).to_be_enabled()
    page.keyboard.press("z")
    expect(page.get_by_text("edited by Ada")).to_have_count(0)
    now = _first(fresh_store, sample)
    assert (now.text, now.origin, now.author) == (before.text, before.origin, before.author)


def test_a_variant_is_flagged_by_the_keyboard_and_is_so_after_a_refresh(
    sample: str, page: Page, app_url: str, fresh_store: Store
) -> None:
    _open(page, app_url)
    page.keyboard.press("f")
    note = page.get_by_label("Note", exact=True)
    expect(note).to_be_focused()
    page.keyboard.type("a <b>name</b>?")
    page.keyboard.press("Enter")
    shown = page.get_by_text("by Ada: a <b>name</b>?")
    expect(shown).to_be_visible()
    expect(note).to_have_count(0)
    assert _first(fresh_store, sample).flag == Flag("a <b>name</b>?", "Ada")
    page.reload()
    expect(shown).to_be_visible()
