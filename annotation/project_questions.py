"""Reads one question of a project file."""

from __future__ import annotations

from collections.abc import Mapping

from .project import NOT_APPLICABLE, Question
from .project_check import NAME, Table

__all__ = ["read_question"]

_COMMON = {"name", "kind", "title", "description", "required"}
_MOST_LABELS = 50
#: The least and the greatest number that servers take for a rating.
_LOWEST, _HIGHEST = 0, 10


def read_question(table: Table) -> Question:
    """The question that a table describes.

    Raises:
        AnnotationError: If a key is missing, unknown or of a value that can't be used.
    """
    name, title = table.code("name", NAME), table.text("title")
    description = table.text("description", default="")
    required = table.flag("required", default=True)
    labels: Mapping[str, str] = {}
    prefill = replaces = ""
    match table.one_of("kind", ("yes_no", "choice", "scale", "text")):
        case "yes_no":
            table.only({*_COMMON, "labels"})
            kind, labels = "yes_no", _labels(table)
            if list(labels)[:2] != ["yes", "no"] or set(labels) - {"yes", "no", NOT_APPLICABLE}:
                raise table.wrong("labels", f"must be yes, no and, if needed, {NOT_APPLICABLE}")
        case "choice":
            table.only({*_COMMON, "labels"})
            kind, labels = "choice", _labels(table)
        case "scale":
            table.only({*_COMMON, "low", "high"})
            kind, labels = "scale", _numbers(table)
        case _:
            table.only({*_COMMON, "prefill", "replaces"})
            kind = "text"
            prefill = table.text("prefill", default="")
            replaces = table.text("replaces", default="")
    return Question(
        name=name,
        kind=kind,  # type: ignore[arg-type]
        title=title,
        description=description,
        required=required,
        labels=labels,
        prefill=prefill,
        replaces=replaces,
    )


def _labels(table: Table) -> dict[str, str]:
    labels = table.values.get("labels")
    if not isinstance(labels, dict) or not 2 <= len(labels) <= _MOST_LABELS:
        raise table.wrong("labels", f"must be a table of 2 to {_MOST_LABELS} labels")
    for label, title in labels.items():
        if not NAME.fullmatch(label) or not isinstance(title, str) or not title.strip():
            raise table.wrong("labels", f"must be of a-z, 0-9 and _ with a title: {label!r} isn't")
    return labels


def _numbers(table: Table) -> dict[str, str]:
    low = table.number("low", least=_LOWEST)
    high = table.number("high", least=low + 1)
    if high > _HIGHEST:
        raise table.wrong("high", f"must be at most {_HIGHEST}")
    return {str(number): str(number) for number in range(low, high + 1)}
