"""Brave, SerpApi and infini-gram by their protocols, friendly and hostile."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from dcq.errors import InputError, RequestRejectedError
from dcq.overlap.search.brave import Brave
from dcq.overlap.search.client import Client
from dcq.overlap.search.infinigram import InfiniGram
from dcq.overlap.search.serpapi import SerpApi
from dcq.overlap.search.service import Page, Scope, Service, Window
from tests.support.search_services import KEY, Reply, Request, SearchServer

WINDOW = Window(date(2017, 1, 1), date(2020, 12, 30))
EVERYWHERE = Scope()


async def ask(service: Service, query: str, scope: Scope = EVERYWHERE) -> list[Page]:
    async with Client(service.name, service.address) as send:
        return await service.search(send, query, scope)


def brave_reply(request: Request) -> Reply:
    snippet = (
        "<strong>What did the ACT theory&#x27;s critics say of it</strong>: "
        "<strong>it cannot be tested</strong> ... of 3 &lt; 4"
    )
    row = {"url": "https://a.org/x", "title": "An &amp; exam", "description": snippet}
    return 200, {"type": "search", "web": {"results": [row, {"url": None}]}}


async def test_brave() -> None:
    with SearchServer(brave_reply) as server:
        scope = Scope(WINDOW, "zh-CN")
        pages = await ask(Brave(address=f"{server.address}/web"), "some words", scope)
    [request] = server.requests
    assert request.headers["x-subscription-token"] == KEY
    assert request.parameters == {
        "q": "some words",
        "count": "20",
        "text_decorations": "true",
        "freshness": "2017-01-01to2020-12-30",
        "search_lang": "zh-hans",
        "country": "CN",
    }
    first, second = pages
    assert (first.url, first.title) == ("https://a.org/x", "An & exam")
    said = "What did the ACT theory's critics say of it"
    assert first.fragments == (f"{said}: it cannot be tested", "of 3 < 4")
    assert first.marked == (f"{said} it cannot be tested", "")
    assert second.fragments == ()


async def test_serpapi() -> None:
    row = {
        "link": "https://a.org",
        "title": "Coffee",
        "snippet": "Coffee is brewed ... from beans",
        "snippet_highlighted_words": ["Coffee", "beans", 7],
    }
    with SearchServer(lambda _: (200, {"organic_results": [row]})) as server:
        [page] = await ask(SerpApi(address=server.address), "coffee", Scope(WINDOW, "es"))
    parameters = server.requests[0].parameters
    assert parameters["api_key"] == KEY
    assert parameters["tbs"] == "cdr:1,cd_min:1/1/2017,cd_max:12/30/2020"
    assert parameters["hl"] == "es"
    assert "gl" not in parameters  # a language is spoken in many countries
    assert page.fragments == ("Coffee is brewed", "from beans")
    assert page.marked == ("Coffee beans", "")


def infinigram_reply(request: Request) -> Reply:
    asked = request.body
    if asked["query_type"] == "find":
        return 200, {"cnt": 7, "segment_by_shard": [[10, 10], [4, 11]]}
    spans = [["before ", None], ["some words", "0"], [" after", None]]
    metadata = '{"metadata": {"url": "https://a.org"}}' if asked["rank"] == 4 else "{"
    return 200, {"doc_ix": 70 + asked["rank"], "spans": spans, "metadata": metadata}


async def test_infinigram() -> None:
    with SearchServer(infinigram_reply) as server:
        service = InfiniGram(index="v4_dolma", address=server.address, documents=2)
        pages = await ask(service, "some words")
        with pytest.raises(InputError, match="knows no dates"):
            await ask(service, "some words", Scope(WINDOW))
    assert [page.url for page in pages] == ["https://a.org", "v4_dolma/1/75"]
    assert pages[0].fragments == ("before some words after",)
    assert pages[0].marked == ("some words",)
    assert [request.body["index"] for request in server.requests] == ["v4_dolma"] * 3
    assert len(server.requests) <= service.calls
    with (
        SearchServer(lambda _: (200, {"error": "too long"})) as server,
        pytest.raises(RequestRejectedError, match="could not answer"),
    ):
        await ask(InfiniGram(address=server.address), "some words")


@pytest.mark.parametrize(
    "segments",
    [
        [[-5, 3]],
        [[0, 10**30]],
        [["0", "9"]],
        [[True, 2]],
        [[0.5, 2]],
        [[3]],
        [[None, None]],
        "0123456789",
        {"0": [0, 5]},
        [[5, 3]],
        None,
    ],
)
async def test_odd_segments_are_no_documents(segments: Any) -> None:
    with SearchServer(lambda _: (200, {"segment_by_shard": segments})) as server:
        assert await ask(InfiniGram(address=server.address), "some words") == []
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "found",
    [
        {},
        {"spans": 7, "doc_ix": "x" * 10_000},
        {"spans": [[], [None], ["a"], [1, 2], "b"], "doc_ix": -1, "metadata": "[" * 100_000},
        {"spans": [["a", None]], "doc_ix": None, "metadata": {"url": 7}},
    ],
)
async def test_odd_documents_are_shown_as_far_as_they_go(found: Any) -> None:
    def reply(request: Request) -> Reply:
        return 200, found if "s" in request.body else {"segment_by_shard": [[0, 1]]}

    with SearchServer(reply) as server:
        [page] = await ask(InfiniGram(address=server.address), "some words")
    assert page.url == "v4_dolma-v1_7_llama/0/0"
    assert all(isinstance(text, str) for text in (*page.fragments, *page.marked))


@pytest.mark.parametrize(
    "found",
    [
        [],
        '"text"',
        None,
        {"web": None, "organic_results": 7},
        {"web": {"results": {"0": {}}}, "organic_results": ["a"]},
        {
            "web": {"results": [{"url": 7, "title": [], "description": {}, "extra_snippets": 7}]},
            "organic_results": [{"link": {}, "snippet": 3, "snippet_highlighted_words": "abc"}],
        },
    ],
)
@pytest.mark.parametrize("kind", [Brave, SerpApi])
async def test_odd_replies_are_no_pages_or_empty_ones(found: Any, kind: type[Any]) -> None:
    with SearchServer(lambda _: (200, found)) as server:
        pages = await ask(kind(address=server.address), "coffee")
    assert all(page == Page("", "", (), ()) for page in pages)


@pytest.mark.parametrize("key", ["", "with\nline break", "ключ"])
async def test_a_key_that_cannot_be_sent_is_named_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("BRAVE_SEARCH_API_KEY", key)
    with pytest.raises(InputError, match="BRAVE_SEARCH_API_KEY") as raised:
        await ask(Brave(), "coffee")
    assert not key or key not in str(raised.value)


def test_a_window_has_an_order() -> None:
    with pytest.raises(InputError, match="swap the two days"):
        Window(date(2020, 1, 2), date(2020, 1, 1))
