"""The report as a reader has it: a file on a disk, no network, a browser in light or in dark."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect

from dcq.documents import html_report
from dcq.documents.deck import build
from dcq.judging import study
from dcq.quiz.results import quiz_row
from dcq.records import QuizKind
from dcq.store import Store
from dcq.words import interval_words, kappa_words
from tests.browser.conftest import shoot
from tests.support import hostile
from tests.support.judged import SEEN, UNSEEN, put, put_controls

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

INK = {"light": "rgb(34, 38, 43)", "dark": "rgb(232, 234, 237)"}
# What a document's own colour is, of the words of its charts.
_INKS = """
    () => [...new Set([...document.querySelectorAll('.bars .letter, .rulers .name')]
        .map(word => getComputedStyle(word).color))]
"""


@dataclass(frozen=True)
class Report:
    """The ``file`` of a store, for reading."""

    store: Store
    file: Path


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    folder = tmp_path_factory.mktemp("report")
    store = Store(folder / "dcq.duckdb")
    put(store, "seen", SEEN)
    put(store, "seen", {"A": 60, "B": 30, "D": 10}, kind=QuizKind.MODIFIED, slot=None)
    put(store, "seen", UNSEEN, model="other@http://127.0.0.1:9/v1")
    put_controls(store)
    return Report(store, _write(store, folder))


class OfflineTab:
    """A tab without a network that has a file open; ``said`` is what went wrong in it, ``asked``
    the addresses that it asked for."""

    def __init__(self, browser: Browser, file: Path, scheme: str = "light") -> None:
        context = browser.new_context(
            viewport={"width": 1280, "height": 900},
            color_scheme="dark" if scheme == "dark" else "light",
        )
        context.set_offline(True)
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page: Page = context.new_page()
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", self._note)
        self.page.goto(file.as_uri())
        self.page.wait_for_load_state("load")

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.said.append(message.text)

    def _note(self, request: Request) -> None:
        self.asked.append(request.url)


def _write(store: Store, folder: Path) -> Path:
    file = folder / "report.html"
    file.write_text(html_report.render(build(store)), "utf-8")
    return file


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_opens_from_disk_without_a_network(
    report: Report, chromium: Browser, scheme: str
) -> None:
    reader = OfflineTab(chromium, report.file, scheme)
    page = reader.page
    charts = page.locator(".drawn")
    assert page.locator(".drawn .dcq-picture[role=img]").count() == charts.count() > 4
    assert page.evaluate(_INKS) == [INK[scheme]]
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    found = {one.evidence.run: one for one in study.findings(report.store)}
    embedded = json.loads(page.locator("#data").text_content() or "")
    assert {one["run"]: one["correct"] for one in embedded["results"]} == {
        run: quiz_row(one.evidence).correct for run, one in found.items()
    }
    page.locator("details").evaluate_all("each => each.forEach((one) => (one.open = true))")
    table = page.get_by_role("region", name="Quiz: κ, table")
    for run, one in found.items():
        if quiz_row(one.evidence).kind is QuizKind.STANDARD:
            kappa = quiz_row(one.evidence).kappa
            row = table.get_by_role("row").filter(has_text=run)
            expect(row).to_contain_text(str(quiz_row(one.evidence).n))
            assert kappa.kappa_low is not None
            assert kappa.kappa_high is not None
            value = kappa_words(kappa.kappa_fixed, None, None)
            limits = interval_words(kappa.kappa_low, kappa.kappa_high)
            expect(row).to_contain_text(f"{value}{limits}")  # two cells
    drawn = page.locator("#quiz .bars").first.locator(".bar.faded .figure").all_inner_texts()
    assert drawn[:4] == ["60 %", "30 %", "0 %", "10 %"]
    assert reader.said == []
    assert reader.asked == [report.file.as_uri()]
    shoot(page, "report", whole=False)
    page.context.close()


def test_hostile_texts_take_nothing_over(
    fresh_store: Store, chromium: Browser, tmp_path: Path
) -> None:
    for number, text in enumerate(hostile.TEXTS):
        name = text.split()[0].lstrip("\x00") if number else "tester"
        hostile.run(fresh_store, text, f"{name[:100]}@http://127.0.0.1:9/v1")
    file = _write(fresh_store, tmp_path)
    reader = OfflineTab(chromium, file)
    assert reader.page.title().startswith("Has ")
    assert reader.page.locator("img, iframe, link, .page script:not([type])").count() == 0
    assert reader.page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert reader.said == []
    assert reader.asked == [file.as_uri()]
    reader.page.context.close()


def test_an_injected_script_would_not_run(
    report: Report, chromium: Browser, tmp_path: Path
) -> None:
    """The second line of defence, should a text ever go unescaped."""
    file = tmp_path / "report.html"
    bad = "<img src=x onerror='document.title=1'><script>document.title = 1</script>"
    file.write_text(report.file.read_text("utf-8").replace("</main>", f"{bad}</main>"), "utf-8")
    reader = OfflineTab(chromium, file)
    refused = 0
    for _ in range(100):  # the image, and so its handler, is a moment behind the page
        reader.page.wait_for_timeout(300)
        refused = len([said for said in reader.said if "Content Security Policy" in said])
        if refused >= 2:
            break
    assert refused >= 2
    assert reader.page.title() != "1"
    reader.page.context.close()


def test_on_paper_every_table_is_open_and_the_colours_are_light(
    report: Report, chromium: Browser
) -> None:
    reader = OfflineTab(chromium, report.file, "dark")
    page = reader.page
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = false)")
    cell = page.locator("details td").first
    expect(cell).not_to_be_visible()
    page.emulate_media(media="print")
    expect(cell).to_be_visible()
    assert page.evaluate(_INKS) == [INK["light"]]
    page.context.close()
