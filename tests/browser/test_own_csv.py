"""A newcomer with a csv of texts without labels: from an empty app to a verdict, click by click."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from dcq.judging.answer_words import below_its_word
from dcq.judging.answers import answers
from dcq.settings import DATA
from dcq.store import Store
from tests.browser.conftest import Clicker, open_sidebar, shoot, wait_until_idle
from tests.support.provider import FakeProvider

pytestmark = [pytest.mark.browser, pytest.mark.ci, pytest.mark.timeout(600)]

N = 40
MOST_CLICKS = 12
MINUTE = 60_000


@pytest.fixture
def texts() -> list[str]:
    """Prose of several lines each, without labels, as people bring it."""
    files = [DATA / "control" / name for name in ("reviews.jsonl", "news_a.jsonl", "news_b.jsonl")]
    lines = [line for file in files for line in file.read_text("utf-8").splitlines()]
    return [json.loads(line)["text"] for line in lines[:N]]


@pytest.fixture
def provider(texts: list[str]) -> Iterator[FakeProvider]:
    with FakeProvider(seen=texts) as running:
        yield running


@pytest.fixture
def app_environment(provider: FakeProvider) -> dict[str, str]:
    return {"OPENAI_BASE_URL": provider.base_url, "OPENAI_API_KEY": "sk-not-a-key"}


def test_a_csv_without_labels_comes_to_a_verdict_in_a_dozen_clicks(
    page: Page, provider: FakeProvider, store_path: Path, texts: list[str], tmp_path: Path
) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    file, click = tmp_path / "mine.csv", Clicker()
    with file.open("w", newline="", encoding="utf-8") as lines:
        csv.writer(lines).writerows([["text"], *([text] for text in texts)])

    click(page.get_by_role("link", name="Library").first)
    click(page.get_by_text("Your file", exact=True))
    with page.expect_file_chooser() as chooser:
        click(page.get_by_role("button", name=re.compile("Upload|Browse")).first)
    chooser.value.set_files(file)
    expect(page.get_by_text("Only rows of some dates")).to_be_visible()
    shoot(page, "dataset-own-csv", whole=False)
    click(page.get_by_role("button", name="Draw sample"))
    click(page.get_by_role("button", name="Write the variants"))
    click(page.get_by_role("button", name=re.compile("Write the .* missing variants")))
    # Written in a moment, they may be there before it was said that they are being written.
    going = page.get_by_text("It continues if you leave")
    done = page.get_by_text("variants are written, and nobody has read them yet")
    expect(going.or_(done).first).to_be_visible()
    sidebar = open_sidebar(page)
    click.clicks += 1  # the page Variants leaves it closed
    click(sidebar.get_by_role("link", name="New check"))
    click(page.get_by_role("link", name="Choose everything yourself"))
    wait_until_idle(page)
    models = page.get_by_role("combobox", name=re.compile("Models"))
    click(models)
    models.press("Backspace")
    models.fill("knows-original")
    models.press("Enter")
    models.press("Escape")
    # The variants may be being written still; the page shows that, and goes on by itself.
    missing = page.get_by_text("no control of this task and language")
    expect(missing).to_be_visible(timeout=2 * MINUTE)
    button = page.get_by_role("button", name=re.compile("Add 10 small controls"))
    expect(button).to_be_in_viewport(ratio=1)
    wait_until_idle(page)
    shoot(page, "investigate-no-control", whole=False)
    assert not provider.counts  # no model is asked before the price was shown
    click(button)
    expect(page.get_by_text(re.compile("steps: [0-9]+ calls"))).to_be_visible(timeout=MINUTE)
    shoot(page, "investigate-small-controls", whole=False)
    click(page.get_by_role("button", name="Investigate", exact=True))
    # The offline generator's words give originals away, and the verdict says so.
    verdict = page.get_by_role("heading", name=re.compile("Contaminated|Undecided"))
    expect(verdict).to_be_visible(timeout=2 * MINUTE)
    shoot(page, "investigate-own-csv", whole=False)
    # That one press asked two methods, with weights that were fixed before the first reply.
    [answer] = answers(Store(store_path))
    assert [one.method for one in answer.methods] == ["quiz", "replication"]
    assert answer.plan is not None
    assert answer.could_ask == ()
    expect(page.get_by_text(below_its_word(answer)).first).to_be_visible()
    assert click.clicks <= MOST_CLICKS
    expect(page.get_by_test_id("stException")).to_have_count(0)
