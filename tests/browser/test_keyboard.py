"""Curating without the mouse, in Chromium."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from dcq.store import Store, reviews, samples, variants
from dcq.store.variants import Decision
from tests.browser.conftest import shoot, wait_until_idle, wait_until_quiet
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
    sample: str, tab: Page, app_url: str, fresh_store: Store
) -> None:
    tab.goto(f"{app_url}/variants")
    _shows(tab, 0)

    # The first is edited in place: 5 opens the text of variant A, Ctrl+S saves it.
    tab.wait_for_timeout(1500)  # shortcuts are heard a moment after the page is there
    tab.keyboard.press("5")
    box = tab.get_by_label("Text of variant A")
    expect(box).to_be_focused()
    tab.keyboard.press("Control+Home")
    tab.keyboard.type("Today: ")
    tab.keyboard.press("Control+s")
    expect(tab.get_by_text("edited by Ada")).to_be_visible()
    expect(box).to_have_count(0)

    # The second has one rejected; the rest are accepted.
    tab.keyboard.press("j")
    _shows(tab, 1)
    tab.keyboard.press("Shift+Digit2")
    expect(tab.get_by_text("rejected by Ada")).to_be_visible()
    for number in range(1, RECORDS + 1):
        tab.keyboard.press("a")
        _shows(tab, number + 1)
    current = variants.current(fresh_store, sample)
    instances = samples.load(fresh_store, sample).instances
    words = [[v.decision for v in current[i.id].values()] for i in instances]
    accepted, rejected, still_open = Decision.ACCEPTED, Decision.REJECTED, Decision.OPEN
    assert words[0] == [still_open] * 4
    assert words[1] == [accepted, rejected, accepted, accepted]
    assert words[2 : RECORDS + 1] == [[accepted] * 4] * (RECORDS - 1)
    assert current[instances[0].id][0].text.startswith("Today: Text: ")

    # The address leads back to this record, and what was done is undone after a refresh too.
    expect(tab).to_have_url(re.compile(f"variants_record={instances[RECORDS + 1].id}"))
    tab.reload()
    _shows(tab, RECORDS + 1)
    shoot(tab, "keyboard-after-f5", whole=False)
    for number in (RECORDS, RECORDS - 1):
        expect(tab.get_by_role("button", name=re.compile("^Undo"))).to_be_enabled()
        tab.keyboard.press("z")
        _shows(tab, number)
    current = variants.current(fresh_store, sample)
    assert [v.decision for v in current[instances[RECORDS].id].values()] == [still_open] * 4


def test_a_record_of_usual_length_is_in_sight_as_a_whole(tab: Page, app_url: str) -> None:
    tab.set_viewport_size({"width": 1280, "height": 900})
    tab.goto(f"{app_url}/dataset")
    tab.get_by_role("button", name="Draw sample").click()
    tab.get_by_role("link", name="Review the variants").click()
    expect(tab.locator(".st-key-variants_block_3")).to_be_visible()
    expect(tab.get_by_test_id("stStatusWidget")).to_have_count(0)
    _is_in_sight(tab)

    # Nor do failed checks of two variants push the last one out.
    tab.wait_for_timeout(1500)  # shortcuts are heard a moment after the page is there
    for key, letter in (("5", "A"), ("7", "C")):
        tab.keyboard.press(key)
        expect(tab.get_by_label(f"Text of variant {letter}")).to_be_focused()
        tab.keyboard.press("Control+End")
        tab.keyboard.type(" Mayor Smith counted 1999 of them in the dark")
        tab.keyboard.press("Control+s")
        found = tab.locator(f".st-key-variants_block_{'ABCD'.index(letter)}")
        expect(found.get_by_text("number-changed")).to_be_visible()
        # It closes a moment later; the next to open would be out of sight, and be scrolled to.
        expect(tab.get_by_label(f"Text of variant {letter}")).to_have_count(0)
    expect(tab.get_by_test_id("stStatusWidget")).to_have_count(0)
    _is_in_sight(tab)
    shoot(tab, "keyboard-failed-checks", whole=False)


def test_a_key_that_opens_a_box_gives_it_the_focus_and_a_draft_takes_none(
    sample: str, tab: Page, app_url: str, fresh_store: Store
) -> None:
    tab.goto(f"{app_url}/variants")
    _shows(tab, 0)
    tab.wait_for_timeout(1500)  # shortcuts are heard a moment after the page is there
    box, note = tab.get_by_label("Text of variant A"), tab.get_by_label("Note", exact=True)
    tab.keyboard.press("f")
    expect(note).to_be_focused()
    tab.keyboard.press("Escape")
    expect(note).not_to_be_focused()
    tab.keyboard.press("f")
    expect(note).to_have_count(0)

    tab.keyboard.press("5")
    expect(box).to_be_focused()
    tab.keyboard.press("Control+Home")
    tab.keyboard.type("Today: ")
    expect(tab.get_by_text("Draft saved")).to_be_visible()
    tab.keyboard.press("Escape")
    expect(box).not_to_be_focused()
    wait_until_idle(tab)

    # On the way back the draft is in sight, and the next keys are shortcuts, not its text.
    tab.keyboard.press("j")
    _shows_original(tab, 1)
    expect(tab.get_by_text("Your drafts, not saved")).to_be_visible()
    tab.keyboard.press("k")
    _shows_original(tab, 0)
    expect(box).to_be_visible()
    expect(tab.get_by_text("draft, not saved")).to_be_visible()
    tab.wait_for_timeout(500)
    expect(box).not_to_be_focused()
    tab.reload()
    expect(tab.get_by_text("draft, not saved")).to_be_visible()
    tab.wait_for_timeout(1500)
    expect(box).to_have_value(re.compile("^Today: "))
    tab.keyboard.press("j")
    _shows_original(tab, 1)
    tab.keyboard.press("k")
    expect(box).to_have_value(re.compile("^Today: "))
    tab.get_by_role("button", name="Discard").click()
    expect(tab.get_by_text("draft, not saved")).to_have_count(0)
    first = samples.load(fresh_store, sample).instances[0].id
    assert reviews.of(fresh_store, sample, first, "Ada") == {}


def test_keys_reopen_and_go_to_what_is_open_and_a_dot_opens_its_record(
    sample: str, tab: Page, app_url: str, fresh_store: Store
) -> None:
    instances = samples.load(fresh_store, sample).instances
    tab.goto(f"{app_url}/variants")
    _shows(tab, 0)
    tab.wait_for_timeout(1500)  # shortcuts are heard a moment after the page is there
    for number in range(1, 4):
        tab.keyboard.press("a")
        _shows(tab, number)
    tab.get_by_role("button", name="Instance 2: accepted", exact=True).click()
    _shows(tab, 1)
    expect(tab.get_by_role("button", name=re.compile("^Instance 2:"))).to_have_attribute(
        "aria-current", "true"
    )
    tab.keyboard.press("Shift+Digit6")
    expect(tab.get_by_role("button", name="Instance 2: open", exact=True)).to_be_visible()
    words = [v.decision for v in variants.current(fresh_store, sample)[instances[1].id].values()]
    assert words == [Decision.ACCEPTED, Decision.OPEN, Decision.ACCEPTED, Decision.ACCEPTED]
    tab.keyboard.press("n")
    _shows(tab, 3)
    shoot(tab, "keyboard-strip", whole=False)

    # At the end of the list what is open is near, and when all is decided, what comes next.
    tab.get_by_role("button", name=re.compile(f"^Instance {RECORDS + 2}:")).click()
    _shows(tab, RECORDS + 1)
    tab.keyboard.press("a")
    expect(tab.get_by_text("This is the end of the list.")).to_be_visible()
    tab.keyboard.press("n")
    _shows(tab, 1)
    tab.keyboard.press("a")
    _shows(tab, 2)
    tab.keyboard.press("n")
    _shows(tab, 3)
    for number in range(4, RECORDS + 2):
        tab.keyboard.press("a")
        _shows(tab, number)
    expect(tab.get_by_text("You are done")).to_be_visible()
    shoot(tab, "keyboard-done", whole=False)
    tab.get_by_role("button", name="Investigate").click()
    expect(tab.get_by_role("heading", level=1).first).to_have_text("Investigate")
    expect(tab).to_have_url(re.compile(f"investigate_sample={sample}"))


def _shows_original(page: Page, number: int) -> None:
    original = page.locator(".st-key-variants_original")
    expect(original.get_by_text(f"number {number} of")).to_be_visible()


def _is_in_sight(page: Page) -> None:
    wait_until_idle(page)  # what stands above may be taller or shorter until then
    wait_until_quiet(page)
    for block in ("original", "block_0", "block_3"):
        box = page.locator(f".st-key-variants_{block}").bounding_box()
        assert box is not None
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 900, block
