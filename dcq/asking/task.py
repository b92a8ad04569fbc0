"""The interface between the engine and a method: which requests a run makes, and how a reply is
read.

A method is plugged in by a ``Method``, which gives a ``Task`` for each run. Pace, retries, budgets,
batches, reuse, cancelling and resuming belong to the engine and are the same for all methods.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from dcq import settings
from dcq.asking.exclusive import Exclusive
from dcq.asking.prompt import Prompt
from dcq.errors import InputError
from dcq.models.endpoints import Endpoint, resolve
from dcq.models.hooks import Hooks
from dcq.models.pacing.limits import Limits, find_limits
from dcq.records import Answer, Ask, Mode, Reading, Reply
from dcq.store import Store
from dcq.store.runs import Event, Plan


class Task(Protocol):
    """The requests of one run, by position from 0."""

    @property
    def size(self) -> int:
        """How many requests there are."""

    def count_first(self, limit: int) -> int:
        """How many requests the first ``limit`` instances take, never part of one."""

    def text(self, position: int) -> str:
        """Exactly what is sent. The same for as long as the run exists: a hash of it is kept with
        each answer. Raises InputError where this release cannot write it any more."""

    def read(self, position: int, reply: Reply) -> Reading:
        """The outcome of a reply to this request, and its value."""


@dataclass(frozen=True)
class Proposal:
    """What a new run would ask: in which wording, which requests, about which sample."""

    prompt: Prompt
    task: Task
    sample_id: str


@dataclass(frozen=True)
class Stages:
    """The parts of a run, between which asking pauses.

    Each of ``parts`` holds the positions that are asked before the next pause; it is fetched when
    the part before it has been asked, so that it may depend on the replies. ``look`` then returns
    why the run is to end there, or an empty text. ``ended`` says why the run has ended already, so
    that nothing is left to ask; ``cancelled`` is the message of a cancelled run.
    """

    parts: Iterable[Sequence[int]]
    look: Callable[[], str] = str
    ended: str = ""
    cancelled: str = ""


@dataclass(frozen=True)
class Ended:
    """How asking a run ended, and the sentence for it. ``unusable`` says why no reply of a run that
    has finished can be used; empty where one can."""

    event: Event
    detail: str
    unusable: str = ""


@dataclass(frozen=True)
class ChainStep:
    """One run of a chain (``dcq.asking.chain``): ``endpoint`` is asked about ``subject`` by
    ``method``. ``run`` is None while it is not planned, ``limit`` (instances) None for all;
    ``name`` is its name for whoever watches. ``logprobs`` is False where those of a reply's first
    token say nothing, because the reply is a text."""

    method: Method
    subject: str
    endpoint: Endpoint
    run: str | None = None
    limit: int | None = None
    name: str = ""
    logprobs: bool = True


OnStored = Callable[[Collection[Answer] | None], None]  # ``Method.on_stored`` of one run


class Method(ABC):
    """A kind of run. ``subject`` is the id of what it asks about, for example a quiz."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name that is stored with each run."""

    @property
    def command(self) -> str:
        """The command that works on planned runs of this kind in a process of its own; if the
        method has none, ``ask`` with the method's name. A command that a page starts takes
        ``--run``, once for each run, and ``--limit``, ``--budget``, ``--max-calls`` and
        ``--reuse``."""
        return f"ask {self.name}"

    @property
    def gives_private(self) -> bool:
        """Whether it sends private wordings on purpose, named by whoever starts it."""
        return False

    @property
    def exclusive(self) -> Exclusive | None:
        """The lock under which runs of this kind are asked together with those that follow them;
        None where each run is asked by itself, and its own lock is enough."""
        return None

    @abstractmethod
    def propose(self, store: Store, subject: str, mode: Mode) -> Proposal:
        """What a new run asks. Raises InputError where there is no such subject, or it cannot be
        asked in this mode."""

    @abstractmethod
    def reopen(self, store: Store, plan: Plan) -> Task:
        """The requests of a run that was planned before, by any release."""

    def check_looks(self, store: Store, subject: str, endpoint: Endpoint) -> None:
        """Raise InputError where no early looks can be planned for this subject and model."""
        raise InputError(f"A {self.name} run is asked whole; leave the early looks out.")

    def plan_looks(self, store: Store, run_id: str, endpoint: Endpoint, *, futility: bool) -> None:
        """Keep when to look at a run that has asked nothing yet; ``futility`` lets it end as well
        where there is nothing to find."""
        raise InputError(f"A {self.name} run is asked whole; leave the early looks out.")

    def stages(
        self, store: Store, run_id: str, task: Task, note: Callable[..., None]
    ) -> Stages | None:
        """The stages at which asking a run pauses; None if it does not pause. ``note`` logs an
        event with its facts."""
        return None

    def on_stored(
        self, store: Store, run_id: str, task: Task, answers: Collection[Answer] | None
    ) -> None:
        """Write down what the method derives from answers that have just been stored. ``answers``
        is None when a run begins or goes on: then all stored answers are meant, because a process
        may have been killed in between. It may be called more than once for the same answers."""
        return

    @property
    def limited(self) -> bool:
        """Whether a run can ask about the first instances only, so that its command takes
        ``--limit``."""
        return True

    @property
    def reads_again(self) -> bool:
        """Whether a newer reader reads stored replies again: they are a model's own words, and
        nothing was made of them but the outcome and its value."""
        return True

    @property
    def follows(self) -> bool:
        """Whether the subject is another run, whose replies decide what is asked."""
        return False

    def take_up(self, store: Store, run_id: str) -> bool:
        """For a method that ``follows`` a run: list the requests that the replies so far call for.
        True if there are any."""
        return False

    def followers(self, store: Store, run_id: str) -> Iterator[ChainStep]:
        """The steps that are asked after a run of this kind, on the same budget. Each is fetched
        when the one before has finished, so that it may depend on its replies."""
        yield from ()

    def limits(self, endpoint: Endpoint) -> Limits:
        """The usual limits per minute of an endpoint, where a person gives none."""
        return find_limits(endpoint)

    def endpoint(self, model: str) -> Endpoint:
        """The endpoint that a model's name means. Raises ModelChoiceError where it cannot be
        used."""
        return resolve(model, settings.load())

    def asking(
        self, endpoint: Endpoint, plan: Plan, task: Task, *, logprobs: bool, hooks: Hooks
    ) -> AbstractAsyncContextManager[Ask]:
        """Open what answers the requests of a run, which are those of ``task``."""
        from dcq.asking.calls import asking  # here, because not every reader of results asks

        return asking(
            endpoint,
            temperature=plan.temperature,
            max_tokens=plan.max_tokens,
            logprobs=logprobs,
            hooks=hooks,
        )
