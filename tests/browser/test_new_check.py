"""From a csv to conclusions on two models on one page, click by click."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from dcq.judging.answers import answers
from dcq.store import Store
from tests.browser.conftest import Clicker, Visitor, shoot, wait_until_idle
from tests.support.newcomer import known, write_benchmark
from tests.support.provider import FakeProvider

pytestmark = [pytest.mark.browser, pytest.mark.ci, pytest.mark.timeout(1500)]

MOST_CLICKS = 12
MINUTE = 60_000


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    with FakeProvider(seen=known(1)) as running:
        yield running


@pytest.fixture
def app_environment(provider: FakeProvider) -> dict[str, str]:
    return {"OPENAI_BASE_URL": provider.base_url, "OPENAI_API_KEY": "sk-not-a-key"}


def type_models(page: Page, click: Clicker, *names: str) -> None:
    """Put these models in the place of the one that is chosen at first."""
    models = page.get_by_role("combobox", name=re.compile("Models"))
    click(models)
    models.press("Backspace")
    for name in names:
        models.fill(name)
        models.press("Enter")
        wait_until_idle(page)
    models.press("Escape")


def test_a_csv_comes_to_conclusions_on_two_models_in_a_dozen_clicks(
    visitors: list[Visitor], provider: FakeProvider, store_path: Path, tmp_path: Path
) -> None:
    file, click = write_benchmark(tmp_path / "mine.csv"), Clicker()
    page = visitors[0].page
    page.goto(visitors[0].url)
    click(page.get_by_test_id("stMain").get_by_role("button", name="New check"))
    wait_until_idle(page)
    with page.expect_file_chooser() as chooser:
        click(page.get_by_role("button", name=re.compile("Upload|Browse")).first)
    chooser.value.set_files(file)
    expect(page.get_by_text("40 rows · text = question · label = answer")).to_be_visible()
    type_models(page, click, "knows-original", "guess")
    click(page.get_by_role("button", name="Try the models"))
    expect(page.get_by_text(re.compile("guess answered in [0-9.]+ s"))).to_be_visible()
    plan = page.get_by_text(re.compile("calls to 2 models.* · (about|a minute)"))
    expect(plan).to_be_visible(timeout=2 * MINUTE)
    expect(page.get_by_text("after correction for 2 pairs")).to_be_visible()
    assert sum(provider.counts.values()) == 2  # nothing but the tries
    shoot(page, "new-check", whole=False)
    provider.answers_at_most = 40
    click(page.get_by_role("button", name="Start", exact=True))
    expect(page.get_by_text("It continues if you leave or close this page")).to_be_visible()
    expect(page.get_by_text(re.compile("step [0-9]+ of [0-9]+")).first).to_be_visible(
        timeout=2 * MINUTE
    )
    shoot(page, "new-check-running", whole=False)
    page.goto("about:blank")  # left

    other = visitors[1].page  # found again by somebody else
    other.goto(f"{visitors[1].url}/new_check")
    click(other.get_by_role("link", name=re.compile("Under way: mine")))
    expect(other.get_by_role("button", name="Stop, keep what is there")).to_be_visible()
    provider.answers_at_most = 10**9
    cases = other.get_by_role("link", name="Open the case")
    expect(cases).to_have_count(2, timeout=12 * MINUTE)
    shoot(other, "new-check-done")
    found = {answer.model: answer.ruling.word for answer in answers(Store(store_path))}
    assert set(found) == {"knows-original", "guess"}
    click(other.get_by_role("button", name="Open the matrix"))
    expect(other.get_by_role("heading", level=1).first).to_have_text(
        "Has the model seen the benchmark?"
    )
    assert click.clicks <= MOST_CLICKS
    expect(other.get_by_test_id("stException")).to_have_count(0)
