import asyncio

import pytest

from dcq.models.pacing.pace import Pace
from dcq.models.pacing.rate_limit import RateLimit
from tests.support import virtual_time


async def call(pace: Pace, *, refused: bool = False, seconds: float = 0.0, tokens: int = 0) -> None:
    async with pace.slot(tokens) as slot:
        await asyncio.sleep(seconds)
        if refused:
            slot.refuse()


def test_no_more_than_the_limit_is_in_flight() -> None:
    async def go() -> int:
        pace = Pace(3)
        most = 0

        async def watched() -> None:
            nonlocal most
            async with pace.slot():
                most = max(most, pace.in_flight)
                await asyncio.sleep(0.001)

        await asyncio.gather(*(watched() for _ in range(20)))
        assert pace.in_flight == 0
        return most

    assert asyncio.run(go()) == 3


def test_a_refusal_halves_and_a_good_round_adds_one() -> None:
    async def go() -> list[int]:
        pace = Pace(16)
        limits = []
        for refused in (True, True):
            await call(pace, refused=refused)
            limits.append(pace.limit)
        for _ in range(5):  # a round of four calls, and one for what rounding takes
            await call(pace)
        limits.append(pace.limit)
        return limits

    assert asyncio.run(go()) == [8, 4, 5]


def test_refusals_of_one_moment_count_once() -> None:
    async def go() -> int:
        pace = Pace(16)
        await asyncio.gather(*(call(pace, refused=True, seconds=0.005) for _ in range(16)))
        return pace.limit

    assert asyncio.run(go()) == 8


def test_the_limit_stays_between_one_and_the_most() -> None:
    async def go() -> tuple[int, int]:
        pace = Pace(4)
        for _ in range(6):
            await call(pace, refused=True)
        lowest = pace.limit
        for _ in range(40):
            await call(pace)
        return lowest, pace.limit

    assert asyncio.run(go()) == (1, 4)


def test_a_pause_holds_everyone() -> None:
    async def go() -> None:
        pace = Pace(4)
        pace.pause(80)
        pace.pause(10)  # a shorter request does not shorten the pause
        await asyncio.gather(*(call(pace) for _ in range(3)))

    assert virtual_time.run(go())[1] == pytest.approx(80)


@pytest.mark.parametrize(
    ("unit", "per_minute", "tokens"), [("requests", 6_000, 0), ("tokens", 60_000, 10)]
)
def test_limits_a_minute_spread_the_calls(unit: str, per_minute: int, tokens: int) -> None:
    # 100 calls a second, of which one second's worth may come at once: 1,100 need ten seconds.
    async def go() -> None:
        pace = Pace(2000, **{unit: RateLimit(per_minute)})
        await asyncio.gather(*(call(pace, tokens=tokens) for _ in range(1100)))

    assert virtual_time.run(go())[1] == pytest.approx(10, rel=0.02)


def test_a_call_larger_than_the_limit_goes_through() -> None:
    async def go() -> None:
        pace = Pace(2, tokens=RateLimit(60_000))
        await call(pace, tokens=11_000)
        await call(pace, tokens=1)

    assert virtual_time.run(go())[1] == pytest.approx(10, rel=0.02)


@pytest.mark.parametrize("what", ["pause", "requests", "tokens"])
def test_waiting_can_be_called_off_and_takes_nothing(what: str) -> None:
    async def go() -> float:
        pace = Pace(4, requests=RateLimit(1), tokens=RateLimit(60))
        await call(pace, tokens=1 if what == "tokens" else 0)
        if what == "pause":
            pace.pause(3600)

        def check() -> None:
            if asyncio.get_running_loop().time() > 9:
                raise ZeroDivisionError

        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                async with pace.slot(500, check):
                    raise AssertionError
        return pace.in_flight

    in_flight, seconds = virtual_time.run(go())
    assert in_flight == 0
    assert seconds == pytest.approx(9.5, abs=0.6)


def test_a_call_that_fails_or_is_cancelled_gives_its_slot_back() -> None:
    async def go() -> int:
        pace = Pace(1)
        with pytest.raises(ZeroDivisionError):
            async with pace.slot():
                raise ZeroDivisionError
        held = asyncio.create_task(call(pace, seconds=60))
        waiting = asyncio.create_task(call(pace, seconds=60))
        await asyncio.sleep(0.01)
        for task in (waiting, held):
            task.cancel()
        await asyncio.gather(waiting, held, return_exceptions=True)
        await asyncio.wait_for(call(pace), 30)
        return pace.in_flight

    assert asyncio.run(go()) == 0
