"""Search services and archives on 127.0.0.1 that speak the protocols of the real ones."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.support.search_rules import (
    KEY,
    Reply,
    brave_found,
    brave_refusal,
    serpapi_found,
    serpapi_refusal,
)

Answer = Callable[["ServiceRequest"], Reply]


class ServiceRequest:
    """What was asked: path, parameters, headers, and the JSON of the body."""

    def __init__(self, handler: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(handler.path)
        self.path = parts.path
        self.parameters = dict(parse_qsl(parts.query))
        self.headers = {name.lower(): value for name, value in handler.headers.items()}
        size = int(self.headers.get("content-length", 0))
        self.body: Any = json.loads(handler.rfile.read(size)) if size else None


class SearchServer:
    """A server whose replies ``answer`` gives: a status, and text or what becomes JSON."""

    def __init__(self, answer: Answer) -> None:
        self.requests: list[ServiceRequest] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def _reply(self) -> None:
                request = ServiceRequest(self)
                outer.requests.append(request)
                status, value, *headers = answer(request)
                text = value if isinstance(value, str | bytes) else json.dumps(value)
                data = text if isinstance(text, bytes) else text.encode()
                self.send_response(status)
                for name, text in headers[0].items() if headers else ():
                    self.send_header(name, text)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                with contextlib.suppress(OSError):  # the client has heard enough
                    self.wfile.write(data)

            do_GET = do_POST = _reply  # noqa: N815  (the names that http.server calls)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (as the base class)
                """Nothing on stderr."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> SearchServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class FakeWeb:
    """A small web: pages with their texts, as Brave, SerpApi's Google, Common Crawl and the Wayback
    Machine would tell of them, after the checks that the real ones make. ``crawled`` are the
    addresses that archives have; ``left`` is how many searches the key is good for, None for any
    number. ``before`` may answer a request in place of all that."""

    def __init__(self, pages: dict[str, str]) -> None:
        self.pages = pages
        self.crawled = set(pages)
        self.left: int | None = None
        self.before: Callable[[ServiceRequest], Reply | None] = lambda request: None
        self.latency = 0.0
        self.server = SearchServer(self._answer)

    def __enter__(self) -> FakeWeb:
        self.server.__enter__()
        return self

    def __exit__(self, *details: object) -> None:
        self.server.__exit__(*details)

    @property
    def searches(self) -> list[ServiceRequest]:
        """The requests that were searches."""
        return [one for one in self.server.requests if one.path in {"/brave", "/serpapi"}]

    def addresses(self) -> dict[str, str]:
        """The environment in which these services are asked."""
        here = self.server.address
        return {
            "BRAVE_SEARCH_URL": f"{here}/brave",
            "SERPAPI_URL": f"{here}/serpapi",
            "INFINI_GRAM_URL": f"{here}/infini",
            "COMMON_CRAWL_URL": here,
            "WAYBACK_URL": f"{here}/wayback",
            "BRAVE_SEARCH_API_KEY": KEY,
            "SERPAPI_API_KEY": KEY,
        }

    def _answer(self, request: ServiceRequest) -> Reply:
        time.sleep(self.latency)
        given = self.before(request)
        if given is not None:
            return given
        if request.path == "/collinfo.json":
            here = self.server.address
            return 200, [{"id": "CC-MAIN-2023-14", "cdx-api": f"{here}/CC-MAIN-2023-14-index"}]
        if request.path.endswith("-index"):
            there = request.parameters["url"] in self.crawled
            return (200, '{"urlkey": "x"}') if there else (404, {"message": "No Captures found"})
        if request.path == "/wayback":
            there = request.parameters["url"] in self.crawled
            return 200, [["urlkey"], ["x"]] if there else []
        return self._search(request)

    def _search(self, request: ServiceRequest) -> Reply:
        asked = request.parameters
        refused = (
            brave_refusal(asked, request.headers)
            if request.path == "/brave"
            else serpapi_refusal(asked)
        )
        if refused:
            return refused
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                return 429, {"error": "Your account has run out of searches."}
        words = set(request.parameters["q"].lower().split())
        found = [
            (url, text)
            for url, text in self.pages.items()
            if len(words & set(text.lower().split())) > 0.6 * len(words)
        ]
        if request.path == "/brave":
            rows = [{"url": url, "title": "A page", "description": text} for url, text in found]
            return brave_found(rows)
        return serpapi_found([{"link": url, "snippet": text} for url, text in found])
