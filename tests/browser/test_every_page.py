"""Every page, in every view that has a chart, a choice or a slider of its own, in both themes.

A page takes its time to load, so all that holds of each is asked of it in one visit: it asks
nothing of another address, it works under the headers that docs/sharing.md has a proxy add, it
breaks no rule of WCAG, level A or AA, that axe-core can check, and all that it draws follows the
theme at once, whatever was on the screen when it changed.
"""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit

import pandas as pd
import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, expect

from dcq.store import Store, samples
from tests.browser.conftest import forget, serve, wait_until_idle, wait_until_quiet
from tests.conftest import KEY
from tests.support import studied
from tests.support.page_rules import HEADERS, RULES, violations
from tests.support.provider import FakeProvider
from tests.support.result_files import GSM8K, answers, release_rows, write_csv

pytestmark = [pytest.mark.browser, pytest.mark.ci, pytest.mark.timeout(900)]

PREPARE = (
    "present?present_at=4", "", "new_check", "new_check?check_from=Catalog+or+Hub", "dataset",
    "dataset?dataset_from=Your+file",
    "dataset?dataset_from=Hugging+Face+Hub", "dataset?dataset_from=Bundle+of+a+study",
    "variants", "variants?variants_view=Table", "protect",
    "protect?protect_view=What+it+will+find", "investigate", "quiz", "take", "method", "settings",
)  # fmt: skip
READ = (
    "present?present_at=5", "replication", "replication?replication_view=Result", "likelihood",
    "likelihood?likelihood_view=Result", "overlap",
    *(f"overlap?overlap_view={view}" for view in ("Result", "Effect", "Reference")),
    "case", "case?case_view=Position+preference", "case?case_view=What+was+asked",
    "results", "results?results_paper=true&results_view=Chart", "explorer", "effect",
    "answers", "ablation", "audit", "audit?audit_path={release}", "audit?audit_path={answers}",
)  # fmt: skip
# What there is to look at in both themes together, at least.
LEAST = {PREPARE: {"chart": 2, "choice": 20}, READ: {"chart": 12, "slider": 6, "choice": 30}}
# What another theme can break of a page that is as it was.
OF_COLOUR = RULES | {
    "runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
}
TEXT, MARK = 4.5, 2.0
"""Contrast as WCAG measures it: of text; and of whiskers and marks, whose palest, the yellow of
"inconclusive", has 2.2 on the light ground and its verdict in words beside it."""

