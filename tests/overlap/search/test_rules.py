"""Each client against a server that checks what the real service checks, by its documentation."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from dcq.errors import EndpointError, EndpointRefusedError, RequestRejectedError
from dcq.overlap.search import client
from dcq.overlap.search.archives import Archive, CommonCrawl, Wayback
from dcq.overlap.search.brave import Brave
from dcq.overlap.search.client import SearchClient
from dcq.overlap.search.infinigram import InfiniGram
from dcq.overlap.search.serpapi import SerpApi
from dcq.overlap.search.service import Scope, Service, WebPage, Window
from tests.support.search_rules import (
    BRAVE_LANGUAGES,
    KEY,
    InfiniIndex,
    Reply,
    brave_error,
    brave_found,
    brave_refusal,
    serpapi_found,
    serpapi_refusal,
)
from tests.support.search_services import SearchServer, ServiceRequest

WINDOW = Window(date(2017, 1, 1), date(2020, 12, 30))
EVERYWHERE = Scope()
ROW = {"url": "https://a.org/x", "title": "An exam", "description": "some words"}
# As datasets name them, whether a service has them or not.
LANGUAGES = (
    "en en-GB de fr ja ko zh zh-CN zh-TW zh-Hant zh_Hant_HK kk ar he iw pt pt-BR pt-PT no nb nn el "
    "id fa sw tl fil jv my hi bn th vi tr uk ru EN multilingual und x"
)


def brave(request: ServiceRequest) -> Reply:
    return brave_refusal(request.parameters, request.headers) or brave_found([ROW])


def serpapi(request: ServiceRequest) -> Reply:
    row = {"link": ROW["url"], "title": ROW["title"], "snippet": ROW["description"]}
    return serpapi_refusal(request.parameters) or serpapi_found([row])


async def ask(
    service: Service, query: str = "some words", scope: Scope = EVERYWHERE
) -> list[WebPage]:
    async with SearchClient(
        service.name, service.address, key_variable=service.key_variable
    ) as send:
        return await service.search(send, query, scope)


@pytest.mark.parametrize("language", ["", *LANGUAGES.split()])
@pytest.mark.parametrize(("kind", "rules"), [(Brave, brave), (SerpApi, serpapi)])
async def test_no_language_fails_a_query(
    kind: Callable[..., Service], rules: Callable[[ServiceRequest], Reply], language: str
) -> None:
    """Brave's languages are an enumeration of its own (``jp``, ``nb``, ``pt-br``; no Kazakh), and
    another value is answered 422 VALIDATION: *Web Search API, query parameters*,
    https://api-dashboard.search.brave.com/api-reference/web/search/get, with the values in
    src/tools/web/params.ts of https://github.com/brave/brave-search-mcp-server; the body as in
    https://github.com/egoist/chatwise-releases/issues/936.

    SerpApi's are those of *Google HL Parameter: Supported Google Languages*,
    https://serpapi.com/google-languages. That another is answered "Unsupported `nb` interface
    language - hl parameter." is reported in several public repositories; the page does not say it,
    nor with which status."""
    with SearchServer(rules) as server:
        pages = await ask(kind(address=server.address), scope=Scope(language=language))
    assert [page.url for page in pages] == [ROW["url"]]


@pytest.mark.parametrize(
    ("language", "code", "country"),
    [
        ("ja", "jp", "ALL"),
        ("no", "nb", "ALL"),
        ("nn-NO", "nb", "ALL"),
        ("pt", "pt-br", "ALL"),
        ("pt-PT", "pt-pt", "ALL"),
        ("zh_TW", "zh-hant", "ALL"),
        ("zh-CN", "zh-hans", "CN"),
        ("en-GB", "en-gb", "ALL"),
        ("en", "en", "US"),
        ("kk", None, "ALL"),
    ],
)
async def test_brave_is_told_its_own_codes(language: str, code: str | None, country: str) -> None:
    """Without a country Brave searches in the United States, ALL is worldwide: *country* in the
    reference of its endpoints, such as
    https://api-dashboard.search.brave.com/api-reference/videos/video_search/get."""
    assert code is None or code in BRAVE_LANGUAGES.split()
    with SearchServer(brave) as server:
        await ask(Brave(server.address), scope=Scope(language=language))
    asked = server.requests[0].parameters
    assert (asked.get("search_lang"), asked["country"]) == (code, country)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (brave_error(422, "SUBSCRIPTION_TOKEN_INVALID"), "BRAVE_SEARCH_API_KEY"),
        (brave_error(404, "SUBSCRIPTION_NOT_FOUND"), "BRAVE_SEARCH_API_KEY"),
        (
            (422, {"type": "ErrorResponse", "errors": [{"code": "SUBSCRIPTION_TOKEN_INVALID"}]}),
            "BRAVE_SEARCH_API_KEY",
        ),
        (brave_error(429, "QUOTA_LIMITED"), "no searches left"),
    ],
)
async def test_what_brave_says_of_a_key_ends_the_run(error: Reply, words: str) -> None:
    """A wrong key is answered 422 SUBSCRIPTION_TOKEN_INVALID, one without a plan 404
    SUBSCRIPTION_NOT_FOUND, a used-up one 429 QUOTA_LIMITED: the responses in the reference of each
    endpoint, as https://api-dashboard.search.brave.com/api-reference/videos/video_search/get. It
    shows the codes under ``errors``; the service sends them under ``error``
    (https://github.com/nearai/ironclaw/issues/2780)."""
    with (
        SearchServer(lambda _: error) as server,
        pytest.raises(EndpointRefusedError, match=words) as raised,
    ):
        await ask(Brave(server.address))
    assert len(server.requests) == 1
    assert KEY not in str(raised.value)
    assert str(raised.value).count(".") == 1


