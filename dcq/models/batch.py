"""OpenAI's Batch API: questions in one file, answers in another within a day, at half the price.

The protocol is that of https://platform.openai.com/docs/guides/batch. A batch is labelled with the
id of its run and the parameters of its calls, so that any process can find it and read it.
"""

from __future__ import annotations

import io
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from dcq.errors import EndpointError, ModelChoiceError
from dcq.models.batch_file import (
    ANSWER_BYTES,
    CHAT_PATH,
    LOGPROBS_BYTES,
    MOST_REQUESTS,
    BatchJob,
    read_document,
    read_job,
    read_limit,
    read_line,
)
from dcq.models.client import MOST_BYTES, Client
from dcq.models.completion import Completion
from dcq.models.endpoints import OWN_SECONDS, Endpoint
from dcq.models.faults import OUT_OF_CREDIT, UNKNOWN_MODEL, Trouble, explain
from dcq.models.hooks import NO_HOOKS, Hooks
from dcq.models.replies import make_reply, read_said
from dcq.models.usage import Meter, believe
from dcq.records import Mode, Reply

if TYPE_CHECKING:  # see dcq.models.client
    import httpx2

PRICE_SHARE = 0.5  # of the list price
MOST_PAGES = 100  # of a list of batches, newest first

_Call = Callable[[], Awaitable["httpx2.Response"]]
_SKEW = timedelta(days=1)  # clocks differ


def check(endpoint: Endpoint) -> None:
    """Raise ModelChoiceError for an endpoint that is known to have no Batch API of this kind."""
    if endpoint.preset not in (None, "openai") or endpoint.mode is Mode.LIKELIHOOD:
        raise ModelChoiceError(
            f"{endpoint.name} cannot be asked by batch, which is for OpenAI's models and the"
            " endpoint of OPENAI_BASE_URL; ask it directly."
        )


def explain_failure(job: BatchJob, endpoint: Endpoint) -> str:
    """Why a failed batch failed, in one sentence without the endpoint's own words."""
    if UNKNOWN_MODEL.search(job.words):
        why = f"{endpoint.model} cannot be asked by batch there; choose another model"
    elif OUT_OF_CREDIT.search(job.words):
        why = "the account is out of credit or at its spending limit; top it up and resume"
    elif "token_limit_exceeded" in job.words:
        why = "too much of this account waits in batches already; resume when others are done"
    else:
        why = "the endpoint did not accept it and charges nothing for it; resume to send it again"
    return f"Batch {job.id} failed: {why}."


