"""No page of another address drives the app."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar
from urllib.parse import urlsplit

import aiohttp
import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """In a thread of its own: the browser's driver has an event loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


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
