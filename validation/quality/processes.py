"""Processes that share the work of a large corpus."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import lru_cache, partial
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Any, TypeVar

from ...errors import ServiceError

__all__ = ["Processes"]

_Task = TypeVar("_Task")
_Done = TypeVar("_Done")


class Processes:
    """Some processes, started when they are first needed; used in a ``with`` statement.

    Each imports the calling program's main module, so a script needs the usual
    ``if __name__ == "__main__"``. Ctrl-C is for this process alone, which ends the others in
    good order; where this one is killed, they end by themselves.

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
            executor, _ = self._started()
            with _no_interrupt():
                for _ in range(self.count):
                    executor.submit(function)

    def _started(self) -> tuple[ProcessPoolExecutor, str]:
        """The processes, and the folder in which they find what they need to know."""
        if self._executor is None or self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="isogloss-")
            # Polars has threads of its own, which a forked process would not.
            self._executor = ProcessPoolExecutor(
                self.count,
                mp_context=get_context("spawn"),
                initializer=_begin,
                initargs=(self._folder.name,),
            )
        return self._executor, self._folder.name

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
        executor, folder = self._started()
        path = Path(folder, str(len(os.listdir(folder))))
        path.write_bytes(pickle.dumps(known))
        try:
            with _no_interrupt():
                done = executor.map(partial(_there, function, str(path)), tasks)
            yield from done
        except BrokenProcessPool as error:
            raise ServiceError(
                "a process ended early, perhaps for want of memory",
                remedy="run it again with --workers 1",
            ) from error


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Keeps Ctrl-C from the processes that are started here; this one hears of it later.

    They inherit what is blocked, so that they don't hear of it while they import either.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(folder: str) -> None:
    """In a process of its own: leaves Ctrl-C to the one that started it, and dies with that."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, args=(folder,), daemon=True).start()


def _end_with_parent(folder: str) -> None:
    if (parent := parent_process()) is not None:
        parent.join()
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)


def _there(function: Callable[[Any, _Task], _Done], path: str, task: _Task) -> _Done:
    return function(_known(path), task)


@lru_cache(maxsize=2)
def _known(path: str) -> Any:
    return pickle.loads(Path(path).read_bytes())  # noqa: S301  # written by map above
