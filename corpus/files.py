"""Finds the file or folder that a user names; needs nothing that takes long to import."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import SourceError

__all__ = ["MEMBER", "check_source", "resolve_source"]

MEMBER = "::"
"""Stands between an archive and its member."""


def resolve_source(source: str) -> tuple[Path, str | None]:
    """Splits ``FILE`` or ``FILE.zip::MEMBER`` and checks that the file can be read.

    Raises:
        SourceError: If it is missing, a directory, empty, or unreadable.
    """
    text, _, member = (source, "", "") if os.path.exists(source) else source.partition(MEMBER)
    try:
        path = Path(text).expanduser()
        if os.path.exists(path) and not (path.is_file() or path.is_dir()):
            raise SourceError(
                "this is a pipe or a device, which can't be read twice",
                where=text,
                remedy="save it to a file first",
            )
        with path.open("rb") as file:
            empty = not file.read(1)
    except IsADirectoryError:
        raise SourceError("this is a directory", where=text, remedy="name one file in it") from None
    except (FileNotFoundError, NotADirectoryError, RuntimeError):
        raise SourceError("there is no such file", where=text, remedy="check the path") from None
    except OSError as error:
        raise SourceError(
            f"the file can't be opened ({error.strerror})", where=text, remedy="check its rights"
        ) from error
    if empty:
        raise SourceError("the file is empty", where=text, remedy="give a file with rows in it")
    return path, member or None


def check_source(source: str) -> None:
    """Checks that there is such a folder, or such a file that can be read.

    Raises:
        SourceError: As :func:`resolve_source` for a file.
    """
    if not os.path.isdir(os.path.expanduser(source)):
        resolve_source(source)
