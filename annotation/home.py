"""The folder of an embedded Argilla server: its database, its secrets, its backups.

::

    argilla.db          everything: people, projects, labels
    server.json         format version and secrets, for this user only (mode 0600)
    running.json        where the server answers, while it runs
    backups/            copies of the database
    server.log          what the server said
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ..corpus.folder import locked
from ..corpus.store import made_folder, storage_errors
from ..errors import AnnotationError, OutputError, WorkFolderBusyError

__all__ = [
    "DATABASE",
    "FORMAT_VERSION",
    "OWNER",
    "Home",
    "default_home",
    "open_home",
    "write_private",
]

#: Raised when an older Isogloss would misread the folder.
FORMAT_VERSION = 1
DATABASE = "argilla.db"
#: Who makes projects; raters have names of their own.
OWNER = "owner"
_SERVER = "server.json"
_RUNNING = "running.json"
_LOCK = "lock"
#: Others hold the lock for a moment only, when they make the folder.
_PATIENCE = 1.0
_LOOK_SECONDS = 0.02
_Result = TypeVar("_Result")


def default_home() -> Path:
    """Where labels lie if nothing is said: in the user's data, never in a cache."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "isogloss" / "annotation"


@dataclass(frozen=True, slots=True)
class Home:
    """An opened home folder.

    Attributes:
        folder: The folder.
        secret_key: Signs the sessions of people who are signed in.
        api_key: The owner's.
    """

    folder: Path
    secret_key: str
    api_key: str

    def __repr__(self) -> str:
        return f"Home({str(self.folder)!r})"

    @property
    def database(self) -> Path:
        """The database; not there before the first start."""
        return self.folder / DATABASE

    @property
    def log(self) -> Path:
        """What the server said."""
        return self.folder / "server.log"

    def running_url(self) -> str | None:
        """Where the server answers, if one runs.

        A note that a killed server left is none: whoever told keeps it locked (see
        :meth:`telling`), so that nobody who got its port or its process id is taken for it and
        sent the owner's key.
        """
        try:
            with (self.folder / _RUNNING).open("rb") as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                except BlockingIOError:
                    found = json.load(file)
                    os.kill(int(found["pid"]), 0)
                    return str(found["url"])
        except (OSError, ValueError, KeyError, TypeError):
            pass
        return None

    @contextmanager
    def telling(self, url: str, pid: int) -> Iterator[None]:
        """Notes where the server answers, as long as this process lives and waits."""
        path = self.folder / _RUNNING
        temporary = _temporary(path)
        with storage_errors(path):
            handle = _made_private(temporary)
        # Locked before it has its name, and unlocked by the kernel however this process ends.
        with os.fdopen(handle, "wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            with storage_errors(path):
                file.write(json.dumps({"url": url, "pid": pid}).encode())
                file.flush()
                temporary.replace(path)
            try:
                yield
            finally:
                path.unlink(missing_ok=True)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keeps the folder for this process: a server, or what needs that none runs.

        Raises:
            WorkFolderBusyError: If a server runs.
        """
        with ExitStack() as stack:
            try:
                _patiently(lambda: stack.enter_context(locked(self.folder)))
            except WorkFolderBusyError as error:
                where = self.running_url()
                raise WorkFolderBusyError(
                    f"a server runs in this folder{f' at {where}' if where else ''}",
                    where=str(self.folder),
                    remedy="stop it first, or choose another --home",
                ) from error
            yield


def open_home(folder: Path | None, *, make: bool = False) -> Home:
    """Opens a home folder.

    Args:
        folder: The folder; :func:`default_home` if it is None.
        make: Makes it if it isn't there; only a server and a restore do that.

    Raises:
        AnnotationError: If it isn't there, isn't one, or a newer Isogloss made it.
        OutputError: If it can't be made or written to.
        WorkFolderBusyError: If another process holds it though nothing is in it yet.
    """
    chosen = (folder or default_home()).expanduser()
    path = chosen / _SERVER
    said = _said(path)
    if said is None:
        if not make:
            raise AnnotationError(
                "no annotation server was ever started in this folder",
                where=str(chosen),
                remedy="start one with isogloss annotate serve, or name its folder with --home",
            )
        said = _made(chosen, path)
    version = said.get("format_version") if isinstance(said, dict) else None
    if isinstance(version, int) and version > FORMAT_VERSION:
        raise AnnotationError(
            f"the folder has format {version}, this version reads up to {FORMAT_VERSION}",
            where=str(chosen),
            remedy="upgrade isogloss, or choose another --home",
        )
    try:
        return Home(chosen.resolve(), str(said["secret_key"]), str(said["api_key"]))
    except (KeyError, TypeError) as error:
        raise AnnotationError(
            "the file holds no keys", where=str(path), remedy="restore it from a backup"
        ) from error


def _said(path: Path) -> Any:
    """What the file of secrets says; None if it isn't there."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise AnnotationError(
            f"the file can't be read ({error})", where=str(path), remedy="restore it from a backup"
        ) from error


def _made(folder: Path, path: Path) -> Any:
    """Makes the folder and its secrets; of several who do so at once, all get those of one."""
    ours = {_LOCK, _temporary(path).name}
    # Whoever is quicker writes the secrets before all else, so that they are looked for last.
    if folder.is_dir() and {one.name for one in folder.iterdir()} - ours and not path.exists():
        raise OutputError(
            "the folder holds files, but no annotation server",
            where=str(folder),
            remedy="choose an empty or a new folder with --home",
        )
    try:
        made_folder(folder)
    except OutputError as error:
        raise OutputError(error.what, where=error.where, remedy="choose another --home") from error
    folder.chmod(0o700)

    def write() -> Any:
        if path.exists():  # somebody was quicker, and may serve already
            return _said(path)
        with locked(folder):
            if not path.exists():
                keys = {key: secrets.token_urlsafe(48) for key in ("secret_key", "api_key")}
                write_private(path, {"format_version": FORMAT_VERSION, **keys})
        return _said(path)

    return _patiently(write)


def _patiently(attempt: Callable[[], _Result]) -> _Result:
    """Tries again for a moment while another process is at work in the folder."""
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            return attempt()
        except WorkFolderBusyError:
            if time.monotonic() > end:
                raise
        time.sleep(_LOOK_SECONDS)


def write_private(path: Path, value: Any) -> None:
    """Writes JSON for this user alone, whole or not at all."""
    data = json.dumps(value, indent=2).encode()
    temporary = _temporary(path)
    with storage_errors(path):
        with os.fdopen(_made_private(temporary), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.new")


def _made_private(path: Path) -> int:
    """A new file, opened; it has its mode from the start, so that nobody can open it before."""
    path.unlink(missing_ok=True)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
