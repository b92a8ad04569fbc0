from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import stamina
from dcq.overlap.search.run import Cache, estimate, judge, search

from dcq.errors import EndpointBusyError, EndpointRefusedError, InputError, RequestRejectedError
from dcq.overlap.match import Category
from dcq.overlap.meteor import PAPER, RELEASE
from dcq.overlap.query import Query
from dcq.overlap.search import client as clients
from dcq.overlap.search.archives import CommonCrawl, Wayback
from dcq.overlap.search.brave import Brave
from dcq.overlap.search.client import Client
from dcq.overlap.search.infinigram import InfiniGram
from dcq.overlap.search.serpapi import SerpApi
from dcq.overlap.search.service import Page, Window
from tests.support.search_services import Reply, Request, SearchServer

SECRET = "key-that-nobody-may-see"
WINDOW = Window(date(2017, 1, 1), date(2020, 12, 30))
QUESTION = "What did the ACT theory's critics say of it"
QUERY = Query("1", f"{QUESTION} it cannot be tested", QUESTION, "it cannot be tested")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("BRAVE_SEARCH_API_KEY", SECRET)
    monkeypatch.setenv("SERPAPI_API_KEY", SECRET)
    stamina.set_testing(True, attempts=3)
    yield
    stamina.set_testing(False)


def sender() -> Client:
    return Client("the service", 0.0)


def brave_reply(request: Request) -> Reply:
    snippet = (
        "<strong>What did the ACT theory&#x27;s critics say of it</strong>: "
        "<strong>it cannot be tested</strong> ... of 3 &lt; 4"
    )
    row = {"url": "https://a.org/x", "title": "An &amp; exam", "description": snippet}
    return 200, {"type": "search", "web": {"results": [row, {"url": None}]}}


def test_brave() -> None:
    with SearchServer(brave_reply) as server, sender() as send:
        pages = Brave(address=f"{server.address}/web").search(send, "some words", WINDOW)
    [request] = server.requests
    assert request.headers["x-subscription-token"] == SECRET
    assert request.parameters["q"] == "some words"
    assert request.parameters["freshness"] == "2017-01-01to2020-12-30"
    first, second = pages
    assert (first.url, first.title) == ("https://a.org/x", "An & exam")
    said = "What did the ACT theory's critics say of it"
    assert first.fragments == (f"{said}: it cannot be tested", "of 3 < 4")
    assert first.marked == (f"{said} it cannot be tested", "")
    assert second.fragments == ()


def test_serpapi() -> None:
    row = {
        "link": "https://a.org",
        "title": "Coffee",
        "snippet": "Coffee is brewed ... from beans",
        "snippet_highlighted_words": ["Coffee", "beans", 7],
    }
    with SearchServer(lambda _: (200, {"organic_results": [row]})) as server, sender() as send:
        [page] = SerpApi(address=server.address).search(send, "coffee", WINDOW)
    parameters = server.requests[0].parameters
    assert parameters["api_key"] == SECRET
    assert parameters["tbs"] == "cdr:1,cd_min:1/1/2017,cd_max:12/30/2020"
    assert page.fragments == ("Coffee is brewed", "from beans")
    assert page.marked == ("Coffee beans", "")


def infinigram_reply(request: Request) -> Reply:
    asked = request.body
    if asked["query_type"] == "find":
        return 200, {"cnt": 7, "segment_by_shard": [[10, 10], [4, 11]]}
    spans = [["before ", None], ["some words", "0"], [" after", None]]
    metadata = '{"metadata": {"url": "https://a.org"}}' if asked["rank"] == 4 else "{"
    return 200, {"doc_ix": 70 + asked["rank"], "spans": spans, "metadata": metadata}


