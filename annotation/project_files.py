"""Reads projects from TOML and refuses what can't be asked.

    name = "greetings"                  # also the name of its file of labels
    version = 1
    builder = "realaae"                 # whose corpora it is for
    title = "Greetings"
    language = "en"
    guidelines_file = "greetings.md"    # beside this file or below it; or guidelines = "text"
    strata = ["split"]                  # a sample keeps the shares of their values
    assignment = "shared"               # or "others", with author = "COLUMN"
    raters = 3                          # so many answer an item

    [[field]]                           # what is shown, in this order, and nothing else
    column = "dialect"
    title = "The text"
    required = true                     # may be left out

    [[question]]
    name = "natural"
    kind = "yes_no"                     # or choice, scale, text
    title = "Does it sound natural?"
    description = "…"                   # may be left out
    required = true                     # may be left out
    labels = { yes = "Yes", no = "No" } # a scale has low = 1 and high = 5 instead, a text none

A text may have `prefill = "COLUMN"`, whose text the answer starts from, and
`replaces = "COLUMN"`, which it replaces where raters agree.
"""

from __future__ import annotations

import tomllib
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from ..errors import AnnotationError
from .project import Field, Project
from .project_check import CODE, Table, check_project
from .project_questions import read_question

__all__ = ["project_for", "project_names", "read_project_file"]

_KEYS = {
    *("name", "version", "builder", "title", "language", "guidelines", "guidelines_file"),
    *("strata", "assignment", "author", "raters", "field", "question"),
}
_FIELD_KEYS = {"column", "title", "required"}


def project_names() -> list[str]:
    """The builders that we have questions for, sorted."""
    names = [path.name for path in _folder().iterdir()]
    return sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


def project_for(builder: str) -> Project:
    """Our project for the corpora of a builder.

    Raises:
        AnnotationError: If there is none.

    Example:
        >>> [question.name for question in project_for("realaae").questions][-1]
        'back_natural'
    """
    if builder not in project_names():
        raise AnnotationError(
            f"there are no questions for corpora of the builder {builder!r}",
            where="annotate",
            remedy="give a file with questions, or a corpus of one of "
            f"{', '.join(project_names())}",
        )
    return read_project_file(Path(str(_folder())) / f"{builder}.toml")


def _folder() -> Traversable:
    return resources.files(f"{__package__}.projects")


def read_project_file(path: Path) -> Project:
    """Reads a project and its guidelines.

    Raises:
        AnnotationError: If the file is missing or no TOML, or a key is missing, unknown or of
            a value that can't be used.
    """
    try:
        data = tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError as error:
        raise AnnotationError(
            f"the file is no TOML ({error})", where=str(path), remedy="mend it"
        ) from error
    table = Table(data, str(path), "")
    table.only(_KEYS)
    assignment = table.one_of("assignment", ("shared", "others"), default="shared")
    project = Project(
        name=table.code("name", CODE),
        version=table.number("version", least=1),
        builder=table.text("builder"),
        title=table.text("title"),
        language=table.text("language"),
        guidelines=_guidelines(table, path),
        fields=tuple(_field(one) for one in table.tables("field")),
        questions=tuple(read_question(one) for one in table.tables("question")),
        strata=tuple(table.texts("strata")),
        assignment="others" if assignment == "others" else "shared",
        author=table.text("author", default=""),
        min_raters=table.number("raters", least=1),
    )
    check_project(project, where=str(path))
    return project


def _guidelines(table: Table, path: Path) -> str:
    inline = table.text("guidelines", default="")
    file = table.text("guidelines_file", default="")
    if bool(inline) == bool(file):
        raise table.wrong("guidelines", "must be there, or guidelines_file, and not both")
    # Someone else's project must not show raters what lies elsewhere on this machine.
    if Path(file).is_absolute() or ".." in Path(file).parts:
        raise table.wrong("guidelines_file", "must lie beside the project file or below it")
    return inline or _text(path.parent / file)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise AnnotationError(
            "there is no such file", where=str(path), remedy="check its name"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise AnnotationError(
            f"the file can't be read ({error})", where=str(path), remedy="mend it"
        ) from error


def _field(table: Table) -> Field:
    table.only(_FIELD_KEYS)
    return Field(
        column=table.text("column"),
        title=table.text("title"),
        required=table.flag("required", default=True),
    )
