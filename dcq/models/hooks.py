"""Functions that the caller of a model passes in, to be called before each call and each retry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dcq.errors import EndpointError
from dcq.models.pacing.pace import Pace
from dcq.models.pacing.rate_limit import Check, go_on
from dcq.models.usage import Usage
from dcq.private_texts import PrivateTexts


@dataclass(frozen=True)
class Retry:
    """A call that will be made again; shown to whoever watches."""

    error: EndpointError
    number: int  # 1 for the first retry of this prompt
    wait: float  # seconds


def _ignore(news: object) -> None:
    """The hook of whoever does not want to know."""


@dataclass(frozen=True)
class Hooks:
    """The caller's functions. ``pace`` may be shared by several clients of one provider
    (``pace_for``); None has no limits a minute. ``check`` is called while a call waits and before
    it is made, and prevents it by an exception. ``on_call`` is called before every call, with the
    most that it can use (``Meter.announce``), and may prevent it likewise; ``on_retry`` is called
    before the wait of every retry. ``private`` texts are taken out of whatever comes back."""

    pace: Pace | None = None
    check: Check = go_on
    on_call: Callable[[Usage], None] = _ignore
    on_retry: Callable[[Retry], None] = _ignore
    private: tuple[PrivateTexts, ...] = ()


NO_HOOKS = Hooks()
