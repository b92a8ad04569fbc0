from __future__ import annotations

import asyncio
import json
import math
from pathlib import Path

import pytest

from dcq.models.pacing.rate_limit import RateLimit
from tests.support import virtual_time

PER_MINUTE = 600  # ten a second, of which ten may be saved up


async def take(rate_limit: RateLimit, times: int) -> None:
    for _ in range(times):
        await rate_limit.take(1)


def seconds(file: Path | None, *times: int) -> float:
    """How long several take that many each, at once, each with an rate_limit of its own."""

    async def go() -> None:
        await asyncio.gather(*(take(RateLimit(PER_MINUTE, file), n) for n in times))

    return virtual_time.run(go())[1]


def test_what_was_saved_up_comes_at_once_and_the_rest_evenly() -> None:
    assert seconds(None, 10) == pytest.approx(0.0, abs=0.01)
    assert seconds(None, 110) == pytest.approx(10.0, rel=0.02)


def test_those_who_share_a_file_keep_the_limit_together(tmp_path: Path) -> None:
    assert seconds(None, 40, 40) == pytest.approx(3.0, rel=0.02)
    assert seconds(tmp_path / "new" / "requests", 40, 40) == pytest.approx(7.0, rel=0.02)


@pytest.mark.parametrize(
    "text", ["", "[", "[3]", "{}", '["many", 0]', "[1, 2, 3]", "null", "[NaN, 0]", "[0, Infinity]"]
)
def test_a_file_that_cannot_be_read_is_a_new_one(tmp_path: Path, text: str) -> None:
    file = tmp_path / "requests"
    file.write_text(text)
    assert seconds(file, 20) == pytest.approx(1.0, rel=0.02)
    level, at = json.loads(file.read_text())
    assert level < 1 < at
    assert math.isfinite(level)


def test_a_restarted_machine_does_not_wait_for_earlier_calls(tmp_path: Path) -> None:
    file = tmp_path / "requests"
    file.write_text("[-20, 1e9]")  # twenty on credit, at a time that is yet to come
    assert seconds(file, 1) == pytest.approx(2.1, rel=0.02)


def test_where_nothing_can_be_kept_each_keeps_the_limit_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert seconds(tmp_path / "file" / "requests", 40, 40) == pytest.approx(3.0, rel=0.02)
    assert seconds(Path("/dev/full"), 40) == pytest.approx(3.0, rel=0.02)


def test_a_limit_below_one_a_minute_is_kept() -> None:
    async def go() -> None:
        await take(RateLimit(0.5), 3)

    assert virtual_time.run(go())[1] == pytest.approx(240, rel=0.001)
