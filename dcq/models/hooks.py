"""What whoever has a model asked wants a say in, or wants to hear of, at each call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dcq.errors import EndpointError
from dcq.models.pacing.pace import Pace
from dcq.models.pacing.rate_limit import Check, go_on
from dcq.models.usage import Usage


@dataclass(frozen=True)
class Retry:
    """A call that will be made again: shown to whoever watches."""

    error: EndpointError
    number: int  # 1 for the first retry of this prompt
    wait: float  # seconds


def _ignore(news: object) -> None:
    """The hook of whoever does not want to know."""


@dataclass(frozen=True)
class Hooks:
    """``pace`` may be shared by several clients of one provider (``pace_for``); None is one without
    limits a minute. ``check`` is asked while a call waits and before it is made, and prevents it by
    an exception; ``on_call`` hears of every call before it is made, with the most that it can take
    (``Meter.announce``), and may prevent it likewise; ``on_retry`` hears of every retry before its
    wait."""

    pace: Pace | None = None
    check: Check = go_on
    on_call: Callable[[Usage], None] = _ignore
    on_retry: Callable[[Retry], None] = _ignore


NO_HOOKS = Hooks()
