"""Waiting for another thread: everything finished meanwhile wakes the loop once."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future

import pytest
from isogloss.models.wakeups import Wakeups


def in_a_thread(*futures: Future[None]) -> None:
    """Finishes the futures in another thread, and waits until it is through."""

    def finish() -> None:
        for future in futures:
            future.set_result(None)

    thread = threading.Thread(target=finish)
    thread.start()
    thread.join()


def test_what_is_finished_together_wakes_the_loop_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> int:
        loop = asyncio.get_running_loop()
        wakeups, works = Wakeups(loop), [Future[None]() for _ in range(64)]
        waiting = [asyncio.create_task(wakeups.wait(work)) for work in works]
        await asyncio.sleep(0)
        calls = 0
        call = loop.call_soon_threadsafe

        def counted(*arguments: object) -> object:
            nonlocal calls
            calls += 1
            return call(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(loop, "call_soon_threadsafe", counted)
        in_a_thread(*works)  # the loop can't do anything meanwhile
        await asyncio.wait_for(asyncio.gather(*waiting), 5)
        return calls

    assert asyncio.run(main()) == 1


def test_each_waits_for_its_own_also_for_what_is_done_already() -> None:
    async def main() -> None:
        wakeups, works = Wakeups(asyncio.get_running_loop()), [Future[None]() for _ in range(3)]
        works[0].set_result(None)
        await asyncio.wait_for(wakeups.wait(works[0]), 5)
        waiting = [asyncio.create_task(wakeups.wait(work)) for work in works[1:]]
        await asyncio.sleep(0)
        in_a_thread(works[2])
        await asyncio.wait_for(waiting[1], 5)
        assert not waiting[0].done()
        in_a_thread(works[1])
        await asyncio.wait_for(waiting[0], 5)

    asyncio.run(main())


def test_what_went_wrong_there_is_raised_here() -> None:
    async def main() -> None:
        work = Future[None]()
        waiting = asyncio.create_task(Wakeups(asyncio.get_running_loop()).wait(work))
        await asyncio.sleep(0)
        work.set_exception(ValueError("broken"))
        with pytest.raises(ValueError, match="broken"):
            await waiting

    asyncio.run(main())


def test_who_gives_up_waiting_holds_up_nobody() -> None:
    async def main() -> None:
        wakeups, works = Wakeups(asyncio.get_running_loop()), [Future[None]() for _ in range(2)]
        gone, stays = (asyncio.create_task(wakeups.wait(work)) for work in works)
        await asyncio.sleep(0)
        gone.cancel()
        in_a_thread(*works)
        await asyncio.wait_for(stays, 5)
        assert gone.cancelled()

    asyncio.run(main())


def test_what_is_finished_after_the_loop_was_closed_is_nobodys_business(
    caplog: pytest.LogCaptureFixture,
) -> None:
    loop, work = asyncio.new_event_loop(), Future[None]()
    waiting = loop.create_task(Wakeups(loop).wait(work))
    loop.run_until_complete(asyncio.sleep(0))
    waiting.cancel()
    loop.run_until_complete(asyncio.gather(waiting, return_exceptions=True))
    loop.close()
    work.set_result(None)
    assert caplog.records == []
