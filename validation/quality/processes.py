"""Processes that share the work of a large corpus."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache, partial
from multiprocessing import get_context
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from ...errors import ServiceError

__all__ = ["Processes"]

_Task = TypeVar("_Task")
_Done = TypeVar("_Done")


class Processes:
    """Some processes, started when they are first needed; used in a ``with`` statement.

    Each imports the calling program's main module, so a script needs the usual
    ``if __name__ == "__main__"``.

    Args:
        count: How many; with 1 the work is done here.

    Attributes:
        count: How many.

    Example:
        >>> with Processes(1) as processes:
        ...     list(processes.map(pow, 2, [3, 4]))
        [8, 16]
    """

    def __init__(self, count: int = 1) -> None:
        self.count = count
        self._executor: ProcessPoolExecutor | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Processes:
        """Starts nothing yet."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Ends the processes; what an error left undone isn't begun."""
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=error is not None)
        if self._folder is not None:
            self._folder.cleanup()

    def prepare(self, function: Callable[[], object]) -> None:
        """Lets every process call a function of a module, as soon as it has started."""
        if self.count > 1:
            for _ in range(self.count):
                self._started().submit(function)

    def _started(self) -> ProcessPoolExecutor:
        if self._executor is None:
            # Polars has threads of its own, which a forked process would not.
            self._executor = ProcessPoolExecutor(self.count, mp_context=get_context("spawn"))
        return self._executor

    def map(
        self, function: Callable[[Any, _Task], _Done], known: Any, tasks: Sequence[_Task]
    ) -> Iterator[_Done]:
        """What a function says of each task, in their order.

        Args:
            function: Of a module, given what is known and a task.
            known: What all tasks need; it is handed over once to each process.
            tasks: The tasks.

        Raises:
            ServiceError: If a process ends early, for want of memory for example.
        """
        if self.count < 2:
            yield from (function(known, task) for task in tasks)
            return
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="isogloss-")
        number = len(list(Path(self._folder.name).iterdir()))
        path = Path(self._folder.name, str(number))
        path.write_bytes(pickle.dumps(known))
        try:
            yield from self._started().map(partial(_there, function, str(path)), tasks)
        except BrokenProcessPool as error:
            raise ServiceError(
                "a process ended early, perhaps for want of memory",
                remedy="run it again with --workers 1",
            ) from error


def _there(function: Callable[[Any, _Task], _Done], path: str, task: _Task) -> _Done:
    return function(_known(path), task)


@lru_cache(maxsize=2)
def _known(path: str) -> Any:
    return pickle.loads(Path(path).read_bytes())  # noqa: S301  # written by map above
