"""The app keeps to its own address: no page asks another one, and no other page drives it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar
from urllib.parse import urlsplit

import aiohttp
import pytest
from playwright.sync_api import Page, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from dcq.quiz import freeze
from dcq.records import Kind, Role
from dcq.store import Store, samples
from tests.conftest import small_sample
from tests.support.provider import Provider
from tests.support.runs import take

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

T = TypeVar("T")
PAGES = (
    "", "dataset", "dataset?dataset_from=Your+file", "dataset?dataset_from=Hugging+Face+Hub",
    "dataset?dataset_from=Bundle+of+a+study",
    "variants", "variants?variants_view=Table", "investigate", "quiz", "replication", "overlap",
    "results", "results?results_paper=true&results_view=Chart", "answers", "present?present_at=5",
    "ablation", "audit", "take", "method", "settings",
)  # fmt: skip
LINKED = """
    [...document.querySelectorAll("link[href], script[src], img[src], iframe[src], source[src]")]
        .map(element => element.href || element.src)
"""


def run(work: Coroutine[Any, Any, T]) -> T:
    """In a thread of its own: the browser's driver has an event loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


@pytest.fixture
def asked(fresh_store: Store, provider: Provider) -> None:
    """A store with something to see on every page."""

    async def ask() -> None:
        for key, role in (("rivers", Role.TARGET), ("lakes", Role.CONTROL)):
            sample = samples.save(fresh_store, small_sample(key=key, role=role))
            for kind in (Kind.MODIFIED, Kind.STANDARD):
                await take(fresh_store, freeze.freeze(fresh_store, sample, kind).quiz, "always-d")

    run(ask())


def _is_own(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme in {"data", "blob", "about"} or parts.hostname == "127.0.0.1"


def test_no_page_asks_anything_of_another_address(asked: None, page: Page, app_url: str) -> None:
    seen: list[str] = []
    page.on("request", lambda request: seen.append(request.url))
    page.on("websocket", lambda socket: seen.append(socket.url))
    linked: list[str] = []
    for name in PAGES:
        page.goto(f"{app_url}/{name}")
        expect(page.get_by_role("heading", level=1).first).to_be_visible()
        expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
        page.wait_for_timeout(500)  # what charts and tables load by themselves
        linked += page.evaluate(LINKED)
    assert len(seen) > len(PAGES)
    assert [address for address in seen if not _is_own(address)] == []
    assert sorted({address for address in linked if not _is_own(address)}) == []
    assert any("svg" in address for address in linked), "the tab has its icon"


def test_tables_offer_no_download_of_their_own(asked: None, page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/results")
    table = page.locator("[data-testid=stDataFrame]:visible").first
    table.scroll_into_view_if_needed()
    table.hover()
    toolbar = page.locator("[data-testid=stElementToolbarButton]:visible")
    expect(toolbar.first).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("Fullscreen", re.I)).first).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("as CSV", re.I))).to_have_count(0)


async def _drive(url: str, origin: str | None) -> tuple[int, str]:
    """Open a session as a page of ``origin`` would, and run the Dataset page: the status of the
    handshake (101 if it was let in), and all text that came back."""
    headers = {} if origin is None else {"Origin": origin}
    shown = ""
    async with aiohttp.ClientSession() as session:
        try:
            socket = await session.ws_connect(
                url.replace("http", "ws") + "/_stcore/stream", protocols=["streamlit"],
                headers=headers, max_msg_size=0,
            )  # fmt: skip
        except aiohttp.WSServerHandshakeError as error:
            return error.status, ""
        ask = BackMsg()
        ask.rerun_script.page_name = "dataset"
        await socket.send_bytes(ask.SerializeToString())
        while True:
            message = await socket.receive(timeout=60)
            if message.type is not aiohttp.WSMsgType.BINARY:
                break
            found = ForwardMsg.FromString(message.data)
            shown += str(found)
            # The first run on a cold server ends early, with no more than the links of the pages.
            ended = found.HasField("script_finished")
            early = found.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
            if ended and not early and "new_element" in shown:
                break
        await socket.close()
    return 101, shown


def test_only_pages_of_its_own_address_drive_the_app(app_url: str) -> None:
    _, own = run(_drive(app_url, app_url))
    assert "Draw sample" in own
    other_port = f"http://127.0.0.1:{(urlsplit(app_url).port or 0) % 65000 + 1}"
    for origin in (other_port, "http://localhost:8080", "https://127.0.0.1"):
        status, shown = run(_drive(app_url, origin))
        assert "Draw sample" not in shown, origin
        assert status != 101 or "may not use it" in shown.replace("\\", "")
    status, shown = run(_drive(app_url, "https://evil.example"))
    assert (status, shown) == (403, "")
