"""Ratings by people, read from a tidy table: one row for an item, a rater and a question.

Names of raters are personal data and end here: a rater is a number from now on, in the order of
a seeded hash of the name, and no message tells a name.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from ..corpus.hashing import seeded_hashes
from ..errors import RatingsError

__all__ = ["MISSING", "Ratings", "read_ratings"]

#: What stands for a missing rating, beside null and NaN; compared without case.
MISSING = ("", "-1", "-1.0", "−1", "nan")

# What is longer, or has more kinds, is a text and no label.
_LONGEST_LABEL = 200
_MOST_LABELS = 200
_KEY = ["question", "item", "rater"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """Ratings that are there, at most one for an item, a rater and a question.

    Attributes:
        table: Columns ``question``, ``item`` (strings), ``rater`` (1 to n), ``label`` (string),
            sorted by the first three.
        questions: All questions, also those without a rating, sorted.
        items: How many items could have been rated.
        raters: n, over all questions.
        missing: Rows without a label, by question.
        repeated: Rows that only repeat a rating, by question.
        unknown: Ids of items that the corpus doesn't have, sorted; their ratings are left out.
        unknown_ratings: How many those were.
    """

    table: pl.DataFrame
    questions: tuple[str, ...]
    items: int
    raters: int
    missing: Mapping[str, int]
    repeated: Mapping[str, int]
    unknown: tuple[str, ...]
    unknown_ratings: int


def read_ratings(
    frame: pl.DataFrame,
    *,
    item: str = "item",
    rater: str = "rater",
    question: str | None = "question",
    label: str = "label",
    missing: Sequence[str] = MISSING,
    items: Collection[str] | None = None,
    seed: int = 0,
) -> Ratings:
    """Checks and numbers a table of ratings.

    Args:
        frame: Any order of rows. Labels may be text, numbers or truth values; whole numbers
            written as floating-point ones are the same label (1.0 is 1).
        item: The column of item ids: text or integers.
        rater: The column of raters.
        question: The column of questions; None if there is one question, which then has the
            name of the label column.
        label: The column of labels.
        missing: Labels that stand for a missing rating, beside null and NaN.
        items: The ids that the corpus has; None takes every id.
        seed: Of the hash that numbers the raters.

    Returns:
        The ratings. Rows of unknown items are left out first, then those without a label.

    Raises:
        RatingsError: If a column is missing or of a wrong kind, a row has no item, rater or
            question, a rater gave one item two labels, or labels are texts.

    Example:
        >>> frame = pl.DataFrame({"item": [1, 1, 1, 2, 9],
        ...                       "rater": ["ann", "bob", "bob", "ann", "ann"],
        ...                       "natural": ["yes", "no", "no", "", "yes"]})
        >>> ratings = read_ratings(frame, question=None, label="natural", items=["1", "2"])
        >>> ratings.table.rows()
        [('natural', '1', 1, 'no'), ('natural', '1', 2, 'yes')]
        >>> ratings.missing, ratings.repeated, ratings.unknown
        ({'natural': 1}, {'natural': 1}, ('9',))
    """
    wanted = {"item": item, "rater": rater, "label": label}
    if question is not None:
        wanted["question"] = question
    for role, name in wanted.items():
        if name not in frame.columns:
            raise RatingsError(
                f"no column {name!r} for the {role}",
                where="columns " + ", ".join(frame.columns),
                remedy=f"name the column of the {role}",
            )
    columns = {role: _texts(frame[name], role) for role, name in wanted.items()}
    columns.setdefault("question", pl.repeat(label, frame.height, dtype=pl.String, eager=True))
    rows = pl.DataFrame(columns).with_row_index("row", offset=1)
    for role in ("item", "rater", "question"):
        lost = rows.filter(pl.col(role).is_null() | (pl.col(role) == ""))
        if lost.height:
            raise RatingsError(
                f"ratings without {'an item' if role == 'item' else f'a {role}'}, "
                f"{lost.height:,} in all",
                where=f"row {lost['row'][0]}",
                remedy=f"give every row its {role}, or leave the rows out",
            )
    questions = [label] if question is None else rows["question"].unique().sort().to_list()
    return _gather(rows, questions, missing, items, seed)


def _gather(
    rows: pl.DataFrame,
    questions: Sequence[str],
    missing: Sequence[str],
    items: Collection[str] | None,
    seed: int,
) -> Ratings:
    known = rows["item"] if items is None else pl.Series(list(items), dtype=pl.String)
    known = known.str.strip_chars().unique()
    strange = ~rows["item"].is_in(known.implode())
    unknown = rows.filter(strange)
    rows = _numbered(rows.filter(~strange), seed)
    codes = pl.Series([code.casefold() for code in missing], dtype=pl.String)
    absent = rows["label"].is_null() | rows["label"].str.to_lowercase().is_in(codes.implode())
    present = rows.filter(~absent)
    _check_labels(present)
    _check_contradictions(present)
    once = present.unique(_KEY, keep="any").sort(_KEY)
    return Ratings(
        table=once.select(*_KEY, "label"),
        questions=tuple(questions),
        items=len(known),
        raters=rows["rater"].n_unique(),
        missing=_by_question(rows.filter(absent), questions),
        repeated={
            name: number - _by_question(once, questions)[name]
            for name, number in _by_question(present, questions).items()
        },
        unknown=tuple(sorted(unknown["item"].unique().to_list())),
        unknown_ratings=unknown.height,
    )


def _texts(series: pl.Series, role: str) -> pl.Series:
    """A column as text; null where it is NaN."""
    kind = series.dtype
    if kind.is_nested() or kind == pl.Binary:
        raise RatingsError(
            f"a column of {kind}", where=f"the {role} column", remedy="give text or numbers"
        )
    if kind.is_float():
        if role == "item":
            raise RatingsError(
                "the item ids are floating-point numbers, which lose digits",
                where="the item column",
                remedy="read the ids as text",
            )
        series = series.fill_nan(None)
        numbers = series.drop_nulls()
        if ((numbers == numbers.round()) & (numbers.abs() < 2**53)).all():
            series = series.cast(pl.Int64)
    return series.cast(pl.String).str.strip_chars()


def _numbered(rows: pl.DataFrame, seed: int) -> pl.DataFrame:
    """The rows with raters as numbers from 1."""
    names = sorted(rows["rater"].unique().to_list())
    order = sorted(zip(seeded_hashes(names, seed=seed, purpose="raters"), names, strict=True))
    numbers = {name: number for number, (_, name) in enumerate(order, 1)}
    return rows.with_columns(pl.col("rater").replace_strict(numbers, return_dtype=pl.Int64))


def _check_labels(present: pl.DataFrame) -> None:
    long = present.filter(pl.col("label").str.len_chars() > _LONGEST_LABEL)
    if long.height:
        raise RatingsError(
            f"a label of {len(long['label'][0])} characters",
            where=f"row {long['row'][0]}",
            remedy="name the column of labels; free text has no agreement",
        )
    kinds = present.group_by("question").agg(pl.col("label").n_unique()).sort("question")
    many = kinds.filter(pl.col("label") > _MOST_LABELS)
    if many.height:
        raise RatingsError(
            f"{many['label'][0]} different labels",
            where=f"question {many['question'][0][:80]!r}",
            remedy="name the column of labels; numbers on a scale need bins first",
        )


def _check_contradictions(present: pl.DataFrame) -> None:
    twice = (
        present.group_by(_KEY)
        .agg(pl.col("label").n_unique(), pl.col("row").sort())
        .filter(pl.col("label") > 1)
        .sort(pl.col("row").list.first())
    )
    if twice.height:
        rows = ", ".join(map(str, twice["row"][0].to_list()[:5]))
        raise RatingsError(
            f"one rater gave the item {twice['item'][0][:80]!r} {twice['label'][0]} labels for "
            f"one question, as happened {twice.height} times",
            where=f"rows {rows}",
            remedy="keep the rating that counts",
        )


def _by_question(rows: pl.DataFrame, questions: Sequence[str]) -> dict[str, int]:
    found = dict(rows.group_by("question").len().rows())
    return {name: found.get(name, 0) for name in questions}
