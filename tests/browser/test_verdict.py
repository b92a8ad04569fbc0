"""From a question to a verdict that names its control, and that no filter changes."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import urlencode

import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from dcq.quiz.results import table
from dcq.records import PartitionRole, Sample
from dcq.store import Store, samples
from dcq.ui.result_names import full_name
from tests.browser.conftest import choose, go_to, shoot, wait_until_idle, wait_until_quiet
from tests.conftest import small_sample
from tests.support.provider import FakeProvider

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

MODEL = "knows-original"
MINUTE = 60_000


def _titled(sample: Sample, title: str) -> Sample:
    return replace(sample, partition=replace(sample.partition, title=title))


@pytest.fixture
def ready(provider: FakeProvider, fresh_store: Store) -> FakeProvider:
    """A target that the model knows by heart and a control that it does not, drawn and reworded;
    the app is to start after this, with the provider in its environment."""
    target = _titled(small_sample(40), "Rivers")
    provider.seen = tuple(instance.text for instance in target.instances)
    control = _titled(small_sample(40, key="lakes", role=PartitionRole.CONTROL), "Lakes")
    samples.save(fresh_store, control)
    samples.save(fresh_store, target)  # the newest sample is the one that Quiz opens with
    return provider


def _visit(page: Page, name: str) -> None:
    go_to(page, name)
    expect(page.get_by_role("heading", level=1).first).to_have_text(name)


def _start(page: Page, *, beside: str = "") -> None:
    """Put the rotated quiz of the target to the model, and of another sample ``beside`` it."""
    _visit(page, "Quiz")
    page.get_by_role("radio", name="Rotated").or_(
        page.get_by_role("button", name="Rotated", exact=True)
    ).first.click()
    expect(page.get_by_text("160 questions from 40 instances")).to_be_visible()
    box = page.get_by_role("combobox", name=re.compile("Models"))
    box.press("Backspace")  # the model that is there already
    expect(page.get_by_text("Choose at least one model")).to_be_visible()
    choose(page, re.compile("Models"), MODEL).press("Escape")
    if beside:
        choose(page, re.compile("The same quiz for other samples"), beside).press("Escape")
    start = page.get_by_role("button", name="Ask in 2 runs" if beside else "Ask the model")
    expect(start).to_be_enabled()
    start.click()
    expect(page.get_by_text("Latest runs").first).to_be_visible(timeout=2 * MINUTE)


def _verdict(page: Page) -> str:
    """All that the page says before its charts, once the checklist is drawn to its last line."""
    expect(page.get_by_text("It is the only result that is compared.")).to_be_visible()
    expect(page.get_by_role("heading", name="All results")).to_be_visible()
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
    return page.get_by_test_id("stMain").inner_text().partition("\nRun\n")[0]


def _settled_verdict(page: Page) -> str:
    """The same, once the page is whole: it is drawn bit by bit."""
    _verdict(page)
    wait_until_idle(page)
    wait_until_quiet(page)
    return _verdict(page)


def test_the_verdict_names_its_control_and_no_filter_changes_it(
    ready: FakeProvider, fresh_store: Store, page: Page, app_url: str
) -> None:
    _start(page, beside="Lakes")
    _visit(page, "Results")
    expect(page.get_by_role("heading", level=1).nth(1)).to_contain_text("Contaminated")
    expect(page.get_by_text("Compared with Lakes test", exact=False)).to_be_visible()
    before = _settled_verdict(page)
    assert f"{MODEL} picked the original in 160 of 160 calls" in before
    assert "control: Lakes test" in before
    shoot(page, "verdict")
    go_to(page, "Matrix")
    heading = page.get_by_role("heading", level=1).first
    expect(heading).to_have_text("Has the model seen the benchmark?")
    expect(page.get_by_text(f"{MODEL} picked the original in 160 of 160 calls")).to_be_visible()
    shoot(page, "overview-verdict")
    _visit(page, "Results")
    _settled_verdict(page)

    for label, option in (
        ("Model", MODEL),
        ("Partition", "Rivers test"),
        ("Quiz", "rotated"),
        ("Role", "target"),
    ):
        page.goto(f"{app_url}/results")
        expect(page.get_by_role("heading", level=1).nth(1)).to_contain_text("Contaminated")
        wait_until_idle(page)
        choose(page, re.compile(f"^{label}$"), option).press("Escape")
        expect(page).to_have_url(re.compile(f"results_{label.lower()}="))
        assert _settled_verdict(page) == before

    [control] = [full_name(r) for r in table(fresh_store) if r.role == PartitionRole.CONTROL]
    page.goto(f"{app_url}/results?{urlencode({'results_hide': control})}")
    expect(page.get_by_text("Hide runs (1 hidden)")).to_be_visible()
    assert _settled_verdict(page) == before

    page.get_by_role("button", name=re.compile("^Download$|download Download$")).click()
    with page.expect_download() as taken:
        page.get_by_role("button", name=re.compile("Table · csv")).click()
    exported = pd.read_csv(taken.value.path())
    assert list(exported["partition"]) == ["rivers/test"]
    assert list(exported["verdict"]) == ["contaminated"]
    assert list(exported["control_partitions"]) == ["lakes/test"]


def test_a_missing_control_is_asked_by_the_button_of_its_line(
    ready: FakeProvider, fresh_store: Store, page: Page
) -> None:
    _start(page)
    _visit(page, "Results")
    expect(page.get_by_role("heading", level=1).nth(1)).to_contain_text("Undecided")
    shoot(page, "verdict-uncontrolled")
    page.get_by_role("button", name=re.compile("Add controls and ask about them: ")).first.click()
    expect(page.get_by_role("heading", level=1).nth(1)).to_contain_text(
        "Contaminated", timeout=2 * MINUTE
    )
    expect(page.get_by_text(re.compile("Compared with .*Lakes test"))).to_be_visible()
