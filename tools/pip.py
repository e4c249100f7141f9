"""Runs pip and venv: into a log without credentials, with failures told in a line."""

from __future__ import annotations

import os
import re
import select
import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import IO

from ..errors import IsoglossError, StorageError, ToolError
from .processes import spawn, stop

__all__ = ["EXACTLY", "run_logged", "without_credentials"]

#: Exactly what is named, as wheels, without questions.
EXACTLY = (
    "--no-deps",
    "--only-binary=:all:",
    "--no-input",
    "--disable-pip-version-check",
    "--progress-bar=off",
    "--no-color",
)
_TICK_SECONDS = 0.5
_READ_BYTES = 65_536
_TAIL_LINES = 200
_USER = re.compile(r"(?<=://)[^/\s]+@")
_QUERY = re.compile(r"(/[^\s?'\"<>]*)\?[^\s'\"<>]+")
_NOT_FOUND = r"No matching distribution found for (\S+)"
_INDEX = "name an index that has it with the variable PIP_INDEX_URL"
_AGAIN = "and run the same command again: what was downloaded is kept"
#: What is looked for in the output, what it means, and what to do; the first one counts.
_CAUSES: tuple[tuple[str, str, str], ...] = (
    (r"ensurepip is not\s+available|No module named '?(?:venv|ensurepip)", "this Python can't make "
     "environments: its modules venv or ensurepip are missing", "install the system's package "
     "python3-venv, or name another Python with --python PATH"),
    (r"\b(401|403)\b (?:Client )?Error|status code (401|403)", "the package index refuses "
     "the credentials", "check those in PIP_INDEX_URL or pip's configuration"),
    (r"Max retries exceeded|connection broken by|ConnectTimeout|ReadTimeout|Read timed out|"
     r"name resolution|SSLError|ProxyError|Connection (?:refused|reset)",
     "the package index can't be reached", f"check the network, or {_INDEX}, {_AGAIN}"),
    (_NOT_FOUND, "the package index has no {} for this Python",
     f"{_INDEX}, or another Python with --python PATH"),
)  # fmt: skip


def run_logged(
    argv: Sequence[str],
    *,
    log: IO[bytes],
    where: str,
    variables: Mapping[str, str] | None = None,
    tick: Callable[[], None] = lambda: None,
    explain: Sequence[str] = (),
) -> None:
    """Runs a program to its end; what it prints goes to the log.

    Args:
        argv: From :func:`.processes.command`.
        log: It is open.
        where: What messages name.
        variables: Of its environment, beside ours.
        tick: Called about twice a second.
        explain: Run after it if no package was found; pip says only then, and only if it is
            asked to say more, whether the index could be read at all.

    Raises:
        ToolError: It fails; says why as well as can be told, and where the log is.
        StorageError: It fails because the disk is full.
    """
    status, output = _run(argv, log, where, variables, tick)
    if status and explain and re.search(_NOT_FOUND, output):
        status, output = _run(explain, log, where, variables, tick)
    if status:
        raise _failure(output, log, where)


def without_credentials(text: str) -> str:
    """URLs without user, password and query.

    Example:
        >>> without_credentials("see https://me:secret@a.org/simple?token=1 there")
        'see https://****@a.org/simple?**** there'
    """
    return _QUERY.sub(r"\1?****", _USER.sub("****@", text))


def _run(
    argv: Sequence[str],
    log: IO[bytes],
    where: str,
    variables: Mapping[str, str] | None,
    tick: Callable[[], None],
) -> tuple[int, str]:
    """The exit status and the last lines."""
    try:
        process = spawn(
            argv, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT, variables=variables
        )
    except OSError as error:
        raise _failure(f"{argv[0]}: {error.strerror}", log, where) from error
    try:
        lines = _copy(process, log, tick)
        return process.wait(), "\n".join(lines)
    finally:
        stop(process, grace=0)


def _copy(process: subprocess.Popen[bytes], log: IO[bytes], tick: Callable[[], None]) -> list[str]:
    """Copies the output line by line, and gives its last lines."""
    lines: list[str] = []
    if process.stdout is None:
        return lines
    output, rest = process.stdout.fileno(), b""
    while True:
        tick()
        if not select.select([output], [], [], _TICK_SECONDS)[0]:
            continue
        read = os.read(output, _READ_BYTES)
        *whole, rest = (rest + read).split(b"\n")
        if not read and rest:
            whole, rest = [rest], b""
        clean = [without_credentials(line.decode("utf-8", "replace")) for line in whole]
        log.write("".join(f"{line}\n" for line in clean).encode())
        lines = [*lines, *clean][-_TAIL_LINES:]
        if not read:
            return lines


def _failure(output: str, log: IO[bytes], where: str) -> IsoglossError:
    read_log = f"; pip's log is {log.name}"
    if re.search(r"No space left on device|Disk quota exceeded|Errno (?:28|122)\b", output):
        return StorageError(
            "the disk is full", where=where, remedy=f"free some space {_AGAIN}{read_log}"
        )
    for pattern, what, remedy in _CAUSES:
        if match := re.search(pattern, output):
            found = next((group for group in match.groups() if group), "")
            return ToolError(what.format(found), where=where, remedy=f"{remedy}{read_log}")
    said = [line for line in output.splitlines() if line.strip()]
    errors = [line for line in said if "error" in line.lower()]
    last = (errors or said or ["pip said nothing"])[-1]
    return ToolError(f"the installation failed: {last}", where=where, remedy=f"read {log.name}")
