"""What every reader yields: chunks of rows, and the rows that can't be read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from ...corpus.reading import Refused
from ...corpus.schema import REJECTED, Schema
from ...errors import SourceError

__all__ = [
    "CHUNK_ROWS",
    "READER_VERSION",
    "SOURCE_ROWS",
    "UNREADABLE",
    "Chunk",
    "rejected_frame",
    "row_id",
    "text_only",
]

#: Raised when the same file would be read as other rows, or refused for other reasons.
READER_VERSION = 1

#: Source rows handled at once before the models: 64 blocks.
CHUNK_ROWS = 65_536

#: Columns of a row as read. ``position`` is its line (or row) in the source, from 1.
SOURCE_ROWS: Schema = {
    "position": pl.Int64(),
    "id": pl.String(),
    "text": pl.String(),
    "author": pl.String(),
    "posterior": pl.Float64(),
}

#: What a spreadsheet makes of a long number.
_ROUNDED = re.compile(r"[0-9](?:[.,][0-9]+)?[eE]\+[0-9]+|[0-9]{15,}\.[0-9]*")
_WHOLE_FIELD = re.compile(r'"?(?:[^"\\]|\\.)*"?')
#: A clock time, a coordinate, a long number.
_PERSONAL = re.compile(r"\d\d:\d\d:\d\d|\d\.\d\d|\d{4}")
_ESCAPE = re.compile(r"\\u[0-9A-Fa-f]{4}|\\x[0-9a-f]{2}")
_WORDS = re.compile(r"[^\W\d_]{2,}")
_CALENDAR = re.compile(
    r"(?i)(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|jan|feb|mar|apr|may|jun|"
    r"jul|aug|sep|oct|nov|dec"
)
_LEAST_WORDS = 3
#: Reasons that speak of a damaged file rather than of an unsuitable row.
UNREADABLE = frozenset(
    {"field_count", "invalid_id", "invalid_json", "invalid_number", "not_utf8", "no_id"}
)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive source rows.

    Attributes:
        rows: Columns ``SOURCE_ROWS``.
        rejected: Columns ``REJECTED``: what could not be read, with its reason.
        consumed: Compressed bytes of the source read so far.
    """

    rows: pl.DataFrame
    rejected: pl.DataFrame
    consumed: int


def text_only(fields: Iterable[str]) -> str:
    r"""What may be shown of a damaged line: the fields that are text, the others as ``…``.

    Which field is which can't be trusted there, so a field is shown only if it has
    several words, no clock time, coordinate or long number, and is not several fields glued
    together. A user id, a
    time or a place never passes.

    Example:
        >>> text_only(["123", '"90210777"', '"Sat Mar 09 10:21:43 +0000 2013"', '"We cook a lot'])
        '…\t…\t…\t"We cook a lot'
    """
    return "\t".join(field if _is_text(field) else "…" for field in fields)


def _is_text(field: str) -> bool:
    plain = _ESCAPE.sub(" ", field)
    if not _WHOLE_FIELD.fullmatch(field) or _PERSONAL.search(plain):
        return False
    words = [word for word in _WORDS.findall(plain) if not _CALENDAR.fullmatch(word)]
    return len(words) >= _LEAST_WORDS


def rejected_frame(refused: Sequence[Refused], *, stage: str) -> pl.DataFrame:
    """The refused rows as a frame of rejections, in the order of their positions."""
    ordered = sorted(refused, key=lambda row: row.position)
    return pl.DataFrame(
        {
            "position": [row.position for row in ordered],
            "id": [row.id for row in ordered],
            "stage": [stage] * len(ordered),
            "reason": [row.reason for row in ordered],
            "detail": [row.detail for row in ordered],
            "text": [row.text for row in ordered],
        },
        schema=dict(REJECTED),
    )


def row_id(value: object, *, position: int, source: str) -> str | None:
    """A source id as a string; None if there is none.

    Raises:
        SourceError: If a spreadsheet has turned ids into rounded numbers: then every
            id of the file is suspect, not only this one.
    """
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return None
    text = str(value).strip()
    if isinstance(value, float) or _ROUNDED.fullmatch(text):
        raise SourceError(
            f"the id {text} is a rounded number, as a spreadsheet writes it: the digits are lost",
            where=f"{source}, row {position}",
            remedy="export the ids as text from the original file",
        )
    return text or None
