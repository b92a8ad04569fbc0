"""What a reply without results means, in a sentence that names the fix.

The words of a service are searched here and never repeated: they may hold the key or the query.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from dcq.errors import (
    EndpointBusyError,
    EndpointError,
    EndpointRefusedError,
    RequestRejectedError,
)
from dcq.models.faults import come_back
from dcq.models.headers import read_retry_after

_Form = TypeVar("_Form")

_PASSING = frozenset({408, 425, 500, 502, 503, 504})
# Codes of Brave's errors, in the reference of each of its endpoints, as
# https://api-dashboard.search.brave.com/api-reference/videos/video_search/get
_KEY_REFUSED = frozenset({"SUBSCRIPTION_TOKEN_INVALID", "SUBSCRIPTION_NOT_FOUND"})
_USED_UP = frozenset({"QUOTA_LIMITED"})
_NOT_IN_PLAN = frozenset({"OPTION_NOT_IN_PLAN"})


class NotInPlanError(RequestRejectedError):
    """The plan of this key lacks something that was asked for; without it the query may be
    answered."""


def explain(
    name: str, key: str, status: int, headers: Mapping[str, str], body: bytes
) -> EndpointError:
    """The error to raise for a ``status`` other than 200. ``key`` is the variable that the
    service's key is in, "" where it takes none."""
    document = _parsed(body)
    codes = _codes(document)
    if codes & _KEY_REFUSED or (key and status in {401, 403}):
        return EndpointRefusedError(
            f"{name} refuses the key; check that the one in {key} is right, has not expired and "
            "belongs to a plan for web search.",
            status=status,
        )
    if status == 402 or (status == 429 and _is_used_up(headers, body, codes)):
        return EndpointRefusedError(
            f"{name} has no searches left for this key; add some or wait for the next month, and "
            "what was found so far is kept.",
            status=status,
        )
    if codes & _NOT_IN_PLAN:
        return NotInPlanError(
            f"The plan of this key lacks what {name} is asked for; choose a plan for web search.",
            status=status,
        )
    if status == 429 or status in _PASSING:
        seconds = read_retry_after(headers)
        wish = come_back(seconds)
        return EndpointBusyError(
            f"{name} is busy (status {status}){f' and {wish}' if wish else '; resume later.'}",
            status=status,
            retry_after=seconds,
        )
    if _says(document, "Invalid index"):
        return EndpointRefusedError(
            f"{name} is no index that the service has; choose one that it lists.", status=status
        )
    if status >= 400:
        return RequestRejectedError(f"{name} rejected a query (status {status}).", status=status)
    return RequestRejectedError(
        f"{name} sent us to another address, which is not followed; set the right one.",
        status=status,
    )


def refused_string(name: str, document: Any) -> RequestRejectedError | None:
    """Why infini-gram, which says so with status 200, cannot look for a string; None if it can.
    https://github.com/liujch1998/infini-gram/blob/main/api/api_server.py"""
    if not isinstance(document, dict) or "error" not in document:
        return None
    if _says(document, "Please limit your input"):
        return RequestRejectedError(
            f"A text is too long for {name}, which takes 1,000 characters and 500 tokens; leave "
            "this instance out."
        )
    return RequestRejectedError(f"{name} could not answer this query; resume to ask again.")


def odd_form(name: str) -> RequestRejectedError:
    """The error for a reply of another form than the service documents."""
    return RequestRejectedError(
        f"{name} sent a reply of another form than it documents; resume to ask again, or check the "
        "address at which it is asked."
    )


def read_as(form: TypeAdapter[_Form], document: Any, name: str) -> _Form:
    """``document`` in the ``form`` that a service documents, whatever else is in it. Raises
    ``RequestRejectedError`` where it has another: that is no word on what was looked for."""
    try:
        return form.validate_python(document)
    except (ValidationError, RecursionError):
        raise odd_form(name) from None


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _codes(document: Any) -> frozenset[str]:
    """Brave's codes: of ``error``, as its service answers, or of ``errors``, as its reference
    shows it."""
    if not isinstance(document, dict):
        return frozenset()
    several = document.get("errors")
    errors = [document.get("error"), *(several if isinstance(several, list) else [])]
    codes = [one.get("code") for one in errors if isinstance(one, dict)]
    return frozenset(code for code in codes if isinstance(code, str))


def _says(document: Any, words: str) -> bool:
    said = document.get("error") if isinstance(document, dict) else None
    return isinstance(said, str) and words in said


def _is_used_up(headers: Mapping[str, str], body: bytes, codes: frozenset[str]) -> bool:
    """Whether the month's searches are, and not only those of this second: SerpApi says so in its
    message, Brave by its code, or in what it counts for the longer of its windows ("0, 0")."""
    if b"run out" in body or codes & _USED_UP:
        return True
    left = str(headers.get("X-RateLimit-Remaining", "")).split(",")
    return len(left) > 1 and left[-1].strip() == "0"
