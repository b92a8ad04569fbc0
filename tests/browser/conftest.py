"""A real app in a process of its own, and a real Chromium to visit it with."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import ParamSpec, TypeVar

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Locator,
    Page,
    ViewportSize,
    expect,
    sync_playwright,
)
from playwright.sync_api import TimeoutError as NotInTime

from dcq.files import bundle_import
from dcq.settings import DATA, ROOT
from dcq.store import Store
from dcq.ui import page as page_frame
from tests.conftest import KEY
from tests.support import app_server, commands, every_method, once, patient
from tests.support.app_server import Cold, Forked
from tests.support.provider import FakeProvider

P = ParamSpec("P")
T = TypeVar("T")

SCREENSHOTS = ROOT / "build" / "screenshots"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# Without these a Chromium looks for its maker's hosts at every start.
QUIET = [
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # No page is open for long enough that code which is optimized to the utmost pays.
    "--js-flags=--no-turbofan",
]

expect.set_options(timeout=30_000)
patient.install()


WINDOW: ViewportSize = {"width": 1440, "height": 900}


@pytest.fixture(scope="session", autouse=True)
def _forked() -> None:
    """Whatever is forked comes from a process with the imports of the app done."""
    commands.begin(app_server.preload())


@pytest.fixture(scope="session")
def at_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    """A Chromium with a profile on the disk, where it keeps the app's scripts and what it compiled
    of them: without it, each test loads and compiles them anew, which takes longer than most else
    that it does. Of what an app puts into it, ``forget`` leaves nothing to the next test."""
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    profile = tmp_path_factory.mktemp("profile")
    with sync_playwright() as playwright:
        home = playwright.chromium.launch_persistent_context(
            profile,
            executable_path=path,
            args=[*QUIET, *sandbox],
            viewport=WINDOW,
            color_scheme="light",
        )
        yield home
        home.close()
    shutil.rmtree(profile, ignore_errors=True)


@pytest.fixture(scope="session")
def chromium(at_home: BrowserContext) -> Browser:
    """The same Chromium, for contexts of one's own, which have no cache to begin with."""
    assert at_home.browser is not None
    return at_home.browser


def forget(context: BrowserContext, url: str) -> None:
    """All that the app at ``url`` has put into a browser, but not its cache."""
    context.clear_cookies()
    context.clear_permissions()
    tab = context.pages[0] if context.pages else context.new_page()  # is left as it is
    session = context.new_cdp_session(tab)
    session.send("Storage.clearDataForOrigin", {"origin": url, "storageTypes": _STORED})
    session.detach()


_STORED = "cookies,local_storage,indexeddb,service_workers,cache_storage,file_systems"


@pytest.fixture(scope="session")
def _elsewhere(chromium: Browser) -> Iterator[BrowserContext]:
    context = chromium.new_context(viewport=WINDOW)
    yield context
    context.close()


@dataclass(frozen=True)
class Visitor:
    """A person with a ``page`` that is nowhere yet, to whom the app is at ``url``."""

    page: Page
    url: str


@pytest.fixture
def visitors(
    at_home: BrowserContext, _elsewhere: BrowserContext, app_url: str
) -> Iterator[list[Visitor]]:
    """Three who share no cookie and nothing else that a browser keeps for a page: the first two
    have the app at different addresses, the third has a browser of his own."""
    other_url = app_url.replace("127.0.0.1", "localhost")
    three = []
    for context, url in ((at_home, app_url), (at_home, other_url), (_elsewhere, app_url)):
        forget(context, url)
        page = context.new_page()
        page.set_viewport_size({"width": 1280, "height": 900})
        page.set_default_timeout(30_000)
        three.append(Visitor(page, url))
    yield three
    for one in three:
        one.page.close()


@pytest.fixture
def fresh_store(store_path: Path) -> Store:
    """The app's store. The app may be there first, so nothing is put in its place."""
    return Store(store_path)


def in_a_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What ``work`` returns. In the thread of the tests the browser's driver has an event loop, and
    no other can run there."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work, *args, **kwargs).result()


