"""The bundled example as slides and as a report, beside the numbers of the store."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from dcq.files import bundle_import
from dcq.judging import study
from dcq.settings import DATA, ROOT
from dcq.store import Store
from dcq.words import kappa_words
from tests.browser.conftest import shoot, wait_until_idle

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


@pytest.fixture
def bundled(store_path: Path) -> Store:
    """A store with the bundled runs, which is there before the app is."""
    store = Store(store_path)
    bundle_import.load(store, DATA / "example.zip")
    return store


def _said(store: Store) -> tuple[str, str]:
    """How many originals the strongest finding found, and its κ above the controls."""
    first = study.strongest(study.findings(store))
    assert first is not None
    assert first.calibration is not None
    above = first.calibration
    assert above.kappa_control is not None
    return (
        f"{first.result.correct} of {first.result.n} instances",
        kappa_words(above.kappa_control, above.kappa_low, above.kappa_high),
    )


def test_the_arrow_keys_go_through_slides_that_say_what_the_store_says(
    bundled: Store, page: Page, app_url: str
) -> None:
    found, kappa = _said(bundled)
    page.goto(f"{app_url}/present")
    title = page.get_by_role("heading", level=1)
    expect(title).to_have_text("Has a model seen the benchmark?")
    titles, texts = [title.inner_text()], [page.get_by_test_id("stMain").inner_text()]
    forward = page.get_by_role("button", name=re.compile("^Forward"))
    while forward.is_enabled():
        wait_until_idle(page)
        page.wait_for_timeout(300)  # the key is heard a moment after the slide is there
        page.keyboard.press("ArrowRight")
        expect(page).to_have_url(re.compile(f"present_at={len(titles) + 1}($|&)"))
        wait_until_idle(page)
        titles.append(title.inner_text())
        texts.append(page.get_by_test_id("stMain").inner_text())
        assert page.evaluate("document.documentElement.scrollWidth") <= 1440
        if titles[-1].startswith("The verdict"):
            shoot(page, "present", whole=False)
    assert len(titles) > 6
    options = titles.index("Which one is the original?")
    assert titles[options + 1].startswith("The original is D")
    verdict = next(text for text in texts if "The verdict: contaminated" in text)
    assert found in verdict
    assert kappa in verdict.replace("\n", " ")
    page.keyboard.press("ArrowLeft")
    expect(title).to_have_text(titles[-2])


def test_the_report_of_the_bundled_runs_opens_without_a_network(
    bundled: Store, store_path: Path, chromium: Browser, tmp_path: Path
) -> None:
    found, kappa = _said(bundled)
    file = tmp_path / "report.html"
    subprocess.run(
        [sys.executable, "-m", "dcq", "export", "report", "--to", str(file)],
        cwd=ROOT, check=True, env=os.environ | {"DCQ_STORE": str(store_path)},
    )  # fmt: skip
    context = chromium.new_context(offline=True)
    page = context.new_page()
    page.goto(file.as_uri())
    said = page.locator("body").inner_text()
    assert found in said
    assert kappa in said
    for one in study.findings(bundled):
        assert one.result.run in said
    context.close()