_LINKED = """
    [...document.querySelectorAll("link[href], script[src], img[src], iframe[src], source[src]")]
        .map(element => element.href || element.src)
"""
# Every text of a chart, tab, chosen option and slider with less contrast than it needs, and every
# whisker and mark that cannot be told from what is behind it: [what, its words, its contrast].
_FAINT = """
([text, mark]) => {
  const probe = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const read = (colour) => {  // whatever the notation, as red, green, blue and alpha
    probe.clearRect(0, 0, 1, 1);
    probe.fillStyle = colour;
    probe.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = probe.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, alpha, ground) => ground.map((part, i) => top[i] * alpha + part * (1 - alpha));
  const light = (colour) => colour
    .map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => {
    const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const opacity = (element) => {
    let all = 1;
    for (let at = element; at instanceof Element; at = at.parentElement)
      all *= parseFloat(getComputedStyle(at).opacity);
    return all;
  };
  const middle = (element) => {
    const box = element.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const around = (box, [x, y]) =>
    x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
  const page = (element) => {  // the colour of the elements of HTML that lie behind
    const grounds = [];
    for (let at = element; at; at = at.parentElement)
      if (at === document.body || around(at.getBoundingClientRect(), middle(element)))
        grounds.push(read(getComputedStyle(at).backgroundColor));
    return grounds.reverse().reduce((below, top) => over(top, top[3], below), [255, 255, 255]);
  };
  // A bar or a box behind a text is what is drawn before it and around its middle.
  const behind = (element, chart) => {
    let ground = page(chart);
    for (const shape of chart.querySelectorAll(".bars path, .annotation rect.bg")) {
      if (!(shape.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING)) continue;
      if (!around(shape.getBoundingClientRect(), middle(element))) continue;
      const style = getComputedStyle(shape);
      if (style.fill === "none" || style.fill.startsWith("url")) continue;
      const fill = read(style.fill);
      ground = over(fill, fill[3] * style.fillOpacity * opacity(shape), ground);
    }
    return ground;
  };
  const faint = [];
  const check = (what, words, colour, alpha, ground, needed) => {
    const found = contrast(over(colour, alpha, ground), ground);
    if (found < needed) faint.push([what, words, Math.round(found * 10) / 10]);
  };
  const seen = {chart: 0, text: 0, mark: 0, choice: 0, slider: 0};
  for (const chart of document.querySelectorAll("[data-testid=stPlotlyChart]")) {
    if (!chart.checkVisibility()) continue;
    seen.chart += 1;
    const name = chart.getAttribute("aria-label");
    for (const one of chart.querySelectorAll("svg text")) {
      const words = one.textContent.trim();
      const style = getComputedStyle(one);
      if (!words || !one.checkVisibility({visibilityProperty: true})) continue;
      seen.text += 1;
      const fill = read(style.fill);
      const alpha = fill[3] * style.fillOpacity * opacity(one);
      check(name, words, fill, alpha, behind(one, chart), text);
    }
    const marks = "path.xerror, path.yerror, path.point, .legendpoints path";
    for (const one of chart.querySelectorAll(marks)) {
      const style = getComputedStyle(one);
      const lined = style.stroke !== "none" && parseFloat(style.strokeWidth) > 0;
      const drawn = lined ? style.stroke : style.fill;
      if (drawn === "none" || drawn.startsWith("url")) continue;
      seen.mark += 1;
      check(name, one.getAttribute("class"), read(drawn), opacity(one), page(chart), mark);
    }
  }
  const words = (kind, selector) => {
    for (const one of document.querySelectorAll(selector)) {
      const walker = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const holder = walker.currentNode.parentElement;
        const said = walker.currentNode.textContent.trim();
        if (!said || !holder.checkVisibility({visibilityProperty: true})) continue;
        if (holder.closest("[aria-disabled=true], :disabled, [data-disabled]")) continue;
        seen[kind] += 1;
        const colour = read(getComputedStyle(holder).color);
        if (!opacity(holder)) continue;  // until the mouse is there
        check(kind, said, colour, colour[3] * opacity(holder), page(holder), text);
      }
    }
  };
  words("choice", "[role=tab], [data-selected=true]");
  words("slider", "[data-testid=stSlider]");
  return [faint, seen];
}
"""
_OPEN_ALL = """
    () => document.querySelectorAll("[data-testid=stExpander] details:not([open]) > summary")
        .forEach(summary => summary.click())
"""
LIGHT = "rgb(253, 252, 250)"  # the ground of the light theme in .streamlit/config.toml
_GROUND = "() => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
# Charts are there, nothing is fading or sliding, and the browser has nothing left to do.
_DRAWN = """
    () => [...document.querySelectorAll("[data-testid=stPlotlyChart]")]
        .every(chart => !chart.checkVisibility() || chart.querySelector(".main-svg"))
        && document.getAnimations()
            .every(one => one.playState !== "running" || one.effect.getTiming().iterations > 1)
"""