def filled(
    factory: pytest.TempPathFactory,
    name: str,
    fill: Callable[[Store, FakeProvider, Path], object],
) -> Path:
    """The file of a store that ``fill`` filled, for reading and copying; all workers share one. A
    provider is the endpoint for plain model names."""

    def make(folder: Path) -> Path:
        store = Store(folder / "dcq.duckdb")
        with pytest.MonkeyPatch.context() as patch, FakeProvider(key=KEY) as provider:
            patch.setenv("OPENAI_BASE_URL", provider.base_url)
            patch.setenv("OPENAI_API_KEY", KEY)
            in_a_thread(fill, store, provider, folder)
        return store.path

    return once.made(factory, f"{name}-seen", make)


def copied(file: Path, to: Path) -> Store:
    """A store of a test's own."""
    to.parent.mkdir(exist_ok=True)
    shutil.copy(file, to)
    return Store(to)


@pytest.fixture(scope="session")
def bundled_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a store with the bundled runs."""
    return filled(
        tmp_path_factory,
        "bundled",
        lambda store, _provider, _folder: bundle_import.load(store, DATA / "example.zip"),
    )


@pytest.fixture(scope="session")
def every_method_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a store in which every method has been asked."""
    return filled(tmp_path_factory, "every-method", every_method.fill)


@pytest.fixture
def app_environment() -> dict[str, str]:
    """What the app finds in its environment, beside its store; a test file may have its own."""
    return {"DCQ_AUTHOR": "Ada"}


@pytest.fixture
def cold_start() -> bool:
    """Whether the app starts in a new Python; a test file may say so."""
    return False


@contextlib.contextmanager
def serve(
    store: Path, environment: dict[str, str], log: Path, *, cold: bool = False
) -> Iterator[str]:
    """The address of an app on ``store``, with ``environment`` beside this process's own."""
    port = _free_port()
    start = Cold if cold else Forked
    app = start(port, os.environ | {"DCQ_STORE": str(store)} | environment, log)
    url = f"http://127.0.0.1:{port}"
    try:
        wait_until_it_answers(f"{url}/_stcore/health", app.running)
        yield url
    finally:
        app.end()


def _free_port() -> int:
    """That of the app before, if it is free: to a browser, another port is another app, of which
    it has no scripts yet."""
    for port in (*_ports, 0):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
            _ports[:] = [probe.getsockname()[1]]
            return _ports[0]
    raise OSError("There is no port left.")


_ports: list[int] = []  # the last one


@pytest.fixture
def app_url(
    store_path: Path, tmp_path: Path, app_environment: dict[str, str], cold_start: bool
) -> Iterator[str]:
    """The address of an app on an empty store of its own."""
    with serve(store_path, app_environment, tmp_path / "app.log", cold=cold_start) as url:
        yield url


def wait_until_it_answers(url: str, running: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        assert running(), "the app ended at its start"
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=2) as answer:  # noqa: S310  (our own address)
            if answer.status == 200:
                return
        time.sleep(0.1)
    raise TimeoutError(url)


@pytest.fixture
def tab(at_home: BrowserContext, app_url: str) -> Iterator[Page]:
    """A tab that is nowhere yet."""
    forget(at_home, app_url)
    tab = at_home.new_page()
    tab.set_default_timeout(30_000)
    yield tab
    tab.close()


@pytest.fixture
def page(tab: Page, app_url: str) -> Page:
    """A tab at the app's first page."""
    tab.goto(app_url)
    return tab


class Clicker:
    """Clicks, and counts."""

    def __init__(self) -> None:
        self.clicks = 0

    def __call__(self, where: Locator) -> None:
        where.click()
        self.clicks += 1


