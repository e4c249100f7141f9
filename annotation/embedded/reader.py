"""Reads the database beside the server's own connections, never blocking its event loop."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

__all__ = ["Reader"]

_THREADS = 4


class Reader:
    """A few threads, each with a connection that can only read.

    In WAL mode a reader waits for no writer, and sees everything that was committed before
    its statement began.

    Args:
        database: Path of the file.
    """

    def __init__(self, database: str) -> None:
        self._uri = f"file:{database}?mode=ro"
        self._own = threading.local()
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="read")

    async def rows(self, text: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows that a statement gives."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, self._rows, text, tuple(values))

    def _rows(self, text: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        connection = getattr(self._own, "connection", None)
        if connection is None:
            connection = sqlite3.connect(self._uri, uri=True, timeout=30, isolation_level=None)
            connection.execute("PRAGMA query_only = ON")
            self._own.connection = connection
        return connection.execute(text, values).fetchall()
