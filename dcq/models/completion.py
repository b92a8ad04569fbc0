"""Reading the body of a chat completion that any OpenAI-like endpoint sent with status 200."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dcq.models.choice import first_choice
from dcq.models.faults import Trouble, read_stated
from dcq.models.finish import FAILED, FILTERED, read_finish
from dcq.models.stated_errors import find_error
from dcq.models.usage_report import read_usage

# JSON can have a lone surrogate, as from an emoji that the token limit cut; it cannot be encoded as
# UTF-8.
_SURROGATE = re.compile(r"[\ud800-\udfff]")
LONGEST_NAME = 200  # characters
# Fields in which endpoints show what the model thought.
_REASONING = ("reasoning_content", "reasoning", "reasoning_details", "thinking", "thoughts")


@dataclass(frozen=True)
class Completion:
    """The result of one call. ``finish_reason`` is in the protocol's words, see ``read_finish``.
    Token counts are as reported by the endpoint, None if it reports none that can be a count;
    ``usage_agrees`` False says that its reports contradict each other, or give no total.
    ``reasoned``: the model produced hidden reasoning first, which is ``reasoning`` where the
    endpoint shows it; ``served_model`` and ``fingerprint``
    are what the endpoint reports."""

    text: str | None
    finish_reason: str
    refusal: str | None
    tokens_in: int | None
    tokens_out: int | None
    reasoned: bool
    logprobs: Mapping[str, float] | None
    served_model: str | None = None
    fingerprint: str | None = None
    usage_agrees: bool = True
    reasoning: str | None = None


def read_completion(body: bytes, headers: Mapping[str, str]) -> Completion | Trouble:
    """The completion, or what is wrong with it: an incomplete body, no choice, an error with status
    200 in place of a reply or beside one."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        if body.lstrip()[:1] == b"<":
            return Trouble(None, page=True)
        return Trouble(None, "sent a reply that is not valid JSON")
    if not isinstance(document, dict):
        return Trouble(None, "sent a reply that is not a chat completion")
    choice = first_choice(document)
    if (error := find_error(document)) is not None:
        return read_stated(error, headers, generated=isinstance(choice, dict))
    if _blocked(document):
        return _completion(document, {**_dict(choice), "finish_reason": FILTERED}, headers)
    if not isinstance(choice, dict):
        return Trouble(None, "sent a reply without a choice")
    got = _completion(document, choice, headers)
    if got.finish_reason == FAILED:
        return Trouble(None, "ended its reply with an error", retries=2)
    return got


def _completion(
    document: Mapping[str, Any], choice: Mapping[str, Any], headers: Mapping[str, str]
) -> Completion:
    message = _dict(choice.get("message"))
    usage = read_usage(document, choice, headers)
    reasoning = next((message[name] for name in _REASONING if message.get(name)), None)
    finish = choice.get("finish_reason") or choice.get("finishReason")
    return Completion(
        text=_read_content(message.get("content")),
        finish_reason=_text(read_finish(finish, choice.get("native_finish_reason"))) or "",
        refusal=_text(message.get("refusal")),
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        usage_agrees=usage.agrees,
        reasoned=usage.reasoning > 0 or reasoning is not None,
        reasoning=_read_content(reasoning),
        logprobs=_read_logprobs(_dict(choice.get("logprobs")).get("content")),
        served_model=read_name(document.get("model")),
        fingerprint=read_name(document.get("system_fingerprint")),
    )


def _blocked(document: Mapping[str, Any]) -> bool:
    """Whether a filter took the prompt, so that there is no choice (Gemini), or put its own words
    in the place of the model's (a guardrail of Bedrock)."""
    feedback = _dict(document.get("promptFeedback") or document.get("prompt_feedback"))
    reason = feedback.get("blockReason") or feedback.get("block_reason")
    if reason and not document.get("choices"):
        return True
    return document.get("amazon-bedrock-guardrailAction") == "INTERVENED"


def read_name(value: Any) -> str | None:
    """A name that an endpoint reports, as one line of printable characters cut to ``LONGEST_NAME``;
    None if there is none. It is shown on the screen, so it may not hide or reverse the text next to
    it."""
    if not isinstance(value, str):
        return None
    seen = "".join(letter if letter.isprintable() else " " for letter in value[: 4 * LONGEST_NAME])
    return " ".join(seen.split())[:LONGEST_NAME].rstrip() or None


def _read_content(content: Any) -> str | None:
    """Content is a string, or a list of parts of which some are strings."""
    if isinstance(content, list):
        parts = [_text(_dict(part).get("text")) for part in content]
        return "".join(part for part in parts if part)
    return _text(content)


def _read_logprobs(content: Any) -> dict[str, float] | None:
    """Log-probabilities of the first token's candidates, by the candidate's text."""
    if not isinstance(content, list) or not content:
        return None
    first = _dict(content[0])
    top = first.get("top_logprobs")
    candidates = [first, *(top if isinstance(top, list) else [])]
    logprobs: dict[str, float] = {}
    for candidate in map(_dict, candidates):
        token, logprob = _text(candidate.get("token")), read_number(candidate.get("logprob"))
        if token is not None and logprob is not None:
            logprobs[token] = logprob
    return logprobs or None


def read_number(value: Any) -> float | None:
    """A number from untrusted JSON, which may be infinite; None for NaN, an integer too large for a
    float, and anything that is not a number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return None if math.isnan(number) else number


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value) if isinstance(value, str) else None
