"""When to call again, according to an endpoint's headers. Pure functions of untrusted text."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LONGEST = 1e14  # seconds; anything longer is treated the same
DAY = 86_400.0
UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
# Pairs of "how many are left" and "when there are more", as providers name them.
PAIRS = (
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
    ("anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"),
    ("x-ratelimit-remaining", "x-ratelimit-reset"),
)
# The names of all headers that are read here; nothing reads any other.
READ = frozenset({"retry-after", "retry-after-ms", *(name for pair in PAIRS for name in pair)})


def read_retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds to wait by ``Retry-After`` (RFC 9110, §10.2.3) or ``retry-after-ms``; None if neither
    is given or can be read. ``headers`` are looked up in lower case; ``now`` is the time in UTC,
    for tests."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after", "")
    seconds = _number(text)
    now = now or datetime.now(UTC)
    # Any number of seconds. Only a value within a day of now can be a Unix time.
    if seconds is not None and abs(seconds - now.timestamp()) > DAY:
        return seconds
    return _read_delay(text, now)


def read_exhaustion(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds until every used-up rate limit is refilled; None if none is used up or no time is
    given."""
    waits = [
        _read_delay(headers.get(reset, ""), now)
        for remaining, reset in PAIRS
        if remaining in headers and _number(headers[remaining]) == 0
    ]
    return max((wait for wait in waits if wait is not None), default=None)


def _read_delay(text: str, now: datetime | None) -> float | None:
    """Seconds from ``12``, ``1m30s``, a Unix time in seconds or milliseconds, or a date."""
    now = now or datetime.now(UTC)
    number = _number(text)
    if number is not None:
        if number < 1e9:
            return number
        return max(0.0, (number / 1000 if number > 1e11 else number) - now.timestamp())
    if re.fullmatch(r"(\d{1,9}(\.\d{1,9})?(ms|s|m|h|d))+", text.strip()):
        return sum(
            float(amount) * UNITS[unit]
            for amount, unit in re.findall(r"([\d.]+)(ms|s|m|h|d)", text)
        )
    moment = _read_date(text.strip())
    return None if moment is None else max(0.0, (moment - now).total_seconds())


def _read_date(text: str) -> datetime | None:
    for parse in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = parse(text)
            return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
    return None


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return None if math.isnan(number) or number < 0 else min(number, LONGEST)
