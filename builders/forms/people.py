"""What of people's answers goes out with a corpus: verdicts and counts, no labels of one rater."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ...corpus.annotated import KEY, Entries, code_columns, entries, machine_column
from ...corpus.opened import Opened
from ...errors import CorpusError
from .declare import IdsForm

__all__ = ["names_in", "published_annotation", "with_verdicts", "without_kept"]

#: Of a manifest's entry: what was asked, how many answered, how far they agree; no times.
_KEYS = (
    *("version", "guidelines_sha256", "questions", "assignment", "min_labels"),
    *("raters", "items", "labels", "columns", "replaced", "agreement"),
)


def with_verdicts(form: IdsForm, opened: Opened) -> IdsForm:
    """The form of a corpus whose verdicts that are words are codes, too."""
    return replace(form, codes=(*form.codes, *code_columns(_entries(opened).values())))


def without_kept(opened: Opened, form: IdsForm) -> Opened:
    """The corpus without the columns that keep what people's texts replaced.

    Raises:
        CorpusError: If a private text was replaced: its hash would be of another text than the
            one that hydration finds.
    """
    replaced = {column for entry in _entries(opened).values() for column in entry["replaced"]}
    if private := sorted(replaced & set(form.private)):
        raise CorpusError(
            f"people's texts took the place of {private[0]}, so that nobody could join it back",
            where=str(opened.folder),
            remedy="merge a project that replaces no source text",
        )
    kept = {machine_column(column) for column in replaced}
    schema = {name: dtype for name, dtype in opened.schema.items() if name not in kept}
    return replace(opened, schema=schema)


def published_annotation(opened: Opened) -> dict[str, Any]:
    """What goes out of what the manifest says of people's answers; nothing without any."""
    projects = {
        name: {key: entry[key] for key in _KEYS if key in entry}
        | {"columns": [column for column in entry["columns"] if column in opened.schema]}
        for name, entry in _entries(opened).items()
    }
    return {KEY: projects} if projects else {}


def names_in(projects: Entries) -> Iterator[str]:
    """The names of projects, questions and labels, which must all be codes."""
    for project, entry in projects.items():
        for question in entry["questions"]:
            yield from (project, question["name"], *question["labels"])


def _entries(opened: Opened) -> Entries:
    return entries(opened.manifest, where=str(opened.folder / "manifest.json"))
