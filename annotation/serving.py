"""Runs an embedded Argilla server as long as somebody waits for it."""

from __future__ import annotations

import math
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ..errors import IsoglossError, OptionError, ToolError
from ..tools import Environment, ServerProcess
from .backups import back_up_if_changed
from .home import OWNER, Home, write_private
from .people import new_password

__all__ = ["TOOL", "Served", "serve_until_stopped", "serving"]

#: The isolated tool that has the server in it.
TOOL = "argilla-server"
_PACKAGE = Path(__file__).with_name("embedded")
_OPTIONS = "options.json"
_DAY = 24 * 60 * 60
_LONGEST_DAYS = 3650
_LOOK_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Served:
    """A server that answers.

    Attributes:
        url: Its address.
        owner_password: The owner's password, at the first start only: it is stored nowhere.
        process: The server's process.
    """

    url: str
    owner_password: str | None
    process: ServerProcess

    def __repr__(self) -> str:
        return f"Served({self.url!r})"


@contextmanager
def serving(
    home: Home,
    environment: Environment,
    *,
    host: str = "127.0.0.1",
    port: int = 6900,
    names: Sequence[str] = (),
    session_days: float = 14,
    kill_at: str = "",
) -> Iterator[Served]:
    """Starts the server, and stops it at the end.

    Args:
        home: Its folder, for this server alone.
        environment: The installed tool.
        host: The address it listens on.
        port: The port; 0 takes any.
        names: Other names that it is called by, for example behind a proxy.
        session_days: How long somebody stays signed in.
        kill_at: A point at which the server kills itself, for tests: ``name:n``.

    Raises:
        OptionError: If it can't listen there, or a number can't be used.
        ToolError: If it can't start; with the last lines of its log.
        WorkFolderBusyError: If a server runs in the folder.
    """
    if not 0 <= port <= 65535:
        raise OptionError(f"{port} is no port", where="--port", remedy="give 1 to 65535, or 0")
    if not 0 < session_days <= _LONGEST_DAYS:
        raise OptionError(
            f"{session_days:g} can't be used",
            where="--session-days",
            remedy=f"give a number above 0, up to {_LONGEST_DAYS}",
        )
    password = new_password()
    options = home.folder / _OPTIONS
    argv = environment.command(_PACKAGE, "launch", options)
    variables = {"ISOGLOSS_KILL_AT": kill_at}
    with home.alone():
        write_private(
            options,
            {
                "home": str(home.folder),
                "host": host,
                "port": port,
                "names": list(names),
                "secret_key": home.secret_key,
                "session_seconds": max(1, round(session_days * _DAY)),
                "owner": {"name": OWNER, "password": password, "api_key": home.api_key},
            },
        )
        process = ServerProcess("the server", argv, log=home.log, variables=variables)
        try:
            ready = process.start()
            options.unlink(missing_ok=True)
            shown = f"[{host}]" if ":" in host else host
            url = f"http://{'127.0.0.1' if host == '0.0.0.0' else shown}:{ready['port']}"  # noqa: S104
            with home.telling(url, int(ready["pid"])):
                yield Served(url, password if ready["owner_made"] else None, process)
        finally:
            options.unlink(missing_ok=True)
            process.stop()
            # The copies of Argilla's pages.
            shutil.rmtree(home.folder / "run", ignore_errors=True)


def serve_until_stopped(
    home: Home,
    environment: Environment,
    *,
    host: str,
    port: int,
    names: Sequence[str],
    session_days: float,
    backup_minutes: float,
    started: Callable[[Served], None],
    failed: Callable[[IsoglossError], None],
) -> Path | None:
    """Serves until Ctrl-C, SIGTERM or a closed terminal; backs up meanwhile and at the end.

    Args:
        home: The server's folder.
        environment: The installed tool.
        host: See :func:`serving`.
        port: See :func:`serving`.
        names: See :func:`serving`.
        session_days: See :func:`serving`.
        backup_minutes: Time between automatic backups; 0 makes only the one at the end.
        started: Called once it answers.
        failed: Called with the error of a backup that could not be made.

    Returns:
        The backup made at the end, or None if nothing had changed since the last.

    Raises:
        OptionError: See :func:`serving`.
        ToolError: If the server ended by itself; its log says why.
    """
    if not (math.isfinite(backup_minutes) and backup_minutes >= 0):
        raise OptionError(
            f"{backup_minutes:g} can't be used", where="--backup-minutes", remedy="give 0 or more"
        )
    stop = threading.Event()
    heard = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as it is under nohup
        heard.append(signal.SIGHUP)
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in heard}
    try:
        with serving(
            home, environment, host=host, port=port, names=names, session_days=session_days
        ) as served:
            started(served)
            last = time.monotonic()
            while not stop.wait(_LOOK_SECONDS):
                served.process.check()
                if backup_minutes and time.monotonic() - last >= backup_minutes * 60:
                    # A full disk must not end the server: raters go on, and the next one is tried.
                    try:
                        back_up_if_changed(home)
                    except IsoglossError as error:
                        failed(error)
                    last = time.monotonic()
        return back_up_if_changed(home)
    except ToolError:
        # A database that can't be copied must not hide why the server ended.
        with suppress(IsoglossError):
            back_up_if_changed(home)
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
