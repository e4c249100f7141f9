"""What a project file may say: typed values of a table, and rules over the whole."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import AnnotationError
from .project import Project

__all__ = ["CODE", "NAME", "Table", "check_project"]

#: A project's name is also a file's.
CODE = re.compile(r"[a-z0-9][a-z0-9_-]{0,60}")
#: Names of questions and labels become names of columns and codes in a published corpus.
NAME = re.compile(r"[a-z0-9][a-z0-9_]{0,40}")
#: So many letters a server takes: in a title, a line below a question, the guidelines.
_TITLE, _DESCRIPTION, _GUIDELINES = 500, 1000, 10_000
#: Signs that pages don't show, and that no XML may hold.
_UNSEEN = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a project file.

    Attributes:
        values: What it says.
        file: The file, for messages.
        path: Where in the file, for messages, for example ``question 2 (natural).``.
    """

    values: Mapping[str, Any]
    file: str
    path: str

    def wrong(self, key: str, what: str) -> AnnotationError:
        """The error for a value that can't be used."""
        return AnnotationError(
            f"{self.path}{key} {what}", where=self.file, remedy="mend the project file"
        )

    def only(self, known: Collection[str]) -> None:
        """Refuses keys that mean nothing."""
        if unknown := sorted(set(self.values) - set(known)):
            raise self.wrong(unknown[0], f"is none of {', '.join(sorted(known))}")

    def text(self, key: str, *, default: str | None = None) -> str:
        """A text that isn't empty, or the default."""
        value = self.values.get(key, default)
        if not isinstance(value, str) or (value is not default and not value.strip()):
            raise self.wrong(key, "must be a text")
        return value

    def code(self, key: str, pattern: re.Pattern[str]) -> str:
        """A name of the letters that a pattern allows."""
        value = self.text(key)
        if not pattern.fullmatch(value):
            raise self.wrong(key, f"must be of a-z, 0-9 and _, and is {value!r}")
        return value

    def number(self, key: str, *, least: int) -> int:
        """A whole number."""
        value = self.values.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise self.wrong(key, f"must be a whole number from {least}")
        return value

    def flag(self, key: str, *, default: bool) -> bool:
        """True or false."""
        value = self.values.get(key, default)
        if not isinstance(value, bool):
            raise self.wrong(key, "must be true or false")
        return value

    def one_of(self, key: str, values: Sequence[str], *, default: str | None = None) -> str:
        """One of some words."""
        value = self.values.get(key, default)
        if value not in values:
            raise self.wrong(key, f"must be one of {', '.join(values)}")
        return str(value)

    def texts(self, key: str) -> list[str]:
        """A list of texts; empty if it isn't there."""
        values = self.values.get(key, [])
        if not isinstance(values, list) or not all(isinstance(one, str) and one for one in values):
            raise self.wrong(key, "must be a list of texts")
        return values

    def tables(self, key: str) -> list[Table]:
        """A list of tables, at least one."""
        values = self.values.get(key)
        if not isinstance(values, list) or not all(isinstance(one, dict) for one in values):
            raise self.wrong(key, f"must be there, as [[{key}]]")
        return [Table(one, self.file, f"{key} {at}: ") for at, one in enumerate(values, 1)]


def check_project(project: Project, *, where: str) -> None:
    """Looks over a project as a whole.

    Raises:
        AnnotationError: If names or a question's labels stand twice, a part needs another that
            isn't there, or no server or page can show a text.
    """
    shown = [field.column for field in project.fields]
    asked = [question.name for question in project.questions]
    columns = [column for question in project.questions for column in question.columns]
    replaced = [question.replaces for question in project.questions if question.replaces]
    for what, names in (
        ("field", shown),
        ("question", asked),
        ("column of answers", columns),
        ("replaced column", replaced),
    ):
        if twice := [name for name, times in Counter(names).items() if times > 1]:
            raise _wrong(f"the {what} {twice[0]!r} stands twice", where)
    for question in project.questions:
        titles = Counter(question.labels.values())
        if twice := [title for title, times in titles.items() if times > 1]:
            raise _wrong(f"two labels of {question.name} have the title {twice[0]!r}", where)
    for what, text, most in _texts(project):
        if len(text) > most:
            raise _wrong(f"{what} has {len(text):,} letters, and at most {most:,} fit", where)
        if unseen := _UNSEEN.search(text):
            raise _wrong(f"{what} has a sign that no page shows (U+{ord(unseen[0]):04X})", where)
    if not any(question.required for question in project.questions):
        raise _wrong("no question is required, so nothing need be answered", where)
    if (project.assignment == "others") != bool(project.author):
        raise _wrong('assignment "others" needs author, the column of authors, and no other', where)
    for question in project.questions:
        for column in filter(None, (question.prefill, question.replaces)):
            if column not in shown:
                raise _wrong(
                    f"{question.name} uses the column {column!r}, which isn't shown", where
                )


def _texts(project: Project) -> Iterator[tuple[str, str, int]]:
    """All that raters read: what it is, the text, and how long it may be."""
    yield "title", project.title, _TITLE
    yield "guidelines", project.guidelines, _GUIDELINES
    for field in project.fields:
        yield f"the title of the field {field.column!r}", field.title, _TITLE
    for question in project.questions:
        yield f"the title of {question.name}", question.title, _TITLE
        yield f"the description of {question.name}", question.description, _DESCRIPTION
        for label, title in question.labels.items():
            yield f"the title of {question.name}'s label {label!r}", title, _TITLE


def _wrong(what: str, where: str) -> AnnotationError:
    return AnnotationError(what, where=where, remedy="mend the project file")
