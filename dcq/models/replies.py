"""From a completion to a reply: the model's words without its thoughts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from dcq.models.completion import Completion
from dcq.models.prices import estimate_tokens
from dcq.models.quirks import REASONING_RESERVE, Quirks
from dcq.models.usage import Usage
from dcq.records import Reply
from dcq.said import Content, read_content

# How thoughts begin where the server's template has opened them, so that no mark does.
_LIKE_THOUGHT = re.compile(
    r"\s*(?:okay|ok|alright|hmm|let me|let's|first,|the user|we need|we are|we have|i need|so,"
    r"|好的|嗯|首先|用户|我们|хорошо|まず|ユーザー|사용자)\b|\s*(?:好的|嗯|首先|用户|我们|まず|ユーザー|사용자)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Said:
    """What a completion says. ``content`` is its text to the letter, None where it has none."""

    content: str | None
    read: Content

    @property
    def empty(self) -> bool:
        """Whether there is no reply in it."""
        return not self.read.text.strip()


def read_said(got: Completion, max_tokens: int) -> Said:
    """The reply in a completion that was to have at most ``max_tokens``. Some servers put a reply
    without a thought into the field for thoughts; it is one where it is no longer than a reply may
    be, and the model ended it."""
    text = got.text
    short = got.finish_reason == "stop" and estimate_tokens(got.reasoning or "") <= max_tokens
    if not (text or "").strip() and got.reasoning and short:
        text = got.reasoning
    return Said(text, read_content(text or ""))


@dataclass(frozen=True)
class Call:
    """One call that brought a completion: what it says, what was sent, and its seconds."""

    got: Completion
    said: Said
    sent: dict[str, object]
    seconds: float


class ReplyRoom:
    """The tokens beyond its limit that one question is asked with, because thinking takes some.
    What is found out of the endpoint is kept in its ``quirks``."""

    def __init__(self, quirks: Quirks) -> None:
        self.reserve = quirks.reserve
        self._quirks = quirks
        self._cut: Call | None = None

    def give(self, *, learn: bool) -> None:
        """Ask with room from now on; ``learn``: the next questions, too."""
        self.reserve = REASONING_RESERVE
        if learn:
            self._quirks.reserve = self.reserve

    def heard(self, call: Call) -> Call | None:
        """The call whose reply counts; None where the question is to be asked again with room."""
        if self._cut is not None:
            self._quirks.may_think = call.said.read.thought
            if not call.said.read.thought:
                return self._cut  # no thought was cut: the reply counts that had the usual limit
            self.give(learn=True)
        if self.reserve or call.got.finish_reason != "length":
            return call
        if call.said.empty:  # thinking used up the limit
            self.give(learn=call.got.reasoned or call.said.read.thought)
            return None
        if self._quirks.may_think and _LIKE_THOUGHT.match(call.said.read.text):
            self._cut = call
            self.give(learn=False)
            return None
        return call


def make_reply(
    got: Completion,
    said: Said,
    used: Usage,
    *,
    sent: Mapping[str, object],
    seconds: float,
    calls: int = 1,
) -> Reply:
    """The reply that methods read, from what its calls used and sent."""
    text = None if said.content is None else said.read.text
    return Reply(
        text=text,
        as_sent=None if text == said.content else said.content,
        finish_reason=got.finish_reason,
        refusal=got.refusal,
        tokens_in=used.tokens_in,
        tokens_out=used.tokens_out,
        usage_reported=used.reported,
        seconds=seconds,
        attempts=calls,
        sent=sent,
        # Of the first token, with which a thought begins and no answer.
        logprobs=None if said.read.thought else got.logprobs,
        served_model=got.served_model,
        fingerprint=got.fingerprint,
    )
