"""Writes a report: the page, figures as SVG and PDF, tables as CSV, Markdown and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ...corpus.folder import outside_corpora
from ...corpus.store import made_folder, write_atomic
from .reading import Run
from .sections import sections_of
from .table_files import WRITERS
from .tables import tables_of

__all__ = ["PAGE", "report_folder", "write_report"]

PAGE = "report.html"
"""Name of the page in a report's folder."""
_OURS = re.compile(r"(corpus\d+-)?(figure-\d-[a-z]+\.(svg|pdf)|table-\d-[a-z]+\.(csv|md|tex))")


def report_folder(runs: Sequence[Path], out: Path | None) -> Path:
    """Where a report goes: ``out``; ``report`` in the run's folder, or here for several runs.

    The folder isn't made yet, so that a mistake leaves none behind.

    Raises:
        OutputError: If it can't lie there, see :func:`~isogloss.corpus.folder.outside_corpora`.
    """
    one_run = len({run.expanduser().resolve() for run in runs}) == 1
    folder = (out or (runs[0] / "report" if one_run else Path("report"))).expanduser()
    outside_corpora(folder)
    return folder


def write_report(runs: Sequence[Run], out: Path, *, limit: int = 25) -> list[Path]:
    """Writes a report into ``out``; an older one's files are replaced.

    The same runs give the same bytes.

    Args:
        runs: Of which it is.
        out: Its folder.
        limit: How many items to show of each model for each side; 0 for no text of the corpus.

    Returns:
        The files, the page first.

    Raises:
        SourceError: If a run's items can't be read.
        OutputError: If ``out`` can't be a folder.
        StorageError: If the disk refuses.
    """
    # Drawing takes a second to import, which a mistaken call needn't wait for.
    from .figures import figures_of
    from .page import Part, render

    parts = [
        Part(section, figures_of(section), tables_of(section)) for section in sections_of(runs)
    ]
    files = {PAGE: render(parts, limit=limit).encode()}
    for part in parts:
        prefix = f"{part.section.key}-" if part.section.key else ""
        for figure in part.figures:
            for form, data in (("svg", figure.svg), ("pdf", figure.pdf)):
                files[f"figures/{prefix}{figure.name}.{form}"] = data
        for table in part.tables:
            for form, write in WRITERS.items():
                files[f"tables/{prefix}{table.name}.{form}"] = write(table).encode()
    for folder in ("figures", "tables"):
        made_folder(out / folder)
        for old in (out / folder).iterdir():
            if _OURS.fullmatch(old.name) and f"{folder}/{old.name}" not in files:
                old.unlink()
    for name, data in files.items():
        write_atomic(out / name, data)
    return [out / name for name in files]
