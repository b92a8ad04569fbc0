from __future__ import annotations

import asyncio
import gc
from pathlib import Path

import pytest

from dcq.errors import ModelChoiceError
from dcq.models.endpoints import Endpoint
from dcq.models.pacing.limits import LIMITS_FILE, Limits, find_limits, pace_for
from tests.support import virtual_time

HERE = Endpoint("m", "m", "http://127.0.0.1:8000/v1", concurrency=4)


def test_nothing_is_limited_by_the_file_that_comes_with_us() -> None:
    assert find_limits(HERE) == Limits()
    assert LIMITS_FILE.exists()


def test_limits_are_found_by_host_and_port(tmp_path: Path) -> None:
    path = tmp_path / "limits.toml"
    path.write_text('["127.0.0.1:8000"]\nrequests_per_minute = 30\ntokens_per_minute = 9_000\n')
    assert find_limits(HERE, path) == Limits(30.0, 9000.0)
    assert find_limits(Endpoint("m", "m", "http://127.0.0.1/v1"), path) == Limits()
    assert find_limits(HERE, tmp_path / "absent.toml") == Limits()


@pytest.mark.parametrize(
    "text",
    [
        "[",
        '["127.0.0.1:8000"]\nrequests = 3',
        '["127.0.0.1:8000"]\nrequests_per_minute = "many"',
        '"127.0.0.1:8000" = 3',
    ],
)
def test_a_file_that_is_no_limits_ends_in_a_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "limits.toml"
    path.write_text(text)
    with pytest.raises(ModelChoiceError, match="write a table for each host"):
        find_limits(HERE, path)


@pytest.mark.parametrize(
    "value", [0.0, -1.0, 1e-300, 0.009, 1.1e9, float("nan"), float("inf"), -float("inf")]
)
def test_a_limit_that_cannot_be_kept_is_refused(value: float) -> None:
    with pytest.raises(ModelChoiceError, match=r"cannot be applied; give 0\.01 to 1,000,000,000"):
        Limits(requests_per_minute=value)
    with pytest.raises(ModelChoiceError, match=r"give 0\.01"):
        Limits(tokens_per_minute=value)


def test_the_slowest_and_the_fastest_limit_are_taken() -> None:
    assert Limits(0.01, 1e9) == Limits(requests_per_minute=0.01, tokens_per_minute=1e9)


async def test_runs_of_one_provider_share_a_pace() -> None:
    first = pace_for(HERE)
    assert first.limit == 4
    assert pace_for(Endpoint("other", "other", "http://127.0.0.1:8000/v2"), 9) is first
    assert pace_for(Endpoint("m", "m", "http://127.0.0.1:8001/v1")) is not first
    del first
    gc.collect()
    assert pace_for(HERE, 9).limit == 9  # nobody used it any more


def test_event_loops_share_nothing() -> None:
    async def go() -> object:
        return pace_for(HERE)

    kept = asyncio.run(go())
    assert asyncio.run(go()) is not kept


def test_two_runs_together_keep_to_the_limit() -> None:
    limits = Limits(requests_per_minute=600.0)  # ten a second, of which ten may be saved up

    async def ask() -> None:
        pace = pace_for(HERE, 8, limits)
        for _ in range(8):
            async with pace.slot():
                await asyncio.sleep(0)

    async def both() -> None:
        await asyncio.gather(ask(), ask())

    assert virtual_time.run(both())[1] == pytest.approx(0.6, rel=0.02)
