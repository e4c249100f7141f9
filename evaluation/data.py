"""The corpus that models are evaluated on, read through ``datasets.load_dataset``."""

from __future__ import annotations

import hashlib
import math
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import polars as pl

from ..corpus.hashing import canonical_json, seeded_hashes
from ..errors import CorpusError, OptionError, printable

__all__ = ["Corpus", "load_corpus"]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Rows of one split.

    Attributes:
        name: Folder name or Hub id.
        split: The split.
        rows: All columns, sorted by id.
        sha256: Of the whole split: of every value of every row.
    """

    name: str
    split: str
    rows: pl.DataFrame
    sha256: str

    def sample(self, limit: int | None, *, seed: int) -> Corpus:
        """So many rows by a seeded hash of their ids, so that a larger sample holds a smaller."""
        if limit is None or limit >= self.rows.height:
            return self
        hashes = seeded_hashes(self.rows["id"], seed=seed, purpose="evaluation")
        chosen = sorted(range(self.rows.height), key=hashes.__getitem__)[:limit]
        return Corpus(self.name, self.split, self.rows[sorted(chosen)], self.sha256)

    def require(
        self, columns: Sequence[str], *, task: str, remedy: str | Mapping[str, str]
    ) -> None:
        """Refuses a corpus that lacks a column, or has nothing in it.

        Args:
            columns: The columns.
            task: What needs them.
            remedy: What to do if one is missing; or that by column.

        Raises:
            CorpusError: If so.
        """
        for column in columns:
            if column not in self.rows.columns or not self.rows[column].count():
                raise CorpusError(
                    f"{task} needs the column {column!r}, and the corpus has nothing in it",
                    where=f"{self.name}, split {self.split}",
                    remedy=(remedy if isinstance(remedy, str) else remedy.get(column, ""))
                    or "name a corpus that has it",
                )


def load_corpus(source: str, *, split: str, config: str | None = None) -> Corpus:
    """Loads one split of a corpus folder or of a data set on the Hub.

    Raises:
        CorpusError: If it can't be loaded, or has no ids.
        OptionError: If it has no such split.
    """
    with _loaded(source, config) as loaded:
        if split not in loaded:
            raise OptionError(
                f"there is no split {split!r}",
                where=f"{source}",
                remedy=f"choose one of {', '.join(loaded)}",
            )
        # A view of rows that were filtered or shuffled has its order in indices beside the table.
        table = loaded[split].with_format("arrow")[:]
        rows = cast(pl.DataFrame, pl.from_arrow(table))
    if "id" not in rows.columns:
        raise CorpusError(
            "the rows have no ids", where=source, remedy="name a corpus with a column id"
        )
    rows = rows.with_columns(pl.col("id").cast(pl.String)).sort("id")
    if rows["id"].null_count():
        raise CorpusError("a row has no id", where=source, remedy="give every row an id")
    if rows["id"].n_unique() < rows.height:
        raise CorpusError(
            "several rows have one id", where=source, remedy="give every row an id of its own"
        )
    digest = hashlib.sha256()
    for row in rows.iter_rows(named=True):
        digest.update(canonical_json(_finite(row)).encode())
    return Corpus(_name(source), split, rows, digest.hexdigest())


@contextmanager
def _loaded(source: str, config: str | None) -> Iterator[Any]:
    """The splits by name.

    A folder is read anew each time: the library's own cache is not told when one of its files
    changes, and would give the old rows.
    """
    import datasets

    folder = Path(source).expanduser()
    is_folder = os.path.isdir(folder)  # unlike Path, it says no where it may not look
    if not is_folder and (os.path.exists(folder) or source.startswith((".", "/", "~"))):
        raise CorpusError(
            "there is no such folder", where=source, remedy="name a corpus folder or a Hub id"
        )
    shown = datasets.are_progress_bars_disabled()
    datasets.disable_progress_bars()
    with tempfile.TemporaryDirectory(prefix="isogloss-") as cache:
        try:
            loaded = datasets.load_dataset(
                str(folder) if is_folder else source,
                name=config,
                cache_dir=cache if is_folder else None,
            )
        except Exception as error:
            # The library raises whatever its readers and the network raise.
            said = f"{type(error).__name__}: {printable(str(error))[:200]}"
            raise CorpusError(
                f"the corpus can't be loaded ({said})",
                where=source,
                remedy="check that `datasets.load_dataset` opens it",
            ) from error
        finally:
            if not shown:
                datasets.enable_progress_bars()
        yield loaded


def _name(source: str) -> str:
    folder = Path(source).expanduser()
    return folder.resolve().name if os.path.isdir(folder) else source


def _finite(value: Any) -> Any:
    """JSON has no NaN and no infinity; they are told apart by their names."""
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_finite(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, str | int | float | bool | None) else str(value)
