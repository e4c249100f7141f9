"""What every version of a corpus is written of: files of rows, and what is known of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq

from .hashing import file_sha256
from .readme import Config, SplitFiles
from .schema import Schema
from .store import write_parquet

__all__ = ["CONFIG", "DataFiles", "split_of", "written_files"]

#: Name of the one config of a corpus of pairs.
CONFIG = "default"


@dataclass(slots=True)
class DataFiles:
    """The files of ``data/``, being written into a folder.

    Attributes:
        target: The folder of the version.
        schema: The columns of its rows.
        splits: The splits written so far, by name.
    """

    target: Path
    schema: Schema
    splits: dict[str, SplitFiles] = field(default_factory=dict)

    def write(self, name: str, rows: pl.DataFrame) -> None:
        """Writes rows to a file of ``data/``, by its path in the folder; none without rows."""
        if not rows.height:
            return
        path = self.target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_parquet(rows, path, self.schema)
        split = split_of(name)
        before = self.splits.get(split, SplitFiles(split, 0, 0, 0))
        self.splits[split] = SplitFiles(
            split,
            before.rows + rows.height,
            before.file_bytes + path.stat().st_size,
            before.text_bytes + _text_bytes(path),
        )

    def config(self, order: Iterable[str]) -> Config:
        """What the card says of the files; the splits in the order of their names given."""
        return Config(CONFIG, self.schema, [self.splits[n] for n in order if n in self.splits])


def _text_bytes(path: Path) -> int:
    """Bytes in memory of a file's rows, which those of the frame they came from may not be."""
    return int(pq.read_table(path).combine_chunks().nbytes)


def split_of(name: str) -> str:
    """The split that a file of ``data/`` belongs to.

    Example:
        >>> split_of("data/default/evaluation-00000-of-00001.parquet")
        'evaluation'
    """
    return name.rpartition("/")[2].rsplit("-", 3)[0]


def written_files(target: Path) -> Iterator[tuple[str, dict[str, str | int]]]:
    """Path within the folder, hash, bytes and rows of every Parquet file, sorted by path."""
    for path in sorted(target.rglob("*.parquet")):
        yield (
            path.relative_to(target).as_posix(),
            {
                "sha256": file_sha256(path),
                "bytes": path.stat().st_size,
                "rows": pq.read_metadata(path).num_rows,
            },
        )
