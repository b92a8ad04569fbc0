"""A new user at a small screen: each step leads to the next without a scroll."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from dcq.store import Store, runs
from tests.browser.conftest import choose, go_to, shoot, wait_until_idle
from tests.support.provider import FakeProvider

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

WIDTH, HEIGHT = 1280, 900


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    with FakeProvider() as running:
        yield running


@pytest.fixture
def app_environment(provider: FakeProvider) -> dict[str, str]:
    return {"OPENAI_BASE_URL": provider.base_url, "OPENAI_API_KEY": "sk-not-a-key"}


@pytest.fixture
def page(page: Page) -> Page:
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    return page


def in_sight(found: Locator) -> Locator:
    """The element, once it rests wholly on the screen as the page was opened, without a scroll.

    While a page is drawn, what stands above an element is for moments taller or shorter than it
    will be (the frame of a table before its rows), so one look at a moment says nothing."""
    expect(found).to_be_visible(timeout=60_000)
    expect(found.page.get_by_test_id("stStatusWidget")).to_have_count(0)
    deadline = time.monotonic() + 20
    while not _is_in_sight(found) and time.monotonic() < deadline:
        found.page.wait_for_timeout(200)
    assert _is_in_sight(found), f"{found} is at {found.bounding_box()}"
    assert found.page.get_by_test_id("stMain").evaluate("main => main.scrollTop") == 0
    return found


def _is_in_sight(found: Locator) -> bool:
    box = found.bounding_box()
    return (
        box is not None
        and 0 <= box["x"] <= WIDTH - box["width"]
        and 0 <= box["y"] <= HEIGHT - box["height"]
    )


def title(page: Page, name: str) -> None:
    expect(page.get_by_role("heading", level=1).first).to_have_text(name)
    expect(page.get_by_test_id("stException")).to_have_count(0)


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name)


def choose_model(page: Page, name: str) -> None:
    box = page.get_by_role("combobox", name=re.compile("Models"))
    box.press("Backspace")
    choose(page, re.compile("Models"), name).press("Escape")
    expect(page.get_by_test_id("stMultiSelect").first).to_contain_text(name)


def test_the_first_walk_needs_no_scroll(
    page: Page, fresh_store: Store, provider: FakeProvider
) -> None:
    in_sight(page.get_by_role("link", name="Library").first).click()
    title(page, "Dataset")
    expect(page.get_by_text("There is no sample yet")).to_be_visible()
    shoot_small(page, "walk-1-dataset")
    in_sight(button(page, "Draw sample")).click()
    onward = in_sight(button(page, "Make a quiz from it"))
    expect(page.get_by_text("There is no sample yet")).to_have_count(0)
    shoot_small(page, "walk-2-drawn")
    onward.click()

    title(page, "Quiz")
    for kind in ("modified", "standard"):
        in_sight(button(page, "Ask the model"))
        if kind == "modified":
            choose_model(page, "always-d")
        shoot_small(page, f"walk-3-{kind}")
        provider.answers_at_most = provider.counts.total() + 20
        in_sight(button(page, "Ask the model")).click()
        in_sight(page.get_by_text(re.compile("of 40 questions asked")))
        shoot_small(page, f"walk-4-{kind}-asked")
        provider.answers_at_most = math.inf
        in_sight(button(page, "Read the result"))
        wait_until_idle(page)  # the end of the run draws the page anew, and takes a click with it
        captions = page.get_by_test_id("stCaptionContainer")
        expect(captions.get_by_text(f"Control News · {kind}")).to_be_visible()
        shoot_small(page, f"walk-5-{kind}-finished")
        if kind == "modified":
            in_sight(button(page, "Ask another quiz")).click()
            expect(page.get_by_text("always-d chose least")).to_be_visible()

    in_sight(button(page, "Read the result")).click()
    title(page, "Results")
    newest = runs.listing(fresh_store)[0]
    expect(page.get_by_text(re.compile("picked the original in"))).to_be_visible()
    expect(page).to_have_url(re.compile(rf"[?&]results_run={newest}(&|$)"))


def test_the_first_minute_shows_a_finding(page: Page, fresh_store: Store) -> None:
    in_sight(button(page, "See an example finding")).click()
    in_sight(page.get_by_role("grid"))
    in_sight(page.get_by_text("not a finding about a released model"))
    in_sight(page.get_by_role("gridcell").get_by_role("link").first).click()
    verdict = page.get_by_role("heading", level=1).nth(1)
    in_sight(verdict)
    expect(verdict).to_contain_text("Contaminated")
    in_sight(page.get_by_text("not a finding about a released model"))
    shoot_small(page, "walk-0-example")
    page.get_by_role("link", name="Read this result").click()
    title(page, "Results")
    expect(page.get_by_text("not a finding about a released model")).to_be_visible()
    page.reload()
    title(page, "Results")
    in_sight(button(page, "Back to your own store")).click()
    title(page, "Has the model seen the benchmark?")
    in_sight(button(page, "See an example finding"))
    assert "example" not in page.url
    assert runs.listing(fresh_store) == []


def test_a_link_to_an_instance_that_is_left_out_opens_it(page: Page, fresh_store: Store) -> None:
    page.goto(page.url.rstrip("/") + "/dataset")
    button(page, "Draw sample").click()
    page.get_by_role("link", name="Review the variants").click()
    title(page, "Variants")
    give_name(page, "Ada")
    at = page.get_by_label(re.compile("Instance, of 40"))
    at.fill("3")
    at.press("Enter")
    expect(page.get_by_role("button", name=re.compile("^Previous"))).to_be_enabled()
    for rejected in (1, 2):
        wait_until_idle(page)  # until then the buttons of the instance before are there still
        page.get_by_role("button", name="Reject").first.click()
        expect(page.get_by_text("rejected by Ada")).to_have_count(rejected)
        expect(page.get_by_role("button", name="Reject")).to_have_count(4 - rejected)
    go_to(page, "Quiz")
    expect(page.get_by_text(re.compile("1 instance is left out"))).to_be_visible()
    page.get_by_role("link", name="Open instance 3").click()
    title(page, "Variants")
    expect(page.get_by_label(re.compile("Instance, of 40"))).to_have_value("3")
    expect(page.get_by_text("rejected by Ada")).to_have_count(2)


def test_nothing_on_the_variants_page_is_cut_off(page: Page) -> None:
    page.goto(page.url.rstrip("/") + "/dataset")
    button(page, "Draw sample").click()
    page.get_by_role("link", name="Review the variants").click()
    title(page, "Variants")
    in_sight(page.get_by_text(re.compile("original$")).first)
    shoot_small(page, "variants-1-no-name")
    give_name(page, "Ada")
    in_sight(page.get_by_text(re.compile("original$")).first)
    in_sight(button(page, "Reject").first)
    shoot_small(page, "variants-2-named")
    button(page, "of 40 ready").click()
    page.get_by_text("Have variants written").click()
    choices = page.get_by_test_id("stExpander").filter(has_text="Have variants written")
    model = choices.get_by_text("A model", exact=True)
    expect(model).to_be_visible()
    model.click()
    expect(choices.get_by_label("Model", exact=True)).to_be_visible()
    group = choices.get_by_test_id("stButtonGroup").first
    # What scrolls sideways inside its box is cut off at its edge.
    assert group.evaluate(
        "e => [e, ...e.querySelectorAll('*')].every(x => x.scrollWidth <= x.clientWidth + 1)"
    )
    shoot_small(page, "variants-3-writing")


def give_name(page: Page, name: str) -> None:
    box = page.get_by_role("textbox", name="Your name")
    box.fill(name)
    box.press("Enter")
    expect(page.get_by_text("Enter your name first")).to_have_count(0)


def shoot_small(page: Page, name: str) -> None:
    """As ``shoot``, of what the small screen shows and without a refresh."""
    shoot(page, name, whole=False)