async def test_a_query_that_brave_cannot_read_is_that_query_alone() -> None:
    """As above, 422 VALIDATION; a query may hold the words of an error without being one."""
    error = brave_error(422, "VALIDATION", "SUBSCRIPTION_TOKEN_INVALID")
    with SearchServer(lambda _: error) as server, pytest.raises(RequestRejectedError, match="422"):
        await ask(Brave(server.address))


async def test_brave_is_asked_for_more_snippets_as_far_as_the_plan_has_them() -> None:
    """*extra_snippets*: up to five further excerpts, under some plans only (the same page). What a
    plan lacks is answered 400 OPTION_NOT_IN_PLAN in the reference of another endpoint,
    .../api-reference/summarizer/llm_context/get; that it is for this parameter is our guess."""
    more = {**ROW, "extra_snippets": ["<strong>further</strong> words", "and more"]}
    with SearchServer(lambda _: brave_found([more])) as server:
        [page] = await ask(Brave(server.address))
    assert server.requests[0].parameters["extra_snippets"] == "true"
    assert page.fragments == ("some words", "further words", "and more")

    def without(request: ServiceRequest) -> Reply:
        refused = brave_refusal(request.parameters, request.headers, more_snippets=False)
        return refused or brave_found([ROW])

    with SearchServer(without) as server:
        service = Brave(server.address)
        assert await ask(service)
        assert await ask(service)
    asked = ["extra_snippets" in one.parameters for one in server.requests]
    assert asked == [True, False, False]


async def test_nothing_found_is_no_error() -> None:
    """Brave's reply has no ``web`` where there is no result (``web`` is optional in the reference,
    and src/tools/web/index.ts of its own server reads it so). SerpApi: a success "might include
    empty results", with a message in ``error`` (*Search Errors*, https://serpapi.com/search-errors).
    infini-gram: ``cnt`` 0 (*find*, https://infini-gram.readthedocs.io/en/latest/api.html)."""
    with SearchServer(lambda _: brave_found([])) as server:
        assert await ask(Brave(server.address)) == []
    with SearchServer(lambda _: serpapi_found([])) as server:
        assert await ask(SerpApi(server.address)) == []
    index = InfiniIndex(["nothing of the kind"])
    with SearchServer(lambda request: index.answer(request.body)) as server:
        assert await ask(InfiniGram(address=server.address)) == []
    assert len(server.requests) == 1


async def test_infinigram_says_why_it_cannot_look_for_a_string() -> None:
    """api/api_server.py of https://github.com/liujch1998/infini-gram: an unknown index is answered
    400, more than 1,000 characters or 500 tokens 200 with an ``error``; "check this key first",
    says https://infini-gram.readthedocs.io/en/latest/api.html."""
    index = InfiniIndex(["before some words after"])
    with SearchServer(lambda request: index.answer(request.body)) as server:
        with pytest.raises(EndpointRefusedError, match="v4_nowhere is no index"):
            await ask(InfiniGram("v4_nowhere", server.address))
        assert len(server.requests) == 1
        for long in ("x" * 1001, "1 " * 501):
            with pytest.raises(RequestRejectedError, match="1,000 characters and 500 tokens"):
                await ask(InfiniGram(address=server.address), long)
        index.withheld = {0}
        [page] = await ask(InfiniGram(address=server.address))
        assert page.fragments == ()
    every = {"cnt": 9, "segment_by_shard": [[0, 9]], "token_ids": []}
    with (
        SearchServer(lambda _: (200, every)) as server,
        pytest.raises(RequestRejectedError, match="no token"),
    ):
        await ask(InfiniGram(address=server.address))


