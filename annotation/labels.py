"""The table of labels: who answered what about which item, and when.

One Parquet file per project, ``annotations/<project>.parquet`` in the corpus folder. Raters are
pseudonyms in it: a part of a hash of the server's random id, no name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, get_args

import polars as pl
import pyarrow as pa

from ..corpus.hashing import canonical_json
from ..corpus.schema import Schema
from ..corpus.store import read_parquet
from ..corpus.text import plain
from ..errors import AnnotationError

__all__ = [
    "FOLDER",
    "LABEL",
    "LABELS",
    "Label",
    "Status",
    "check_labels",
    "labels_path",
    "labels_table",
    "pseudonym",
    "read_labels",
]

#: The part of a corpus folder that holds labels.
FOLDER = "annotations"
Status = Literal["submitted", "draft", "discarded", "outdated"]

#: Times are ISO 8601 in UTC with microseconds, so that they sort as text.
LABELS: Schema = {
    "item": pl.String(),
    "rater": pl.String(),
    "question": pl.String(),
    "label": pl.String(),
    "status": pl.String(),
    "inserted_at": pl.String(),
    "updated_at": pl.String(),
    "text_sha256": pl.String(),
}
#: What tells one label from another.
LABEL = ("item", "rater", "question")


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One answer of one rater to one question about one item.

    Attributes:
        item: The row's id.
        rater: Pseudonym, from :func:`pseudonym`.
        question: The question's name.
        label: The label, the number of a scale as text, or the text; None where a rater who
            discarded the item, or has a draft, gave none, or left out what isn't required.
        status: ``submitted``, ``draft`` or ``discarded``; a merge sets ``outdated`` where the
            item's texts are no longer the ones that were judged.
        inserted_at: When it was first given; with a time zone.
        updated_at: When it was last changed; with a time zone.
        text_sha256: The item's ``sha256`` when it was shown; None if that isn't known.
    """

    item: str
    rater: str
    question: str
    label: str | None
    status: Status
    inserted_at: datetime
    updated_at: datetime
    text_sha256: str | None = None


def pseudonym(user: str, *, project: str) -> str:
    """A rater's pseudonym: the same at every pull, another one in every project.

    Args:
        user: The server's id of the user, which must be random: a name could be guessed.
        project: What the user answers for, for example the server's id of the data set.

    Example:
        >>> pseudonym("5a6c", project="realaae")
        'r-c53d409811'
    """
    return "r-" + hashlib.sha256(canonical_json([project, user]).encode()).hexdigest()[:10]


def labels_path(folder: Path, project: str) -> Path:
    """Where a project's labels are in a corpus folder."""
    return folder / FOLDER / f"{project}.parquet"


def labels_table(labels: Iterable[Label]) -> pl.DataFrame:
    """The table of labels (columns ``LABELS``), sorted by item, rater and question.

    Raises:
        AnnotationError: If a rater has two labels for one question about one item, or a label
            lacks its item, rater, question or time zone.

    Example:
        >>> at = datetime(2026, 1, 31, 12, tzinfo=UTC)
        >>> label = Label(item="1", rater="r-c53d409811", question="natural", label="yes",
        ...               status="submitted", inserted_at=at, updated_at=at)
        >>> labels_table([label])["updated_at"][0]
        '2026-01-31T12:00:00.000000+00:00'
    """
    rows = [
        (
            one.item,
            one.rater,
            one.question,
            None if one.label is None else plain(one.label),
            one.status,
            _utc(one.inserted_at),
            _utc(one.updated_at),
            one.text_sha256,
        )
        for one in labels
    ]
    table = pl.DataFrame(rows, schema=dict(LABELS), orient="row").sort(LABEL)
    check_labels(table, where="labels")
    return table


def _utc(time: datetime) -> str:
    if time.tzinfo is None:
        raise AnnotationError("a time has no time zone", where="labels", remedy="give times in UTC")
    return time.astimezone(UTC).isoformat(timespec="microseconds")


def check_labels(table: pl.DataFrame, *, where: str) -> None:
    """Looks over a table of labels.

    Raises:
        AnnotationError: If a column is missing or of another type, a label has no item, rater
            or question, a status is unknown, or a rater has two labels for one question.
    """
    if dict(table.schema) != dict(LABELS):
        raise _wrong(f"the columns are not {', '.join(LABELS)}, all of strings", where)
    for column in (*LABEL, "status", "inserted_at", "updated_at"):
        if table.filter(pl.col(column).is_null() | (pl.col(column) == "")).height:
            raise _wrong(f"a label has no {column}", where)
    if strange := sorted(set(table["status"]) - set(get_args(Status))):
        raise _wrong(f"{strange[0]!r} is no status", where)
    twice = table.filter(pl.struct(LABEL).is_duplicated())
    if twice.height:
        item, rater, question = twice.select(LABEL).row(0)
        raise _wrong(
            f"the rater {rater} has two labels for {question} about the item {item!r}", where
        )


def read_labels(folder: Path, project: str) -> pl.DataFrame | None:
    """A project's labels as they stand in a corpus folder; None if there are none.

    Raises:
        AnnotationError: If the file is damaged or no table of labels.
    """
    path = labels_path(folder, project)
    if not path.is_file():
        return None
    try:
        table = read_parquet([path], LABELS)
    except (OSError, pa.ArrowException) as error:
        raise _wrong("the file is damaged, or no table of labels", str(path)) from error
    check_labels(table, where=str(path))
    return table.sort(LABEL)


def _wrong(what: str, where: str) -> AnnotationError:
    return AnnotationError(what, where=where, remedy="restore the table, or pull it again")
