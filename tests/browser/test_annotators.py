"""Two people at one sample, each in a browser of their own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from dcq.store import Store, samples, variants
from dcq.store.variants import Decision, StoredVariant
from tests.browser.conftest import Visitor, go_to, shoot, wait_until_idle
from tests.conftest import small_sample

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


@pytest.fixture
def app_environment() -> dict[str, str]:
    return {}


@pytest.fixture
def sample(store_path: Path) -> str:
    """A sample that is there before the app is."""
    return samples.save(Store(store_path), small_sample())


@pytest.fixture
def two(sample: str, visitors: list[Visitor]) -> tuple[Page, Page]:
    """The Variants page, opened by two people."""
    for one in visitors[:2]:
        one.page.goto(f"{one.url}/variants")
        expect(one.page.get_by_text("Enter your name first").first).to_be_visible()
    return visitors[0].page, visitors[1].page


def sign(page: Page, name: str) -> None:
    box = page.get_by_role("textbox", name="Your name")
    expect(box).to_have_value("")
    box.fill(name)
    box.press("Enter")
    expect(page.get_by_text("Enter your name first")).to_have_count(0)
    wait_until_idle(page)  # a page that is drawn anew takes a click with it


def first(store: Store, sample: str) -> dict[int, StoredVariant]:
    instance = samples.load(store, sample).instances[0]
    return variants.current(store, sample)[instance.id]


def _wait_for_second(page: Page) -> None:
    """Until the second instance has taken the place of the first, of which the page keeps parts
    while it is drawn."""
    original = page.locator(".st-key-variants_original")
    expect(original.get_by_text("number 1 ")).to_be_visible()
    expect(page.get_by_text("number 0 ")).to_have_count(0)


def test_neither_overrules_the_other_unknowingly(
    two: tuple[Page, Page], fresh_store: Store, sample: str
) -> None:
    ada, ben = two
    for page in two:
        expect(page.get_by_role("button", name="Reject").first).to_be_disabled()
    sign(ada, "Ada")
    sign(ben, "Ben")
    ada.get_by_role("button", name="Reject").first.click()
    expect(ada.get_by_text("rejected by Ada")).to_be_visible()

    ben.get_by_role("button", name=re.compile("^Accept")).and_(
        ben.locator("[class*=st-key-variants_Accept_] button")
    ).first.click()
    expect(ben.get_by_text("Ada rejected variant A in the meantime.")).to_be_visible()
    expect(ben.get_by_text("rejected by Ada")).to_be_visible()  # how it is now
    now = first(fresh_store, sample)[0]
    assert (now.decision, now.reviewer) == (Decision.REJECTED, "Ada")
    shoot(ben, "annotators-refused", whole=False)

    # Knowingly: Ben reopens it, and takes that back.
    ben.get_by_role("button", name="Reopen").first.click()
    expect(ben.get_by_text("rejected by Ada")).to_have_count(0)
    ben.get_by_role("button", name=re.compile("^Undo")).click()
    expect(ben.get_by_text("rejected by Ada")).to_be_visible()
    now = first(fresh_store, sample)[0]
    assert (now.decision, now.reviewer) == (Decision.REJECTED, "Ada")


def test_keys_go_from_instance_to_instance_after_the_view_was_changed(
    two: tuple[Page, Page],
) -> None:
    ada, _ = two
    sign(ada, "Ada")
    at = ada.get_by_label(re.compile("Instance, of 6"))
    ada.get_by_text("Table", exact=True).click()
    expect(at).to_have_count(0)
    ada.get_by_text("One by one", exact=True).click()
    expect(at).to_have_value("1")
    ada.keyboard.press("j")
    expect(at).to_have_value("2")
    _wait_for_second(ada)
    ada.keyboard.press("k")
    expect(at).to_have_value("1")
    expect(ada.get_by_role("radio", name="One by one")).to_be_checked()


def test_a_refresh_in_mid_edit_loses_nothing_and_shows_nobody_else(
    two: tuple[Page, Page], fresh_store: Store, sample: str
) -> None:
    ada, ben = two
    sign(ada, "Ada")
    ada.get_by_label(re.compile("Instance, of 6")).fill("2")
    ada.get_by_label(re.compile("Instance, of 6")).press("Enter")
    _wait_for_second(ada)
    ada.get_by_role("button", name=re.compile("^Edit")).first.click()
    box = ada.get_by_label("Text of variant A")
    box.click()
    box.press("Control+Home")
    box.press_sequentially("Today: ", delay=30)
    expect(ada.get_by_text("Draft saved")).to_be_visible()
    assert box.evaluate("box => document.activeElement === box")  # it was not left to be saved
    shoot(ada, "annotators-draft", whole=False)

    ada.reload()
    expect(ada.get_by_role("textbox", name="Your name")).to_have_value("Ada")
    expect(ada.get_by_label("Text of variant A")).to_have_value(re.compile("^Today: Text: "))
    expect(ada.get_by_label("Text of variant A")).to_be_visible()
    expect(ada.get_by_label(re.compile("Instance, of 6"))).to_have_value("2")
    shoot(ada, "annotators-after-f5", whole=False)

    ben.reload()
    expect(ben.get_by_role("textbox", name="Your name")).to_have_value("")
    sign(ben, "Ben")
    ben.get_by_role("button", name=re.compile("^Next Sh")).click()
    _wait_for_second(ben)
    ben.get_by_role("button", name=re.compile("^Edit")).first.click()
    expect(ben.get_by_label("Text of variant A")).to_have_count(1)
    expect(ben.get_by_label("Text of variant A")).to_have_value(re.compile("^Text: "))

    # Away and back: the record is there; and what was typed becomes the variant when saved.
    go_to(ada, "Quiz")
    expect(ada.get_by_role("heading", level=1).first).to_have_text("Quiz")
    go_to(ada, "Variants")
    expect(ada.get_by_label(re.compile("Instance, of 6"))).to_have_value("2")
    expect(ada.get_by_label("Text of variant A")).to_have_value(re.compile("^Today: Text: "))
    ada.get_by_role("button", name="Save and check").first.click()
    expect(ada.get_by_text("edited by Ada")).to_be_visible()
    expect(ada.get_by_text("Draft saved")).to_have_count(0)
    second = samples.load(fresh_store, sample).instances[1]
    assert variants.current(fresh_store, sample)[second.id][0].text.startswith("Today: Text: ")
