"""A corpus as it was before anybody's answers came in, opened to ask about it or to merge."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from ..corpus.annotated import Entries, before, before_schema, entries, machine_column
from ..corpus.opened import Opened, open_corpus
from ..corpus.schema import Schema
from ..corpus.store import read_parquet
from ..corpus.version import split_of
from ..errors import AnnotationError, OptionError
from .project import Project

__all__ = ["Base", "open_base"]

_IDS_FORM = "ids"


@dataclass(frozen=True, slots=True)
class Base:
    """A corpus and what annotation added to it.

    Attributes:
        opened: The corpus.
        entries: By project, what it added.
        schema: The columns that were there before.
    """

    opened: Opened
    entries: Entries
    schema: Schema

    def data(
        self, split: str | None = None, columns: Collection[str] | None = None
    ) -> Iterator[tuple[str, pl.DataFrame]]:
        """The files of ``data/`` by their path in the folder, as they were before.

        Args:
            split: One split; None for all.
            columns: Those of ``schema`` that are wanted; None for all.

        Raises:
            OptionError: If there is no such split.
            CorpusError: If a file isn't as the manifest says.
        """
        splits = self.opened.manifest["splits"]["rows"]
        if split is not None and split not in splits:
            raise OptionError(
                f"there is no split {split!r}",
                where=str(self.opened.folder),
                remedy=f"choose one of {', '.join(splits)}",
            )
        wanted = set(self.schema if columns is None else columns)
        read = {*wanted, *map(machine_column, wanted)}
        schema = {name: dtype for name, dtype in self.opened.schema.items() if name in read}
        for name, path in self.opened.files("data"):
            if split is None or split_of(name) == split:
                yield name, before(read_parquet([path], schema), self.entries.values())


def open_base(folder: Path, project: Project) -> Base:
    """Opens a corpus that a project can ask about.

    Raises:
        AnnotationError: If the corpus has no texts, or is of another builder.
        CorpusError: If the folder is no corpus, or a newer version made it.
    """
    opened = open_corpus(folder)
    if opened.manifest.get("form") == _IDS_FORM:
        raise AnnotationError(
            "the ids form has no texts to ask about",
            where=str(folder),
            remedy="join them back with `isogloss hydrate`, and name what it makes",
        )
    found = opened.manifest["builder"].get("name")
    if found != project.builder:
        raise AnnotationError(
            f"the corpus is by the builder {found!r}, and the project {project.name} is for "
            f"{project.builder!r}",
            where=str(folder),
            remedy="name another corpus, or give another project",
        )
    known = entries(opened.manifest, where=str(folder / "manifest.json"))
    return Base(opened, known, before_schema(opened.schema, known.values()))
