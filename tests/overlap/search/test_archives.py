"""Common Crawl's index and the Wayback Machine's, by their protocol."""

from __future__ import annotations

from datetime import date

import pytest

from dcq.errors import EndpointRefusedError, RequestRejectedError
from dcq.overlap.search.archives import CommonCrawl, Wayback
from dcq.overlap.search.client import SearchClient
from dcq.overlap.search.service import Window
from tests.support.search_rules import Reply
from tests.support.search_services import SearchServer, ServiceRequest

WINDOW = Window(date(2017, 1, 1), date(2020, 12, 30))
CRAWLS = (
    "CC-MAIN-2021-04",
    "CC-MAIN-2019-51",
    "CC-MAIN-2018-05",
    "CC-MAIN-2012",
    "CC-MAIN-2018-99",
)


async def test_common_crawl() -> None:
    def reply(request: ServiceRequest) -> Reply:
        if request.path == "/collinfo.json":
            here = server.address
            listed = [{"id": one, "cdx-api": f"{here}/{one}-index"} for one in CRAWLS]
            return 200, [*listed, {"id": 7}, {"id": "../CC-MAIN-2019-04"}, None]
        if "2019" in request.path and request.parameters["url"] == "https://a.org/x?y=1":
            return 200, '{"urlkey": "org,a)/x", "status": "200"}\n{"urlkey": "org,a)/x"}\n'
        return 404, {"message": "No Captures found for: x"}

    with SearchServer(reply) as server:
        async with SearchClient("Common Crawl", server.address) as send:
            archive = CommonCrawl(server.address)
            crawls = await archive.crawls(send, WINDOW)
            assert [one.split("/")[-1] for one in crawls] == [
                "CC-MAIN-2019-51-index",
                "CC-MAIN-2018-05-index",
            ]
            assert await archive.has(send, "https://a.org/x?y=1", WINDOW)
            assert not await archive.has(send, "https://b.org", WINDOW)
    asked = [request.path for request in server.requests]
    assert asked.count("/collinfo.json") == 1
    assert len(asked) == 1 + 1 + 2  # the newest crawl first, and no further once one has the page


def as_listed(crawl: str, host: str = "https://index.commoncrawl.org") -> dict[str, str]:
    """A row of the real https://index.commoncrawl.org/collinfo.json, which has whole addresses."""
    return {
        "id": crawl,
        "name": f"{crawl} Index",
        "timegate": f"{host}/{crawl}/",
        "cdx-api": f"{host}/{crawl}-index",
        "from": "2018-01-01T00:00:00",
        "to": "2018-01-31T00:00:00",
    }


async def test_a_mirror_of_the_real_list_is_asked_itself() -> None:
    def reply(request: ServiceRequest) -> Reply:
        if request.path == "/cc/collinfo.json":
            bad = as_listed("CC-MAIN-2018-05", "http://169.254.169.254")
            return 200, [as_listed("CC-MAIN-2019-51"), as_listed("CC-MAIN-2018-05"), bad]
        there = request.path == "/cc/CC-MAIN-2018-05-index"
        return (200, '{"urlkey": "org,a)/"}') if there else (404, {"message": "No Captures found"})

    with SearchServer(reply) as server:
        address = f"{server.address}/cc"
        async with SearchClient("Common Crawl", address) as send:
            archive = CommonCrawl(address)
            assert await archive.crawls(send, WINDOW) == [
                f"{address}/CC-MAIN-2019-51-index",
                f"{address}/CC-MAIN-2018-05-index",
            ]
            assert await archive.has(send, "https://a.org", WINDOW)
    assert [request.path for request in server.requests] == [
        "/cc/collinfo.json",
        "/cc/CC-MAIN-2019-51-index",
        "/cc/CC-MAIN-2018-05-index",
    ]


async def test_a_mirror_with_the_list_alone_is_no_archive_without_the_page() -> None:
    def reply(request: ServiceRequest) -> Reply:
        if request.path == "/collinfo.json":
            return 200, [as_listed("CC-MAIN-2018-05")]
        return 404, "<h1>File not found</h1>"

    with SearchServer(reply) as server:
        async with SearchClient("Common Crawl", server.address) as send:
            with pytest.raises(RequestRejectedError, match=r"has no index .* check"):
                await CommonCrawl(server.address).has(send, "https://a.org", WINDOW)


async def test_a_window_without_a_crawl_is_said() -> None:
    with SearchServer(lambda _: (200, [])) as server:
        async with SearchClient("Common Crawl", server.address) as send:
            with pytest.raises(EndpointRefusedError, match="no crawl from 2017-01-01"):
                await CommonCrawl(server.address).has(send, "https://a.org", WINDOW)


async def test_wayback() -> None:
    def reply(request: ServiceRequest) -> Reply:
        assert (request.parameters["from"], request.parameters["to"]) == ("20170101", "20201230")
        there = request.parameters["url"] == "https://a.org"
        return 200, [["urlkey"], ["org,a)/"]] if there else []

    with SearchServer(reply) as server:
        async with SearchClient("Wayback", server.address) as send:
            assert await Wayback(server.address).has(send, "https://a.org", WINDOW)
            assert not await Wayback(server.address).has(send, "https://b.org", WINDOW)