def open_sidebar(page: Page) -> Locator:
    """The sidebar, which the Variants page leaves closed."""
    wait_until_idle(page)
    sidebar = page.get_by_test_id("stSidebar")
    expand = page.get_by_test_id("stExpandSidebarButton")
    expect(sidebar.or_(expand).first).to_be_attached()
    if expand.is_visible():  # the sidebar itself may be seen still, as it slides away
        expand.click()
    expect(sidebar).to_have_attribute("data-collapsed", "false")
    expect(sidebar.get_by_role("link", name="New check")).to_be_in_viewport()
    return sidebar


def go_to(page: Page, title: str) -> None:
    """By the sidebar to the page of this title, or to its neighbour and from there by the row of
    links above it."""
    entry = page_frame.entry_of(title)
    open_sidebar(page).get_by_role("link", name=entry, exact=True).click()
    wait_until_idle(page)
    beside = page.get_by_test_id("stMain").get_by_role("link", name=title, exact=True)
    if title != entry and page_frame.is_beside_others(title):
        beside.first.click()
        wait_until_idle(page)


def wait_until_idle(page: Page) -> None:
    """Until the page's script has run to its end."""
    app = page.get_by_test_id("stApp")
    expect(app).to_have_attribute("data-test-script-state", "notRunning")
    page.wait_for_timeout(200)  # what it sent is drawn a moment later
    expect(app).to_have_attribute("data-test-script-state", "notRunning")


# A frame is drawn, and nothing is left to do: twice more, for what that began.
_QUIET = """
    async () => {
      for (let times = 0; times < 3; times++) {
        await new Promise(done => requestAnimationFrame(done));
        await new Promise(done => requestIdleCallback(done, {timeout: 2000}));
      }
    }
"""


def wait_until_quiet(page: Page) -> None:
    """Until the browser has drawn all that it was sent."""
    page.evaluate(_QUIET)


def shoot(page: Page, name: str, *, whole: bool = True) -> None:
    """With ``make screenshots``, pictures in light and in dark, into build/screenshots: of the
    ``whole`` page, or of what is on the screen just now, without a refresh. No test looks at them,
    and they take as long as all else in a browser."""
    if "DCQ_SCREENSHOTS" not in os.environ:
        return
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        if whole:
            _open_whole(page)
        _wait_until_drawn(page)
        page.screenshot(path=SCREENSHOTS / f"{name}-{scheme}.png")
    if whole:
        page.set_viewport_size(WINDOW)


# Charts and tables draw themselves after the page, and again in the colours of another theme.
_DRAWN = """
    () => [...document.querySelectorAll('[data-testid=stPlotlyChart]')]
            .every(chart => !chart.checkVisibility() || chart.querySelector('.main-svg'))
        && [...document.querySelectorAll('[data-testid=stDataFrame]')]
            .every(table => !table.checkVisibility() || table.querySelector('canvas'))
        && document.fonts.status === 'loaded'
"""
_PAINTED = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 100)))"


def _wait_until_drawn(page: Page) -> None:
    with contextlib.suppress(NotInTime):  # a picture that comes too early fails no test
        page.wait_for_function(_DRAWN, timeout=3_000)
    for _ in range(2):
        page.evaluate(_PAINTED)


def _open_whole(page: Page) -> None:
    tall = "Math.max(900, document.querySelector('[data-testid=stMain]').scrollHeight)"
    page.reload()
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    page.set_viewport_size({"width": 1440, "height": min(3000, int(page.evaluate(tall)))})


def choose(page: Page, label: str | re.Pattern[str], option: str) -> Locator:
    """Choose ``option`` in the box ``label``, which is returned; its list is opened again where the
    page was drawn anew meanwhile, because that closes it."""
    wait_until_idle(page)
    wait_until_quiet(page)
    box = page.get_by_role("combobox", name=label)
    wanted = page.get_by_role("option").filter(has_text=option).first
    for _ in range(5):
        box.evaluate("box => box.scrollIntoView({block: 'center'})")  # to scroll closes it too
        box.fill("")
        box.fill(option)
        with contextlib.suppress(NotInTime):
            wanted.click(timeout=5_000)
            return box
    raise AssertionError(f"{label} never offered {option}")
