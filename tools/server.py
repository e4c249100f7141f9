"""A server with a tool's Python: started, waited for, and stopped with this process."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from ..errors import OptionError, ToolError
from .logs import last_lines, open_log
from .processes import describe_exit, spawn, stop

__all__ = ["ServerProcess"]


class ServerProcess:
    """One server, which says by :func:`.inside.channel.say` when it is ready.

    It says ``{"ready": {…}}`` once, or ``{"error": "what is wrong", "remedy": "what to do"}``;
    with ``"option": "--port"`` it is the value of an option that the user can mend.
    Its standard input stays open as long as this process lives. It leads a group of processes
    of its own: a Ctrl-C in the terminal reaches this process only, and :meth:`stop` ends the
    whole group.

    Args:
        name: What it is called in messages.
        argv: What runs it, from :meth:`.Environment.command`.
        log: A file for all it prints; the one before is kept as ``….old``.
        variables: Of its environment, beside ours.
        seconds: How long it may take to get ready.

    Example:
        >>> with ServerProcess("argilla", argv, log=log) as server:  # doctest: +SKIP
        ...     print(server.ready["url"])
    """

    def __init__(
        self,
        name: str,
        argv: Sequence[str],
        *,
        log: Path,
        variables: Mapping[str, str] | None = None,
        seconds: float = 120.0,
    ) -> None:
        self.name = name
        self.log = log
        self.ready: dict[str, Any] = {}
        self._argv, self._variables = list(argv), variables
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._told = threading.Event()
        self._message: dict[str, Any] = {}

    @property
    def pid(self) -> int | None:
        """Its process id; None before the start and after the stop."""
        return self._process.pid if self._process else None

    def start(self) -> dict[str, Any]:
        """Starts it and waits until it is ready; gives what it said then.

        Raises:
            OptionError: It says which option's value keeps it from starting.
            ToolError: It can't be started, says why not, ends, or isn't ready in time.
        """
        if self._process is not None:
            raise RuntimeError(f"{self.name} was started before")
        self._told.clear()
        self._message = {}
        with open_log(self.log) as log:
            try:
                self._process = spawn(self._argv, stderr=log, variables=self._variables)
            except OSError as error:
                raise self._error(f"it can't be started ({error.strerror})") from error
        # The reader lives as long as the server, which must never wait for a full pipe.
        threading.Thread(
            target=self._listen, args=(self._process,), name=f"{self.name} output", daemon=True
        ).start()
        try:
            self._wait(self._process)
        except BaseException:
            self.stop()
            raise
        return self.ready

    def check(self) -> None:
        """Looks after it.

        Raises:
            ToolError: It has ended, though nobody stopped it; says what it printed last, if it
                wasn't a signal, for which nothing there is the reason.
        """
        if self._process is not None and (status := self._process.poll()) is not None:
            said = f": {self._last()}" if status >= 0 else ""
            raise self._error(f"{describe_exit(status)}, unasked{said}")

    def stop(self, *, grace: float = 10.0) -> None:
        """Ends it: SIGTERM, and SIGKILL for whatever of its group is left ``grace`` s later."""
        process, self._process = self._process, None
        if process is not None:
            stop(process, grace=grace)

    def __enter__(self) -> ServerProcess:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        output: IO[bytes] | None = process.stdout
        if output is None:
            return
        try:
            for line in output:
                message = _message(line)
                if message and not self._message:
                    self._message = message
                    self._told.set()
        except (OSError, ValueError):
            pass  # the pipe was closed by a stop
        finally:
            self._told.set()

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        self._told.wait(self._seconds)
        match self._message:
            case {"ready": ready}:
                self.ready = ready if isinstance(ready, dict) else {}
            case {"error": what, "option": option, **more}:
                remedy = str(more.get("remedy", "give another"))
                raise OptionError(str(what), where=str(option), remedy=remedy)
            case {"error": what, **more}:
                raise self._error(str(what), str(more.get("remedy", "")))
            case _ if self._told.is_set():
                try:
                    status = describe_exit(process.wait(1.0))
                except subprocess.TimeoutExpired:
                    status = "it closed its output"
                raise self._error(f"{status} before it was ready: {self._last()}")
            case _:
                raise self._error(
                    f"it was not ready within {self._seconds:g} s; it said last: {self._last()}",
                    "try again on a machine that is less busy",
                )

    def _last(self) -> str:
        return last_lines(self.log, 3) or "it printed nothing"

    def _error(self, what: str, remedy: str = "") -> ToolError:
        advice = f"{remedy.rstrip('.')}; its log is {self.log}" if remedy else f"read {self.log}"
        return ToolError(what, where=self.name, remedy=advice)


def _message(line: bytes) -> dict[str, Any]:
    """The JSON object in a line that says ``ready`` or ``error``; else an empty one."""
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) and {"ready", "error"} & found.keys() else {}
