"""Finds a column by its name among those of a file."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from ...corpus.text import encodable
from ...errors import OptionError, SourceError

__all__ = ["SHOWN", "find_column"]

SHOWN = 60
"""So much of a column's name, or of a cell, is shown in a message."""


def find_column(name: str | None, *, usual: str, found: Sequence[str], where: str) -> str:
    """What the file calls a column; case doesn't matter where nothing has that very name.

    Args:
        name: What the user calls it; None if it isn't said.
        usual: What it is called then.
        found: The columns of the file.
        where: The file, for messages.

    Raises:
        SourceError: If there is no column ``name``, or the column is there twice.
        OptionError: If none is named and there is no ``usual`` one.

    Example:
        >>> find_column("DIALECT", usual="dialect", found=["id", "Dialect"], where="a.tsv")
        'Dialect'
        >>> find_column(None, usual="dialect", found=["id", "dialect"], where="a.tsv")
        'dialect'
    """
    wanted = usual if name is None else name
    lowered = {other.lower(): other for other in found}
    chosen = wanted if wanted in found else lowered.get(wanted.lower())
    if chosen is not None:
        if found.count(chosen) == 1 and encodable(chosen):
            return chosen
        twice = found.count(chosen) > 1
        raise SourceError(
            f"the column {chosen!r} is there twice" if twice else "the header is not UTF-8",
            where=where,
            remedy="give every column a name of its own" if twice else "convert the file",
        )
    near = difflib.get_close_matches(wanted, found, n=1)
    shown = ", ".join(repr(column[:SHOWN]) for column in found[:20])
    if name is None:
        raise OptionError(
            f"there is no column {usual!r}; the columns are {shown}",
            where=where,
            remedy="say with --dialect and --standard which two are the pair; the first line "
            "of a table must name its columns",
        )
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise SourceError(
        f"there is no column {name!r}",
        where=where,
        remedy=f"{hint}The columns are {shown}" if hint else f"the columns are {shown}",
    )
