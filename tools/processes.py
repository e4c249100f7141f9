"""Child processes that end with this one, and that a Ctrl-C in the terminal doesn't reach."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

__all__ = ["command", "describe_exit", "spawn", "stop"]

_INSIDE = Path(__file__).with_name("inside")
_ROOT = Path(__file__).parent.parent


def command(
    python: Path, module: str, *arguments: object, package: Path | None = None
) -> list[str]:
    """What runs a module with another Python, bound to this process; see :mod:`.inside.run`.

    Args:
        python: The interpreter.
        module: Its name inside the package; without a package, in full.
        arguments: What the module finds in ``sys.argv[1:]``.
        package: The folder of a package that the other Python can't import by itself.
    """
    name = ""
    if package is not None:
        package = package.absolute()
        ours = package.is_relative_to(_ROOT)
        name = ".".join(("isogloss", *package.relative_to(_ROOT).parts)) if ours else package.name
    bound = (str(python), "-I", "-X", "utf8", str(_INSIDE / "run.py"), str(os.getpid()))
    return [*bound, name, str(package or ""), module, *map(str, arguments)]


class _Spawner:
    """A thread that never ends and starts all children.

    The kernel's word of a parent's death comes when the *thread* that started a child ends.
    """

    def __init__(self) -> None:
        self.process_id = os.getpid()
        self._wanted: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = queue.SimpleQueue()
        threading.Thread(target=self._serve, name="spawner", daemon=True).start()

    def call(self, function: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
        """Calls the function in the thread; what it raises is raised here."""
        future: Future[subprocess.Popen[bytes]] = Future()
        self._wanted.put((function, future))
        return future.result()

    def _serve(self) -> None:
        while True:
            function, future = self._wanted.get()
            try:
                future.set_result(function())
            except BaseException as error:  # noqa: BLE001 - it belongs to the caller
                future.set_exception(error)
            del function, future


_spawner: _Spawner | None = None
_lock = threading.Lock()


def spawn(
    argv: Sequence[str],
    *,
    stderr: IO[bytes] | int,
    stdin: int = subprocess.PIPE,
    variables: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> subprocess.Popen[bytes]:
    """Starts a process in a session of its own; its standard output is a pipe, unbuffered.

    Args:
        argv: What :func:`command` gave; anything else runs too, but outlives a killed parent.
        stderr: An open log, or one of subprocess' constants.
        stdin: By default a pipe, whose end tells the child that its parent has gone.
        variables: Of its environment, beside ours.
        folder: Its working folder.

    Raises:
        OSError: The program can't be started.
    """
    global _spawner
    with _lock:
        if _spawner is None or _spawner.process_id != os.getpid():  # threads don't survive a fork
            _spawner = _Spawner()
        spawner = _spawner
    return spawner.call(
        lambda: subprocess.Popen(  # noqa: S603 - a list of ours, no shell
            argv,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env={**os.environ, **(variables or {})},
            cwd=folder,
            bufsize=0,
            start_new_session=True,
        )
    )


def stop(process: subprocess.Popen[bytes], *, grace: float) -> None:
    """Ends a process and all of its group: SIGTERM, then, ``grace`` seconds later, SIGKILL."""
    if process.poll() is None and grace > 0:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(grace)
    # What it started may be there still, also after its own end.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


def describe_exit(status: int) -> str:
    """How a process ended, in words.

    Example:
        >>> describe_exit(-9)
        'it was ended by SIGKILL'
    """
    if status >= 0:
        return f"it left with status {status}"
    try:
        return f"it was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"it was ended by signal {-status}"
