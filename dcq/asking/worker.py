"""Asks one run: its questions, many calls in flight, answers stored as they land.

An answer is written as it comes; where many come, those of a short while go together, so that
writing takes a quarter of the time at most. At least every half second the worker writes what there
is and looks whether it is to stop. Killed at any moment it has lost at most that half second.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import time
from collections.abc import Iterator, Sequence

from dcq.asking.give_up import GiveUp, asks_to_come_back
from dcq.asking.ledger import Ledger, Reservation
from dcq.asking.read_reply import read_reply
from dcq.asking.session import Session
from dcq.asking.task import Ended
from dcq.errors import EndpointError, EndpointRefusedError, NoMoreCallsError, StoreError
from dcq.jobs.journal import Journal
from dcq.records import Answer, Reply
from dcq.store import runs
from dcq.store.answers import add_answers, answered_and_failed
from dcq.store.runs import Event, StoredRun

FLUSH_SECONDS = 0.5
FLUSH_ANSWERS = 200
REST = 3  # times as long as writing took, until the next write: what came meanwhile goes together
MOST_BEHIND = 400  # answers that wait to be written while more is asked
LOOK_SECONDS = 0.05  # between looks at money that other runs may free
LAST_TRIES = 4  # to write the last answers of a run, each for as long as the store is patient


async def work(session: Session) -> Ended:
    """Ask what is left of a run; returns when nothing is left, or when it is told or forced to
    stop. The caller holds the run's lock."""
    store, run_id, stages = session.store, session.run, session.stages
    journal = session.journal or Journal(store, run_id)
    with _spared_from_collection():
        run = runs.load(store, run_id)
        runs.note(store, run_id, Event.STARTED)
        ledger = session.ledger or Ledger(run.plan, runs.spent(store, run_id))
        cancelled = session.watch.cancelled or asyncio.Event()
        ended = Ended(Event.FINISHED, stages.ended if stages else "")
        parts = iter(stages.parts if stages else [range(run.plan.items)])
        begun = False
        while (part := await asyncio.to_thread(next, parts, None)) is not None:
            asking = _Asking(session, run, ledger, cancelled, journal, part)
            if not begun:
                open_ = len(asking.open)
                journal.write("started", model=run.plan.model, open=open_, of=run.plan.items)
                begun = True
            ended = await asking.finish()
            if stages is None or ended.event is not Event.FINISHED:
                break
            if reason := await asyncio.to_thread(stages.look):
                ended = Ended(Event.FINISHED, reason)
                break
        if stages and stages.cancelled and ended.event is Event.CANCELLED:
            ended = Ended(Event.CANCELLED, stages.cancelled)
        runs.note(store, run_id, ended.event, ended.detail)
        journal.write(str(ended.event), detail=ended.detail)
        return ended