def test_infinigram() -> None:
    with SearchServer(infinigram_reply) as server, sender() as send:
        service = InfiniGram(index="v4_dolma", address=server.address, documents=2)
        pages = service.search(send, "some words", None)
        with pytest.raises(InputError, match="knows no dates"):
            service.search(send, "some words", WINDOW)
    assert [page.url for page in pages] == ["https://a.org", "v4_dolma/1/75"]
    assert pages[0].fragments == ("before some words after",)
    assert pages[0].marked == ("some words",)
    assert [request.body["index"] for request in server.requests] == ["v4_dolma"] * 3
    with (
        SearchServer(lambda _: (200, {"error": "too long"})) as server,
        sender() as send,
        pytest.raises(RequestRejectedError, match="could not answer"),
    ):
        InfiniGram(address=server.address).search(send, "some words", None)


CRAWLS = (
    "CC-MAIN-2021-04",
    "CC-MAIN-2019-51",
    "CC-MAIN-2018-05",
    "CC-MAIN-2012",
    "CC-MAIN-2018-99",
)


def test_common_crawl() -> None:
    def reply(request: Request) -> Reply:
        if request.path == "/collinfo.json":
            here = server.address
            return 200, [{"id": one, "cdx-api": f"{here}/{one}-index"} for one in CRAWLS]
        if "2019" in request.path and request.parameters["url"] == "https://a.org/x?y=1":
            return 200, '{"urlkey": "org,a)/x", "status": "200"}\n{"urlkey": "org,a)/x"}\n'
        return 404, {"message": "No Captures found for: x"}

    with SearchServer(reply) as server, sender() as send:
        archive = CommonCrawl(server.address)
        crawls = archive.crawls(send, WINDOW)
        assert [one.split("/")[-1] for one in crawls] == [
            "CC-MAIN-2018-05-index",
            "CC-MAIN-2019-51-index",
        ]
        assert archive.has(send, "https://a.org/x?y=1", crawls)
        assert not archive.has(send, "https://b.org", crawls)


def test_wayback() -> None:
    def reply(request: Request) -> Reply:
        assert (request.parameters["from"], request.parameters["to"]) == ("20170101", "20201230")
        there = request.parameters["url"] == "https://a.org"
        return 200, [["urlkey"], ["org,a)/"]] if there else []

    with SearchServer(reply) as server, sender() as send:
        assert Wayback(server.address).has(send, "https://a.org", WINDOW)
        assert not Wayback(server.address).has(send, "https://b.org", WINDOW)


@pytest.mark.parametrize(
    ("status", "body", "error", "calls"),
    [
        (401, {"error": "Invalid API key."}, EndpointRefusedError, 1),
        (403, "<html>", EndpointRefusedError, 1),
        (429, {"error": "Your account has run out of searches."}, EndpointRefusedError, 1),
        (402, "", EndpointRefusedError, 1),
        (429, {"error": "slow down"}, EndpointBusyError, 3),
        (503, "", EndpointBusyError, 3),
        (200, "<html>not JSON", EndpointBusyError, 3),
        (200, "", EndpointBusyError, 3),
        (400, {"error": "Missing query"}, RequestRejectedError, 1),
        (404, "", RequestRejectedError, 1),
    ],
)
def test_faults(
    status: int,
    body: Any,
    error: type[Exception],
    calls: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    with SearchServer(lambda _: (status, body)) as server, sender() as send:
        with pytest.raises(error) as raised:
            SerpApi(address=server.address).search(send, "coffee", None)
        assert len(server.requests) == calls
    shown = f"{raised.value!r} {raised.value.__cause__!r} {caplog.text}"
    assert SECRET not in shown


def test_a_server_that_is_not_there_shows_no_key() -> None:
    with sender() as send, pytest.raises(EndpointBusyError) as raised:
        SerpApi(address="http://127.0.0.1:1").search(send, "coffee", None)
    assert SECRET not in str(raised.value)
    assert raised.value.__suppress_context__


def test_a_reply_of_40_mb_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients, "MOST_BYTES", 1_000_000)
    with (
        SearchServer(lambda _: (200, "x" * 40_000_000)) as server,
        sender() as send,
        pytest.raises(RequestRejectedError, match="more than 1 MB"),
    ):
        SerpApi(address=server.address).search(send, "coffee", None)


