"""The pace: as many in flight as the server bears, and never faster than it allows."""

from __future__ import annotations

import asyncio
import time

import pytest
from isogloss.models.pace import Pace, PerMinute


@pytest.mark.parametrize(("most", "first"), [(64, 32.0), (3, 3.0), (1, 1.0)])
def test_the_window_doubles_per_round_up_to_the_limit(most: int, first: float) -> None:
    pace = Pace(most)
    assert pace.window == first
    for _ in range(int(first)):
        pace.succeeded()
    assert pace.window == min(most, 2 * first)
    for _ in range(200):
        pace.succeeded()
    assert pace.window == most


def test_a_complaint_halves_it_once_and_growth_is_then_by_one_per_round() -> None:
    pace = Pace(16)
    sent = time.monotonic()
    pace.refused(None, sent)
    pace.refused(None, sent)  # sent before the window was halved: nothing new
    assert pace.window == 8.0
    for _ in range(8):
        pace.succeeded()
    assert 8.8 < pace.window <= 9.0
    for _ in range(9):
        pace.refused(None, time.monotonic() + 1)
    assert pace.window == 1.0


def test_no_more_than_the_window_are_in_flight_and_all_get_their_turn() -> None:
    async def main() -> tuple[int, int]:
        pace = Pace(5)
        now, most, done = 0, 0, 0

        async def one(number: int) -> None:
            nonlocal now, most, done
            async with pace.slot():
                now += 1
                most = max(most, now)
                if number == 10:
                    pace.refused(None, time.monotonic())
                await asyncio.sleep(0.001)
                now -= 1
            pace.succeeded()
            done += 1

        await asyncio.wait_for(asyncio.gather(*(one(n) for n in range(60))), 20)
        return most, done

    assert asyncio.run(main()) == (5, 60)


def test_a_place_is_given_back_after_an_error() -> None:
    async def main() -> None:
        pace = Pace(1)
        for _ in range(3):
            with pytest.raises(ValueError, match="broken"):
                async with pace.slot():
                    raise ValueError("broken")
        async with asyncio.timeout(5), pace.slot():
            pass

    asyncio.run(main())


def test_who_asked_first_gets_a_place_first() -> None:
    async def main() -> list[str]:
        pace, got = Pace(1), []

        async def work(name: str) -> None:
            for _ in range(3):
                async with pace.slot():
                    got.append(name)
                    await asyncio.sleep(0)

        await asyncio.wait_for(asyncio.gather(work("a"), work("b")), 5)
        return got

    assert asyncio.run(main()) == ["a", "b"] * 3


@pytest.mark.parametrize("late", [False, True], ids=["while waiting", "after its turn came"])
def test_who_gives_up_takes_no_place(late: bool) -> None:
    async def main() -> None:
        pace, free = Pace(1), asyncio.Event()

        async def work() -> None:
            async with pace.slot():
                await free.wait()

        first, second, third = (asyncio.create_task(work()) for _ in range(3))
        await asyncio.sleep(0)
        if late:
            first.cancel()
            await asyncio.sleep(0)  # the place is the second's now, who doesn't know it yet
        second.cancel()
        free.set()
        await asyncio.wait_for(third, 5)
        assert third.done()
        assert second.cancelled()
        async with asyncio.timeout(5), pace.slot():
            assert pace._in_flight == 1

    asyncio.run(main())


def elapsed(pace: Pace, turns: int, tokens: int = 1) -> float:
    async def main() -> None:
        await asyncio.gather(*(pace.turn(tokens) for _ in range(turns)))

    start = time.monotonic()
    asyncio.run(main())
    return time.monotonic() - start


@pytest.mark.parametrize("wait", [0.15, 0.4])
def test_everyone_waits_as_long_as_the_server_said(wait: float) -> None:
    pace = Pace(8)
    assert elapsed(pace, 5) < 0.1
    pace.refused(wait, time.monotonic())
    pace.refused(wait / 10, time.monotonic())  # a shorter pause shortens nothing
    assert elapsed(pace, 5) >= wait - 0.02


@pytest.mark.parametrize(
    ("pace", "turns", "tokens", "least"),
    [
        (Pace(8, requests_per_minute=1200), 26, 1, 0.25),  # 20 a second, one second's room
        (Pace(8, tokens_per_minute=60_000), 4, 400, 0.55),  # 1,000 a second
        (Pace(8, requests_per_minute=60_000, tokens_per_minute=6000), 1, 130, 0.25),
    ],
)
def test_limits_per_minute_hold(pace: Pace, turns: int, tokens: int, least: float) -> None:
    assert least <= elapsed(pace, turns, tokens) < least + 2


def test_a_limit_under_one_a_second_lets_the_first_through_at_once() -> None:
    assert elapsed(Pace(8, requests_per_minute=2), 1) < 0.2


def test_no_limit_never_waits() -> None:
    start = time.monotonic()
    asyncio.run(PerMinute(None).take(1e9))
    assert time.monotonic() - start < 0.5
