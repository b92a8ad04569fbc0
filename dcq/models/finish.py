"""Why a reply ended, in the words of the protocol, whatever a provider or gateway calls it.

Gateways pass on what their upstream says: ``SAFETY``, ``FinishReason.MAX_TOKENS``, ``end_turn``,
``guardrail_intervened``, ``{"type": "length"}``.
"""

from __future__ import annotations

import re
from typing import Any

STOP, LENGTH, FILTERED, FAILED = "stop", "length", "content_filter", "error"

_NOT_A_LETTER = re.compile(r"[^a-z]+")
_PREFIX = re.compile(r"^(finish|stop|done|block|end)reason(type)?")
# Gemini's numbers, which some gateways leave as they are.
_NUMBERS = {1: STOP, 2: LENGTH, **dict.fromkeys((3, 4, 6, 7, 8, 11), FILTERED), 5: FAILED}
_ENDED = frozenset(
    (
        *("stop", "stopped", "stopsequence", "stopstring", "eos", "eostoken", "eot", "eosfound"),
        *("end", "endturn", "endoftext", "endofturn", "complete", "completed", "finish"),
        *("finished", "done", "success", "succeeded", "normal", "natural"),
    )
)
_LENGTH = re.compile(
    r"length|maxtoken|maxoutput|tokenlimit|limit$|contextwindow|truncat|incomplete"
)
_FILTERED = re.compile(
    r"filter|safety|recitation|prohibit|blocklist|blocked|spii|guardrail|sensitive|toxic|moderat"
    r"|refus|policy|violation|harm|inappropriate|unsafe|censor|risk|modelarmor|^language$"
)
_FAILED = re.compile(
    r"error|fail|abort|cancel|timeout|timedout|network|exception|overload|unavailable|malformed"
    r"|unexpected|interrupt|insufficient|^other$|^unknown$|^load$"
)


def read_finish(reason: Any, native: Any = None) -> str:
    """``stop``, ``length``, ``content_filter`` or ``error`` for a finish reason in any spelling; an
    unknown one as it is, and an empty text for none. ``native`` is what the provider behind a
    gateway said: it counts where the gateway reports a good end or nothing known."""
    if native is None and reason == STOP:  # nearly always
        return STOP
    read = _read(reason)
    if read in (LENGTH, FILTERED, FAILED):
        return read
    behind = _read(native)
    return behind if behind in (LENGTH, FILTERED, FAILED) or not read else read


def _read(reason: Any) -> str:
    if isinstance(reason, dict):  # SGLang: {"type": "length", "length": 5}
        reason = reason.get("type")
    if isinstance(reason, int) and not isinstance(reason, bool):
        return _NUMBERS.get(reason, "")
    if not isinstance(reason, str):
        return ""
    word = _PREFIX.sub("", _NOT_A_LETTER.sub("", reason.lower()))
    if word in _ENDED:
        return STOP
    for pattern, meaning in ((_FILTERED, FILTERED), (_LENGTH, LENGTH), (_FAILED, FAILED)):
        if pattern.search(word):
            return meaning
    return reason
