"""Looks for the texts of an ids form in a source that is streamed past it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import polars as pl

from ...corpus.readme import text_sha256
from ...corpus.schema import REJECTED
from ..engine.progress import Progress
from ..engine.step import Step, apply_step
from ..sources import Source
from .declare import hash_column

__all__ = ["STAGE", "Texts", "find_texts"]

#: Stage of the rows whose text was not found.
STAGE = "hydrate"
_CHANGED = "the cleaned text has another hash than the one the corpus was made from"


@dataclass(slots=True)
class Texts:
    """What a source has of the texts that are looked for. Memory grows with those alone.

    Attributes:
        found: Columns ``id`` and the private columns: texts whose hashes fit, one row an id.
        changed: Position and text by id, where no row of that id has a text that fits.
        unreadable: Position and what is wrong by id, where a row can't be read.
        read: Rows of the source that were read.
    """

    found: pl.DataFrame
    changed: dict[str, tuple[int, str]] = field(default_factory=dict)
    unreadable: dict[str, tuple[int, str]] = field(default_factory=dict)
    read: int = 0

    def rejections(self, ids: pl.Series) -> pl.DataFrame:
        """The rows of these ids as rejections (columns ``REJECTED``): none was found."""
        rows = [self._rejection(row_id) for row_id in ids]
        return pl.DataFrame(rows, schema=dict(REJECTED), orient="row")

    def _rejection(self, row_id: str) -> tuple[int | None, str, str, str, str, str | None]:
        if row_id in self.changed:
            position, text = self.changed[row_id]
            return position, row_id, STAGE, "changed", _CHANGED, text
        if row_id in self.unreadable:
            position, detail = self.unreadable[row_id]
            return position, row_id, STAGE, "unreadable", detail, None
        return None, row_id, STAGE, "missing", "the source has no row of this id", None


def find_texts(
    source: Source, wanted: pl.DataFrame, step: Step, private: Sequence[str], progress: Progress
) -> Texts:
    """Reads the source until every wanted text is found, or to its end.

    Of several rows with one id the first whose text fits wins.

    Args:
        source: Where the texts are.
        wanted: Columns ``id`` and a hash for every private column, one row an id.
        step: Cleans ``text`` into the private columns.
        private: The private columns.
        progress: Told of the bytes read.

    Raises:
        SourceError: If the source is damaged.
    """
    columns = ["id", *private]
    texts = Texts(pl.DataFrame(schema=dict.fromkeys(columns, pl.String)))
    parts = [texts.found]
    progress.phase("look for the texts", source.size)
    for chunk in source.chunks():
        texts.read += chunk.rows.height + chunk.rejected.height
        known = chunk.rows.join(wanted, on="id", how="inner", maintain_order="left")
        if known.height:
            outcome = apply_step(step, known.with_columns(pl.col("text").alias("raw")))
            fits = _fits(outcome.rows, private)
            parts.append(outcome.rows.filter(fits).select(columns).unique("id", keep="first"))
            wanted = wanted.join(parts[-1], on="id", how="anti")
            others = outcome.rows.filter(~fits).select(
                "id", "position", pl.col("raw").alias("text")
            )
            refused = outcome.rejected.select("id", "position", "text")
            _note_first(texts.changed, pl.concat([others, refused]).sort("position"))
        unreadable = chunk.rejected.join(wanted, on="id", how="semi")
        _note_first(texts.unreadable, unreadable.select("id", "position", "detail"))
        progress.advance(chunk.consumed, texts.read)
        if not wanted.height:
            break
    texts.found = pl.concat(parts)
    return texts


def _fits(rows: pl.DataFrame, private: Sequence[str]) -> pl.Series:
    fits = pl.Series([True] * rows.height, dtype=pl.Boolean)
    for column in private:
        hashes = pl.Series(map(text_sha256, rows[column]), dtype=pl.String)
        fits &= hashes == rows[hash_column(column)]
    return fits


def _note_first(noted: dict[str, tuple[int, str]], rows: pl.DataFrame) -> None:
    for row_id, position, what in rows.iter_rows():
        noted.setdefault(row_id, (position, what))