@contextlib.contextmanager
def _spared_from_collection() -> Iterator[None]:
    """Leave what exists (libraries, mostly) out of Python's search for cycles: it takes an eighth
    of a run's time, and finds nothing there."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


class _Asking:
    """The state of one pass over the open questions of a part of a run."""

    def __init__(
        self,
        session: Session,
        run: StoredRun,
        ledger: Ledger,
        cancelled: asyncio.Event,
        journal: Journal,
        part: Sequence[int],
    ) -> None:
        self.store, self.run, self.plan, self.ledger = session.store, run, run.plan, ledger
        self.task, self.ask, self.on_stored = session.task, session.ask, session.on_stored
        self.cancelled, self.journal = cancelled, journal
        self.on_answers = session.watch.on_answers
        done, self.failed = answered_and_failed(session.store, run.id)
        self.open = [p for p in part if p not in done]
        self.give_up = GiveUp(replied=bool(done))
        self.fresh: list[Answer] = []
        self.stop: Ended | None = None
        self.wake = asyncio.Event()
        self.idle = False  # the writer: it waits for an answer
        self.in_flight = 0  # calls, those that wait for leave included
        self.released = asyncio.Event()
        self.unkept = 0  # answers that are being written
        self.kept = asyncio.Event()

    async def finish(self) -> Ended:
        positions = iter(self.open)
        # The first questions go alone: a wrong key or model then costs one call, not a crowd.
        first = asyncio.create_task(self._first(positions))
        workers = [
            first,
            *(
                asyncio.create_task(self._worker(positions, after=first))
                for _ in range(min(self.plan.concurrency, len(self.open) - 1))
            ),
        ]
        writer = asyncio.create_task(self._write_until(workers))
        try:
            await asyncio.gather(*workers)
        except BaseException:
            for task in workers:
                task.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            raise
        finally:
            self.wake.set()
            await writer
        if reason := self.give_up.sum_up():
            self._end(Event.STOPPED, reason)
        return self.stop or Ended(Event.FINISHED, "")

    async def _first(self, positions: Iterator[int]) -> None:
        """Ask one after the other until a question brings a reply."""
        for position in positions:
            await self._worker(iter([position]))
            if self.give_up.replied or self._stopping():
                return

    async def _worker(
        self, positions: Iterator[int], after: asyncio.Task[None] | None = None
    ) -> None:
        if after:
            await asyncio.wait([after])
        for position in positions:
            if self._stopping():
                return
            text = self.task.text(position)
            await self._keep_up()
            if not await self._wait_for_money(text):
                return
            with self.ledger.reserve(self.ledger.worst_usd(text)) as reserved:
                try:
                    answer = await self._answer(position, text)
                except EndpointRefusedError as error:
                    self._end(Event.STOPPED, str(error))
                    self._settle(reserved, error)
                    return
            self._settle(reserved, answer)
            if reason := self.give_up.heed(answer):
                self._end(Event.STOPPED, reason)
            self.fresh.append(answer)
            if self.idle or len(self.fresh) >= FLUSH_ANSWERS:
                self.wake.set()

    def _stopping(self) -> bool:
        """Whether nothing more is to be asked."""
        if self.cancelled.is_set():
            self._end(Event.CANCELLED, "cancelled; what was answered is kept")
        return self.stop is not None

    def _end(self, event: Event, detail: str) -> None:
        """Ask nothing more, and let calls that wait go; the first reason stands."""
        self.stop = self.stop or Ended(event, detail)
        self.ledger.close()

    async def _answer(self, position: int, text: str) -> Answer:
        began = time.monotonic()
        got: Reply | EndpointError
        try:
            got = await self.ask(text)
        except EndpointRefusedError as error:
            # Calls that came to nothing before the cap was reached have been made and are counted.
            if not (isinstance(error, NoMoreCallsError) and error.calls):
                raise
            self._end(Event.STOPPED, str(error))
            got = error
        except EndpointError as error:
            if wish := asks_to_come_back(error):
                self._end(Event.STOPPED, wish)
            got = error
        return read_reply(
            position,
            self.failed.get(position, 0) + 1,
            text,
            self.task,
            got,
            waited=time.monotonic() - began,
        )

    async def _write_until(self, workers: list[asyncio.Task[None]]) -> None:
        pause = 0.0
        while not all(task.done() for task in workers):
            await self._rest(pause)
            began, writes = time.monotonic(), bool(self.fresh)
            try:
                await self._flush()
            except StoreError as error:  # ask nothing that could not be kept
                self.stop = None
                self._end(Event.STOPPED, str(error))
            except Exception:
                self._end(Event.STOPPED, "answers could not be kept")
                raise
            pause = min(FLUSH_SECONDS, REST * (time.monotonic() - began)) if writes else 0.0
            self._stopping()  # a wish to cancel lets the calls go that wait
        for tries_left in reversed(range(LAST_TRIES)):
            if self.fresh:
                try:
                    await self._flush()
                except StoreError:
                    if not tries_left:
                        raise

    async def _rest(self, seconds: float) -> None:
        """Wait for so long, then for an answer if there is none yet."""
        if await self._woken_within(seconds) or self.fresh:
            return
        self.idle = True
        await self._woken_within(FLUSH_SECONDS - seconds)
        self.idle = False

    async def _woken_within(self, seconds: float) -> bool:
        woken = False
        with contextlib.suppress(TimeoutError):
            woken = await asyncio.wait_for(self.wake.wait(), seconds)
        self.wake.clear()
        return woken

    async def _flush(self) -> None:
        batch, self.fresh = self.fresh, []
        self.unkept = len(batch)
        try:
            event = await asyncio.to_thread(self._store, batch)
        except BaseException:
            self.fresh = batch + self.fresh  # tried again when the last call is back
            raise
        finally:
            self.unkept = 0
            self.kept.set()
        if event is Event.CANCEL_REQUESTED:
            self.cancelled.set()
        if not batch:
            return
        self.journal.batch(batch)
        self.on_answers(len(batch))

    def _store(self, batch: list[Answer]) -> Event:
        event = add_answers(self.store, self.run.id, batch)
        if batch:
            self.on_stored(batch)
        return event

    async def _keep_up(self) -> None:
        """Wait while the store is behind: what is asked now would be lost with this process."""
        while len(self.fresh) + self.unkept >= MOST_BEHIND and not self._stopping():
            self.kept.clear()
            await self.kept.wait()

    async def _wait_for_money(self, text: str) -> bool:
        """Wait until the most that a call can cost is there, then count it as in flight; False if
        it could pass the budget even when all calls in flight are back, which as a rule cost less
        than was set aside for them."""
        while not self.ledger.fits(worst := self.ledger.worst_usd(text)):
            if not self.in_flight and not self.ledger.others_in_flight:
                self._end(Event.STOPPED, self.ledger.explain_budget(worst))
            if self._stopping():
                return False
            if not self.in_flight:  # nobody tells when other runs free some
                await asyncio.sleep(LOOK_SECONDS)
                continue
            self.released.clear()
            await self.released.wait()
        if self._stopping():  # since this worker began to wait
            return False
        self.in_flight += 1
        return True

    def _settle(self, reserved: Reservation, took: Answer | EndpointError) -> None:
        """The calls of a question are back: free what they did not take of what was set aside."""
        self.in_flight -= 1
        self.ledger.settle(reserved, took.tokens_in, took.tokens_out, took.calls)
        self.released.set()