ODD: list[Any] = [
    "<html><body>gateway</body></html>",
    "",
    "null",
    "[]",
    "[1]",
    "7",
    '"text"',
    "{}",
    '{"error": "Internal"}',
    '{"message": "moved"}',
    '{"type": "search", "web": []}',
    '{"type": "search", "web": {}}',
    '{"type": "search", "web": {"results": null}}',
    '{"type": "search", "web": {"results": {"0": {}}}}',
    '{"type": "search", "web": {"results": ["a"]}}',
    '{"type": "search", "web": {"results": [{"url": null}]}}',
    '{"type": "search", "web": {"results": [{"url": "u", "description": {"a": 1}}]}}',
    '{"type": "search", "web": {"results": [{"url": "u", "extra_snippets": "abc"}]}}',
    '{"type": "search", "web": {"results": [{"url": "u"}, 7]}}',
    '{"type": "search", "web": {"results": [',
    '{"type": "ErrorResponse", "error": {"code": "x"}}',
    '{"search_metadata": {"status": "Processing"}}',
    '{"search_metadata": {"status": "Success"}, "organic_results": {}}',
    '{"search_metadata": {"status": "Success"}, "organic_results": [null]}',
    '{"search_metadata": {"status": "Success"}, "organic_results": [{"link": 7}]}',
    '{"search_metadata": {"status": "Success"}, "organic_results": [{"link": "u", "snippet": 3}]}',
    '{"search_metadata": {"status": "Error"}, "organic_results": []}',
    '{"search_metadata": "Success", "organic_results": []}',
    '{"organic_results": []}',
    '{"cnt": 1}',
    '{"cnt": null, "segment_by_shard": []}',
    '{"cnt": 0, "segment_by_shard": null}',
    '{"cnt": 1, "segment_by_shard": []}',
    '{"cnt": 0, "segment_by_shard": [[1, 0], [0, 1]]}',
    '{"cnt": 1, "segment_by_shard": [["0", "1"]]}',
    '{"cnt": 1, "segment_by_shard": [[0, 1, 2]]}',
    '{"cnt": true, "segment_by_shard": [[0, 1]]}',
    '{"cnt": 1, "segment_by_shard": [[-1, 0]]}',
    '{"cnt": 1, "segment_by_shard": {"0": [0, 1]}}',
    "[" * 100_000,
    b"\xff\xfe\x00",
]
# Which of these is a reply of which service, with nothing found.
EMPTY = {
    "wayback": {"[]"},
    "brave": {'{"type": "search"}'},
    "serpapi": {'{"search_metadata": {"status": "Success"}}'},
    "infini-gram": {'{"cnt": 0, "segment_by_shard": [[0, 0]]}'},
    "common-crawl": set(),
}
EVERY: list[tuple[str, Callable[[str], Service | Archive]]] = [
    ("brave", Brave),
    ("serpapi", SerpApi),
    ("infini-gram", lambda address: InfiniGram(address=address)),
    ("common-crawl", CommonCrawl),
    ("wayback", Wayback),
]


async def nothing_found(source: Service | Archive, send: SearchClient) -> bool:
    if isinstance(source, CommonCrawl | Wayback):
        return not await source.has(send, "https://a.org", WINDOW)
    assert isinstance(source, Brave | SerpApi | InfiniGram)
    return await source.search(send, "some words", Scope()) == []


