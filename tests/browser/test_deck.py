"""The bundled example as slides and as a report, beside the numbers of the store."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from dcq.judging import study
from dcq.judging.answers import answers
from dcq.quiz.results import quiz_row
from dcq.store import Store
from dcq.words import kappa_words
from tests.browser.conftest import SCREENSHOTS, copied
from tests.support import commands, hostile

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


@pytest.fixture
def bundled(store_path: Path, bundled_file: Path) -> Store:
    """A store with the bundled runs, which is there before the app is."""
    return copied(bundled_file, store_path)


@pytest.fixture
def every_method(store_path: Path, every_method_file: Path) -> Store:
    """A store in which every method has been asked, which is there before the app is."""
    return copied(every_method_file, store_path)


def shoot_slide(page: Page, name: str) -> None:
    """A picture of a slide, in the theme that is on."""
    if "DCQ_SCREENSHOTS" in os.environ:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SCREENSHOTS / f"{name}.png")


def _said(store: Store) -> tuple[str, str]:
    """How many originals the strongest finding found, and its κ above the controls."""
    first = study.strongest(study.findings(store))
    assert first is not None
    assert first.calibration is not None
    above = first.calibration
    assert above.kappa_control is not None
    return (
        f"{quiz_row(first.evidence).correct} of {quiz_row(first.evidence).n} instances",
        kappa_words(above.kappa_control, above.kappa_low, above.kappa_high),
    )


SIZES = ((1280, 720), (1440, 900), (1920, 1080))

# Where the words, marks and bars of a slide end, in shares of the window's height; what goes beyond
# its edges; and whether anything of the app is to be seen beside it.
_MEASURE = """() => {
    const slide = document.querySelector('.dcq-slide');
    const ink = [...slide.querySelectorAll('span, p, .mark, .bar, .square, .cell, li, td')]
        .map(one => one.getBoundingClientRect()).filter(box => box.width && box.height);
    const name = box => [box.left, box.top, box.right, box.bottom].map(Math.round).join(' ');
    const corners = [[5, 5], [5, innerHeight - 5], [innerWidth - 5, 5], [120, innerHeight / 2]];
    const parts = '.body :is(span, p, .mark, .bar, .square, .cell, li)';
    const inside = [...slide.querySelectorAll(parts)];
    const body = inside.map(one => one.getBoundingClientRect())
        .filter(box => box.width && box.height);
    const size = one => parseFloat(getComputedStyle(one).fontSize) / innerHeight;
    const said = inside.filter(one => !one.children.length && one.innerText?.trim());
    const below = slide.querySelector('.dcq-picture ~ .said')?.getBoundingClientRect();
    return {
        title: slide.querySelector('h1').innerText,
        kinds: [...slide.querySelectorAll('.dcq-picture')]
            .map(one => one.classList[1].replace('-picture', '')),
        ends: Math.max(...body.map(box => box.bottom)) / innerHeight,
        beyond: ink.filter(box => box.left < -1 || box.top < -1 || box.right > innerWidth + 1
            || box.bottom > innerHeight + 1).map(name),
        covered: corners.every(([x, y]) => document.elementFromPoint(x, y)?.closest('.dcq-deck')),
        letters: Math.max(...said.map(size)),
        smallest: Math.min(...said.map(size)),
        over: below && Math.max(...[...slide.querySelectorAll('.dcq-picture *')]
            .map(one => one.getBoundingClientRect().bottom)) > below.top + 1,
    };
}"""


def _open(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator(".dcq-slide h1")).to_be_visible(timeout=120_000)


def _through_all(page: Page, name: str) -> set[str]:
    """From the first page on, look at every slide at every size in both themes; returns the kinds
    of their pictures."""
    page.set_viewport_size({"width": 1280, "height": 720})
    page.get_by_role("link", name="Present").first.click(timeout=60_000)
    expect(page.locator(".dcq-slide h1")).to_be_visible(timeout=120_000)
    kinds = _through_theme(page, name, "light")
    app = page.get_by_test_id("stApp")
    ground = app.evaluate("app => getComputedStyle(app).backgroundColor")
    page.emulate_media(color_scheme="dark")
    expect(app).not_to_have_css("background-color", ground)
    assert _through_theme(page, name, "dark") == kinds
    return kinds


def _through_theme(page: Page, name: str, scheme: str) -> set[str]:
    count = int(page.locator("footer .number").inner_text().split("/")[1])
    kinds = set()
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.keyboard.press("Home")
        for number in range(1, count + 1):
            expect(page.locator("footer .number")).to_have_text(f"{number} / {count}")
            found = page.evaluate(_MEASURE)
            about = f"{found['title']} at {width} × {height}: {found}"
            assert 0.7 <= found["ends"] <= 1, about
            assert found["beyond"] == [], about
            assert found["covered"], about
            assert found["letters"] > 0.025, about
            assert found["smallest"] > 0.015, about
            assert not found["over"], about
            kinds |= set(found["kinds"])
            if height == 720:
                shoot_slide(page, f"{name}-{number}-{scheme}")
            page.keyboard.press("ArrowRight")
    return kinds


def test_every_slide_of_the_example_fills_the_window_at_every_size_and_no_more(
    bundled: Store, page: Page
) -> None:
    _through_all(page, "present")


@pytest.mark.ci
def test_every_slide_of_every_method_fills_the_window_at_every_size_and_no_more(
    every_method: Store, page: Page
) -> None:
    kinds = _through_all(page, "every-method")
    assert kinds >= {"answers", "bars", "checks", "item", "list", "matrix"}
    assert kinds >= {"rulers", "slope", "steps", "waffle"}


def test_the_keys_go_through_slides_that_say_what_the_store_says_and_lead_to_their_findings(
    bundled: Store, tab: Page, app_url: str
) -> None:
    found, kappa = _said(bundled)
    _open(tab, f"{app_url}/present")
    title, number = tab.locator(".dcq-slide h1"), tab.locator("footer .number")
    expect(title).to_have_text("Has a model seen the benchmark?")
    count = int(number.inner_text().split("/")[1])
    assert count > 6
    titles = []
    for at in range(1, count + 1):
        expect(number).to_have_text(f"{at} / {count}")
        titles.append(title.inner_text())
        tab.keyboard.press("ArrowRight")
    options = titles.index("Which one is the original?")
    assert titles[options + 1] == "It chose D, the original"
    tab.keyboard.press("Home")
    expect(number).to_have_text(f"1 / {count}")
    tab.keyboard.press("End")
    expect(number).to_have_text(f"{count} / {count}")
    tab.keyboard.press("ArrowLeft")
    expect(title).to_have_text(titles[-2])
    verdict = titles.index("What was checked")  # counted from 1, the slide before
    tab.keyboard.press(str(verdict))
    expect(number).to_have_text(f"{verdict} / {count}")
    expect(tab).to_have_url(re.compile(f"present_at={verdict}($|&)"))
    expect(tab.locator(".ruling")).to_contain_text("contaminated")
    expect(tab.locator(".notes")).not_to_be_visible()
    tab.keyboard.press("n")
    said = tab.locator(".notes").inner_text().replace("\n", " ")
    assert found in said
    assert kappa in said
    tab.reload()
    expect(number).to_have_text(
        f"{verdict} / {count}", timeout=60_000
    )  # the address keeps the place
    tab.keyboard.press("f")
    tab.wait_for_function("document.fullscreenElement !== null")
    assert tab.evaluate(_MEASURE)["covered"]
    tab.keyboard.press("f")
    tab.wait_for_function("document.fullscreenElement === null")
    tab.mouse.move(300, 300)
    tab.get_by_role("button", name="Leave").click()
    expect(tab).to_have_url(re.compile("/results"))

    _open(tab, f"{app_url}/present")
    while "The answer" not in title.inner_text():
        tab.keyboard.press("ArrowRight")
    first = answers(bundled)[0]
    tab.get_by_role("link", name="In the app").click()
    expect(tab.get_by_role("heading", level=1).first).to_have_text("Results", timeout=60_000)
    expect(tab.get_by_text(first.sentence).first).to_be_visible(timeout=60_000)


def test_a_place_that_is_none_is_the_nearest(fresh_store: Store, tab: Page, app_url: str) -> None:
    for at in ("99999999999", "-1", "x"):
        _open(tab, f"{app_url}/present?present_at={at}")
        first, last = tab.locator("footer .number").inner_text().split("/")
        assert first.strip() in {"1", last.strip()}, at


def test_a_hostile_name_is_words_on_every_slide(store_path: Path, tab: Page, app_url: str) -> None:
    store = Store(store_path)
    for place, text in enumerate(hostile.TEXTS):
        name = text.split()[0].lstrip("\x00") if place else "tester"
        hostile.run(store, text, f"{name[:100]}@http://127.0.0.1:9/v1")
    went_wrong: list[str] = []
    tab.on("pageerror", lambda error: went_wrong.append(str(error)))
    tab.on("dialog", lambda dialog: went_wrong.append(dialog.message))
    _open(tab, f"{app_url}/present")
    count = int(tab.locator("footer .number").inner_text().split("/")[1])
    for _ in range(count):
        found = tab.evaluate(_MEASURE)
        assert found["beyond"] == [], found["title"]
        assert tab.locator(".dcq-deck :is(img, iframe, script)").count() == 0
        for link in tab.locator(".dcq-deck a").all():
            assert re.match(r"results\?results_answer=[\w-]+$", link.get_attribute("href") or "")
        tab.keyboard.press("ArrowRight")
    assert went_wrong == []


def test_the_report_of_the_bundled_runs_opens_without_a_network(
    bundled: Store, store_path: Path, chromium: Browser, tmp_path: Path
) -> None:
    found, kappa = _said(bundled)
    file = tmp_path / "report.html"
    words = ("export", "report", "--to", str(file))
    done = commands.run(*words, environment=os.environ | {"DCQ_STORE": str(store_path)})
    assert done.returncode == 0, done.stderr
    context = chromium.new_context(offline=True)
    page = context.new_page()
    page.goto(file.as_uri())
    said = page.locator("body").inner_text()
    assert found in said
    assert kappa in said
    whole = page.locator("body").text_content() or ""  # with the table below the chart
    for one in study.findings(bundled):
        assert one.evidence.run in whole
    context.close()
