"""Argilla's job queue inside the server's process, without a Redis server."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable
from typing import Any

import fakeredis
import redis

__all__ = ["start_worker", "use_fake_redis"]

_SERVER = fakeredis.FakeServer()


def use_fake_redis() -> None:
    """Gives Argilla a Redis that lives in this process; before Argilla is imported.

    What waits in it is gone with the process: jobs only bring the status of records up to
    date, which each start does as well.
    """

    def connection(_url: str, **_options: Any) -> fakeredis.FakeRedis:
        return fakeredis.FakeRedis(server=_SERVER)

    redis.from_url = connection


def start_worker(loop: asyncio.AbstractEventLoop) -> None:
    """Starts a thread that takes jobs; their coroutines run on the server's own loop.

    Args:
        loop: The server's, where its database connections belong.
    """
    from argilla_server.jobs.queues import DEFAULT_QUEUE, HIGH_QUEUE, REDIS_CONNECTION
    from rq import SimpleWorker
    from rq.job import Job
    from rq.timeouts import TimerDeathPenalty

    class OurJob(Job):  # type: ignore[misc]
        """A job whose coroutine runs where the database connections are."""

        def _execute(self) -> Any:
            result = self.func(*self.args, **self.kwargs)
            if isinstance(result, Awaitable):
                return asyncio.run_coroutine_threadsafe(_awaited(result), loop).result()
            return result

    class Worker(SimpleWorker):  # type: ignore[misc]
        """A worker in a thread, where there are no signals."""

        job_class = OurJob
        death_penalty_class = TimerDeathPenalty

        def _install_signal_handlers(self) -> None:
            pass

    logging.getLogger("rq").setLevel(logging.WARNING)
    worker = Worker([HIGH_QUEUE, DEFAULT_QUEUE], connection=REDIS_CONNECTION, job_class=OurJob)
    options = {"logging_level": "WARNING", "with_scheduler": False}
    threading.Thread(target=worker.work, kwargs=options, name="jobs", daemon=True).start()


async def _awaited(result: Awaitable[Any]) -> Any:
    return await result
