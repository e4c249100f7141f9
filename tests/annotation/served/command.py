"""``isogloss annotate serve`` as a person runs it: a process with lines on its output."""

from __future__ import annotations

import os
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil  # type: ignore[import-untyped]
from isogloss.annotation.home import open_home
from isogloss.tests.annotation.served.site import Site

#: For what a busy machine does; a test that fails waits so long, one that passes doesn't.
PATIENCE = 120.0


class Command:
    """The running command.

    Args:
        home: The server's folder.
        arguments: More of them.
    """

    def __init__(self, home: Path, *arguments: object) -> None:
        given = ["annotate", "serve", "--home", home, "--port", 0, *arguments]
        self.home = home
        self.process = subprocess.Popen(
            [sys.executable, "-m", "isogloss.cli", *map(str, given)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "COLUMNS": "200"},
        )
        self.lines: list[str] = []
        self._queue: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()
        self.url = self._url()
        self.server = psutil.Process(self._server())

    def site(self) -> Site:
        return Site(open_home(self.home), self.url)

    def end(self, number: signal.Signals) -> int:
        """Sends it a signal and waits for its end; its status."""
        self.process.send_signal(number)
        return self.ended()

    def ended(self) -> int:
        """Waits for its end; its status."""
        status = self.process.wait(PATIENCE)
        while self.next_line() is not None:
            pass
        return status

    def said(self) -> str:
        return "\n".join(self.lines)

    def gone(self) -> None:
        """Waits until the server itself is no more."""
        self.server.wait(PATIENCE)

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._queue.put(line.rstrip("\n"))
        self._queue.put(None)

    def next_line(self) -> str | None:
        """Waits for its next line; None at its end."""
        line = self._queue.get(timeout=PATIENCE)
        if line is not None:
            self.lines.append(line)
        return line

    def _url(self) -> str:
        while (line := self.next_line()) is not None:
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                return found[0]
        raise AssertionError(f"it ended: {self.said()}")

    def _server(self) -> int:
        """The child that listens."""
        port = int(self.url.rpartition(":")[2])
        for child in psutil.Process(self.process.pid).children(recursive=True):
            if any(one.laddr.port == port for one in child.net_connections("tcp")):
                return int(child.pid)
        raise AssertionError("no child of the command listens")


@contextmanager
def serve(home: Path, *arguments: object) -> Iterator[Command]:
    """Runs the command; it is killed at the end, if it is still there."""
    running = Command(home, *arguments)
    try:
        yield running
    finally:
        if running.process.poll() is None:
            running.end(signal.SIGTERM)


def free(url: str) -> bool:
    """Whether nothing listens at an address any more."""
    port = int(url.rpartition(":")[2])
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                time.sleep(0.1)
            else:
                return True
    return False
