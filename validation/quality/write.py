"""Writes a report: ``quality.json``, ``quality.html`` and ``caught.parquet``."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from ...corpus.manifest import dump_json
from ...corpus.store import made_folder, write_atomic, write_parquet
from .page import render
from .report import Quality
from .screening import CAUGHT

__all__ = ["FILES", "write_report"]

FILES = ("quality.json", "quality.html", "caught.parquet")
"""What a folder of a report holds."""


def write_report(quality: Quality, out: Path) -> list[Path]:
    """Writes the files into ``out``, which is made if it isn't there; older ones are replaced.

    Raises:
        OutputError: If ``out`` can't be a folder.
        StorageError: If the disk refuses.
    """
    made_folder(out)
    paths = [out / name for name in FILES]
    caught = quality.screened.caught
    if not quality.examples:
        # A detail quotes the text that it is about.
        caught = caught.with_columns(detail=pl.lit(None, dtype=pl.String))
    write_atomic(paths[0], dump_json(quality.to_dict()))
    write_atomic(paths[1], render(quality).encode())
    write_parquet(caught, paths[2], CAUGHT)
    return paths
