"""A small Hugging Face Hub on 127.0.0.1: enough of its HTTP endpoints for ``datasets`` to load a
dataset of files, and the ways in which the real one says no."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Literal
from urllib.parse import unquote, urlsplit

Fault = Literal["gated-anonymous", "gated-stranger", "bad-token", "forbidden", "error", "hang"]
COMMIT = "c0ffee" + "0" * 34


@dataclass
class Hub:
    """What the server holds. ``files`` by dataset and path; ``faults`` by dataset; ``renamed``
    from old to new name. An unknown dataset is answered as missing."""

    files: dict[str, dict[str, bytes]]
    faults: dict[str, Fault] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    url: str = ""
    asked: Counter[str] = field(default_factory=Counter)  # requests, by dataset
    released: Event = field(default_factory=Event)


@contextmanager
def serve_hub(hub: Hub) -> Iterator[Hub]:
    """Serve until the block ends; ``hub.url`` is the value for ``HF_ENDPOINT``."""

    class Handler(_HubHandler):
        state = hub

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        hub.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _HubHandler(BaseHTTPRequestHandler):
    state: Hub
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def log_message(self, *_: object) -> None:
        """Keep the test's output quiet."""

    def _answer(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        self.rfile.read(length)
        path = unquote(urlsplit(self.path).path)
        for old, new in self.state.renamed.items():
            if f"datasets/{old}" in path:
                self._send(307, b"", {"Location": self.path.replace(old, new, 1)})
                return
        repo = next((name for name in self.state.files if f"datasets/{name}" in path), None)
        if repo is None:
            self._send(404, b"", {"X-Error-Code": "RepoNotFound"})
            return
        self.state.asked[repo] += 1
        if self._refuse(path, self.state.faults.get(repo)):
            return
        rest = path.partition(f"datasets/{repo}")[2].strip("/").split("/")
        if path.startswith("/api/"):
            self._answer_api(repo, rest)
        else:
            self._send_file(repo, "/".join(rest[2:]))

    def _refuse(self, path: str, fault: Fault | None) -> bool:
        """Answer as the fault says; False if the request is to be served."""
        match fault:
            case "hang":
                self.state.released.wait(300)
                self.close_connection = True
            case "error":
                self._send(500, b"")
            case "bad-token":
                self._send(
                    401, b"", {"X-Error-Message": "Invalid credentials in Authorization header"}
                )
            case "gated-anonymous" if "/auth-check" in path or "/resolve/" in path:
                self._send(401, b"", {"X-Error-Code": "GatedRepo"})
            case "gated-stranger" if "/auth-check" in path or "/resolve/" in path:
                self._send(403, b"", {"X-Error-Code": "GatedRepo"})
            case "forbidden":
                self._send(403, b"", {"X-Error-Message": "Forbidden"})
            case _:
                return False
        return True

    def _answer_api(self, repo: str, rest: list[str]) -> None:
        files = self.state.files[repo]
        if rest[0] in ("revision", "tree") and rest[1] not in ("main", COMMIT):
            self._send(404, b"", {"X-Error-Code": "RevisionNotFound"})
        elif rest[0] == "tree":
            self._send_json(_list_folder(files, "/".join(rest[2:])))
        elif rest[0] in ("", "revision"):
            self._send_json(
                {
                    "id": repo,
                    "sha": COMMIT,
                    "private": False,
                    "gated": "manual" if "gated" in self.state.faults.get(repo, "") else False,
                    "siblings": [{"rfilename": path} for path in files],
                    "tags": [],
                    "downloads": 0,
                    "likes": 0,
                }
            )
        else:
            self._send_json([])

    def _send_file(self, repo: str, path: str) -> None:
        data = self.state.files[repo].get(path)
        if data is None:
            self._send(404, b"", {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": COMMIT})
            return
        etag = hashlib.sha256(data).hexdigest()
        headers = {"ETag": f'"{etag}"', "X-Repo-Commit": COMMIT, "Accept-Ranges": "bytes"}
        self._send(200, data, headers)

    def _send_json(self, value: object) -> None:
        self._send(200, json.dumps(value).encode(), {"Content-Type": "application/json"})

    def _send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def _list_folder(files: dict[str, bytes], folder: str) -> list[dict[str, object]]:
    """A folder's own files and folders, as the Hub lists them."""
    prefix = f"{folder}/" if folder else ""
    listed: dict[str, dict[str, object]] = {}
    for path, data in files.items():
        if not path.startswith(prefix):
            continue
        name, slash, _ = path.removeprefix(prefix).partition("/")
        oid = hashlib.sha1(data, usedforsecurity=False).hexdigest()
        listed[prefix + name] = {
            "type": "directory" if slash else "file",
            "path": prefix + name,
            "size": 0 if slash else len(data),
            "oid": oid,
        }
    return list(listed.values())