def test_a_missing_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BRAVE_SEARCH_API_KEY")
    with sender() as send, pytest.raises(InputError, match="variable BRAVE_SEARCH_API_KEY"):
        Brave().search(send, "coffee", None)


def test_calls_are_paced() -> None:
    waited: list[float] = []
    with SearchServer(brave_reply) as server, Client("x", 5.0, sleep=waited.append) as send:
        for _ in range(2):
            Brave(address=server.address).search(send, "coffee", None)
    [seconds] = waited
    assert 4 < seconds <= 5


def test_a_search_that_runs_out_of_quota_goes_on_from_the_cache(tmp_path: Path) -> None:
    queries = [Query(str(n), f"question number {n}", "", "") for n in range(4)]
    left = [2]

    def reply(request: Request) -> Reply:
        left[0] -= 1
        if left[0] < 0:
            return 429, {"error": "Your account has run out of searches."}
        return brave_reply(request)

    cache = Cache(tmp_path / "cache")
    with SearchServer(reply) as server, sender() as send:
        service = Brave(address=server.address)
        before = estimate(service, queries, WINDOW, cache, 0.005)
        assert (before.calls, before.cached, before.usd) == (4, 0, 0.02)
        first = search(service, queries, WINDOW, cache, send)
        assert list(first.pages) == ["0", "1"]
        assert first.stopped is not None
        assert "no searches left" in first.stopped
        left[0] = 10
        assert estimate(service, queries, WINDOW, cache).calls == 2
        assert estimate(service, queries, None, cache).calls == 4
        again = search(service, queries, WINDOW, cache, send)
    assert again.stopped is None
    assert list(again.pages) == ["0", "1", "2", "3"]
    assert len(server.requests) == 5
    assert again.pages["0"] == first.pages["0"]
    assert SECRET not in "".join(path.read_text() for path in (tmp_path / "cache").iterdir())


def test_long_queries_are_searched_in_pieces(tmp_path: Path) -> None:
    query = Query("1", " ".join(f"word{n}" for n in range(120)), "", "")
    with SearchServer(brave_reply) as server, sender() as send:
        found = search(Brave(address=server.address), [query], None, Cache(tmp_path), send)
    asked = [request.parameters["q"] for request in server.requests]
    assert " ".join(asked) == query.text
    assert all(len(one) <= 400 and len(one.split()) <= 50 for one in asked)
    assert len(found.pages["1"]) == 2 * len(asked)


def test_a_rejected_query_does_not_stop_the_others(tmp_path: Path) -> None:
    def reply(request: Request) -> Reply:
        return (422, "") if "bad" in request.parameters["q"] else brave_reply(request)

    queries = [Query("1", "bad words", "", ""), Query("2", "good words", "", "")]
    with SearchServer(reply) as server, sender() as send:
        found = search(Brave(address=server.address), queries, None, Cache(tmp_path), send)
    assert list(found.pages) == ["2"]
    assert "status 422" in found.rejected["1"]


@pytest.mark.parametrize("settings", [PAPER, RELEASE])
def test_snippets_are_judged_as_the_authors_code_does(settings: Any) -> None:
    both = Page("https://a.org", "", (QUERY.text, "and more"), (QUERY.text, ""))
    other = Page("https://b.org", "", ("nothing of the kind",), ("",))
    found = judge(QUERY, [other, both], settings)
    assert found.category is Category.INPUT_AND_LABEL
    [(url, score, label)] = found.pages
    assert (url, label) == ("https://a.org", 1)
    assert score > 0.99
    assert judge(QUERY, [other], settings).category is Category.CLEAN
    assert judge(QUERY, [], settings).score == 0
    longer = Query("1", f"{QUESTION} so that nobody knows today untestable", QUESTION, "untestable")
    alone = Page("https://a.org", "", (f"{QUESTION} so that nobody knows today",), ("",))
    assert judge(longer, [alone], settings).category is Category.INPUT_ONLY


def test_a_window_has_an_order() -> None:
    with pytest.raises(InputError, match="swap the two days"):
        Window(date(2020, 1, 2), date(2020, 1, 1))
