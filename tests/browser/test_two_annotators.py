"""Two people, each in a browser of their own, decide blind about the same instances, and a third
settles what they differ on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from dcq.store import Store, samples, variants
from dcq.store.variants import Decision
from tests.browser.conftest import Visitor, shoot, wait_until_idle
from tests.conftest import small_sample

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


@pytest.fixture
def app_environment() -> dict[str, str]:
    return {}


@pytest.fixture
def sample(store_path: Path) -> str:
    """A sample that is there before the app is."""
    return samples.save(Store(store_path), small_sample(2))


@pytest.fixture
def three(sample: str, visitors: list[Visitor]) -> tuple[Page, Page, Page]:
    """The Variants page, opened by three people."""
    for one, name in zip(visitors, ("Ada", "Ben", "Cy"), strict=True):
        one.page.goto(f"{one.url}/variants")
        sign(one.page, name)
    return visitors[0].page, visitors[1].page, visitors[2].page


def sign(page: Page, name: str) -> None:
    expect(page.get_by_text("Enter your name first").first).to_be_visible()
    box = page.get_by_role("textbox", name="Your name")
    box.fill(name)
    box.press("Enter")
    expect(page.get_by_text("Enter your name first")).to_have_count(0)


def block(page: Page, slot: int) -> Locator:
    return page.locator(f".st-key-variants_block_{slot}")


def decide(page: Page, slot: int, word: str) -> None:
    wait_until_idle(page)  # a page that is drawn anew takes a click with it
    block(page, slot).get_by_role("button", name=re.compile(f"^{word}")).click()


def opened(page: Page, sample: str) -> None:
    """The first instance, after a refresh."""
    page.reload()
    expect(block(page, 3)).to_be_visible()
    expect(page.get_by_text("Enter your name first")).to_have_count(0)
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)


def assign(page: Page) -> None:
    page.get_by_role("button", name="of 2 ready").click()
    page.get_by_text("Two annotators").click()
    page.get_by_role("textbox", name="First annotator").fill("Ada")
    page.get_by_role("textbox", name="Second annotator").fill("ben ")
    share = page.get_by_role("spinbutton", name="Per cent of the instances")
    share.fill("100")
    share.press("Enter")
    shoot(page, "two-annotators-assign", whole=False)
    page.get_by_role("button", name="Assign", exact=True).click()
    expect(page.get_by_text("decide about 2 of 2 instances")).to_be_visible()
    page.keyboard.press("Escape")


def test_blind_until_both_have_decided_and_a_third_settles(
    three: tuple[Page, Page, Page], fresh_store: Store, sample: str
) -> None:
    ada, ben, cy = three
    instance = samples.load(fresh_store, sample).instances[0].id

    def words() -> list[str]:
        slots = variants.current(fresh_store, sample)[instance]
        return [f"{slots[slot].decision} {slots[slot].reviewer}".strip() for slot in range(4)]

    assign(cy)
    expect(block(cy, 0).get_by_text("with Ada and ben")).to_be_visible()
    expect(block(cy, 0).get_by_role("button", name=re.compile("^Accept"))).to_be_disabled()
    expect(block(cy, 0).get_by_role("button", name=re.compile("^Edit"))).to_be_disabled()

    # Both at once: Ada accepts A and B and rejects C; Ben accepts A, rejects B and C.
    for page in (ada, ben):
        opened(page, sample)
        expect(page.get_by_text("decide here without seeing each other's")).to_be_visible()
    decide(ada, 0, "Accept")
    expect(block(ada, 0).get_by_text("you: accepted")).to_be_visible()
    decide(ada, 1, "Accept")
    expect(block(ada, 1).get_by_text("you: accepted")).to_be_visible()
    assert words() == ["open"] * 4

    # Ben sees nothing of it: not in the record, its history, the table, or the counts.
    opened(ben, sample)
    for slot in range(4):
        expect(block(ben, slot).get_by_text("blind")).to_be_visible()
        expect(block(ben, slot).get_by_role("button", name=re.compile("^Accept"))).to_be_enabled()
    ben.get_by_text("History", exact=True).click()
    expect(ben.get_by_role("region", name=re.compile("^What happened"))).to_be_visible()
    assert "accepted" not in _seen(ben)
    shoot(ben, "two-annotators-blind", whole=False)
    opened(cy, sample)
    expect(cy.get_by_text("Ada: ")).to_have_count(0)
    expect(cy.get_by_text("Ada accepts")).to_have_count(0)

    decide(ben, 1, "Reject")
    expect(block(ben, 1).get_by_text("disagreement")).to_be_visible()
    why = block(ben, 1).get_by_role("textbox", name="Why")
    why.fill("not [this](x) *word*")
    why.press("Enter")
    expect(block(ben, 1).get_by_role("button", name=re.compile("^Accept"))).to_be_disabled()
    decide(ben, 0, "Accept")
    expect(block(ben, 0).get_by_text("accepted by Ada and ben")).to_be_visible()

    # What is undone is one's own, and only while it is blind.
    decide(ben, 2, "Reject")
    expect(block(ben, 2).get_by_text("you: rejected")).to_be_visible()
    ben.get_by_role("button", name=re.compile("^Undo")).click()
    expect(block(ben, 2).get_by_text("blind")).to_be_visible()
    expect(ben.get_by_role("button", name=re.compile("^Undo"))).to_be_disabled()
    shoot(ben, "two-annotators-disagreement", whole=False)

    # Ben rejects C; meanwhile Ada, who has not, rewrites it: his word was about another text.
    decide(ben, 2, "Reject")
    expect(block(ben, 2).get_by_text("you: rejected")).to_be_visible()
    decide(ada, 2, "Edit")
    ada.get_by_label("Text of variant C").fill(
        "Text: the creek no 0 of rivers is long\nLabel: 0 (Wet)"
    )
    ada.get_by_role("button", name="Save and check").first.click()
    expect(block(ada, 2).get_by_text("edited by Ada")).to_be_visible()
    decide(ada, 2, "Reject")
    expect(block(ada, 2).get_by_text("you: rejected")).to_be_visible()
    opened(ben, sample)
    expect(block(ben, 2).get_by_text("blind")).to_be_visible()
    assert words()[2] == "open"

    # A third person finds the disagreement in its list, with both opinions, and decides.
    opened(cy, sample)
    choose(cy, "Disagreement 1")
    expect(cy.get_by_text("Ada and ben agree on 1 of 2 (50 %")).to_be_visible()
    expect(block(cy, 1).get_by_text("Ada accepts")).to_be_visible()
    expect(block(cy, 1).get_by_text("ben rejects")).to_be_visible()
    expect(block(cy, 1).get_by_text("“not [this](x) *word*”")).to_be_visible()
    shoot(cy, "two-annotators-adjudicate", whole=False)
    decide(cy, 1, "Reject")
    expect(cy.get_by_text("You are done")).to_be_visible()
    assert words()[:2] == ["accepted Ada and ben", "rejected Cy"]
    cy.get_by_role("button", name="of 2 ready").click()
    cy.get_by_text("Two annotators").click()
    expect(cy.get_by_text("Ada and ben agree on 1 of 2").last).to_be_visible()
    shoot(cy, "two-annotators-panel", whole=False)


def test_one_does_not_decide_as_the_other(
    three: tuple[Page, Page, Page], fresh_store: Store, sample: str
) -> None:
    ada, _, cy = three
    instance = samples.load(fresh_store, sample).instances[0].id
    assign(cy)
    opened(ada, sample)
    decide(ada, 0, "Accept")
    expect(block(ada, 0).get_by_text("you: accepted")).to_be_visible()
    box = ada.get_by_role("textbox", name="Your name")
    for name in ("Ben", "Cy", "Zoe"):
        box.fill(name)
        box.press("Enter")
        wait_until_idle(ada)
        expect(block(ada, 0).get_by_text("with Ada and ben")).to_be_visible()
        expect(block(ada, 0).get_by_role("button", name=re.compile("^Accept"))).to_be_disabled()
    box.fill(" ADA ")  # the same person
    box.press("Enter")
    expect(block(ada, 0).get_by_text("you: accepted")).to_be_visible()
    assert variants.current(fresh_store, sample)[instance][0].decision is Decision.OPEN


def choose(page: Page, words: str) -> None:
    """A list of instances."""
    page.get_by_role("combobox", name="Instances").click()
    page.get_by_role("option", name=words).click()


def _seen(page: Page) -> str:
    return page.locator("[data-testid=stMain]").inner_text()
