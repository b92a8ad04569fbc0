"""Money for a run by batch: at the full price for its direct calls, and for batches under way.

A batch is paid for whether or not its answers arrive. The most that its lines can cost is set aside
before it is started; the lines that come back free theirs, and the rest counts as lost. How much
that was is saved, because another process may collect the batch.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from dcq.asking.ledger import Ledger, answered_usd, cost_usd, explain_rest, save, worst_cost_usd
from dcq.errors import EndpointError, NoMoreCallsError, RequestRejectedError
from dcq.models.batch import PRICE_SHARE
from dcq.models.batch_file import BatchJob
from dcq.records import Ask, Reply
from dcq.store import Store, batches, earlier_prices, runs
from dcq.store.runs import StoredRun

_FULL_PRICE = 1 / PRICE_SHARE  # in prices of the plan, which are those of a batch


@dataclass(frozen=True)
class SetAside:
    """What was set aside for a batch: for how many ``questions``, with replies of at most ``limit``
    tokens, and how many ``usd``; ``earlier`` is its price where that is not the run's any more."""

    questions: int
    limit: int
    usd: float
    earlier: tuple[float, float] | None = None


class BatchMoney:
    """The ledger of a run by batch. ``prompt_of`` is the prompt of the question at a position."""

    def __init__(
        self, store: Store, run: StoredRun, ledger: Ledger, prompt_of: Callable[[int], str]
    ) -> None:
        self._store, self._run, self._plan = store, run.id, run.plan
        self._ledger, self._prompt_of = ledger, prompt_of

    async def ask(self, ask: Ask, position: int) -> Reply | RequestRejectedError | None:
        """Ask a question directly and return the reply; None, without a call, where the call could
        pass the budget.

        Raises any EndpointError but RequestRejectedError, which is returned; what its calls took is
        counted.
        """
        prompt = self._prompt_of(position)
        worst = self._ledger.worst_usd(prompt) * _FULL_PRICE
        if not self._ledger.fits(worst):
            return None
        got: Reply | RequestRejectedError
        with self._ledger.reserve(worst, times=_FULL_PRICE) as reserved:
            try:
                got = await ask(prompt)
            except EndpointError as error:
                self._ledger.settle(reserved, error.tokens_in, error.tokens_out, error.calls)
                if not isinstance(error, RequestRejectedError):
                    raise
                return error
        self._ledger.settle(reserved, got.tokens_in, got.tokens_out, 1)
        return got

    def count_affordable(self, positions: Sequence[int], limit: int) -> int:
        """How many questions, from the first on, fit into what is left of budget and calls, where
        a reply has at most ``limit`` tokens; all of them where there is neither."""
        most = len(positions)
        if self._plan.max_calls is not None:
            most = min(most, max(0, self._plan.max_calls - self._ledger.calls))
        usd, limit = 0.0, self._most_tokens(limit)
        for count, position in enumerate(positions[:most]):
            usd += worst_cost_usd(self._plan, self._prompt_of(position), limit)
            if not self._ledger.fits(usd):
                return count
        return most

    def _most_tokens(self, limit: int) -> int:
        """How long a reply can be that is asked for with this limit, by what is known of the
        model."""
        return max(limit, self._plan.max_tokens + self._ledger.over_limit)

    @contextmanager
    def set_aside(self, file: str, positions: Sequence[int], limit: int) -> Iterator[None]:
        """Set aside what a batch of these questions can cost; the batch is started within the
        block. If it raises an EndpointError that says that no batch was started, the money is given
        back."""
        limit = self._most_tokens(limit)
        worst = sum(worst_cost_usd(self._plan, self._prompt_of(p), limit) for p in positions)
        held = SetAside(len(positions), limit, round(worst, 9))
        batches.set_aside(
            self._store,
            self._run,
            file,
            requests=held.questions,
            reply_tokens=limit,
            usd=held.usd,
        )
        self._change(held.questions, held.usd)
        try:
            yield
        except EndpointError as error:
            if not error.calls:
                self._change(-held.questions, -held.usd)
            raise

    def settle(
        self,
        job: BatchJob,
        came: Mapping[int, Reply | EndpointError],
        unasked: Collection[int],
    ) -> None:
        """Count what an ended batch has cost. ``came`` are the replies by position, already saved;
        the questions in ``unasked`` were never asked, and what was set aside for them is free
        again. What was set aside for the others stays spent."""
        held = self._find(job)
        plan = self._plan
        tokens_in = sum(reply.tokens_in for reply in came.values())
        tokens_out = sum(reply.tokens_out for reply in came.values())
        if held is not None and held.earlier is not None:
            plan = replace(plan, price_in=held.earlier[0], price_out=held.earlier[1])
            earlier_prices.add(self._store, self._run, held.earlier, tokens_in, tokens_out)
        took = cost_usd(plan, tokens_in, tokens_out)
        if held is None:
            calls, usd = len(came), took
        elif job.status == "failed":  # and charged nothing for what it did not answer
            calls, usd = len(came) - held.questions, took - held.usd
        else:
            back = {*came, *unasked}
            free = sum(
                worst_cost_usd(plan, self._prompt_of(position), held.limit) for position in back
            )
            # A batch that reports lines it was not given frees no other's money.
            calls, usd = -min(held.questions, len(unasked)), took - min(held.usd, free)
        spent = runs.spent(self._store, self._run)
        answered = answered_usd(self._plan, spent)
        self._change(calls, max(usd, answered - self._ledger.usd))

    def explain_stop(self) -> str:
        """Why not all questions were sent, as a sentence; empty where more may be sent."""
        try:
            self._ledger.check()
        except NoMoreCallsError as error:
            return str(error)
        lost_usd = save(self._store, self._run, self._plan, self._ledger)
        budget_usd = self._plan.budget_usd
        return "" if budget_usd is None else explain_rest(budget_usd, lost_usd)

    def _find(self, job: BatchJob) -> SetAside | None:
        """What was set aside for a batch; None where nothing was, as by an earlier release."""
        for stored_batch in batches.of_run(self._store, self._run):
            is_of_job = (
                stored_batch.id == job.id
                if stored_batch.id
                else stored_batch.file == job.input_file
            )
            if is_of_job and stored_batch.requests is not None:
                questions = min(stored_batch.requests, self._plan.items)
                return SetAside(
                    questions,
                    stored_batch.reply_tokens or 0,
                    stored_batch.usd or 0.0,
                    earlier_prices.price_of_batch(self._store, self._run, stored_batch.file),
                )
        return None

    def _change(self, calls: int, usd: float) -> None:
        self._ledger.change(calls, usd)
        save(self._store, self._run, self._plan, self._ledger)
