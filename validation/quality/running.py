"""How the command decides: where a report goes, when it fails, how many processes it takes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ...corpus.folder import outside_corpora
from ...corpus.varieties import varieties
from ...errors import OptionError
from .processes import Processes
from .screening import prepare
from .verdicts import Verdict

__all__ = ["fails_on", "processes_for", "report_folder"]

_FAILS: dict[str, tuple[Verdict, ...]] = {
    "never": (),
    "fail": ("fail",),
    "look": ("fail", "look"),
}
#: A process takes some 200 MB, whatever the corpus.
_MOST_PROCESSES = 8
#: Bytes; with less, starting processes takes longer than the work.
_WORTH_A_PROCESS = 1 << 20


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
        OutputError: If it can't lie there, see :func:`~isogloss.corpus.folder.outside_corpora`.

    Example:
        >>> report_folder("data/pairs.tsv.gz", None).as_posix()
        'pairs-quality'
    """
    folder = out
    if folder is None:
        name = Path(source.partition("::")[0]).expanduser().resolve().name
        folder = Path(f"{name.partition('.')[0] or 'corpus'}-quality")
    outside_corpora(folder)
    return folder


def processes_for(source: str, workers: int | None, named: Sequence[str]) -> Processes:
    """The processes that share the work on a file or a folder, or none if it is small.

    They start at once, so that they are ready when the corpus has been read.

    Args:
        source: File or folder.
        workers: How many; by default one for each of the processor's cores that this process
            may use, eight at most.
        named: What may name a variety, as the user wrote it.
    """
    path = Path(source.partition("::")[0]).expanduser()
    files = path.rglob("*") if path.is_dir() else [path]
    size = sum(file.stat().st_size for file in files if file.is_file())
    count = _cores() if workers is None else workers
    processes = Processes(count if size >= _WORTH_A_PROCESS else 1)
    names = [name.rpartition("=")[2] for name in named]
    processes.prepare(
        partial(prepare, [varieties()[name].id for name in names if name in varieties()])
    )
    return processes


def _cores() -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    return min(cores, _MOST_PROCESSES)
