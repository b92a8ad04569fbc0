"""The least or greatest value of a parameter that an endpoint names when it rejects a call.

Endpoints word it in many ways, and often by another name of the parameter: ``Invalid
'max_output_tokens': … Expected a value >= 16``, ``Range of max_tokens should be [1, 8192]``, ``This
model's maximum context length is 4096 tokens and your request has 350 input tokens``. A value that
the call would not be moved by is not taken from it, so that a number in passing does no harm.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

LIMIT_NAMES = ("max_tokens", "max_completion_tokens")
_NUMBER = r"(\d{1,9}(?:\.\d{1,6})?)"
_Q = r"[`'\"*]{0,2}"
_KEPT = 0.1  # a temperature up to this is still nearly that of the protocol's 0

# How a parameter is called, ours first.
_NAMES = (
    (
        LIMIT_NAMES[0],
        re.compile(
            r"max[ _]?(completion[ _]?|output[ _]?|new[ _]?)?tokens|maximum tokens|num_predict"
            r"|completion tokens|output tokens|n_predict"
        ),
    ),
    ("top_logprobs", re.compile(r"top_?logprobs|logprobs")),
    ("temperature", re.compile(r"temperature")),
)
_LEAST = [
    re.compile(pattern)
    for pattern in (
        rf"(?:>=|≥|at least|no less than|greater than or equal to) ?{_Q}{_NUMBER}",
        rf"less than the minimum (?:value )?(?:of )?{_Q}{_NUMBER}",
        rf"minimum (?:allowed )?(?:value )?(?:is|of|:) ?{_Q}{_NUMBER}",
        rf"(?:range|between|within|interval)[^\d\[(]{{0,40}}[\[(]?{_NUMBER} ?(?:,|and|to|-|~) ?\d",
    )
]
_GREATEST = [
    re.compile(pattern)
    for pattern in (
        rf"(?:<=|≤|at most|no more than|up to|less than or equal to) ?{_Q}{_NUMBER}",
        rf"greater than the maximum (?:value )?(?:of )?{_Q}{_NUMBER}",
        rf"greater than max allowed:? ?{_Q}{_NUMBER}",
        rf"maximum (?:allowed )?(?:value )?(?:is|of|:) ?{_Q}{_NUMBER}",
        rf"\d > {_NUMBER},? which is the maximum",
        rf"> ?{_NUMBER} must (?:have|use|set)",  # such as stream=true
        rf"(?:cannot|can't|not) exceed {_Q}{_NUMBER}",
        rf"exceeds? the (?:model )?(?:limit|maximum)(?: of)? ?{_Q}{_NUMBER}",
        rf"(?:range|between|within|interval)[^\d\[(]{{0,40}}[\[(]?\d{{1,9}}(?:\.\d{{1,6}})?"
        rf" ?(?:,|and|to|-|~) ?{_NUMBER}[\])]?",
    )
]
_HALF_OPEN = re.compile(rf"[\[(]\d{{1,9}} ?, ?{_NUMBER}\)")
_ABOVE = re.compile(rf"(?:greater|larger|higher|more) than {_Q}{_NUMBER}")
_BELOW = re.compile(rf"(?:lower|less|smaller) than {_Q}{_NUMBER}")
_POSITIVE = re.compile(
    r"temperature[^.]{0,60}"
    r"(strictly positive|must be positive|\(0(\.0)?, ?"
    r"|(>|greater than|larger than) ?0(\.0)?\b(?!\.\d))"
)
# The size of a context, the tokens of the prompt in it, and those of prompt and reply together.
_CONTEXT = [
    re.compile(pattern)
    for pattern in (
        r"\d{1,9} \+ \d{1,9} > (\d{2,9})",
        r"context[ _](?:length|size|window|limit)(?: is| of|:)? ?(?:only )?(?:about )?(\d{2,9})",
        r"`?max_new_tokens`? must be <= ?(\d{2,9})",
        r"(\d{2,9}) maximum context length",
    )
]
_PROMPT = [
    re.compile(pattern)
    for pattern in (
        r"(\d{1,9}) \+ \d{1,9} > \d{2,9}",
        r"(\d{1,9}) (?:in (?:the|your) (?:messages|prompt)|of text input|tokens from the input)",
        r"(\d{1,9}) (?:(?:input|prompt) tokens|`?inputs`? tokens)",
        r"(?:request|prompt) (?:has|contains) (?:at least )?(\d{1,9})",
    )
]
_BOTH = [
    re.compile(pattern)
    for pattern in (
        r"requested (?:a total of |about )?(\d{2,9}) tokens",
        r"requested tokens \(?(\d{2,9})",
    )
]


class Room(NamedTuple):
    """A context of so many tokens, in which the prompt takes so many."""

    context: int
    prompt: int


def read_room(words: str, limit: int) -> Room | None:
    """The context and the length of the prompt that an endpoint names, in tokens; None if it does
    not name both. ``words`` are in lower case, ``limit`` was sent for the reply."""
    context, prompt = _first(_CONTEXT, words), _first(_PROMPT, words)
    if prompt is None and (both := _first(_BOTH, words)) is not None:
        prompt = both - limit
    if context is None or prompt is None or prompt < 1:
        return None
    return Room(context, prompt)


def read_move(
    words: str, parameter: str | None, sent: Mapping[str, object]
) -> tuple[str, float] | None:
    """The parameter of ``sent`` whose value is outside what the endpoint takes, and the nearest
    value inside it; None if it names none. ``words`` are in lower case, ``parameter`` is what the
    endpoint says is wrong."""
    name = _named(parameter or "", sent) or _named(words, sent)
    value = sent.get(name) if name else None
    if name is None or isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if name == "temperature" and value == 0 and _POSITIVE.search(words):
        return name, 0.01
    floors = _all(_LEAST, words)
    if name != "temperature":
        floors += [number + 1 for number in _all([_ABOVE], words)]
    least = max((number for number in floors if number > value), default=None)
    if least is not None:
        return (name, least) if name != "temperature" or least <= _KEPT else None
    greatest = [number for number in _all(_GREATEST, words) if 0 < number < value]
    greatest += [number - 1 for number in _all([_HALF_OPEN, _BELOW], words) if 1 < number <= value]
    return (name, min(greatest)) if greatest else None


def _named(text: str, sent: Mapping[str, object]) -> str | None:
    """The parameter of ``sent`` that a text names first, by whatever name."""
    places = [
        (found.start(), name) for name, pattern in _NAMES if (found := pattern.search(text.lower()))
    ]
    for _, name in sorted(places):
        ours = LIMIT_NAMES if name in LIMIT_NAMES else (name,)
        for own in ours:
            if own in sent:
                return own
    return None


def _all(patterns: list[re.Pattern[str]], words: str) -> list[float]:
    return [float(number) for pattern in patterns for number in pattern.findall(words)]


def _first(patterns: list[re.Pattern[str]], words: str) -> int | None:
    found = next((match for pattern in patterns if (match := pattern.search(words))), None)
    return int(found[1]) if found else None
