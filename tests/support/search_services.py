"""Search services and archives on 127.0.0.1 that speak the protocols of the real ones."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

Reply = tuple[int, Any]
Answer = Callable[["Request"], Reply]


class Request:
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
        self.requests: list[Request] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def _reply(self) -> None:
                request = Request(self)
                outer.requests.append(request)
                status, value = answer(request)
                data = (value if isinstance(value, str) else json.dumps(value)).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                with contextlib.suppress(OSError):  # the client has heard enough
                    self.wfile.write(data)

            do_GET = do_POST = _reply  # noqa: N815  (the names that http.server calls)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (as the base class)
                """Nothing on stderr."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

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
