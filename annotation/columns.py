"""The columns that a project adds to a corpus, and the texts that it replaces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

import polars as pl

from ..corpus.annotated import machine_column
from ..corpus.schema import Schema
from ..errors import AnnotationError
from .base import Base
from .project import Project
from .verdicts import corrections, verdict_schema, verdicts

__all__ = ["Added", "added_schema", "merged_schema"]


def added_schema(project: Project) -> Schema:
    """All columns that a project adds, in their order."""
    replaced = [question.replaces for question in project.questions if question.replaces]
    return {
        **dict.fromkeys(map(machine_column, replaced), pl.String()),
        **verdict_schema(project),
    }


def merged_schema(base: Base, project: Project) -> Schema:
    """The columns of the merged corpus: its own, then each project's in the order of names.

    Raises:
        AnnotationError: If a column is there already, or a replaced one is no text, or was
            replaced by another project.
    """
    where = str(base.opened.folder)
    others = {name: entry for name, entry in base.entries.items() if name != project.name}
    taken = {column: name for name, entry in others.items() for column in entry["columns"]}
    for column in added_schema(project):
        if column in base.schema or column in taken:
            whose = f"of the project {taken[column]}" if column in taken else "of its own"
            raise AnnotationError(
                f"the corpus has a column {column!r} {whose}, which {project.name} would write",
                where=where,
                remedy="give the question another name in a project file",
            )
    for question in project.questions:
        if question.replaces and base.schema.get(question.replaces) != pl.String():
            raise AnnotationError(
                f"the corpus has no column of texts {question.replaces!r} to replace",
                where=where,
                remedy="name another column in the project file",
            )
    added = {
        name: {column: base.opened.schema[column] for column in entry["columns"]}
        for name, entry in others.items()
    } | {project.name: dict(added_schema(project))}
    return {
        **base.schema,
        **{column: dtype for name in sorted(added) for column, dtype in added[name].items()},
    }


@dataclass(slots=True)
class Added:
    """What a project adds to rows, and what it replaced in those it has seen.

    Attributes:
        verdicts: Column ``id`` and the verdicts.
        texts: By replaced column: columns ``id`` and ``text``.
        columns: The names of all columns added.
        replaced: By replaced column: ``rows`` with another text than before, and rows where
            people's texts ``differ`` from one another.
    """

    verdicts: pl.DataFrame
    texts: Mapping[str, pl.DataFrame]
    columns: tuple[str, ...]
    replaced: dict[str, dict[str, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, labels: pl.DataFrame, project: Project, *, min_labels: int) -> Self:
        """What these labels say: columns ``item``, ``rater``, ``question``, ``label``."""
        texts = {
            question.replaces: corrections(labels, question, min_labels=min_labels)
            for question in project.questions
            if question.replaces
        }
        return cls(
            verdicts(labels, project, min_labels=min_labels),
            texts,
            tuple(added_schema(project)),
            {column: {"rows": 0, "differ": 0} for column in texts},
        )

    def to(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Rows of the corpus (with a column ``id``) and the columns added, in their order."""
        for column, texts in self.texts.items():
            found = rows.select("id", pl.col(column).alias("old")).join(
                texts.with_columns(pl.lit(value=True).alias("given")),
                on="id", how="left", maintain_order="left",
            )  # fmt: skip
            text = pl.coalesce("text", "old")
            changed = found.select(text.ne_missing(pl.col("old")).sum()).item()
            differ = found.select((pl.col("given") & pl.col("text").is_null()).sum()).item()
            self.replaced[column]["rows"] += changed
            self.replaced[column]["differ"] += differ
            rows = rows.with_columns(
                found.select(text.alias(column)).to_series(),
                found["old"].alias(machine_column(column)),
            )
        rows = rows.join(self.verdicts, on="id", how="left", maintain_order="left")
        return rows.with_columns(
            pl.col(column).fill_null(0)
            for column, dtype in self.verdicts.schema.items()
            if dtype == pl.Int64
        )
