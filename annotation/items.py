"""The items of a project: rows of a corpus as raters see them, and nothing else of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from ..corpus.hashing import json_sha256
from ..corpus.text import plain
from ..errors import AnnotationError, OptionError
from .base import Base, open_base
from .project import Project
from .sample import sample_items, strata_of

__all__ = ["Item", "Items", "item_of", "read_items"]

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A row of the corpus as raters see it.

    Attributes:
        id: The row's id.
        fields: Texts by column, in the project's order, to be shown as plain text; a column
            that need not be there and isn't, or is empty, is missing.
        prefilled: By question, the text that its answer starts from.
        stratum: The values of the project's strata, joined by " / "; "" without strata.
        author: Who wrote it, for the assignment ``others``; else None.
        sha256: Of the texts shown.
    """

    id: str
    fields: Mapping[str, str]
    prefilled: Mapping[str, str]
    stratum: str
    author: str | None
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """The items to ask about.

    Attributes:
        items: Sorted by id.
        rows: Rows of the corpus that were looked at.
        left_out: Of these, rows that can't be asked about, by reason; not those that a sample
            left out.
        sample: How the sample was drawn: ``n``, ``seed``, ``split``, ``strata``.
    """

    items: tuple[Item, ...]
    rows: int
    left_out: Mapping[str, int]
    sample: Mapping[str, int | str | list[str] | None]

    def of(self, rater: str, project: Project) -> tuple[Item, ...]:
        """The items that a rater sees: all, or with ``others`` those of other authors."""
        if project.assignment == "shared":
            return self.items
        return tuple(
            item for item in self.items if (item.author or "").casefold() != rater.casefold()
        )


def read_items(
    folder: Path,
    project: Project,
    *,
    split: str | None = None,
    sample: int | None = None,
    seed: int = 0,
) -> Items:
    """Reads the items of a corpus folder.

    Texts that an earlier merge replaced are read as they were before it.

    Args:
        folder: The corpus folder.
        project: What is asked.
        split: One split; None for all.
        sample: So many items by a seeded draw from each stratum; None for all.
        seed: Of that draw.

    Raises:
        AnnotationError: If the corpus lacks a column, has no texts, or no row is left.
        CorpusError: If the folder is no corpus, is damaged, or a newer version made it.
        OptionError: If there is no such split, or the sample is under 1.
    """
    if sample is not None and sample < 1:
        raise OptionError(f"{sample} can't be used", where="--sample", remedy="give 1 or more")
    base = open_base(folder, project)
    columns = _columns(base, project)
    parts = [rows.select(columns) for _, rows in base.data(split, columns)]
    frame = pl.concat(parts) if parts else pl.DataFrame(schema=dict.fromkeys(columns, pl.String))
    whole, left_out = _with_texts(frame, project)
    if not whole.height:
        reasons = ", ".join(f"{reason} {n:,}" for reason, n in left_out.items())
        raise AnnotationError(
            f"there is no row to ask about ({reasons or 'the corpus has none'})",
            where=str(folder),
            remedy="look at the reasons, or name another corpus or split",
        )
    if sample is not None:
        whole = sample_items(whole, strata=project.strata, n=sample, seed=seed)
    whole = whole.sort("id")
    strata = strata_of(whole, project.strata)
    return Items(
        items=tuple(
            item_of(row, project, stratum=stratum)
            for row, stratum in zip(whole.iter_rows(named=True), strata, strict=True)
        ),
        rows=frame.height,
        left_out=left_out,
        sample={"n": sample, "seed": seed, "split": split, "strata": list(project.strata)},
    )


def item_of(row: Mapping[str, Any], project: Project, *, stratum: str = "") -> Item:
    """The item that a row makes."""
    fields = dict(_fields(row, project))
    return Item(
        id=row["id"],
        fields=fields,
        prefilled={
            question.name: fields[question.prefill]
            for question in project.questions
            if question.prefill in fields
        },
        stratum=stratum,
        author=_text(row.get(project.author)) or None if project.author else None,
        sha256=json_sha256(fields),
    )


def _fields(row: Mapping[str, Any], project: Project) -> Iterator[tuple[str, str]]:
    for field in project.fields:
        if text := _text(row.get(field.column)):
            yield field.column, text


def _text(value: Any) -> str:
    """A cell as raters read it; "" where nothing is in it."""
    if value is None:
        return ""
    if isinstance(value, list):
        return "\n".join(
            f"{letter}. {_text(one)}" for letter, one in zip(_LETTERS, value, strict=False)
        )
    return plain(str(value)).strip()


def _columns(base: Base, project: Project) -> list[str]:
    """The columns of the corpus that the project needs, in the corpus' order."""
    needed = {field.column for field in project.fields if field.required}
    needed |= {*project.strata, *filter(None, [project.author])}
    for column in sorted(needed - set(base.schema)):
        raise AnnotationError(
            f"the corpus has no column {column!r}, which the project {project.name} needs",
            where=str(base.opened.folder),
            remedy=f"name a corpus of the builder {project.builder}, or give another project",
        )
    wanted = {"id", *needed, *(field.column for field in project.fields)}
    return [column for column in base.schema if column in wanted]


def _with_texts(frame: pl.DataFrame, project: Project) -> tuple[pl.DataFrame, dict[str, int]]:
    """The rows with a text in every required column, and why the others have none."""
    required = [field.column for field in project.fields if field.required]
    reasons = [_missing(row, required) for row in frame.select(required).iter_rows(named=True)]
    kept = pl.Series([not reason for reason in reasons], dtype=pl.Boolean)
    counts = Counter(filter(None, reasons))
    return frame.filter(kept), dict(sorted(counts.items()))


def _missing(row: Mapping[str, Any], required: Sequence[str]) -> str:
    return next((f"no_{column}" for column in required if not _text(row[column])), "")