@pytest.mark.parametrize(("name", "kind"), EVERY)
async def test_a_reply_of_another_form_is_an_error_and_never_nothing_found(
    name: str, kind: Callable[[str], Service | Archive], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The forms are those of the pages named above; Common Crawl's index and the Wayback Machine's
    as in wayback-cdx-server/README.md of https://github.com/internetarchive/wayback (rows, the
    first of them the names of columns; none without a capture) and myrequests.py of
    https://github.com/cocrawler/cdx_toolkit (404 "No Captures found for: …"). No page says what the
    index of Common Crawl sends where it has nothing but that."""
    monkeypatch.setattr(client, "ATTEMPTS", 1)
    body: Any = ""

    def reply(request: ServiceRequest) -> Reply:
        if request.path == "/collinfo.json":
            row = {"id": "CC-MAIN-2019-51", "cdx-api": f"{server.address}/CC-MAIN-2019-51-index"}
            return 200, [row]
        return 200, body

    with SearchServer(reply) as server:
        async with SearchClient(name, server.address) as send:
            for body in [*ODD, *EMPTY[name]]:
                source = kind(server.address)
                if body in EMPTY[name]:
                    assert await nothing_found(source, send), body
                    continue
                with pytest.raises(EndpointError) as raised:
                    await nothing_found(source, send)
                said = str(raised.value)
                assert said.count(". ") == 0, (body, said)
                assert said.endswith("."), said
                assert "resume" in said, (body, said)


@pytest.mark.parametrize(
    "document",
    [
        [],
        {},
        None,
        {"spans": []},
        {"doc_ix": 1, "spans": [["", None]]},
        {"doc_ix": 1, "spans": 7},
        {"doc_ix": 1, "spans": [["a"]]},
        {"doc_ix": 1, "spans": [[1, None]]},
        {"doc_ix": "x" * 10_000, "spans": [["a", None]]},
        {"doc_ix": -1, "spans": [["a", None]]},
    ],
)
async def test_a_document_of_another_form_is_an_error(document: Any) -> None:
    """*get_doc_by_rank*, https://infini-gram.readthedocs.io/en/latest/api.html."""

    def reply(request: ServiceRequest) -> Reply:
        found = {"cnt": 1, "segment_by_shard": [[0, 1]]}
        return 200, document if "s" in request.body else found

    with SearchServer(reply) as server, pytest.raises(RequestRejectedError, match="another form"):
        await ask(InfiniGram(address=server.address))


@pytest.mark.parametrize("body", ["[]", "{}", '{"message": "not here"}', "<html>"])
async def test_a_page_is_missing_only_where_the_index_says_so(body: str) -> None:
    """As above: 404 alone may be a wrong address."""

    def reply(request: ServiceRequest) -> Reply:
        if request.path == "/collinfo.json":
            row = {"id": "CC-MAIN-2019-51", "cdx-api": f"{server.address}/CC-MAIN-2019-51-index"}
            return 200, [row]
        return 404, body

    with SearchServer(reply) as server:
        async with SearchClient("common-crawl", server.address) as send:
            with pytest.raises(RequestRejectedError, match="status 404"):
                await CommonCrawl(server.address).has(send, "https://a.org", WINDOW)


async def test_a_list_of_crawls_of_another_form_is_an_error() -> None:
    """https://index.commoncrawl.org/collinfo.json, as cdx_toolkit/commoncrawl.py reads it."""
    with SearchServer(lambda _: (200, {"crawls": []})) as server:
        async with SearchClient("common-crawl", server.address) as send:
            with pytest.raises(RequestRejectedError, match="another form"):
                await CommonCrawl(server.address).has(send, "https://a.org", WINDOW)


async def test_a_site_that_an_archive_withholds_is_that_page_alone() -> None:
    """The Wayback Machine takes no key, so 403 says nothing of one; which pages it answers so, its
    README does not say."""
    with SearchServer(lambda _: (403, "Blocked Site Error")) as server:
        async with SearchClient("wayback", server.address) as send:
            with pytest.raises(RequestRejectedError, match="403"):
                await Wayback(server.address).has(send, "https://a.org", WINDOW)


async def test_a_reply_that_unpacks_to_much_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Brave and the Wayback Machine send gzip (*Request Headers*,
    https://api.search.brave.com/app/documentation/web-search/request-headers)."""
    monkeypatch.setattr(client, "MOST_BYTES", 2_000_000)
    bomb = gzip.compress(b" " * 50_000_000)
    packed = {"Content-Encoding": "gzip"}
    with (
        SearchServer(lambda _: (200, bomb, packed)) as server,
        pytest.raises(RequestRejectedError, match="more than 2 MB"),
    ):
        await ask(Brave(server.address))
    fine = gzip.compress(json.dumps(brave_found([ROW])[1]).encode())

    def reply(_: ServiceRequest) -> Reply:
        return 200, fine, packed

    with SearchServer(reply) as server:
        assert len(await ask(Brave(server.address))) == 1
    monkeypatch.setattr(client, "ATTEMPTS", 1)
    for broken in (fine[:-20], b"not gzip"):
        fine = broken
        with SearchServer(reply) as server, pytest.raises(EndpointError, match="resume"):
            await ask(Brave(server.address))
