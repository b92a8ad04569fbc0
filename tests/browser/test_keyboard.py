"""Curating without the mouse, in Chromium."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from dcq.store import Store, reviews, samples, variants
from dcq.store.variants import Decision
from tests.browser.conftest import shoot, wait_until_idle
from tests.conftest import small_sample

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
RECORDS = 20


@pytest.fixture
def sample(store_path: Path) -> str:
    """A sample that is there before the app is."""
    return samples.save(Store(store_path), small_sample(RECORDS + 2))


def _shows(page: Page, number: int) -> None:
    original = page.locator(".st-key-variants_original")
    expect(original.get_by_text(f"number {number} of")).to_be_visible()
    wait_until_idle(page)  # a key that is pressed while the page is drawn anew may be lost
    expect(page.get_by_text(f"number {number} of")).to_have_count(5)
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)


def test_twenty_records_are_curated_without_the_mouse(
    sample: str, page: Page, app_url: str, fresh_store: Store
) -> None:
    page.goto(f"{app_url}/variants")
    _shows(page, 0)

    # The first is edited in place: 5 opens the text of variant A, Ctrl+S saves it.
    page.wait_for_timeout(1500)  # shortcuts are heard a moment after the page is there
    page.keyboard.press("5")
    box = page.get_by_label("Text of variant A")
    expect(box).to_be_focused()
    page.keyboard.press("Control+Home")
    page.keyboard.type("Today: ")
    page.keyboard.press("Control+s")
    expect(page.get_by_text("edited by Ada")).to_be_visible()
    expect(box).to_have_count(0)

    # The second has one rejected; the rest are accepted.
    page.keyboard.press("j")
    _shows(page, 1)
    page.keyboard.press("Shift+Digit2")
    expect(page.get_by_text("rejected by Ada")).to_be_visible()
    for number in range(1, RECORDS + 1):
        page.keyboard.press("a")
        _shows(page, number + 1)
    current = variants.current(fresh_store, sample)
    instances = samples.load(fresh_store, sample).instances
    words = [[v.decision for v in current[i.id].values()] for i in instances]
    accepted, rejected, still_open = Decision.ACCEPTED, Decision.REJECTED, Decision.OPEN
    assert words[0] == [still_open] * 4
    assert words[1] == [accepted, rejected, accepted, accepted]
    assert words[2 : RECORDS + 1] == [[accepted] * 4] * (RECORDS - 1)
    assert current[instances[0].id][0].text.startswith("Today: Text: ")

    # The address leads back to this record, and what was done is undone after a refresh too.
    assert f"variants_record={instances[RECORDS + 1].id}" in page.url
    page.reload()
    _shows(page, RECORDS + 1)
    shoot(page, "keyboard-after-f5", whole=False)
    for number in (RECORDS, RECORDS - 1):
        expect(page.get_by_role("button", name=re.compile("^Undo"))).to_be_enabled()
        page.keyboard.press("z")
        _shows(page, number)
    current = variants.current(fresh_store, sample)
    assert [v.decision for v in current[instances[RECORDS].id].values()] == [still_open] * 4


def test_a_record_of_usual_length_is_in_sight_as_a_whole(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"{app_url}/dataset")
    page.get_by_role("button", name="Draw sample").click()
    page.get_by_role("link", name="Review the variants").click()
    expect(page.locator(".st-key-variants_block_3")).to_be_visible()
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
    _is_in_sight(page)

    # Nor do failed checks of two variants push the last one out.
    page.wait_for_timeout(1500)  # shortcuts are heard a moment after the page is there
    for key, letter in (("5", "A"), ("7", "C")):
        page.keyboard.press(key)
        expect(page.get_by_label(f"Text of variant {letter}")).to_be_focused()
        page.keyboard.press("Control+End")
        page.keyboard.type(" Mayor Smith counted 1999 of them in the dark")
        page.keyboard.press("Control+s")
        found = page.locator(f".st-key-variants_block_{'ABCD'.index(letter)}")
        expect(found.get_by_text("number-changed")).to_be_visible()
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
    _is_in_sight(page)
    shoot(page, "keyboard-failed-checks", whole=False)


def test_a_key_that_opens_a_box_gives_it_the_focus_and_a_draft_takes_none(
    sample: str, page: Page, app_url: str, fresh_store: Store
) -> None:
    page.goto(f"{app_url}/variants")
    _shows(page, 0)
    page.wait_for_timeout(1500)  # shortcuts are heard a moment after the page is there
    box, note = page.get_by_label("Text of variant A"), page.get_by_label("Note", exact=True)
    page.keyboard.press("f")
    expect(note).to_be_focused()
    page.keyboard.press("Escape")
    expect(note).not_to_be_focused()
    page.keyboard.press("f")
    expect(note).to_have_count(0)

    page.keyboard.press("5")
    expect(box).to_be_focused()
    page.keyboard.press("Control+Home")
    page.keyboard.type("Today: ")
    expect(page.get_by_text("Draft saved")).to_be_visible()
    page.keyboard.press("Escape")
    expect(box).not_to_be_focused()
    wait_until_idle(page)

    # On the way back the draft is in sight, and the next keys are shortcuts, not its text.
    page.keyboard.press("j")
    _shows_original(page, 1)
    expect(page.get_by_text("Your drafts, not saved")).to_be_visible()
    page.keyboard.press("k")
    _shows_original(page, 0)
    expect(box).to_be_visible()
    expect(page.get_by_text("draft, not saved")).to_be_visible()
    page.wait_for_timeout(500)
    expect(box).not_to_be_focused()
    page.reload()
    expect(page.get_by_text("draft, not saved")).to_be_visible()
    page.wait_for_timeout(1500)
    expect(box).to_have_value(re.compile("^Today: "))
    page.keyboard.press("j")
    _shows_original(page, 1)
    page.keyboard.press("k")
    expect(box).to_have_value(re.compile("^Today: "))
    page.get_by_role("button", name="Discard").click()
    expect(page.get_by_text("draft, not saved")).to_have_count(0)
    first = samples.load(fresh_store, sample).instances[0].id
    assert reviews.of(fresh_store, sample, first, "Ada") == {}


def test_keys_reopen_and_go_to_what_is_open_and_a_dot_opens_its_record(
    sample: str, page: Page, app_url: str, fresh_store: Store
) -> None:
    instances = samples.load(fresh_store, sample).instances
    page.goto(f"{app_url}/variants")
    _shows(page, 0)
    page.wait_for_timeout(1500)  # shortcuts are heard a moment after the page is there
    for number in range(1, 4):
        page.keyboard.press("a")
        _shows(page, number)
    page.get_by_role("button", name="Instance 2: accepted", exact=True).click()
    _shows(page, 1)
    expect(page.get_by_role("button", name=re.compile("^Instance 2:"))).to_have_attribute(
        "aria-current", "true"
    )
    page.keyboard.press("Shift+Digit6")
    expect(page.get_by_role("button", name="Instance 2: open", exact=True)).to_be_visible()
    words = [v.decision for v in variants.current(fresh_store, sample)[instances[1].id].values()]
    assert words == [Decision.ACCEPTED, Decision.OPEN, Decision.ACCEPTED, Decision.ACCEPTED]
    page.keyboard.press("n")
    _shows(page, 3)
    shoot(page, "keyboard-strip", whole=False)

    # At the end of the list what is open is near, and when all is decided, what comes next.
    page.get_by_role("button", name=re.compile(f"^Instance {RECORDS + 2}:")).click()
    _shows(page, RECORDS + 1)
    page.keyboard.press("a")
    expect(page.get_by_text("This is the end of the list.")).to_be_visible()
    page.keyboard.press("n")
    _shows(page, 1)
    page.keyboard.press("a")
    _shows(page, 2)
    page.keyboard.press("n")
    _shows(page, 3)
    for number in range(4, RECORDS + 2):
        page.keyboard.press("a")
        _shows(page, number)
    expect(page.get_by_text("You are done")).to_be_visible()
    shoot(page, "keyboard-done", whole=False)
    page.get_by_role("button", name="Investigate").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Investigate")
    assert f"investigate_sample={sample}" in page.url


def _shows_original(page: Page, number: int) -> None:
    original = page.locator(".st-key-variants_original")
    expect(original.get_by_text(f"number {number} of")).to_be_visible()


def _is_in_sight(page: Page) -> None:
    for block in ("original", "block_0", "block_3"):
        box = page.locator(f".st-key-variants_{block}").bounding_box()
        assert box is not None
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 900, block
