"""Brave, SerpApi and infini-gram by their protocols, friendly and hostile."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from dcq.errors import InputError, RequestRejectedError
from dcq.overlap.search.brave import Brave
from dcq.overlap.search.client import SearchClient
from dcq.overlap.search.infinigram import InfiniGram
from dcq.overlap.search.providers import find_service
from dcq.overlap.search.serpapi import SerpApi
from dcq.overlap.search.service import Scope, Service, WebPage, Window
from tests.support.search_rules import KEY, Reply, brave_found, serpapi_found
from tests.support.search_services import SearchServer, ServiceRequest

WINDOW = Window(date(2017, 1, 1), date(2020, 12, 30))
EVERYWHERE = Scope()


async def ask(service: Service, query: str, scope: Scope = EVERYWHERE) -> list[WebPage]:
    async with SearchClient(service.name, service.address) as send:
        return await service.search(send, query, scope)


def brave_reply(request: ServiceRequest) -> Reply:
    snippet = (
        "<strong>What did the ACT theory&#x27;s critics say of it</strong>: "
        "<strong>it cannot be tested</strong> ... of 3 &lt; 4"
    )
    row = {"url": "https://a.org/x", "title": "An &amp; exam", "description": snippet}
    return brave_found([row, {"url": "https://b.org"}])


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
        "extra_snippets": "true",
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
        "snippet_highlighted_words": ["Coffee", "beans"],
    }
    with SearchServer(lambda _: serpapi_found([row])) as server:
        [page] = await ask(SerpApi(address=server.address), "coffee", Scope(WINDOW, "es"))
    parameters = server.requests[0].parameters
    assert parameters["api_key"] == KEY
    assert parameters["tbs"] == "cdr:1,cd_min:1/1/2017,cd_max:12/30/2020"
    assert parameters["hl"] == "es"
    assert "gl" not in parameters  # a language is spoken in many countries
    assert page.fragments == ("Coffee is brewed", "from beans")
    assert page.marked == ("Coffee beans", "")


def infinigram_reply(request: ServiceRequest) -> Reply:
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
    assert pages[0].marked == ("",)
    assert [request.body["index"] for request in server.requests] == ["v4_dolma"] * 3
    assert len(server.requests) <= service.calls
    with (
        SearchServer(lambda _: (200, {"error": "too long"})) as server,
        pytest.raises(RequestRejectedError, match="could not answer"),
    ):
        await ask(InfiniGram(address=server.address), "some words")


@pytest.mark.parametrize("metadata", ["[" * 100_000, {"url": 7}, [], None, '{"metadata": 7}'])
async def test_odd_metadata_name_no_page(metadata: Any) -> None:
    def reply(request: ServiceRequest) -> Reply:
        found = {"doc_ix": 5, "spans": [["some words", "0"]], "metadata": metadata}
        return 200, found if "s" in request.body else {"cnt": 1, "segment_by_shard": [[0, 1]]}

    with SearchServer(reply) as server:
        [page] = await ask(InfiniGram(address=server.address), "some words")
    assert page == WebPage("v4_dolma-v1_7_llama/0/5", "", ("some words",), ("",))


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


@pytest.mark.parametrize("name", ["brave", "serpapi", "infini-gram:v4_x"])
def test_blanks_around_a_name_do_no_harm(name: str) -> None:
    assert find_service(f" {name} ") == find_service(name)
