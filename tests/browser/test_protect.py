"""An author, from a csv to the files of a benchmark by lot, click by click."""

from __future__ import annotations

import csv
import json
import re
import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from dcq.protect import make
from dcq.protect import secret as private
from dcq.protect.published import read
from dcq.protect.verify import problems, read_commitment
from dcq.settings import DATA
from tests.browser.conftest import shoot, wait_until_idle

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]

N, MINUTE = 8, 60_000


def test_an_author_goes_from_a_csv_to_the_files(page: Page, app_url: str, tmp_path: Path) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    began = time.monotonic()
    file = tmp_path / "mine.csv"
    lines = (DATA / "control" / "notices.jsonl").read_text("utf-8").splitlines()[:N]
    with file.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([["text"], *([json.loads(line)["text"]] for line in lines)])
    page.get_by_role("link", name="Library").first.click()
    page.get_by_text("Your file", exact=True).click()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name=re.compile("Upload|Browse")).first.click()
    chooser.value.set_files(file)
    page.get_by_role("button", name="Draw sample").click()
    page.get_by_role("button", name="Write the variants").click()
    page.get_by_role("button", name=re.compile("Write the .* missing variants")).click()
    # Written in a moment, they may be there before it was said that they are being written.
    going = page.get_by_text("It continues if you leave")
    done = page.get_by_text("variants are written, and nobody has read them yet")
    expect(going.or_(done).first).to_be_visible(timeout=MINUTE)
    page.goto(f"{app_url}/protect")
    expect(page.get_by_role("heading", name="Protect")).to_be_visible(timeout=MINUTE)
    wait_until_idle(page)
    page.get_by_text("4", exact=True).first.click()
    accept = page.get_by_role("button", name=re.compile("Accept .* wordings"))
    for _ in range(30):  # they may be being written still
        wait_until_idle(page)
        if accept.count() and page.get_by_test_id("stMetricValue").nth(1).inner_text() == str(N):
            break
        page.reload()
        expect(page.get_by_role("heading", name="Protect")).to_be_visible(timeout=MINUTE)
        page.get_by_text("4", exact=True).first.click()
    page.get_by_text("I have read the wordings").click()
    wait_until_idle(page)
    shoot(page, "protect-accept", whole=False)
    accept.click()
    wait_until_idle(page)
    page.get_by_role("button", name="Draw the lots").click()
    taken = {}
    for name in (make.PUBLISHED, make.COMMITMENT, make.SECRET):
        with page.expect_download(timeout=MINUTE) as download:
            page.get_by_role("button", name=re.compile(re.escape(name))).first.click()
        taken[name] = Path(download.value.path()).read_bytes()
    shoot(page, "protect-files", whole=False)
    secret = private.from_bytes(taken[make.SECRET], make.SECRET)
    committed = read_commitment(taken[make.COMMITMENT], make.COMMITMENT)
    published = read(taken[make.PUBLISHED], make.PUBLISHED)
    assert problems(secret, committed, published) == []
    assert secret.key.hex() not in page.content()
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert time.monotonic() - began < 5 * 60
    for tab, name in (("What it will find", "plan"), ("Check models", "check")):
        page.get_by_role("tab", name=tab).click()
        wait_until_idle(page)
        shoot(page, f"protect-{name}", whole=False)