@dataclass
class Seen:
    """What was seen of the pages: what is wrong, by address, and what there was to look at."""

    wrong: dict[str, object] = field(default_factory=dict)
    counted: Counter[str] = field(default_factory=Counter)
    asked: list[str] = field(default_factory=list)
    linked: set[str] = field(default_factory=set)
    said: list[str] = field(default_factory=list)

    def listen(self, page: Page) -> None:
        """Note what it asks of any address, and what goes wrong in it."""
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("websocket", lambda socket: self.asked.append(socket.url))
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.said.append(str(error)))

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.said.append(message.text)

    def look(self, page: Page, name: str, rules: dict[str, Any]) -> None:
        """At the page as it is now."""
        found, counted = page.evaluate(_FAINT, [TEXT, MARK])
        if found:
            self.wrong[f"{name} · contrast"] = found
        self.counted.update(counted)
        if broken := violations(page, rules):
            self.wrong[f"{name} · rules"] = broken


@dataclass(frozen=True)
class Visited:
    """An app at ``url`` whose ``store`` has something to see on every page, and files to audit."""

    url: str
    store: Store
    files: dict[str, str]


@pytest.fixture(scope="module")
def visited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visited]:
    folder = tmp_path_factory.mktemp("visited")
    store = Store(folder / "store" / "dcq.duckdb")
    both = [*answers("m", "a", "target", 30, 40), *answers("m", "b", "control", 10, 40)]
    files = {
        "release": write_csv(folder / "release.csv", release_rows(GSM8K)),
        "answers": write_csv(folder / "answers.csv", both),
    }
    with pytest.MonkeyPatch.context() as patch, FakeProvider(key=KEY) as provider:
        patch.setenv("OPENAI_BASE_URL", provider.base_url)
        patch.setenv("OPENAI_API_KEY", KEY)
        with ThreadPoolExecutor(1) as thread:  # the browser's driver has an event loop in this one
            thread.submit(studied.fill, store, folder / "corpus").result()
        with serve(store.path, {"DCQ_AUTHOR": "Ada"}, folder / "app.log") as url:
            yield Visited(url, store, {name: quote(str(file)) for name, file in files.items()})


@pytest.fixture
def behind_proxy(at_home: BrowserContext, visited: Visited) -> Iterator[Page]:
    """A tab whose pages carry the headers, as if they had come through the proxy."""
    forget(at_home, visited.url)
    page = at_home.new_page()
    page.set_viewport_size({"width": 1280, "height": 900})
    page.set_default_timeout(60_000)
    # What the test hands to the browser has no address of its own; a proxy's answer would have.
    page.context.grant_permissions(["local-network-access"])
    _add_headers(page)
    yield page
    page.close()


def _add_headers(page: Page) -> None:
    """To the documents alone. What ``page.route`` adds them to is all that a page loads, each part
    on a way through this process and past the browser's cache."""
    browser = page.context.new_cdp_session(page)

    def pass_on(answer: dict[str, Any]) -> None:
        request = {"requestId": answer["requestId"]}
        sent = browser.send("Fetch.getResponseBody", request)
        body = sent["body"]
        if not sent["base64Encoded"]:
            body = base64.b64encode(body.encode()).decode()
        kept = [
            header
            for header in answer["responseHeaders"]
            if header["name"].lower() not in {"content-encoding", "content-length"}
        ]
        added = [{"name": name, "value": value} for name, value in HEADERS.items()]
        status = answer["responseStatusCode"]
        browser.send(
            "Fetch.fulfillRequest",
            {**request, "responseCode": status, "responseHeaders": kept + added, "body": body},
        )

    browser.on("Fetch.requestPaused", pass_on)
    documents = {"urlPattern": "*", "resourceType": "Document", "requestStage": "Response"}
    browser.send("Fetch.enable", {"patterns": [documents]})


