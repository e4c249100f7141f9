"""JSON objects, a line each, to and from a process, neither side ever waiting for the other."""

from __future__ import annotations

import json
import os
import select
import time
from collections import deque
from collections.abc import Mapping
from typing import IO, Any

__all__ = ["Ended", "Lines", "NoAnswer"]

_READ_BYTES = 1 << 20


class Ended(Exception):  # noqa: N818 - an event, and none of ours to show
    """The other side has closed its output."""


class NoAnswer(Exception):  # noqa: N818 - likewise
    """Nothing came in time."""


class Lines:
    """Two pipes, both without blocking: what is to be sent goes out while lines come in.

    Args:
        output: Where objects are written to.
        source: Where they are read from.
    """

    def __init__(self, output: IO[bytes], source: IO[bytes]) -> None:
        self._output, self._source = output.fileno(), source.fileno()
        os.set_blocking(self._output, False)
        os.set_blocking(self._source, False)
        self._sending: deque[memoryview] = deque()
        self._received: deque[bytes] = deque()
        self._rest: list[bytes] = []

    def send(self, message: Mapping[str, object]) -> None:
        """Has an object sent, in ASCII, while :meth:`receive` waits.

        Raises:
            TypeError: JSON has no word for something in it.
            ValueError: It refers to itself.
        """
        self._sending.append(memoryview(json.dumps(message).encode("ascii") + b"\n"))

    def receive(self, seconds: float | None) -> Any:
        """The next object.

        Args:
            seconds: How long to wait for it; None for ever.

        Raises:
            Ended: There will be none.
            NoAnswer: None came in time.
            ValueError: The line is no JSON.
        """
        end = None if seconds is None else time.monotonic() + seconds
        # What has come already counts, however late it is looked at.
        while not self._received:
            left = None if end is None else max(0.0, end - time.monotonic())
            if not self._pump(left) and left == 0.0:
                raise NoAnswer
        return json.loads(self._received.popleft())

    def pump(self) -> None:
        """Sends and receives what is possible without waiting.

        Raises:
            Ended: The other side has closed its output, and nothing it said is left.
        """
        while self._pump(0.0):
            pass

    def _pump(self, seconds: float | None) -> bool:
        """Waits until something can be sent or received, and does it; False if nothing could."""
        poll = select.poll()
        poll.register(self._source, select.POLLIN)
        if self._sending:
            poll.register(self._output, select.POLLOUT)
        ready = {at for at, _ in poll.poll(None if seconds is None else seconds * 1000)}
        if self._output in ready:
            self._write()
        if self._source in ready:
            self._read()
        return bool(ready)

    def _read(self) -> None:
        read = os.read(self._source, _READ_BYTES)
        if not read:
            raise Ended
        first, *others = read.split(b"\n")
        self._rest.append(first)
        if others:
            self._received.append(b"".join(self._rest))
            self._received.extend(others[:-1])
            self._rest = [others[-1]]

    def _write(self) -> None:
        try:
            sent = os.write(self._output, self._sending[0])
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._sending.clear()  # it has gone; the end of its output will say so
            return
        self._sending[0] = self._sending[0][sent:]
        if not self._sending[0]:
            self._sending.popleft()
