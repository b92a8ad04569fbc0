"""A sample looked for in a corpus and on the web, and what that does to a model's scores."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from dcq.partitions import draw_sample, open_partition
from dcq.records import Sample
from dcq.store import Store, samples
from tests.browser.conftest import go_to, shoot, wait_until_idle
from tests.support.search_rules import KEY
from tests.support.search_services import FakeWeb

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

N = 12


@pytest.fixture
def web() -> Iterator[FakeWeb]:
    with FakeWeb({}) as server:
        yield server


@pytest.fixture
def app_environment(web: FakeWeb) -> dict[str, str]:
    return {"DCQ_AUTHOR": "Ada", **web.addresses()}


@pytest.fixture
def drawn(web: FakeWeb, fresh_store: Store) -> Sample:
    """News drawn before the app is there, three of them on the web."""
    sample = draw_sample(open_partition("control-news", "test"), N)
    samples.save(fresh_store, sample)
    web.pages = {f"https://example.org/{n}?a=<b>": _text(sample, n) for n in range(3)}
    return sample


def _text(sample: Sample, number: int) -> str:
    return sample.instances[number].fields["text"]


def _corpus(folder: Path, sample: Sample) -> Path:
    """Five of the texts, two with their class, a record that is broken, and an empty file."""
    folder.mkdir()
    classes = [str(one.label).split("(")[1].strip(")") for one in sample.instances[:2]]
    lines = [
        json.dumps({"url": f"https://example.org/{n}", "text": f"{_text(sample, n)} {label}"})
        for n, label in enumerate([*classes, "", "", ""])
    ]
    (folder / "pages.jsonl").write_text("\n".join([*lines, "{broken"]), "utf-8")
    (folder / "empty.jsonl").write_bytes(b"")
    return folder


def _read_the_result(page: Page) -> None:
    button = page.get_by_role("button", name="Read the result")
    expect(button).to_be_visible(timeout=120_000)
    wait_until_idle(page)  # the end of the run draws the page anew, and takes a click with it
    button.click()


def test_a_corpus_is_scanned_and_the_web_searched(
    drawn: Sample, web: FakeWeb, page: Page, tmp_path: Path
) -> None:
    go_to(page, "Overlap")
    start = page.get_by_role("button", name=f"Scan for {N} instances")
    expect(start).to_be_disabled()
    box = page.get_by_role("textbox", name="Files and folders, one a line")
    box.fill(str(tmp_path / "none"))
    box.press("Control+Enter")
    expect(page.get_by_text("check the path")).to_be_visible()
    box.fill(str(_corpus(tmp_path / "corpus", drawn)))
    box.press("Control+Enter")
    expect(start).to_be_enabled()
    shoot(page, "overlap-ask", whole=False)
    start.click()
    _read_the_result(page)
    expect(
        page.get_by_text(f"2 of {N} instances stand in the corpus with their answer, 3 more")
    ).to_be_visible()
    expect(page.get_by_text("Not read: 1 file (empty): empty.jsonl.")).to_be_visible()
    expect(page.get_by_text("were skipped: 1, in pages.jsonl")).to_be_visible()
    expect(page.get_by_role("link", name=re.compile(r"^example.org")).first).to_be_visible()
    shoot(page, "overlap", whole=False)

    page.get_by_role("tab", name="Effect").click()
    rows = [f"big,{one.id},{int(n < 5)}" for n, one in enumerate(drawn.instances)]
    page.locator("input[type=file]").set_input_files(
        {
            "name": "results.csv",
            "mimeType": "text/csv",
            "buffer": "\n".join(["model,instance_id,correct", *rows]).encode(),
        }
    )
    expect(page.get_by_text("big").first).to_be_visible()
    expect(page.get_by_text("100 %").first).to_be_visible()
    shoot(page, "overlap-effect", whole=False)

    page.get_by_role("tab", name="Search").click()
    page.get_by_role("button", name="Search again").click()
    page.get_by_role("radio", name="Brave").click()
    expect(page.get_by_text(re.compile(r"at most \d+ calls"))).to_be_visible()
    page.get_by_role("button", name=f"Search for {N} instances").click()
    expect(page.get_by_role("button", name="Search again")).to_be_visible()  # and no older run
    _read_the_result(page)
    expect(
        page.get_by_text(f"0 of {N} instances stand on the web with their answer, 3 more")
    ).to_be_visible()
    assert KEY not in page.content()
    assert len(web.searches) >= N  # a long text is searched for in pieces