class BatchClient(Client):
    """Sends batches to one endpoint, follows them and reads them; see ``Client``. Every method
    raises as ``ChatClient.ask`` does."""

    def __init__(
        self, endpoint: Endpoint, *, first_wait: float = 0.5, hooks: Hooks = NO_HOOKS
    ) -> None:
        check(endpoint)
        super().__init__(endpoint, timeout=OWN_SECONDS, first_wait=first_wait, hooks=hooks)

    async def probe(self) -> None:
        """Raise ModelChoiceError if the endpoint has no Batch API."""
        page: Mapping[str, Any] = {}
        try:
            page = await self._document(self._get("/batches", {"limit": 1}))
        except EndpointError as error:
            if error.status not in (404, 405, 410):
                raise
        if not isinstance(page.get("data"), list):
            host = urlsplit(self.endpoint.base_url).netloc
            raise ModelChoiceError(f"{host} has no Batch API; ask it directly.")

    async def upload(self, lines: Iterable[bytes]) -> str:
        """Upload the lines of a batch; returns the id of their file."""
        file = ("questions.jsonl", b"".join(lines), "application/jsonl")
        uploaded = await self._document(
            lambda: self._client.post(
                "/files",
                cast_to=self._response,
                body={"purpose": "batch"},
                files=[("file", file)],
                options={"headers": {"Content-Type": "multipart/form-data"}},
            )
        )
        return str(uploaded.get("id", ""))

    async def start(self, run: str, input_file: str, sent: Mapping[str, Any]) -> BatchJob:
        """Start a batch of the lines in a file, once. ``calls`` of an error counts the attempts
        that may have started a batch all the same."""
        body = {
            "input_file_id": input_file,
            "endpoint": CHAT_PATH,
            "completion_window": "24h",
            "metadata": {"dcq_run": run, "dcq_sent": json.dumps(dict(sent))},
        }
        retries = unclear = 0
        while True:
            response = await self._send(
                self._client.post("/batches", cast_to=self._response, body=body)
            )
            document = (
                response if isinstance(response, Trouble) else read_document(response.content)
            )
            outcome = document if isinstance(document, Trouble) else read_job(document)
            if isinstance(outcome, BatchJob):
                return outcome
            retries += 1
            unclear += not outcome.unreachable and (outcome.status is None or outcome.status >= 500)
            try:
                await self._wait_or_raise(outcome, retries)
                # The call may have worked and only its reply been lost: a second batch would be
                # charged too.
                for job in await self.find(run, datetime.now(UTC)):
                    if job.input_file == input_file:
                        return job
            except EndpointError as error:
                error.calls += unclear
                raise

    async def find(self, run: str, since: datetime) -> list[BatchJob]:
        """The batches of a run, from any process, newest first. Batches from long before ``since``
        are not looked for."""
        batches: list[BatchJob] = []
        after = None
        for _ in range(MOST_PAGES):
            page = await self._page(100, after)
            read = [read_job(entry) for entry in page["data"] if isinstance(entry, dict)]
            jobs = [job for job in read if isinstance(job, BatchJob)]
            batches += [job for job in jobs if job.run == run]
            if not jobs or page.get("has_more") is not True or jobs[-1].created < since - _SKEW:
                break
            after = jobs[-1].id
        return batches

    async def read_batch(self, batch_id: str) -> BatchJob:
        """The present state of a batch."""
        path = f"/batches/{quote(batch_id, safe='')}"
        try:
            job = read_job(await self._document(self._get(path)))
        except EndpointError as error:
            if error.status != 404:
                raise
            raise EndpointError(
                f"{urlsplit(self.endpoint.base_url).netloc} does not know batch {batch_id} of this"
                " run; resume with the key that sent it, or start a new run without --resume."
            ) from None
        if isinstance(job, Trouble):
            raise explain(job, self.endpoint)
        return job

    async def cancel(self, batch_id: str) -> None:
        """Request cancellation of the batch; answers finished by then still arrive."""
        path = f"/batches/{quote(batch_id, safe='')}/cancel"
        response = await self._send(self._client.post(path, cast_to=self._response))
        if isinstance(response, Trouble) and response.status not in (
            400,
            409,
        ):  # those: it has just ended
            raise explain(response, self.endpoint)

    async def read(
        self, job: BatchJob, requests: int, prompt_of: Callable[[str], str | None]
    ) -> list[tuple[str, Reply | EndpointError | None]]:
        """The results of an ended batch of at most ``requests`` requests: the id of each, and its
        reply, an error, or None if the batch did not get to it. Requests for which ``prompt_of``
        has no prompt are left out: they are not ours."""
        a_line = LOGPROBS_BYTES if "logprobs" in job.sent else ANSWER_BYTES
        most_bytes = MOST_BYTES + min(requests, MOST_REQUESTS) * a_line
        results = []
        for file in job.files:
            path = f"/files/{quote(file, safe='')}/content"
            content = await self._content(self._get(path), most_bytes)
            for line in map(read_line, io.BytesIO(content)):
                prompt = line and prompt_of(line[0])
                if line and prompt is not None:
                    got = None if line[1] is None else self._reply(line[1], job, prompt)
                    results.append((line[0], got))
        return results

    def _reply(
        self, got: Completion | Trouble, job: BatchJob, prompt: str
    ) -> Reply | EndpointError:
        limit = read_limit(job.sent)
        if isinstance(got, Completion):
            used = believe(
                got.tokens_in,
                got.tokens_out,
                prompt=prompt,
                limit=limit,
                text=got.text,
                agrees=got.usage_agrees,
            )
            said = read_said(got, limit)
            return make_reply(got, said, used, sent=job.sent, seconds=job.seconds)
        if got.filtered:
            return Reply(None, "content_filter", seconds=job.seconds, sent=job.sent)
        error = explain(got, self.endpoint)
        meter = Meter(prompt)
        meter.calls = 1  # a line of a batch is a call
        if got.lost:
            meter.lose(limit)
        meter.charge(error)
        return error

    async def _page(self, limit: int, after: str | None = None) -> dict[str, Any]:
        query: dict[str, object] = {"limit": limit} | ({"after": after} if after else {})
        page = await self._document(self._get("/batches", query))
        if not isinstance(page.get("data"), list):
            raise explain(
                Trouble(None, "sent something other than a list of batches"), self.endpoint
            )
        return page

    def _get(self, path: str, params: Mapping[str, object] | None = None) -> _Call:
        return lambda: self._client.get(
            path, cast_to=self._response, options={"params": params or {}}
        )

    async def _document(self, call: _Call) -> dict[str, Any]:
        document = read_document(await self._content(call))
        if isinstance(document, Trouble):
            raise explain(document, self.endpoint)
        return document

    async def _content(self, call: _Call, most_bytes: int = MOST_BYTES) -> bytes:
        """The body of a call's response, after retries for temporary errors."""
        retries = 0
        while isinstance(response := await self._send(call(), most_bytes), Trouble):
            retries += 1
            await self._wait_or_raise(response, retries)
        return response.content


async def probe(endpoint: Endpoint) -> None:
    """Raise ModelChoiceError where the endpoint has no Batch API."""
    async with BatchClient(endpoint) as client:
        await client.probe()
