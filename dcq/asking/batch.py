"""A run asked by the Batch API: half the price, within a day, by whichever process is there.

The first open question is asked directly. A wrong model then costs one call and not a day, and what
parameters the model takes is known before thousands of questions are written down.

A batch outlives the process that sent it. Its id is saved with the run; should the process die
before that, the endpoint still knows which run a batch is for.

The names of requests in a batch: by them a reply finds its question."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import re
from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Any

from dcq.asking.batch_money import BatchMoney
from dcq.asking.give_up import asks_to_come_back
from dcq.asking.ledger import Ledger
from dcq.asking.read_reply import read_reply
from dcq.asking.session import Session
from dcq.asking.task import Ended
from dcq.errors import EndpointError, EndpointRefusedError
from dcq.models.batch import BatchClient, explain_failure
from dcq.models.batch_file import BatchJob, read_limit, split, write_line
from dcq.records import Reply
from dcq.store import batches, runs
from dcq.store.answers import add_answers, answered_and_failed
from dcq.store.runs import Event, StoredRun

LONGEST_WAIT = 60.0  # seconds between two looks at a batch
CANCEL_SECONDS = 2.0  # how soon a request to cancel is seen
LEAVE_SECONDS = (
    30.0  # after a request to cancel, for an endpoint that does not end what is going on
)
TRIES = 5  # questions asked directly until one brings a reply


async def work(session: Session, client: BatchClient, *, first_wait: float = 1.0) -> Ended:
    """Collect the batches of a run that are under way, then send what is left and wait for it.

    Whoever watches hears what becomes of each batch. ``first_wait``: seconds before the first look
    at a batch, growing to a minute. Whoever calls this holds the run's lock.
    """
    store, run_id, stages = session.store, session.run, session.stages
    run = runs.load(store, run_id)
    runs.note(store, run_id, Event.STARTED)
    batching = _Batching(session, run, client, first_wait)
    ended = Ended(Event.FINISHED, stages.ended if stages else "")
    parts = iter(stages.parts if stages else [range(run.plan.items)])
    try:
        while (part := await asyncio.to_thread(next, parts, None)) is not None:
            batching.part = part
            ended = await _finish_or_leave(batching)
            if ended.event is not Event.FINISHED:
                break
    except EndpointError as error:
        ended = Ended(Event.STOPPED, str(error))
    runs.note(store, run_id, ended.event, ended.detail)
    return ended


async def _finish_or_leave(batching: _Batching) -> Ended:
    """Finish, or, some time after a request to cancel, leave an endpoint that does not come to an
    end."""
    work = asyncio.create_task(batching.finish())
    request = asyncio.create_task(batching.cancelled.wait())
    try:
        await asyncio.wait({work, request}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait({work}, timeout=None if work.done() else LEAVE_SECONDS)
        if work.done():
            return work.result()
        why = "cancelled before the endpoint was done; resume to collect what it answers"
        return Ended(Event.CANCELLED, why)
    finally:
        for task in (work, request):
            task.cancel()
        await asyncio.gather(work, request, return_exceptions=True)


class _Batching:
    """The state of one pass over a run's open questions."""

    def __init__(
        self, session: Session, run: StoredRun, client: BatchClient, first_wait: float
    ) -> None:
        self.store, self.run, self.plan, self.client = session.store, run, run.plan, client
        self.task, self.ask, self.on_stored = session.task, session.ask, session.on_stored
        ledger = session.ledger or Ledger(run.plan, runs.spent(session.store, run.id))
        self.money = BatchMoney(session.store, run, ledger, session.task.text)
        self.cancelled = session.watch.cancelled or asyncio.Event()
        self.on_answers, self.on_news = session.watch.on_answers, session.watch.on_news
        self.part: Sequence[int] = ()
        self.first_wait = first_wait
        self.began = len(runs.events(session.store, run.id))
        self.tried: set[int] = set()  # answered in this pass, errors too
        self.stopped: set[str] = set()  # batches that were asked to stop
        self.trouble = ""  # the first sentence on a batch that failed

    async def finish(self) -> Ended:
        await self._collect(await self._under_way())
        stop = self.trouble or await self._ask_rest()
        left = len(self._open())
        if stop:
            return Ended(Event.STOPPED, stop)
        if left and self._cancel_wanted():
            return Ended(Event.CANCELLED, "cancelled; what was answered is kept")
        if left:
            reason = f"{left} questions came back unanswered, as from a batch that ran out of time"
            return Ended(Event.STOPPED, f"{reason}; resume to ask them again.")
        return Ended(Event.FINISHED, "")

    async def _ask_rest(self) -> str:
        """Ask what no batch has asked; returns a sentence if that had to stop."""
        sent = await self._ask_first() if self._open() and not self._cancel_wanted() else None
        if isinstance(sent, str):
            return sent
        waiting = self._open()
        if sent is None or not waiting or self._cancel_wanted():
            return ""
        limit = read_limit(sent) or self.plan.max_tokens
        chosen = waiting[: self.money.count_affordable(waiting, limit)]
        _, failed = answered_and_failed(self.store, self.run.id)
        lines = [
            write_line(
                write_id(self.run.id, position, failed.get(position, 0) + 1),
                self.client.endpoint.model,
                self.task.text(position),
                sent,
            )
            for position in chosen
        ]
        jobs: list[str] = []
        remaining = iter(chosen)
        for chunk in split(lines):
            positions = list(itertools.islice(remaining, len(chunk)))
            jobs.append(await self._send(chunk, positions, sent, limit))
        await self._collect(jobs)
        if self.trouble or len(chosen) == len(waiting):
            return self.trouble
        return self.money.explain_stop()

    async def _send(
        self, lines: list[bytes], positions: list[int], sent: Mapping[str, Any], limit: int
    ) -> str:
        """Start a batch of these lines; returns its id."""
        file = await self.client.upload(lines)
        with self.money.set_aside(file, positions, limit):
            job = await self.client.start(self.run.id, file, sent)
        batches.started(self.store, self.run.id, file, job.id)
        self._note(job, "sent", f"{len(lines)} requests, at half the list price")
        return job.id

    async def _ask_first(self) -> Mapping[str, Any] | str | None:
        """Ask open questions directly until one brings a reply; returns the parameters that were
        taken, a sentence if asking has to stop, or None if no question is left."""
        for position in self._open()[:TRIES]:
            got = await self.money.ask(self.ask, position)
            if got is None:
                return self.money.explain_stop()
            _, failed = answered_and_failed(self.store, self.run.id)
            await self._keep([(position, failed.get(position, 0) + 1, got)])
            if isinstance(got, Reply):
                return got.sent
            if wish := asks_to_come_back(got):
                return wish
        return f"{got} None of the first questions brought a reply." if self._open() else None

    async def _under_way(self) -> list[str]:
        """Ids of the batches whose answers have not been collected."""
        stored_ids = {batch.id for batch in batches.of_run(self.store, self.run.id)}
        for job in await self.client.find(self.run.id, self.run.at.replace(tzinfo=UTC)):
            if job.id not in stored_ids:
                batches.started(self.store, self.run.id, job.input_file, job.id)
                self._note(job, "sent", "found at the endpoint")
        stored_batches = batches.of_run(self.store, self.run.id)
        return [batch.id for batch in stored_batches if batch.id and not batch.collected]

    async def _collect(self, pending: Sequence[str]) -> None:
        """Wait for batches to end and keep their answers; a request to cancel is passed on."""
        wait = self.first_wait
        while pending:
            jobs = [await self.client.read_batch(batch_id) for batch_id in pending]
            for job in jobs:
                if job.ended:
                    await self._take(job)
                elif self._cancel_wanted() and job.id not in self.stopped:
                    await self.client.cancel(job.id)
                    self.stopped.add(job.id)
                else:
                    self.on_news(f"Batch {job.id}: {job.status}, {job.done} of {job.total}.")
            pending = [job.id for job in jobs if not job.ended]
            if pending:
                await self._pause(wait)
                wait = min(wait * 1.5, LONGEST_WAIT)

    async def _take(self, job: BatchJob) -> None:
        """Keep what an ended batch brought, and nothing that is kept already."""
        done, failed = answered_and_failed(self.store, self.run.id)
        refused: EndpointRefusedError | None = None
        replies = []
        came: dict[int, Reply | EndpointError] = {}
        unasked: set[int] = set()
        for request_id, got in await self.client.read(job, self.task.size, self._prompt_of):
            position, attempt = read_id(self.run.id, request_id, self.task.size) or (0, 0)
            if position in done or position in came or attempt <= failed.get(position, 0):
                continue  # a line that comes twice counts once
            if got is None:
                unasked.add(position)
                continue
            came[position] = got
            if isinstance(got, EndpointRefusedError):
                refused = got
            else:
                replies.append((position, attempt, got))
        await self._keep(replies)
        batches.collected(self.store, self.run.id, job.id)
        self._note(job, "done", f"{job.status}, {len(replies)} answers saved")
        self.money.settle(job, came, unasked - came.keys())
        if refused or job.status == "failed":
            self.trouble = self.trouble or str(
                refused or explain_failure(job, self.client.endpoint)
            )

    def _prompt_of(self, request_id: str) -> str | None:
        place = read_id(self.run.id, request_id, self.task.size)
        return None if place is None else self.task.text(place[0])

    def _open(self) -> list[int]:
        done, _ = answered_and_failed(self.store, self.run.id)
        return [p for p in self.part if p not in done and p not in self.tried]

    async def _keep(self, got: Sequence[tuple[int, int, Reply | EndpointError]]) -> None:
        answers = [
            read_reply(
                position,
                attempt,
                self.task.text(position),
                self.task,
                reply,
            )
            for position, attempt, reply in got
        ]
        add_answers(self.store, self.run.id, answers)
        await asyncio.to_thread(self.on_stored, answers)  # it may take long
        self.tried |= {position for position, _, _ in got}
        self.on_answers(len(answers))

    def _note(self, job: BatchJob, what: str, detail: str) -> None:
        self.on_news(f"Batch {job.id} {what}: {detail}.")
        # The newest event is the run's state: a request to cancel must not be talked over.
        event = Event.CANCEL_REQUESTED if self._cancel_wanted() else Event.STARTED
        runs.note(self.store, self.run.id, event, f"batch {job.id} {what}: {detail}")

    def _cancel_wanted(self) -> bool:
        if not self.cancelled.is_set():
            since = runs.events(self.store, self.run.id)[self.began :]
            if any(event is Event.CANCEL_REQUESTED for event, _, _ in since):
                self.cancelled.set()
        return self.cancelled.is_set()

    async def _pause(self, seconds: float) -> None:
        """Wait, but no longer than until a request to cancel."""
        if self.cancelled.is_set():
            await asyncio.sleep(seconds)
            return
        end = asyncio.get_running_loop().time() + seconds
        while (left := end - asyncio.get_running_loop().time()) > 0 and not self._cancel_wanted():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.cancelled.wait(), min(left, CANCEL_SECONDS))


def write_id(run_id: str, position: int, attempt: int) -> str:
    """The name of an attempt at a question."""
    return f"{run_id}:{position}:{attempt}"


def read_id(run_id: str, request_id: str, size: int) -> tuple[int, int] | None:
    """Which of ``size`` questions of a run, and which attempt at it, a request was for; None if the
    request is not of this run."""
    match = re.fullmatch(rf"{re.escape(run_id)}:(\d{{1,9}}):(\d{{1,4}})", request_id)
    if match is None or int(match[1]) >= size:
        return None
    return int(match[1]), int(match[2])
