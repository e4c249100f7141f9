"""Whether a record is complete, told by its responses."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from contextvars import Context
from typing import Any

from argilla_server.contexts import distribution
from argilla_server.jobs import dataset_jobs

from ...failpoints import failpoint
from .writes import gated

__all__ = ["bring_up_to_date", "recount_at_once", "take_turns"]

_COMPLETE = """
UPDATE records SET status = CASE status WHEN 'pending' THEN 'completed' ELSE 'pending' END
WHERE (status = 'completed') != (
    (SELECT count(*) FROM responses p WHERE p.record_id = records.id AND p.status = 'submitted')
    >= (SELECT json_extract(d.distribution, '$.min_submitted') FROM datasets d
        WHERE d.id = records.dataset_id)
)
"""


def bring_up_to_date(database: str) -> int:
    """Corrects the status of records whose responses say otherwise.

    The server writes a response and then, in a transaction of its own, the status of its
    record. A server that was killed in between has the response, and the old status.

    Returns:
        How many records were corrected.
    """
    connection = sqlite3.connect(database, timeout=30)
    try:
        with connection:
            return connection.execute(_COMPLETE).rowcount
    finally:
        connection.close()


def take_turns() -> None:
    """Lets jobs that change the status of records take turns with the requests."""
    original: Callable[..., Awaitable[Any]] = distribution.update_record_status

    async def update(*given: Any, **named: Any) -> Any:
        failpoint("label-committed")
        return await gated(original(*given, **named))

    distribution.update_record_status = update


def recount_at_once(database: str) -> None:
    """Lets a changed number of raters be counted by one statement, and not record by record.

    Argilla's own job takes a transaction for each: many minutes for 20,000 records.
    """
    running: set[asyncio.Task[int]] = set()

    class Recount:
        """Stands for Argilla's job."""

        @staticmethod
        def delay(_dataset: Any) -> None:
            """Counts as soon as the request that asked for it is done."""
            # In a context of its own: this isn't part of the request, and waits for its turn.
            work = gated(_in_thread(database))
            task = asyncio.get_running_loop().create_task(work, context=Context())
            running.add(task)
            task.add_done_callback(running.discard)

    dataset_jobs.update_dataset_records_status_job = Recount


async def _in_thread(database: str) -> int:
    return await asyncio.to_thread(bring_up_to_date, database)
