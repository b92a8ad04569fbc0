"""From a sample to completions, their verdict, and a person's label, with keys."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from dcq.records import PartitionRole
from dcq.replication import RUNS
from dcq.store import Store, method_runs, replications
from tests.browser.conftest import choose, go_to, shoot, wait_until_idle
from tests.support.provider import FakeProvider
from tests.support.replications import save

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


@pytest.fixture
def ready(provider: FakeProvider, fresh_store: Store) -> FakeProvider:
    """A target that the model recites and a control that it does not, drawn before the app is."""
    save(fresh_store, 20, key="lakes", role=PartitionRole.CONTROL)
    _, texts = save(fresh_store, 12)
    provider.seen = tuple(texts[:-1])
    return provider


def _ask(page: Page, n: int, *, kept: bool = False) -> None:
    """Have the chosen sample of ``n`` completed by ``recites`` and judged by ``judges``, who is
    still chosen if ``kept``."""
    page.get_by_role("combobox", name="Models").press("Backspace")  # the model that is there
    expect(page.get_by_text("Choose at least one model")).to_be_visible()
    choose(page, "Models", "recites").press("Escape")  # closes its list
    start = page.get_by_role("button", name="Ask the model")
    expect(start).to_be_enabled()  # drawn anew, the page would take back what is typed meanwhile
    if not kept:
        choose(page, "Judge", "judges")
    expect(page.get_by_role("combobox", name="Judge")).to_have_value("judges")
    expect(page.get_by_role("option")).to_have_count(0)
    expect(start).to_be_enabled()
    start.click()
    # Of this sample: the cards of earlier runs have the same button.
    expect(page.get_by_text(f"{2 * n} of {2 * n} answered")).to_be_visible(timeout=120_000)
    expect(page.get_by_role("button", name="Read the result").first).to_be_visible()
    expect(page.get_by_text("Latest runs").first).to_be_visible(timeout=120_000)
    wait_until_idle(page)  # the end of the last run draws the page anew, and takes a click with it


def test_a_replication_is_asked_read_and_reviewed(
    ready: FakeProvider, fresh_store: Store, page: Page
) -> None:
    go_to(page, "Replication")
    expect(page.get_by_text("12 of 12 instances can be cut in two")).to_be_visible()
    shoot(page, "replication-ask")
    _ask(page, 12)
    page.get_by_role("button", name="Read the result").click()
    expect(page.get_by_role("heading", level=1).nth(1)).to_contain_text("Undecided")
    repair = page.get_by_role("button", name=re.compile("Add controls and ask about them: "))
    expect(repair).to_be_visible()
    page.get_by_role("tab", name="Ask").click()
    page.get_by_role("button", name="Ask again").click()
    choose(page, "Sample", "Lakes")
    expect(page.get_by_text("The lakes number 0 springs").first).to_be_visible()
    _ask(page, 20, kept=True)
    page.get_by_role("tab", name="Result").click()
    expect(page.get_by_role("heading", level=1).nth(1)).to_contain_text("Contaminated")
    expect(page.get_by_text(re.compile("recites on Brooks test: 91.7"))).to_be_visible()
    shoot(page, "replication")
    page.get_by_role("tab", name="Review").click()
    expect(page.get_by_text("0 of 12 completions have your label")).to_be_visible()
    wait_until_idle(page)
    page.wait_for_timeout(1_500)  # shortcuts are heard a moment after the page is there
    page.keyboard.press("1")
    expect(page.get_by_text("1 of 12 completions have your label")).to_be_visible()
    expect(page.get_by_text("Equal but for space and case")).to_be_visible()
    wait_until_idle(page)
    page.wait_for_timeout(1_500)
    page.keyboard.press("j")
    expect(page.get_by_role("spinbutton", name="Completion, of 12")).to_have_value("2")
    shoot(page, "replication-review")
    labels = [
        replications.of(fresh_store, run.run) for run in method_runs.runs_of(fresh_store, RUNS)
    ]
    assert [label for label in labels if label] == [{"Ada": {0: "exact"}}]
