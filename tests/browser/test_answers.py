"""One answer, wherever it is read: on the page, on the command line, in a file, on a slide and in a
bundle, for a store in which methods agree, disagree, fail a check and are refused."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from dcq.documents.answer_document import READ_ALOUD, link
from dcq.files import bundle_import, bundle_write
from dcq.judging.answer import Answer
from dcq.judging.answer_words import below_its_word
from dcq.judging.answers import answers
from dcq.judging.judged import Ruling
from dcq.records import QuizKind
from dcq.store import Store
from tests.browser.conftest import copied, filled, shoot, wait_until_idle
from tests.support import commands, every_method
from tests.support.judged import UNSEEN, put
from tests.support.provider import FakeProvider

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

MINUTE = 60_000


def _mix(store: Store, provider: FakeProvider, folder: Path) -> None:
    every_method.fill(store, provider, folder)
    put(store, "lone", UNSEEN)
    put(store, "silent", {"D": 40, "refused": 60})
    put(store, "unlike", {"D": 80, "A": 20}, kind=QuizKind.ROTATED, slot=None)  # has no control


@pytest.fixture
def mixed(store_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Filled before the app starts."""
    return copied(filled(tmp_path_factory, "mixed", _mix), store_path)


def _command(store: Store, *words: str) -> Any:
    done = commands.run(*words, environment=os.environ | {"DCQ_STORE": str(store.path)})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) if "--json" in words else done.stdout


def _said(one: dict[str, Any]) -> tuple[Any, ...]:
    """What every place must say alike."""
    methods = [(each["run"], each["votes"], each["p_value"]) for each in one["methods"]]
    names = ("model", "partition", "ruling", "sentence", "p_value", "q_value")
    return (*(one[name] for name in names), methods)


def _plainly(one: Answer) -> str:
    return below_its_word(one).replace("\u00a0", " ").replace("\u202f", " ")


def test_one_answer_wherever_it_is_read(
    mixed: Store, tab: Page, app_url: str, tmp_path: Path
) -> None:
    own = answers(mixed)
    expected = [_said(one.document()) for one in own]
    rulings = {one.ruling for one in own}
    assert {Ruling.CONTAMINATED, Ruling.INCONCLUSIVE} <= rulings
    assert any(not each.votes and not each.aside for one in own for each in one.methods)
    assert any(each.aside for one in own for each in one.methods)

    assert [_said(one) for one in _command(mixed, "answer", "--json")] == expected
    report = tmp_path / "report.html"
    _command(mixed, "export", "report", "--to", str(report))
    tab.goto(report.as_uri())
    data = json.loads(tab.locator('script[type="application/json"]').first.text_content() or "")
    assert [_said(one) for one in data["answers"]] == expected

    packed, manifest = bundle_write.to_bytes(mixed)
    carried = {(one["model"], one["partition"]): one for one in manifest.outcomes.answers or []}
    assert {pair: (one["ruling"], one["p_value"]) for pair, one in carried.items()} == {
        one.pair: (one.ruling.value, one.p_value) for one in own
    }
    (tmp_path / "b.zip").write_bytes(packed)
    elsewhere = Store(tmp_path / "elsewhere.duckdb")
    assert bundle_import.load(elsewhere, tmp_path / "b.zip").differences == ()
    assert [_said(one.document()) for one in answers(elsewhere)] == expected

    tab.goto(f"{app_url}/present")
    title = tab.locator(".dcq-slide h1")
    expect(title).to_be_visible(timeout=2 * MINUTE)
    while "The answer" not in title.inner_text():
        tab.keyboard.press("ArrowRight")
    slide = " ".join(tab.locator(".dcq-slide").inner_text().split())
    for one in own[:READ_ALOUD]:
        assert f"{one.ruling.word.capitalize()} {' '.join(_plainly(one).split())}" in slide

    for one in own:
        tab.goto(f"{app_url}/{link(one)}")
        heading = tab.get_by_role("heading", name=re.compile(one.ruling.word, re.IGNORECASE))
        expect(heading.first).to_be_visible(timeout=MINUTE)
        wait_until_idle(tab)
        shown = re.sub(r"\s", " ", tab.get_by_test_id("stMain").inner_text())
        assert _plainly(one) in shown, one.pair
        expect(tab.get_by_test_id("stException")).to_have_count(0)
    shoot(tab, "results-answer")


def test_an_answer_leaves_the_page_as_a_passport(
    mixed: Store, tab: Page, app_url: str, tmp_path: Path
) -> None:
    """By what the page offers: a bundle, and the command that signs it where the key is."""
    own = answers(mixed)[0]
    tab.set_viewport_size({"width": 1280, "height": 900})
    tab.goto(f"{app_url}/{link(own)}")
    what_now = tab.get_by_text("What now?")
    expect(what_now).to_be_visible(timeout=MINUTE)
    wait_until_idle(tab)
    what_now.click()
    said = tab.get_by_text("python -m dcq passport make")
    expect(said).to_be_visible()
    said.scroll_into_view_if_needed()
    shoot(tab, "answer-passport", whole=False)
    with tab.expect_download(timeout=MINUTE) as download:
        tab.get_by_test_id("stExpander").get_by_role("button", name="Bundle · zip").click()
    bundle = tmp_path / download.value.suggested_filename
    download.value.save_as(bundle)
    _command(mixed, "passport", "key", "--out", str(tmp_path / "mine.key"))
    nowhere = Store(tmp_path / "none" / "dcq.duckdb")
    words = shlex.split(said.inner_text())[3:]
    files = {"mine.key", "passport.json", bundle.name}
    assert files <= set(words)
    _command(nowhere, *(str(tmp_path / word) if word in files else word for word in words))
    checked = _command(
        nowhere, "passport", "verify", str(tmp_path / "passport.json"), "--json",
        "--key", str(tmp_path / "mine.key.pub"), "--bundle", str(bundle),
    )  # fmt: skip
    assert (checked["valid"], checked["recomputed"]) == (True, True)
    assert _said(checked["answer"]) == _said(own.document())
    assert not nowhere.path.exists()
