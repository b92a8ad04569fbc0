"""An investigation in a real browser: from the price to the verdict, seen by two."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from dcq.store import Store, runs
from tests.browser.conftest import Visitor, choose, go_to, shoot, wait_until_idle
from tests.support.investigated import CONTROLS, save_target
from tests.support.provider import FakeProvider

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

N = 40
MINUTES = 60_000


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    with FakeProvider() as running:
        yield running


@pytest.fixture
def app_environment(provider: FakeProvider) -> dict[str, str]:
    return {"OPENAI_BASE_URL": provider.base_url, "OPENAI_API_KEY": "sk-not-a-key"}


@pytest.fixture
def target(fresh_store: Store, provider: FakeProvider) -> str:
    return save_target(fresh_store, provider, N, CONTROLS)


def test_one_button_leads_to_the_verdict(
    visitors: list[Visitor],
    fresh_store: Store,
    target: str,
    provider: FakeProvider,
) -> None:
    page = visitors[0].page
    page.goto(f"{visitors[0].url}/?")
    page.get_by_role("button", name="Investigate").click()
    title = page.get_by_role("heading", level=1).first
    expect(title).to_have_text("Investigate")
    wait_until_idle(page)
    models = page.get_by_role("combobox", name=re.compile("Models"))
    models.press("Backspace")
    choose(page, re.compile("Models"), "knows-original").press("Escape")
    expect(page.get_by_text("10 steps: 520 calls")).to_be_visible()
    page.get_by_role("button", name="Replication", exact=True).click()
    expect(page.get_by_text("4 quizzes: 160 calls")).to_be_visible()
    wait_until_idle(page)
    shoot(page, "investigate", whole=False)  # a refresh takes only models of the list

    provider.answers_at_most = 60  # it stands still in its second quiz
    page.get_by_role("button", name="Investigate", exact=True).click()
    expect(page.get_by_text(re.compile("Modified on .* · 40 answers"))).to_be_visible(
        timeout=120_000
    )
    expect(page.get_by_text(re.compile("Slot: [A-D], chosen least"))).to_be_visible()
    expect(page.get_by_text(re.compile("Standard on .* of 40 answered")).first).to_be_visible()
    shoot(page, "investigate-running", whole=False)
    page.reload()
    expect(page.get_by_text(re.compile("Modified on .* · 40 answers"))).to_be_visible()

    # A second browser, without any choice in its address, finds it too.
    other = visitors[1].page
    other.goto(f"{visitors[1].url}/investigate")
    expect(other.get_by_text(re.compile("Slot: [A-D], chosen least"))).to_be_visible(
        timeout=MINUTES
    )
    other.close()

    provider.answers_at_most = 10**6
    expect(page.get_by_role("heading", name="Contaminated")).to_be_visible(timeout=3 * MINUTES)
    expect(page.get_by_text(re.compile("picked the original in 40 of 40"))).to_be_visible()
    shoot(page, "investigate-done")
    assert provider.counts["knows-original"] == 4 * N
    assert len(runs.listing(fresh_store)) == 4
    page.get_by_role("link", name="Its answers").click()
    expect(title).to_have_text("Answers")
    go_to(page, "Investigate")
    expect(page.get_by_role("heading", name="Contaminated")).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)
