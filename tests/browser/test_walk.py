"""The main job, as a new user does it: real app, real browser, real model."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import go_to, open_sidebar, shoot, wait_until_idle

pytestmark = [pytest.mark.browser, pytest.mark.embedded, pytest.mark.timeout(900)]

INSTANCES = 3
MINUTES = 60_000


@pytest.fixture
def cold_start() -> bool:
    return True


def _visit(page: Page, name: str) -> None:
    go_to(page, name)
    expect(page.get_by_role("heading", level=1).first).to_have_text(name)
    expect(page.get_by_test_id("stException")).to_have_count(0)


def _ask(page: Page, kind: str) -> None:
    """Freeze a quiz of this kind, ask the embedded model, and wait for its last answer."""
    _visit(page, "Quiz")
    page.get_by_role("radio", name=kind).or_(
        page.get_by_role("button", name=kind, exact=True)
    ).first.click()
    start = page.get_by_role("button", name="Ask the model")
    expect(start).to_be_enabled()
    start.click()
    expect(page.get_by_role("button", name="Ask another quiz")).to_be_visible()  # it has begun
    page.reload()  # the run is a process of its own
    expect(page.get_by_text("Latest runs").first).to_be_visible(timeout=5 * MINUTES)
    card = page.get_by_text(f"Control News · {kind.lower()}")
    expect(card).to_have_count(1)
    expect(page.get_by_text(f"{INSTANCES} of {INSTANCES}").first).to_be_visible()


def test_from_a_dataset_to_a_kappa_table(page: Page) -> None:
    expect(page.get_by_text("Nothing has been asked yet")).to_be_visible()
    shoot(page, "overview-empty")

    # Choose, look, draw.
    _visit(page, "Dataset")
    expect(page.get_by_text("Article:").first).to_be_visible()
    instances = page.get_by_label("Instances", exact=True)
    instances.fill(str(INSTANCES))
    instances.press("Enter")
    page.get_by_role("button", name="Draw sample").click()
    expect(page.get_by_text(f"{INSTANCES} of {INSTANCES} with variants")).to_be_visible()
    shoot(page, "dataset")

    # Edit a variant; it survives a refresh.
    _visit(page, "Variants")
    page.get_by_role("button", name=re.compile("^Edit")).first.click()
    box = page.get_by_label(re.compile("Text of variant A"))
    expect(box).to_have_value(re.compile("^Article: "))  # it is filled a moment after it opens
    box.fill(box.input_value().replace("Article: ", "Article: Today, ", 1))
    page.get_by_role("button", name="Save and check").first.click()
    expect(page.get_by_text("edited by Ada")).to_be_visible()
    page.reload()
    expect(page.get_by_text("Today").first).to_be_visible()
    page.locator("[class*=st-key-variants_Accept_] button").first.click()
    expect(page.get_by_text("accepted by Ada")).to_be_visible()
    shoot(page, "variants")

    # Ask without the original, then with it; each run survives a refresh of the page.
    _ask(page, "Modified")
    _ask(page, "Standard")
    shoot(page, "quiz")

    _visit(page, "Results")
    expect(page.get_by_text(re.compile("embedded picked the original in"))).to_be_visible()
    expect(
        page.get_by_role("button", name=re.compile("^embedded, Control News: ")).first
    ).to_be_visible()
    shoot(page, "results")
    page.get_by_text("What else could explain it").click()
    expect(page.get_by_test_id("stPlotlyChart").first).to_be_visible()
    page.get_by_role("link", name="Its answers").click()
    expect(page.get_by_role("heading", level=1).first).to_have_text("Answers")
    expect(page.get_by_test_id("stPlotlyChart").first).to_be_visible()
    wait_until_idle(page)
    page.get_by_role("button", name=re.compile("^Next")).click()
    expect(page.get_by_text(re.compile("^Chose ")).first).to_be_visible()
    shoot(page, "answers")

    _visit(page, "Ablation")
    expect(page.get_by_test_id("stPlotlyChart").first).to_be_visible()
    bare = page.get_by_text(re.compile("without the original", re.IGNORECASE))
    expect(bare.first).to_be_visible()
    shoot(page, "ablation")

    go_to(page, "Matrix")
    expect(page.get_by_text(re.compile("embedded picked the original in"))).to_be_visible()
    shoot(page, "overview")
    _visit(page, "Settings")
    expect(page.get_by_text(re.compile("Everything on this machine is ready"))).to_be_visible()
    shoot(page, "settings")


def test_every_page_opens_on_a_cold_server(tab: Page, app_url: str) -> None:
    for name in ("variants", "results", "answers", "ablation", "quiz", "dataset", "settings"):
        tab.goto(f"{app_url}/{name}")
        expect(tab.get_by_role("heading", level=1).first).to_have_text(name.capitalize())
        open_sidebar(tab)
        expect(tab.get_by_test_id("stException")).to_have_count(0)
