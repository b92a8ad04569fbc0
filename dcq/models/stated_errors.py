"""The error that a body with status 200 states in place of a reply, or beside one.

Gateways pass on the errors of what is behind them in many shapes: an object or a text named
``error``, also within a choice, ``base_resp`` (MiniMax), ``code`` and ``message`` (DashScope),
``detail``, ``errors`` (Cloudflare), ``error_code`` (Baidu), ``Message`` (Bedrock).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from dcq.models.choice import first_choice

WORDS = 4_000  # characters of an error that are searched
_SEARCHED = 64 * 2**10  # bytes of a body that are read as JSON again

_TEXTS = ("message", "Message", "detail", "error_msg", "errorMessage", "msg", "status_msg", "raw")
_CODES = (
    "code",
    "status",
    "http_code",
    "status_code",
    "error_code",
    "statusCode",
    "type",
    "__type",
)
_ESCAPED = re.compile(r"\\+u([0-9a-f]{4})")
_BREAK = re.compile(r"\\+[nrt]|\\+")
_MINIMAX = {
    **dict.fromkeys((1002, 1039, 1041, 2045), 429),
    **dict.fromkeys((1004, 2049), 401),
    **dict.fromkeys((1008, 2056), 402),
    **dict.fromkeys((1026, 1027), 400),
    2013: 400,
}
# What an error says of itself where it has no HTTP status, the first that is found.
_SAYS = (
    (404, r"unexpected endpoint|model_not_found|model_not_exist|model not exist|unknown model"),
    (404, r"no models? loaded|model [^ ]{1,100} (does not exist|not found|is not found)"),
    (402, r"insufficient|arrearage|out of credit|exceeded your current quota|余额不足|欠费"),
    (401, r"(invalid|incorrect|missing|wrong)[ _]*(x-)?api[ _-]?key|unauthori[sz]ed"),
    (401, r"authenticat|accessdenied|access denied|无效的令牌"),
    (429, r"rate.?limit|throttl|too many (requests|tokens)|resource_exhausted|tokens per min|速率"),
    (503, r"overload|unavailable|busy|capacity|繁忙"),
    (400, r"inspection|content.?filter|content exists risk|high risk|inappropriate|guardrail|敏感"),
    (400, r"invalid[ _-]?(parameter|request|argument|param)|validation|context length"),
)
_STATUS_OF = [(status, re.compile(pattern)) for status, pattern in _SAYS]


def find_error(document: Mapping[str, Any]) -> object:
    """What a body states as its error; None if it states none."""
    choice = first_choice(document)
    for holder in (document, choice if isinstance(choice, dict) else {}):
        for name in ("error", "errors"):
            error = holder.get(name)
            if any(error.values()) if isinstance(error, dict) else error:
                return error
    base = document.get("base_resp")
    if isinstance(base, dict) and base.get("status_code"):
        return base
    if choice is None and any(document.get(name) for name in (*_TEXTS, "error_code", "__type")):
        return document
    return None


def read_status(error: object) -> int | None:
    """The HTTP status that an error stands for; None if it does not say."""
    if isinstance(error, list) and error:
        error = error[0]
    if isinstance(error, dict):
        for name in _CODES:
            code = error.get(name)
            if isinstance(code, str) and code.isdigit() and len(code) < 6:
                code = int(code)
            if isinstance(code, int) and not isinstance(code, bool):
                if 300 <= code < 600:
                    return code
                if code in _MINIMAX:
                    return _MINIMAX[code]
    words = words_of(error)
    return next((status for status, pattern in _STATUS_OF if pattern.search(words)), None)


def words_of(error: object) -> str:
    """All that an error says, in lower case and without the marks of JSON within JSON, to be
    searched and never shown."""
    try:
        text = json.dumps(error, ensure_ascii=False).lower()[: 2 * WORDS]
    except (TypeError, ValueError, RecursionError):
        return ""
    plain = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    return _BREAK.sub(" ", plain)[:WORDS]


def read_words(body: bytes) -> tuple[Any, str]:
    """An error body as JSON (None where it is none) and all that it says, see ``words_of``."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        document = None
    if document is None or len(body) > _SEARCHED:
        return document, body[:WORDS].decode("utf-8", "replace").lower()
    return document, words_of(document)
