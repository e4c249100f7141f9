"""One writer at a time: nobody is ever told that the database is locked.

SQLite lets one connection write. Two that have both read and then want to write get in each
other's way, and no waiting helps the second one. So requests that change something take turns
here, and everything else (reads, searches) goes on beside them in WAL mode.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, MutableMapping
from contextvars import ContextVar
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine

from ...failpoints import failpoint

__all__ = ["OneWriter", "gated", "into_one_file", "use_wal"]

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

_READS = frozenset({"GET", "HEAD", "OPTIONS"})
#: What is asked by POST and changes nothing.
_ASKING = ("/search", "/token")
#: Milliseconds that a connection waits for another one, in the same process or not.
_WAIT = 30_000

_turn = asyncio.Lock()
_holding: ContextVar[bool] = ContextVar("holding", default=False)


def use_wal() -> None:
    """Every connection that the server opens from now on is made safe and patient."""

    def configure(connection: Any, _record: Any) -> None:
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode = WAL")
        # What a rater was told is saved is on the disk, also after a power cut.
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.execute(f"PRAGMA busy_timeout = {_WAIT}")
        cursor.close()

    event.listen(Engine, "connect", configure)


def into_one_file(database: str) -> None:
    """Brings what is in the write-ahead log into the database itself.

    After that whoever copies the one file has everything, and the next start changes nothing.
    """
    connection = sqlite3.connect(database, timeout=_WAIT / 1000)
    try:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()


class OneWriter:
    """Lets requests that may write pass one after another.

    A request is read whole before its turn, and its answer is sent after it, so that a slow
    line keeps nobody waiting.
    """

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Serves one request."""
        writes = scope["type"] == "http" and scope["method"] not in _READS
        if not writes or scope["path"].endswith(_ASKING):
            await self.app(scope, receive, send)
            return
        labels = "/responses" in scope["path"]
        request = await _whole(receive)
        answer: list[Message] = []

        async def replay() -> Message:
            # Without its body a request has nothing more to say until the client leaves.
            return request.pop(0) if request else await receive()

        async def keep(message: Message) -> None:
            answer.append(message)

        async with _turn:
            _holding.set(True)
            if labels:
                failpoint("label-received")
            await self.app(scope, replay, keep)
            if labels:
                failpoint("label-saved")
        for message in answer:
            await send(message)
        if labels:
            failpoint("label-answered")


async def gated(work: Awaitable[Any]) -> Any:
    """Waits for what writes, in turn with the requests; within a request it is its turn."""
    if _holding.get():
        return await work
    async with _turn:
        return await work


async def _whole(receive: Receive) -> list[Message]:
    messages = []
    more = True
    while more:
        message = await receive()
        messages.append(message)
        more = message["type"] == "http.request" and message.get("more_body", False)
    return messages
