"""Reads a file of ratings: Parquet, JSON lines, CSV or tab-separated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from ...corpus.reading import (
    Batch,
    csv_batches,
    is_parquet,
    jsonl_batches,
    open_stream,
    parquet_batches,
    resolve_source,
)
from ...corpus.text import encodable
from ...errors import RatingsError, SourceError
from .shape import text_shape

__all__ = ["read_ratings_file"]

#: What people call the columns; the first name is ours.
_NAMES = {
    "item": ("item", "item_id", "id"),
    "rater": ("rater", "annotator", "user"),
    "question": ("question",),
    "label": ("label", "rating", "value", "answer"),
}
_ROWS = 65_536


def read_ratings_file(source: str) -> tuple[pl.DataFrame, bool]:
    """Reads ratings as text.

    Args:
        source: The file. Its columns: ``item`` (or ``id``), ``rater`` (or ``annotator``),
            ``label`` (or ``rating``, ``value``, ``answer``), and ``question`` if there are several.

    Returns:
        Columns ``item``, ``rater``, ``label`` and, if the file has it, ``question``; and
        whether it has.

    Raises:
        SourceError: If it can't be read.
        RatingsError: If a column is missing, or a row is damaged: no rating gets lost.
    """
    path, member = resolve_source(source)
    found: dict[str, str] = {}

    def require(columns: list[str]) -> None:
        # Other columns are not shown: where each rater has one, they are called like people.
        for role, names in _NAMES.items():
            if name := next((name for name in names if name in columns), None):
                found[role] = name
        missing = [role for role in ("item", "rater", "label") if role not in found]
        if missing:
            raise RatingsError(
                f"there is no column {missing[0]!r}; of the columns of ratings it has "
                f"{', '.join(found.values()) or 'none'}",
                where=path.name,
                remedy=f"name one {' or '.join(_NAMES[missing[0]])}, and give every rating a row",
            )

    rows: list[list[Any]] = []
    if is_parquet(path, member):
        every = [name for names in _NAMES.values() for name in names]
        batches = parquet_batches(path, _ROWS, require=require, texts=(), columns=every)
        _take(batches, found, rows, path.name)
    else:
        with open_stream(path, member) as stream:
            shape, delimiter = text_shape(stream)
        if shape == "tmx":
            raise SourceError(
                "this is XML, not ratings", where=path.name, remedy="give CSV or JSON lines"
            )
        with open_stream(path, member) as stream:
            if shape == "jsonl":
                batches = jsonl_batches(stream, _ROWS, require=require, shown=())
            else:
                batches = csv_batches(stream, _ROWS, delimiter, require=require, shown=())
            _take(batches, found, rows, path.name)
    if not rows:
        raise SourceError("there are no ratings in it", where=path.name, remedy="look at the file")
    schema = dict.fromkeys(found, pl.String())
    return pl.DataFrame(rows, schema=schema, orient="row"), "question" in found


def _take(
    batches: Iterator[Batch], found: dict[str, str], rows: list[list[Any]], name: str
) -> None:
    for batch in batches:
        lost = [refused for refused in batch.refused if refused.reason != "blank_line"]
        if lost:
            raise RatingsError(
                f"the row can't be read ({lost[0].reason}: {lost[0].detail})",
                where=f"{name}, row {lost[0].position}",
                remedy="mend it: a rating that is left out would change the agreement",
            )
        for position, record in batch.records:
            row = [_text(record.get(column)) for column in found.values()]
            if not all(encodable(value) for value in row if value):
                raise RatingsError(
                    "the row has half a surrogate pair, which no text can hold",
                    where=f"{name}, row {position}",
                    remedy="mend it: a rating that is left out would change the agreement",
                )
            rows.append(row)


def _text(value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
