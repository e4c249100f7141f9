"""How the command decides: where a report goes, when it fails, how many processes it takes."""

from __future__ import annotations

import os
from pathlib import Path

from ...errors import OptionError, OutputError
from .verdicts import Verdict

__all__ = ["cores", "fails_on", "report_folder"]

_FAILS: dict[str, tuple[Verdict, ...]] = {
    "never": (),
    "fail": ("fail",),
    "look": ("fail", "look"),
}
#: A process takes some 200 MB, whatever the corpus.
_MOST_PROCESSES = 8


def fails_on(option: str) -> tuple[Verdict, ...]:
    """The verdicts that end the command with status 1.

    Raises:
        OptionError: If the option is none of its values.

    Example:
        >>> fails_on("look")
        ('fail', 'look')
    """
    if option not in _FAILS:
        raise OptionError(
            f"{option!r} is none of its values",
            where="--fail-on",
            remedy=f"give {', '.join(_FAILS)}",
        )
    return _FAILS[option]


def report_folder(source: str, out: Path | None) -> Path:
    """Where the report goes: ``out``, or a folder here that is named after the source.

    The folder isn't made yet, so that a mistake leaves none behind.

    Raises:
        OutputError: If it would lie in a corpus folder, whose files are listed in its manifest,
            or if a file is in its place or in that of a folder above it.

    Example:
        >>> report_folder("data/pairs.tsv.gz", None).as_posix()
        'pairs-quality'
    """
    folder = out
    if folder is None:
        name = Path(source.partition("::")[0]).expanduser().resolve().name
        folder = Path(f"{name.partition('.')[0] or 'corpus'}-quality")
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
                "the report would lie in a corpus folder",
                where=str(folder),
                remedy="choose another folder with --out",
            )
    return folder


def cores() -> int:
    """The processor's cores that this process may use, eight at most."""
    return min(
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1, _MOST_PROCESSES
    )
