"""A provider with a Batch API: real files and batches over HTTP, answered by the test models."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.support.behaviours import MODELS, ChatRequest, FakeReply, failure
from tests.support.provider import FakeProvider

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Fate:
    """What becomes of the next batches. ``status``: how they end; ``held``: they go on until this
    is taken back; ``answered``: the share of lines answered by the end; ``lose_reply``: a batch is
    made, but the call that made it gets a 500; ``refuse``: none is made, and the call gets this
    status; ``deaf``: a batch is not cancelled, whatever is replied; ``cut``: lines of its files end
    halfway; ``parrot``: whatever is asked, but a list of batches, brings a chat completion,
    and if ``parrot`` is "all" that too."""

    status: str = "completed"
    held: bool = False
    answered: float = 1.0
    lose_reply: bool = False
    refuse: int = 0
    deaf: bool = False
    cut: bool = False
    parrot: str = ""


@dataclass
class _Batch:
    document: dict[str, Any]
    lines: list[dict[str, Any]]
    cancelled: bool = False
    files: dict[str, str] = field(default_factory=dict)


class BatchProvider(FakeProvider):
    """See ``FakeProvider``; ``fate`` may be changed while it runs. ``lines`` counts the questions
    of all batches that were made, ``batches`` holds them by id."""

    def __init__(self, *, key: str = "") -> None:
        super().__init__(key=key)
        self.fate = Fate()
        self.padding = 0  # bytes after the files that are sent
        self.batches: dict[str, _Batch] = {}
        self.files: dict[str, bytes] = {}

    @property
    def lines(self) -> int:
        return sum(len(batch.lines) for batch in self.batches.values())

    def add_routes(self, app: web.Application) -> None:
        super().add_routes(app)

        @web.middleware
        async def parrot(request: web.Request, handler: Handler) -> web.StreamResponse:
            listing = request.method == "GET" and request.path == "/v1/batches"
            if self.fate.parrot == "all" or (self.fate.parrot and not listing):
                call = ChatRequest({"model": "always-a", "messages": [{"content": "Which?"}]})
                return web.json_response(call.completion(FakeReply("A")))
            return await handler(request)

        app.middlewares.append(parrot)
        app.router.add_post("/v1/files", self._upload)
        app.router.add_get("/v1/files/{id}/content", self._download)
        app.router.add_get("/v1/batches", self._list)
        app.router.add_post("/v1/batches", self._create)
        app.router.add_get("/v1/batches/{id}", self._look)
        app.router.add_post("/v1/batches/{id}/cancel", self._cancel)

    async def _upload(self, request: web.Request) -> web.Response:
        refused = self._refuses_key(request)
        if refused is not None:
            return refused
        form = await request.post()
        assert form["purpose"] == "batch"
        given = form["file"]
        assert isinstance(given, web.FileField)
        return web.json_response({"id": self._keep(given.file.read()), "object": "file"})

    def _keep(self, content: bytes) -> str:
        name = f"file-{len(self.files)}"
        self.files[name] = content
        return name

    async def _download(self, request: web.Request) -> web.Response:
        content = self.files.get(request.match_info["id"])
        if content is not None:
            content += b" " * self.padding
        return failure(404, "No such file") if content is None else web.Response(body=content)

    async def _list(self, request: web.Request) -> web.Response:
        refused = self._refuses_key(request)
        if refused is not None:
            return refused
        made = [batch.document for batch in reversed(self.batches.values())]
        ids = [document["id"] for document in made]
        after = request.query.get("after")
        start = ids.index(after) + 1 if after else 0
        page = made[start : start + 2]  # small pages, so that reading on is tested
        return web.json_response({"data": page, "has_more": start + 2 < len(made)})

    async def _create(self, request: web.Request) -> web.Response:
        if self.fate.refuse:
            return failure(self.fate.refuse, "No")
        body = await request.json()
        content = self.files[body["input_file_id"]]
        document = {
            "id": f"batch_{len(self.batches)}",
            "object": "batch",
            "status": "in_progress",
            "created_at": int(time.time()),
            "input_file_id": body["input_file_id"],
            "metadata": body["metadata"],
            "request_counts": {"total": content.count(b"\n"), "completed": 0, "failed": 0},
        }
        self.batches[document["id"]] = _Batch(document, list(map(json.loads, content.splitlines())))
        if self.fate.lose_reply:
            self.fate.lose_reply = False
            return failure(500, "Lost")
        return web.json_response(document)

    async def _look(self, request: web.Request) -> web.Response:
        batch = self.batches.get(request.match_info["id"])
        if batch is None:
            return failure(404, "No such batch")
        if batch.document["status"] == "in_progress" and (batch.cancelled or not self.fate.held):
            await self._end(batch)
        return web.json_response(batch.document)

    async def _cancel(self, request: web.Request) -> web.Response:
        batch = self.batches[request.match_info["id"]]
        batch.cancelled = not self.fate.deaf
        return web.json_response(batch.document)

    async def _end(self, batch: _Batch) -> None:
        status = "cancelled" if batch.cancelled else self.fate.status
        batch.document |= {"status": status, f"{status}_at": int(time.time()) + 7}
        if status == "failed":
            batch.document["errors"] = {
                "data": [{"code": "invalid_json_line", "message": self.key}]
            }
            return
        answered = int(len(batch.lines) * self.fate.answered)
        good: list[dict[str, Any]] = []
        bad: list[dict[str, Any]] = []
        for number, line in enumerate(batch.lines):
            result = await self._answer_line(line) if number < answered else None
            if result is None:
                code = f"batch_{status}"
                bad.append(
                    {"custom_id": line["custom_id"], "response": None, "error": {"code": code}}
                )
                continue
            result_line = {"custom_id": line["custom_id"], "response": result, "error": None}
            (good if result["status_code"] == 200 else bad).append(result_line)
        for name, lines in (("output_file_id", good), ("error_file_id", bad)):
            written = [json.dumps(line) for line in reversed(lines)]  # any order
            if self.fate.cut:
                written = [line[: len(line) // 2] for line in written]
            text = "".join(line + "\n" for line in written)
            batch.document[name] = self._keep(text.encode()) if lines else None

    async def _answer_line(self, line: dict[str, Any]) -> dict[str, Any]:
        call = ChatRequest(line["body"])
        behave = MODELS.get(call.model)
        said = await behave(call, self) if behave else failure(404, "no model", "model_not_found")
        if isinstance(said, FakeReply):
            return {"status_code": 200, "body": self._report(call.completion(said))}
        assert isinstance(said, web.Response)
        assert said.text is not None
        return {"status_code": said.status, "body": json.loads(said.text)}