def _is_own(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme in {"data", "blob", "about"} or parts.hostname == "127.0.0.1"


def _change(page: Page) -> str:
    """To the other theme, as a person does it: in the menu, with the page left as it is. It opens
    as the system has it, or as was last chosen at its path."""
    before = page.evaluate(_GROUND)
    theme = "Dark" if before == LIGHT else "Light"
    if "/present" in page.url:  # has no menu
        page.emulate_media(color_scheme="dark" if theme == "Dark" else "light")
    else:
        page.get_by_test_id("stMainMenuButton").click()
        page.get_by_test_id(f"stMainMenuItem-theme-{theme}").click()
        page.keyboard.press("Escape")
        expect(page.get_by_test_id("stMainMenuPopover")).to_have_count(0)
    page.wait_for_function(f"before => ({_GROUND})() !== before", arg=before)
    return theme


def _settle(page: Page) -> None:
    wait_until_idle(page)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    page.wait_for_function(_DRAWN)
    wait_until_quiet(page)
    page.wait_for_function(_DRAWN)


def _give_answers(page: Page, store: Store) -> None:
    """Upload a model's answers to the sample that was searched for, some of them right."""
    sample = next(one for one in samples.listing(store) if one.partition == "leads/test")
    rows = [
        {"model": f"m-{size}b", "instance_id": one.id, "correct": int(place < size)}
        for size in (1, 3, 7)
        for place, one in enumerate(samples.load(store, sample.id).instances)
    ]
    page.locator("input[type=file]").set_input_files(
        {"name": "r.csv", "mimeType": "text/csv", "buffer": pd.DataFrame(rows).to_csv().encode()}
    )
    expect(page.get_by_text("matched by text")).to_be_visible()


def _visit(page: Page, address: str, visited: Visited, seen: Seen) -> None:
    page.goto(f"{visited.url}/{address.format(**visited.files)}")
    # The first slides rest on every verdict of the store, which are computed then.
    expect(page.get_by_role("heading", level=1).first).to_be_visible(timeout=120_000)
    if address.endswith("Effect"):
        _give_answers(page, visited.store)
    wait_until_idle(page)
    if address in {"answers", "ablation"}:
        expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    if address == "results":
        expect(page.locator("canvas").first).to_be_visible()  # the table draws itself
    expect(page.get_by_test_id("stException")).to_have_count(0)
    page.evaluate(_OPEN_ALL)
    _settle(page)
    seen.linked.update(page.evaluate(_LINKED))


# The first one comes to a cold server, which runs a page before it runs app.py.
@pytest.mark.parametrize("addresses", [PREPARE, READ], ids=["prepare", "read"])
def test_each_page_keeps_to_itself_and_can_be_read_in_both_themes(
    visited: Visited, behind_proxy: Page, addresses: tuple[str, ...]
) -> None:
    page, seen = behind_proxy, Seen()
    seen.listen(page)
    for place, address in enumerate(addresses):
        page.emulate_media(color_scheme="dark" if place % 2 else "light")
        _visit(page, address, visited, seen)
        seen.look(page, f"{address} · as opened", RULES)
        theme = _change(page)
        _settle(page)
        seen.look(page, f"{address} · changed to {theme}", OF_COLOUR)
    inline = [text for text in seen.said if "inline script" in text]
    assert 0 < len(inline) <= len(addresses)  # the mark for search engines, once a page
    # Streamlit finds out by a 404 whether an address is below another.
    assert [text for text in seen.said if text not in inline and "404" not in text] == []
    assert len(seen.asked) > len(addresses)
    assert [address for address in seen.asked if not _is_own(address)] == []
    assert sorted(address for address in seen.linked if not _is_own(address)) == []
    assert any("svg" in address for address in seen.linked), "the tab has its icon"
    assert seen.wrong == {}
    least = LEAST[addresses]
    assert not [what for what, count in least.items() if seen.counted[what] < count], seen.counted


def test_tables_offer_no_download_of_their_own(visited: Visited, at_home: BrowserContext) -> None:
    forget(at_home, visited.url)
    page = at_home.new_page()
    page.set_default_timeout(30_000)
    page.goto(f"{visited.url}/results")
    table = page.locator("[data-testid=stDataFrame]:visible").first
    table.scroll_into_view_if_needed()
    table.hover()
    toolbar = page.locator("[data-testid=stElementToolbarButton]:visible")
    expect(toolbar.first).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("Fullscreen", re.I)).first).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("as CSV", re.I))).to_have_count(0)
    page.close()
