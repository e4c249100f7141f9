"""Which labels count: submitted, to a question that is asked, about texts that are the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from .project import Project

__all__ = ["Counted", "count_labels"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """A table of labels, sorted out.

    Attributes:
        table: All labels (columns ``LABELS``): none is ever left out of the file.
        labels: Those that count: columns ``item``, ``rater``, ``question``, ``label``.
        left_out: How many don't, by reason.
    """

    table: pl.DataFrame
    labels: pl.DataFrame
    left_out: Mapping[str, int]


def count_labels(table: pl.DataFrame, project: Project, texts: Mapping[str, str]) -> Counted:
    """Sorts out a table of labels.

    A label is ``outdated`` when the texts of its item are no longer the ones that were judged,
    as after a build with another model; it counts again once they are.

    Args:
        table: Columns ``LABELS``.
        project: What was asked.
        texts: ``sha256`` of the corpus' items by id.
    """
    known = {question.name: question.labels for question in project.questions}
    now = pl.col("item").replace_strict(texts, default=None, return_dtype=pl.String)
    submitted = pl.col("status").is_in(["submitted", "outdated"])
    changed = (pl.col("text_sha256") != now).fill_null(value=False)
    status = (
        pl.when(submitted)
        .then(pl.when(changed).then(pl.lit("outdated")).otherwise(pl.lit("submitted")))
        .otherwise("status")
    )
    table = table.with_columns(status.alias("status"))
    closed = [name for name, labels in known.items() if labels]
    offered = pl.DataFrame(
        [(name, label) for name in closed for label in known[name]],
        schema={"question": pl.String, "label": pl.String},
        orient="row",
    ).with_columns(pl.lit(value=True).alias("offered"))
    strange = pl.col("question").is_in(closed) & pl.col("offered").is_null()
    sorted_out = table.join(
        offered, on=["question", "label"], how="left", maintain_order="left"
    ).with_columns(
        pl.when(pl.col("status").is_in(["draft", "discarded"]))
        .then("status")
        .when(now.is_null())
        .then(pl.lit("unknown_item"))
        .when(pl.col("status") == "outdated")
        .then("status")
        .when(~pl.col("question").is_in(list(known)))
        .then(pl.lit("unknown_question"))
        .when(pl.col("label").is_null())
        .then(pl.lit("no_answer"))
        .when(strange)
        .then(pl.lit("unknown_label"))
        .alias("reason")
    )
    reasons = sorted_out["reason"].drop_nulls()
    return Counted(
        table=table,
        labels=sorted_out.filter(pl.col("reason").is_null()).select(
            "item", "rater", "question", "label"
        ),
        left_out=dict(sorted(reasons.value_counts().iter_rows())),
    )
