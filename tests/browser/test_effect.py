"""Scores brought to the page Effect and read there, click by click, in both themes."""

from __future__ import annotations

import re
from datetime import date, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import choose, shoot, wait_until_idle
from tests.support.matter import answers
from tests.support.result_files import write_csv

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

N, MINUTE = 600, 60_000
DAYS = {f"i{k}": date(2023, 1, 1) + timedelta(days=k * 730 // N) for k in range(N)}
SEEN = {one: day <= date(2023, 12, 31) and k % 4 > 0 for k, (one, day) in enumerate(DAYS.items())}


@pytest.fixture
def app_environment(tmp_path: Path) -> dict[str, str]:
    cutoffs = tmp_path / "cutoffs.toml"
    cutoffs.write_text('[models]\n"target" = "2023-12"\n')
    return {"DCQ_AUTHOR": "Ada", "DCQ_CUTOFFS": str(cutoffs)}


def _files(folder: Path) -> list[Path]:
    found = answers(n=N, gain=0.25, seen=SEEN)
    names = ("model", "role", "instance_id", "version")
    scores = [{name: str(getattr(one, name)) for name in names} | {"correct": int(one.correct)}
              for one in found]  # fmt: skip
    return [
        write_csv(folder / "scores.csv", scores),
        write_csv(folder / "seen.csv", [
            {"model": "target", "instance_id": one, "seen": int(was)} for one, was in SEEN.items()
        ]),
        write_csv(folder / "dates.csv", [
            {"instance_id": one, "date": day.isoformat()} for one, day in DAYS.items()
        ]),
    ]  # fmt: skip


def test_scores_are_brought_and_the_inflation_is_read(
    tab: Page, app_url: str, tmp_path: Path
) -> None:
    tab.set_viewport_size({"width": 1280, "height": 900})
    tab.goto(f"{app_url}/effect")
    expect(tab.get_by_text("No scores yet. Ask the model")).to_be_visible(timeout=MINUTE)
    for file in _files(tmp_path):
        tab.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(file)
        expect(tab.get_by_text(file.name).first).to_be_visible()
        wait_until_idle(tab)
    choose(tab, "Files", "scores.csv").press("Escape")
    expect(tab.get_by_text("References by the files: ref-0")).to_be_visible()
    box = tab.get_by_role("combobox", name=re.compile("Benchmark"))
    box.fill("rivers/test")
    tab.get_by_role("option").first.click()
    wait_until_idle(tab)
    choose(tab, re.compile("Recognised instances"), "seen.csv")
    choose(tab, re.compile("Dates of instances"), "dates.csv")
    wait_until_idle(tab)
    tab.get_by_role("button", name="Keep and read").click()
    expect(tab.get_by_text("Inflated").first).to_be_visible(timeout=MINUTE)
    expect(tab.get_by_role("heading", name="target over time")).to_be_visible()
    expect(tab.get_by_text("the end of its training data").first).to_be_visible()
    wait_until_idle(tab)
    said = tab.get_by_role("heading", level=4).inner_text()
    assert re.search(r"target: [\d.]+ → [\d.]+ on rewordings; .* inflation [\d.]+ \[", said), said
    shoot(tab, "effect")
    expect(tab.get_by_test_id("stException")).to_have_count(0)
    tab.reload()
    expect(tab.get_by_role("heading", level=4)).to_have_text(said, timeout=MINUTE)
