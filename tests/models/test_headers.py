from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.models.headers import LONGEST, PAIRS, read_exhaustion, read_retry_after

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "12"}, 12.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Fri, 02 Jan 2026 03:05:05 GMT"}, 60.0),
        ({"retry-after": "Fri, 02 Jan 2026 03:00:00 GMT"}, 0.0),
        # Years are years, also where they could be taken for a time that has passed.
        ({"retry-after": "1200000000"}, 1.2e9),
        ({"retry-after": "31536000000"}, 31_536_000_000.0),
        ({"retry-after": "9" * 40}, LONGEST),
        ({"retry-after": "1e999"}, LONGEST),
        ({"retry-after-ms": "9" * 40}, LONGEST / 1000),
        ({"retry-after": "1767323105"}, 60.0),  # a Unix time of now is one
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert read_retry_after(headers, NOW) == seconds


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s"}, 360.0),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "20ms"}, 0.02),
        ({"x-ratelimit-remaining-tokens": "7", "x-ratelimit-reset-tokens": "20ms"}, None),
        (
            {
                "anthropic-ratelimit-requests-remaining": "0",
                "anthropic-ratelimit-requests-reset": "2026-01-02T03:04:35Z",
            },
            30.0,
        ),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1767323055000"}, 10.0),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1767323055"}, 10.0),
        ({"x-ratelimit-remaining": "0"}, None),
    ],
)
def test_a_used_up_limit(headers: dict[str, str], seconds: float | None) -> None:
    assert read_exhaustion(headers, NOW) == pytest.approx(seconds)


@given(st.text(max_size=40))
def test_foreign_headers_never_fail(text: str) -> None:
    waits = [read_retry_after({"retry-after": text}), read_retry_after({"retry-after-ms": text})]
    waits += [read_exhaustion({left: "0", reset: text}) for left, reset in PAIRS]
    assert all(wait is None or wait >= 0 for wait in waits)
