"""Merges what several people said of an item into one verdict.

A verdict of people who are evenly split is none: null, as where nobody was asked.
"""

from __future__ import annotations

import polars as pl

from ..corpus.schema import Schema
from .project import NOT_APPLICABLE, Project, Question

__all__ = ["corrections", "verdict_schema", "verdicts"]

_DTYPES: Schema = {
    "any": pl.Boolean(),
    "unanimous": pl.Boolean(),
    "mean": pl.Float64(),
    "median": pl.Float64(),
    "labels": pl.Int64(),
}


def verdict_schema(project: Project) -> Schema:
    """The columns that a project adds, in their order, but for kept texts."""
    return {
        column: _dtype(question, column)
        for question in project.questions
        for column in question.columns
    }


def _dtype(question: Question, column: str) -> pl.DataType:
    ending = column.removeprefix(f"{question.name}_")
    if ending == "majority":
        return pl.Boolean() if question.kind == "yes_no" else pl.String()
    return _DTYPES[ending]


def verdicts(labels: pl.DataFrame, project: Project, *, min_labels: int = 1) -> pl.DataFrame:
    """The verdicts on each item.

    - yes or no: ``_majority`` (null on a tie), ``_unanimous`` (all said yes), ``_any`` (someone
      did). That a question doesn't apply is no answer to it.
    - choice: ``_majority`` is the label given most often (null on a tie), ``_unanimous`` says
      whether it was the only one.
    - scale: ``_mean`` and ``_median``.
    - all of them: ``_labels``, how many answered.

    Args:
        labels: Columns ``item``, ``rater``, ``question``, ``label``: those that count.
        project: Whose questions they answer.
        min_labels: With fewer answers an item has no verdict, only their number.

    Returns:
        Column ``id`` and those of :func:`verdict_schema`, a row for each item that has a label,
        sorted by id.
    """
    found = labels.select(pl.col("item").unique().sort().alias("id"))
    for question in project.questions:
        if not question.columns:
            continue
        given = labels.filter(
            (pl.col("question") == question.name) & (pl.col("label") != NOT_APPLICABLE)
        )
        one = _merged(given, question, min_labels).rename({"item": "id"})
        found = found.join(one, on="id", how="left", maintain_order="left")
        found = found.with_columns(pl.col(f"{question.name}_labels").fill_null(0))
    return found.select("id", *(pl.col(n).cast(t) for n, t in verdict_schema(project).items()))


def _merged(given: pl.DataFrame, question: Question, min_labels: int) -> pl.DataFrame:
    """Column ``item`` and those of the question."""
    match question.kind:
        case "yes_no":
            yes = (pl.col("label") == "yes").sum().cast(pl.Int64)
            merged = given.group_by("item").agg(yes.alias("yes"), _count())
            yes, count = pl.col("yes"), pl.col("labels")
            parts = {
                "majority": pl.when(2 * yes != count).then(2 * yes > count),
                "unanimous": yes == count,
                "any": yes > 0,
            }
        case "choice":
            merged = _most(given, "label")
            parts = {
                "majority": pl.when(~pl.col("tied")).then("label"),
                "unanimous": pl.col("most") == pl.col("labels"),
            }
        case _:
            number = pl.col("label").cast(pl.Float64)
            merged = given.group_by("item").agg(
                number.sort().mean().alias("mean"), number.median().alias("median"), _count()
            )
            parts = {"mean": pl.col("mean"), "median": pl.col("median")}
    enough = pl.col("labels") >= min_labels
    return merged.select(
        "item",
        *(pl.when(enough).then(how).alias(f"{question.name}_{end}") for end, how in parts.items()),
        pl.col("labels").alias(f"{question.name}_labels"),
    )


def _count() -> pl.Expr:
    return pl.len().cast(pl.Int64).alias("labels")


def _most(given: pl.DataFrame, column: str) -> pl.DataFrame:
    """By item: the value given most often, how often, whether another was as often, and all."""
    counts = given.group_by("item", column).agg(_count()).sort("item", "labels", column)
    most = pl.col("labels").max()
    return counts.group_by("item", maintain_order=True).agg(
        pl.col(column).last(),
        most.alias("most"),
        ((pl.col("labels") == most).sum() > 1).alias("tied"),
        pl.col("labels").sum(),
    )


def corrections(labels: pl.DataFrame, question: Question, *, min_labels: int = 1) -> pl.DataFrame:
    """The texts that raters agree on: more than half of those who gave one gave this one.

    Args:
        labels: As for :func:`verdicts`.
        question: A question for a text.
        min_labels: With fewer texts an item has none.

    Returns:
        Columns ``id`` and ``text`` (null where they differ), sorted by id.
    """
    given = labels.filter(pl.col("question") == question.name).select(
        "item", pl.col("label").str.normalize("NFC").str.strip_chars().alias("text")
    )
    most = _most(given.filter(pl.col("text") != ""), "text")
    return (
        most.filter(pl.col("labels") >= min_labels)
        .select(
            pl.col("item").alias("id"),
            pl.when(2 * pl.col("most") > pl.col("labels")).then("text").alias("text"),
        )
        .sort("id")
    )
