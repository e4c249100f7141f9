"""A project: what people are asked about a corpus, as data.

Ours stand in ``projects/``; a file of the user's has the same form.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ..corpus.hashing import json_sha256

__all__ = ["NOT_APPLICABLE", "Assignment", "Field", "Kind", "Project", "Question"]

#: What answers a question: yes or no, one of several labels, a number, or a text.
Kind = Literal["yes_no", "choice", "scale", "text"]
#: Who sees an item: all raters, or those who aren't its author.
Assignment = Literal["shared", "others"]
#: The label of a yes/no question that doesn't apply to an item; it counts as no answer.
NOT_APPLICABLE = "not_applicable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A column of the corpus that raters are shown.

    Attributes:
        column: Its name; a column of lists is shown as lettered lines.
        title: What raters read above it.
        required: Whether the corpus must have the column, and an item a text in it.
    """

    column: str
    title: str
    required: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question to a rater.

    Attributes:
        name: What its labels and columns are called: a-z, 0-9 and _.
        kind: What answers it.
        title: The question as raters read it.
        description: A line below it.
        required: Whether an item can't be submitted without an answer.
        labels: The labels with their titles, in the order shown; of a scale its numbers
            ("1", "2", …); none of a text.
        prefill: The column that a text starts from; "" for an empty one.
        replaces: The column that a text replaces where raters agree; "" for none.
    """

    name: str
    kind: Kind
    title: str
    description: str
    required: bool
    labels: Mapping[str, str]
    prefill: str = ""
    replaces: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it adds to a corpus, in their order."""
        endings: Mapping[Kind, tuple[str, ...]] = {
            "yes_no": ("majority", "unanimous", "any", "labels"),
            "choice": ("majority", "unanimous", "labels"),
            "scale": ("mean", "median", "labels"),
            "text": (),
        }
        return tuple(f"{self.name}_{ending}" for ending in endings[self.kind])


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """What people are asked about a corpus.

    Attributes:
        name: Also the name of its file of labels: a-z, 0-9, - and _.
        version: Raised with every change that makes answers mean something else.
        builder: The builder whose corpora it is for.
        title: What raters see it called.
        language: BCP-47 tag of the questions and the guidelines.
        guidelines: Markdown.
        fields: What is shown of an item, in this order, and nothing else.
        questions: In the order asked.
        strata: Columns whose values a sample keeps the shares of.
        assignment: Who sees an item.
        author: The column of authors, for the assignment ``others``; "" else.
        min_raters: By default so many raters answer an item.
    """

    name: str
    version: int
    builder: str
    title: str
    language: str
    guidelines: str
    fields: tuple[Field, ...]
    questions: tuple[Question, ...]
    strata: tuple[str, ...]
    assignment: Assignment
    author: str
    min_raters: int

    @property
    def guidelines_sha256(self) -> str:
        """SHA-256 (hex) of the guidelines."""
        return hashlib.sha256(self.guidelines.encode()).hexdigest()

    @property
    def key(self) -> str:
        """Short hash of everything raters see: a project that was changed has another."""
        return json_sha256(
            {
                "name": self.name,
                "version": self.version,
                "title": self.title,
                "guidelines": self.guidelines,
                "fields": [[field.column, field.title] for field in self.fields],
                "questions": [
                    [q.name, q.kind, q.title, q.description, q.required, list(q.labels.items())]
                    for q in self.questions
                ],
            }
        )[:16]

    def question(self, name: str) -> Question | None:
        """The question of that name, if there is one."""
        return next((question for question in self.questions if question.name == name), None)
