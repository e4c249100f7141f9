"""A process that answers one JSON object after another with a tool's Python."""

from __future__ import annotations

import subprocess
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ToolError
from .lines import Ended, Lines, NoAnswer
from .logs import last_lines, open_log
from .processes import describe_exit, spawn, stop

__all__ = ["Failure", "Worker"]

_TRIES = 2
_END_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Failure:
    """What came instead of an answer.

    The reason is ``worker_died`` (twice, at this request), ``timeout``, ``exception`` (in the
    worker's code), ``bad_answer`` (no JSON object) or ``bad_request`` (JSON can't say it).
    """

    reason: str
    detail: str


@dataclass(slots=True)
class _Waiting:
    """A request that is not answered yet."""

    number: int
    request: Mapping[str, Any]
    tries: int = 0
    failure: Failure | None = None


class Worker:
    """A process whose module calls :func:`.inside.lines.serve`; it starts with the first request.

    Args:
        name: What it is called in messages.
        argv: What runs it, from :meth:`.Environment.command`.
        log: A file for all it prints; see :meth:`.Environment.log_for`.
        variables: Of its environment, beside ours.
        window: Requests on their way at the same time.
        seconds: How long one request may take; None for ever.
        start_seconds: How long it may take to get ready.

    Example:
        >>> log = environment.log_for("murre")  # doctest: +SKIP
        >>> with Worker("murre", argv, log=log) as worker:  # doctest: +SKIP
        ...     for answer in worker.ask({"text": text} for text in texts):
        ...         print(answer.reason if isinstance(answer, Failure) else answer["text"])
    """

    def __init__(
        self,
        name: str,
        argv: Sequence[str],
        *,
        log: Path,
        variables: Mapping[str, str] | None = None,
        window: int = 64,
        seconds: float | None = None,
        start_seconds: float = 120.0,
    ) -> None:
        self.name = name
        self.log = log
        self._argv, self._variables = list(argv), variables
        self._window, self._seconds, self._start_seconds = window, seconds, start_seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: Lines | None = None
        self._numbers = 0
        self._busy = False

    def ask(self, requests: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any] | Failure]:
        """Asks requests and yields what comes of each, in their order.

        Requests are drawn up to a window ahead. If the worker dies, it is started anew and the
        request that it was at is asked once more; the others lose nothing.

        Raises:
            ToolError: The worker can't be started.
        """
        if self._busy:
            raise RuntimeError("one iteration over a worker's answers must end before the next")
        waiting: deque[_Waiting] = deque()
        source = iter(requests)
        self._busy = True
        try:
            while True:
                while len(waiting) < self._window:
                    try:
                        request = next(source)
                    except StopIteration:
                        break
                    self._numbers += 1
                    waiting.append(_Waiting(self._numbers, request))
                    self._send(waiting[-1])
                if not waiting:
                    return
                outcome = self._outcome(waiting)
                waiting.popleft()
                yield outcome
        finally:
            self._busy = False
            if waiting:
                self._end(grace=0)  # answers that nobody wants are on their way

    def close(self) -> None:
        """Ends the process; a later request starts it anew."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_END_SECONDS)
        self._end(grace=1.0)
        if self.log.is_file() and not self.log.stat().st_size:
            self.log.unlink()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send(self, item: _Waiting) -> None:
        """Puts a request on its way, if there is a worker to send it to."""
        if self._lines is None or item.failure is not None:
            return
        try:
            self._lines.send({"number": item.number, "request": dict(item.request)})
        except (TypeError, ValueError, RecursionError) as error:
            item.failure = Failure("bad_request", f"{type(error).__name__}: {error}")
            return
        with suppress(Ended):  # whoever waits for the answer will see it
            self._lines.pump()

    def _outcome(self, waiting: deque[_Waiting]) -> dict[str, Any] | Failure:
        first = waiting[0]
        while True:
            lines = self._lines
            if lines is None:
                lines = self._start()
                for item in waiting:
                    self._send(item)
            if first.failure is not None:
                return first.failure
            try:
                message = lines.receive(self._seconds)
            except Ended:
                first.tries += 1
                last = last_lines(self.log)
                self._end(grace=0)
                if first.tries == _TRIES:
                    return Failure("worker_died", last)
            except NoAnswer:
                self._end(grace=0)
                return Failure("timeout", f"no answer within {self._seconds:g} s")
            except (ValueError, RecursionError) as error:
                self._end(grace=0)
                return Failure("bad_answer", f"it is no JSON ({error})")
            else:
                return self._understood(message, first.number)

    def _understood(self, message: Any, number: int) -> dict[str, Any] | Failure:
        match message:
            case {"number": told, "answer": dict(answer)} if told == number:
                return answer
            case {"number": told, "failure": str(detail)} if told == number:
                return Failure("exception", detail)
        self._end(grace=0)  # nobody knows what the next line would belong to
        return Failure("bad_answer", "it is no answer to this request")

    def _start(self) -> Lines:
        with open_log(self.log) as log:
            try:
                process = spawn(self._argv, stderr=log, variables=self._variables)
            except OSError as error:
                raise self._error(f"it can't be started ({error.strerror})") from error
        self._process = process
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("a worker's input and output are pipes")
        lines = Lines(process.stdin, process.stdout)
        try:
            message = lines.receive(self._start_seconds)
        except Ended:
            status = process.wait()
            self._end(grace=0)
            raise self._error(f"it could not start: {describe_exit(status)}") from None
        except NoAnswer:
            self._end(grace=0)
            raise self._error(f"it was not ready within {self._start_seconds:g} s") from None
        except BaseException:
            self._end(grace=0)
            raise
        if not isinstance(message, dict) or "ready" not in message:
            self._end(grace=0)
            raise self._error("it did not say that it is ready")
        self._lines = lines
        return lines

    def _end(self, *, grace: float) -> None:
        process, self._process, self._lines = self._process, None, None
        if process is not None:
            stop(process, grace=grace)

    def _error(self, what: str) -> ToolError:
        said = last_lines(self.log)
        return ToolError(
            f"{what}; it said last: {said}" if said else what,
            where=self.name,
            remedy=f"read {self.log}",
        )
