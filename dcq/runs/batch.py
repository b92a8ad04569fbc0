"""A run asked by the Batch API: half the price, within a day, by whichever process is there.

The first open question is asked directly. A wrong model then costs one call and not a day, and what
parameters the model takes is known before thousands of questions are written down.

A batch outlives the process that sent it. Its id is noted in the run's history, and should the
process die before it could, the endpoint still knows which run a batch is for.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from typing import Any

from dcq.errors import EndpointError, EndpointRefusedError, RequestRejectedError
from dcq.models.batch import PRICE_SHARE, BatchClient, explain_failure
from dcq.models.batch_file import Job, split, write_line
from dcq.models.endpoints import Endpoint
from dcq.records import Reply
from dcq.runs import prepare
from dcq.runs.budget import count_affordable, explain_stop
from dcq.runs.calls import Ask
from dcq.runs.filing import file_reply
from dcq.runs.prepare import NO_TERMS, Terms
from dcq.runs.worker import Ended, rebuild_prompt
from dcq.store import Store, quizzes, runs
from dcq.store.quizzes import StoredQuiz
from dcq.store.runs import Event, Plan, StoredRun

PLANNED = "by batch, at half the list price"
LONGEST_WAIT = 60.0  # seconds between two looks at a batch
CANCEL_SECONDS = 2.0  # how soon a wish to cancel is seen
TRIES = 5  # questions asked directly until one brings a reply

_NOTE = re.compile(r"batch (\S+) (sent|done):")


async def probe(endpoint: Endpoint) -> None:
    """Raise ModelChoiceError where the endpoint has no Batch API."""
    async with BatchClient(endpoint) as client:
        await client.probe()


def plan_run(store: Store, quiz_id: str, endpoint: Endpoint, terms: Terms = NO_TERMS) -> str:
    """Keep a new run that will be asked by batch; returns its id."""
    run_id = prepare.plan_run(store, quiz_id, endpoint, terms, price_share=PRICE_SHARE)
    runs.note(store, run_id, Event.PLANNED, PLANNED)
    return run_id


def is_batch(store: Store, run_id: str) -> bool:
    """Whether the run was planned to be asked by batch."""
    return any(detail == PLANNED for _, detail, _ in runs.events(store, run_id))


async def work(
    store: Store,
    run_id: str,
    ask: Ask,
    client: BatchClient,
    *,
    cancelled: asyncio.Event | None = None,
    on_answers: Callable[[int], None] | None = None,
    on_news: Callable[[str], None] | None = None,
    first_wait: float = 1.0,
) -> Ended:
    """Collect the batches of a run that are under way, then send what is left and wait for it.

    ``ask`` sends the first question; ``cancelled`` may be set from outside; ``on_answers`` hears
    how many answers were kept, ``on_news`` what becomes of each batch. ``first_wait`` is seconds
    before the first look at a batch, growing to a minute. Whoever calls this holds the run's lock.
    """
    run = runs.load(store, run_id)
    quiz = quizzes.load(store, run.plan.quiz_id)
    runs.note(store, run_id, Event.STARTED)
    batching = _Batching(store, run, quiz, ask, client)
    batching.cancelled = cancelled or batching.cancelled
    batching.on_answers = on_answers or batching.on_answers
    batching.on_news = on_news or batching.on_news
    batching.first_wait = first_wait
    try:
        ended = await batching.finish()
    except EndpointError as error:
        ended = Ended(Event.STOPPED, str(error))
    runs.note(store, run_id, ended.event, ended.detail)
    return ended


class _Batching:
    """The state of one pass over a run's open questions."""

    def __init__(
        self, store: Store, run: StoredRun, quiz: StoredQuiz, ask: Ask, client: BatchClient
    ) -> None:
        self.store, self.run, self.quiz, self.ask, self.client = store, run, quiz, ask, client
        self.plan = run.plan
        self.cancelled = asyncio.Event()
        self.on_answers: Callable[[int], None] = lambda count: None
        self.on_news: Callable[[str], None] = lambda sentence: None
        self.first_wait = 1.0
        self.began = len(runs.events(store, run.id))
        self.tried: set[int] = set()  # answered in this pass, errors too
        self.stopped: set[str] = set()  # batches that were told to stop
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
            return Ended(
                Event.STOPPED,
                f"{left} questions came back unanswered, as from a batch that ran out of time; "
                "resume to ask them again.",
            )
        return Ended(Event.FINISHED, "")

    async def _ask_rest(self) -> str:
        """Ask what no batch has asked; returns a sentence if that had to stop."""
        sent = await self._ask_first() if self._open() and not self._cancel_wanted() else None
        if isinstance(sent, str):
            return sent
        waiting = self._open()
        if sent is None or not waiting or self._cancel_wanted():
            return ""
        most = int(sent.get("max_completion_tokens", sent.get("max_tokens", self.plan.max_tokens)))
        chosen = waiting[: self._affordable(self.plan, waiting, most)]
        _, failed = runs.settled(self.store, self.run.id)
        lines = [
            write_line(
                f"{self.run.id}:{position}:{failed.get(position, 0) + 1}",
                self.client.endpoint.model,
                self._prompt(position),
                sent,
            )
            for position in chosen
        ]
        jobs = []
        for chunk in split(lines):
            job = await self.client.submit(self.run.id, chunk, sent)
            self._note(job, "sent", f"{len(chunk)} questions, at half the list price")
            jobs.append(job.id)
        await self._collect(jobs)
        if self.trouble or len(chosen) == len(waiting):
            return self.trouble
        return self._over_budget()

    async def _ask_first(self) -> Mapping[str, Any] | str | None:
        """Ask open questions directly until one brings a reply; returns the parameters that were
        taken, a sentence if asking has to stop, or None if no question is left."""
        for position in self._open()[:TRIES]:
            if not self._affordable(_at_full_price(self.plan), [position], self.plan.max_tokens):
                return self._over_budget()
            got: Reply | EndpointError
            try:
                got = await self.ask(self._prompt(position))
            except RequestRejectedError as error:
                got = error
            _, failed = runs.settled(self.store, self.run.id)
            self._keep([(position, failed.get(position, 0) + 1, got)])
            if isinstance(got, Reply):
                return got.sent
        return f"{got} None of the first questions brought a reply." if self._open() else None

    async def _under_way(self) -> list[str]:
        """Ids of the batches whose answers have not been collected."""
        noted = [_NOTE.match(detail) for _, detail, _ in runs.events(self.store, self.run.id)]
        sent = [note[1] for note in noted if note and note[2] == "sent"]
        done = {note[1] for note in noted if note and note[2] == "done"}
        for job in await self.client.find(self.run.id, self.run.at.replace(tzinfo=UTC)):
            if job.id not in sent:
                self._note(job, "sent", "found at the endpoint")
                sent.append(job.id)
        return [batch_id for batch_id in sent if batch_id not in done]

    async def _collect(self, pending: Sequence[str]) -> None:
        """Wait for batches to end and keep their answers; a wish to cancel is passed on."""
        wait = self.first_wait
        while pending:
            jobs = [await self.client.look(batch_id) for batch_id in pending]
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

    async def _take(self, job: Job) -> None:
        """Keep what an ended batch brought, and nothing that is kept already."""
        done, failed = runs.settled(self.store, self.run.id)
        refused: EndpointRefusedError | None = None
        kept = []
        for request_id, got in await self.client.read(job):
            place = re.fullmatch(rf"{re.escape(self.run.id)}:(\d{{1,9}}):(\d{{1,4}})", request_id)
            if place is None:
                continue
            position, attempt = int(place[1]), int(place[2])
            if position in done or attempt <= failed.get(position, 0):
                continue
            if isinstance(got, EndpointError):
                got.calls = 1  # a line of a batch is a call
            if isinstance(got, EndpointRefusedError):
                refused = got
            elif position < len(self.quiz.items):
                kept.append((position, attempt, got))
                failed[position] = attempt  # a line that comes twice counts once
        self._keep(kept)
        self._note(job, "done", f"{job.status}, {len(kept)} answers kept")
        if refused or job.status == "failed":
            self.trouble = self.trouble or str(
                refused or explain_failure(job, self.client.endpoint)
            )

    def _open(self) -> list[int]:
        done, _ = runs.settled(self.store, self.run.id)
        return [p for p in range(self.plan.items) if p not in done and p not in self.tried]

    def _prompt(self, position: int) -> str:
        return rebuild_prompt(self.plan, self.quiz, self.quiz.items[position])

    def _keep(self, got: Sequence[tuple[int, int, Reply | EndpointError]]) -> None:
        answers = [
            file_reply(
                position,
                attempt,
                self._prompt(position),
                len(self.quiz.items[position].options),
                reply,
            )
            for position, attempt, reply in got
        ]
        runs.add_answers(self.store, self.run.id, answers)
        self.tried |= {position for position, _, _ in got}
        self.on_answers(len(answers))

    def _note(self, job: Job, what: str, detail: str) -> None:
        # The newest event is the run's state: a wish to cancel must not be talked over.
        event = Event.CANCEL_REQUESTED if self._cancel_wanted() else Event.STARTED
        runs.note(self.store, self.run.id, event, f"batch {job.id} {what}: {detail}")
        self.on_news(f"Batch {job.id} {what}: {detail}.")

    def _cancel_wanted(self) -> bool:
        if not self.cancelled.is_set():
            since = runs.events(self.store, self.run.id)[self.began :]
            if any(event is Event.CANCEL_REQUESTED for event, _, _ in since):
                self.cancelled.set()
        return self.cancelled.is_set()

    async def _pause(self, seconds: float) -> None:
        """Wait, but no longer than until somebody wishes to cancel."""
        if self.cancelled.is_set():
            await asyncio.sleep(seconds)
            return
        end = asyncio.get_running_loop().time() + seconds
        while (left := end - asyncio.get_running_loop().time()) > 0 and not self._cancel_wanted():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.cancelled.wait(), min(left, CANCEL_SECONDS))

    def _affordable(self, plan: Plan, positions: Sequence[int], max_tokens: int) -> int:
        spent = runs.spent(self.store, self.run.id)
        return count_affordable(plan, spent, map(self._prompt, positions), max_tokens)

    def _over_budget(self) -> str:
        return explain_stop(self.plan, runs.spent(self.store, self.run.id))


def _at_full_price(plan: Plan) -> Plan:
    """The plan of a call that no batch makes."""
    if plan.price_in is None or plan.price_out is None:
        return plan
    return replace(
        plan, price_in=plan.price_in / PRICE_SHARE, price_out=plan.price_out / PRICE_SHARE
    )
