"""All that a page draws follows the theme at once, whatever was on the screen when it changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, expect

from dcq.store import Store, samples
from tests.browser.conftest import wait_until_idle
from tests.support import studied
from tests.support.provider import Provider
from tests.support.result_files import GSM8K, answers, release_rows, write_csv

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]

SLIDES = "present?present_at=4"
TEXT, MARK = 4.5, 2.0
"""Contrast as WCAG measures it: of text; and of whiskers and marks, whose palest, the yellow of
"inconclusive", has 2.2 on the light ground and its verdict in words beside it."""

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
_DRAWN = """
    () => [...document.querySelectorAll("[data-testid=stPlotlyChart]")]
        .every(chart => !chart.checkVisibility() || chart.querySelector(".main-svg"))
"""
_GROUND = "() => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"


@pytest.fixture
def filled(provider: Provider, fresh_store: Store, tmp_path: Path) -> Store:
    """A store that has a chart for every page that draws one."""
    with ThreadPoolExecutor(1) as thread:  # the browser's driver has an event loop in this one
        thread.submit(studied.fill, fresh_store, tmp_path / "corpus").result()
    return fresh_store


def _addresses(folder: Path) -> Iterator[str]:
    """Every page, in every view that has a chart, a choice or a slider of its own; first the
    slides, which have no menu and follow the system, until a theme is chosen elsewhere."""
    yield SLIDES
    yield from ("", "dataset", "variants", "investigate", "quiz", "answers", "ablation", "take")
    yield from ("method", "settings", "results?results_paper=true&results_view=Chart")
    yield from ("replication", "replication?replication_view=Result")
    yield from (f"overlap?overlap_view={view}" for view in ("Result", "Effect", "Reference"))
    release = write_csv(folder / "release.csv", release_rows(GSM8K))
    both = [*answers("m", "a", "target", 30, 40), *answers("m", "b", "control", 10, 40)]
    for file in (release, write_csv(folder / "answers.csv", both)):
        yield f"audit?audit_path={quote(str(file))}"


def _change(page: Page, theme: str) -> None:
    """As a person does it: in the menu, with the page left as it is."""
    before = page.evaluate(_GROUND)
    if "/present" in page.url:
        page.emulate_media(color_scheme="dark" if theme == "Dark" else "light")
    else:
        page.get_by_test_id("stMainMenuButton").click()
        page.get_by_test_id(f"stMainMenuItem-theme-{theme}").click()
        page.keyboard.press("Escape")
    page.wait_for_function(f"before => ({_GROUND})() !== before", arg=before)
    page.wait_for_timeout(600)  # colours fade into each other


def _settle(page: Page) -> None:
    wait_until_idle(page)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    page.wait_for_function(_DRAWN)
    page.wait_for_timeout(300)


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


def test_what_is_drawn_follows_the_theme(
    chromium: Browser, filled: Store, app_url: str, tmp_path: Path
) -> None:
    page = chromium.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light")
    page.set_default_timeout(30_000)
    faint: dict[str, object] = {}
    seen: Counter[str] = Counter()
    for address in _addresses(tmp_path):
        page.goto(f"{app_url}/{address}")
        # The first slides rest on every verdict of the store, which are computed then.
        expect(page.get_by_role("heading", level=1).first).to_be_visible(timeout=120_000)
        if address.endswith("Effect"):
            _give_answers(page, filled)
        wait_until_idle(page)
        page.evaluate(_OPEN_ALL)
        for theme in ("as opened", "Dark", "Light"):
            if theme != "as opened":
                _change(page, theme)
            _settle(page)
            found, counted = page.evaluate(_FAINT, [TEXT, MARK])
            if found:
                faint[f"{address} · {theme}"] = found
            seen.update(counted)
    page.close()
    assert faint == {}
    assert seen["chart"] >= 3 * 10, seen
    assert seen["slider"] >= 3 * 4, seen
    assert seen["choice"] >= 3 * 25, seen
