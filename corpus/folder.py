"""A corpus folder being built: who may write there, and how the new version appears.

Everything unfinished lives in ``<corpus>/.work``. A finished version is staged
there whole, marked ready, then moved into place; a process killed in between is
rolled forward by the next one, so a folder never mixes two versions for good.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from ..errors import CorpusError, OutputError, WorkFolderBusyError
from ..failpoints import failpoint
from .manifest import Manifest, read_manifest
from .store import storage_errors, write_atomic

__all__ = [
    "PARTS",
    "WORK",
    "corpus_folder",
    "locked",
    "outside_corpora",
    "staging",
    "standing_manifest",
    "swap_in",
]

WORK = ".work"
#: What a version consists of, in the order in which it is moved into place. What isn't staged
#: stays as it is.
PARTS = ("data", "rejected", "annotations", "README.md", "run.json", "manifest.json")


def outside_corpora(folder: Path) -> None:
    """Checks that what is no part of a corpus may go into a folder, which need not be there yet.

    Raises:
        OutputError: If it would lie in a corpus folder, whose files are listed in its manifest,
            or if a file is in its place or in that of a folder above it.
    """
    written = folder.expanduser()
    for part in (written, *written.parents):
        if os.path.lexists(part) and not part.is_dir():
            raise OutputError(
                "this is a file, not a folder", where=str(part), remedy="choose another --out"
            )
    here = written.resolve()
    for parent in (here, *here.parents):
        if (parent / "manifest.json").is_file() and (parent / "data").is_dir():
            raise OutputError(
                "it would lie in a corpus folder, whose files are listed",
                where=str(folder),
                remedy="choose another folder with --out",
            )


def standing_manifest(folder: Path) -> Manifest | None:
    """The manifest of the corpus in a folder, or of the version being moved there; or None.

    Raises:
        CorpusError: If it can't be read, or a newer Isogloss wrote it.
    """
    found = read_manifest(folder)
    work = folder / WORK
    if found is None and _ready(work).exists():
        return read_manifest(_staged(work))
    return found


@contextmanager
def corpus_folder(folder: Path, *, builder: str, form: str = "full") -> Iterator[Path]:
    """Opens a folder to build a corpus into, for this process alone.

    Args:
        folder: The corpus folder; made if it isn't there.
        builder: Name of the builder; a corpus of another one is refused.
        form: The release form; a corpus in another one is refused, so that a folder made to
            be published never gets texts, nor one with texts loses them.

    Yields:
        The work folder.

    Raises:
        OutputError: If the folder holds something else.
        WorkFolderBusyError: If another process is at work in it.
    """
    _refuse_foreign(folder, builder, form)
    work = folder / WORK
    try:
        with storage_errors(folder):
            work.mkdir(parents=True, exist_ok=True, mode=0o700)
            with tempfile.TemporaryFile(dir=folder):
                pass  # a folder that can't be written to is better noticed now than at the end
    except OSError as error:
        raise OutputError(
            f"no folder can be made there ({error.strerror})",
            where=str(folder),
            remedy="choose another --out",
        ) from error
    with locked(work):
        if _ready(work).exists():
            swap_in(folder)
            _refuse_foreign(folder, builder, form)
        yield work


@contextmanager
def locked(work: Path) -> Iterator[None]:
    """Keeps a work folder for this process alone.

    Raises:
        WorkFolderBusyError: If another process is at work in it.
    """
    lock = FileLock(work / "lock", blocking=False)
    try:
        with storage_errors(work):
            lock.acquire()
    except Timeout:
        raise WorkFolderBusyError(
            "another process is at work in this folder",
            where=str(work.parent if work.name == WORK else work),
            remedy="wait for it, or stop it",
        ) from None
    try:
        yield
    finally:
        lock.release()


def _refuse_foreign(folder: Path, builder: str, form: str) -> None:
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise OutputError("this is a file", where=str(folder), remedy="name a folder with --out")
    try:
        manifest = read_manifest(folder)
    except CorpusError as error:
        raise OutputError(error.what, where=error.where, remedy=error.remedy) from error
    if manifest is None:
        swapping = _ready(folder / WORK)
        if os.path.isdir(folder) and not os.path.exists(swapping):
            if all(path.name == WORK for path in folder.iterdir()):
                return
            raise OutputError(
                "the folder holds files that are no corpus",
                where=str(folder),
                remedy="choose an empty or a new folder with --out",
            )
        return
    made_by = manifest.get("builder")
    found = made_by.get("name") if isinstance(made_by, dict) else None
    if found != builder:
        raise OutputError(
            f"the folder holds a corpus of the builder {found!r}, not of {builder!r}",
            where=str(folder),
            remedy="choose another --out",
        )
    found_form = manifest.get("form", "full")
    if found_form != form:
        raise OutputError(
            f"the folder holds a corpus in the form {found_form!r}, not {form!r}",
            where=str(folder),
            remedy="choose another --out",
        )


def _staged(work: Path) -> Path:
    return work / "staged"


def _ready(work: Path) -> Path:
    """Marks a staged version as whole: from here on it is rolled forward."""
    return _staged(work) / "READY"


def staging(work: Path) -> Path:
    """An empty folder in which the new version is put together."""
    staged = _staged(work)
    shutil.rmtree(staged, ignore_errors=True)
    staged.mkdir(parents=True)
    return staged


def swap_in(folder: Path) -> None:
    """Moves the staged version into place; safe to repeat after a kill at any point."""
    work = folder / WORK
    staged = _staged(work)
    ready = _ready(work)
    old = work / "old"
    with storage_errors(folder):
        if not ready.exists():
            _flush(staged)
            write_atomic(ready, b"")
        failpoint("version-ready")
        for part in PARTS:
            if not (staged / part).exists():
                continue
            if (folder / part).exists():
                old.mkdir(exist_ok=True)
                _remove(old / part)
                (folder / part).replace(old / part)
                failpoint("part-set-aside")
            (staged / part).replace(folder / part)
            failpoint("part-moved")
        shutil.rmtree(staged)
        shutil.rmtree(old, ignore_errors=True)


def _flush(folder: Path) -> None:
    """Brings every file and folder to the disk, so that READY never vouches for less."""
    for path in (*folder.rglob("*"), folder):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
