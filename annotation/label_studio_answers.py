"""Answers that Label Studio exports as JSON, read into the table of labels that a pull gives."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

from ..errors import AnnotationError
from .label_studio import HASH, ITEM
from .labels import Label, Status, labels_table, pseudonym
from .project import Project, Question

__all__ = ["read_export"]

#: By the kind of a question, where an export has the answer.
_VALUES = {"yes_no": "choices", "choice": "choices", "scale": "rating", "text": "text"}


def read_export(path: Path, project: Project) -> pl.DataFrame:
    """Reads what Label Studio exports as JSON (not JSON-MIN) into a table of labels.

    What a rater skipped is ``discarded``. Relations and whatever else answers no question are
    left out. Raters become pseudonyms of the server's numbers; who
    sees them and knows the server's users can tell who is who, so keep the table to yourself.

    Args:
        path: The export.
        project: What was asked.

    Returns:
        Columns ``LABELS``.

    Raises:
        AnnotationError: If the file can't be read, or is no export of this project's tasks.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise AnnotationError(
            "there is no such file", where=str(path), remedy="check its name"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise AnnotationError(
            f"the file can't be read as JSON ({error})",
            where=str(path),
            remedy="export the project anew, as JSON",
        ) from error
    labels: dict[tuple[str, str, str], Label] = {}
    try:
        for task in found:
            for label in _labels(task, project):
                key = (label.item, label.rater, label.question)
                # A rater may have answered a task twice; the later answer counts.
                if key not in labels or labels[key].updated_at <= label.updated_at:
                    labels[key] = label
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise AnnotationError(
            f"this is no export of tasks that isogloss made ({type(error).__name__}: {error})",
            where=str(path),
            remedy="export the project as JSON, not as JSON-MIN or CSV",
        ) from error
    return labels_table(labels.values())


def _labels(task: Mapping[str, Any], project: Project) -> Iterator[Label]:
    data = task["data"]
    for one in task["annotations"]:
        status: Status = "discarded" if one.get("was_cancelled") else "submitted"
        answers = {
            result["from_name"]: result["value"]
            for result in one["result"]
            if {"from_name", "value"} <= result.keys()
        }
        for question in project.questions:
            yield Label(
                item=data[ITEM],
                rater=pseudonym(_user(one["completed_by"]), project=f"label-studio {project.key}"),
                question=question.name,
                label=_answer(answers.get(question.name), question),
                status=status,
                inserted_at=_time(one["created_at"]),
                updated_at=_time(one.get("updated_at") or one["created_at"]),
                text_sha256=data.get(HASH),
            )


def _user(completed_by: Any) -> str:
    """The server's number of a user; some exports have all of the user."""
    return str(completed_by["id"] if isinstance(completed_by, dict) else completed_by)


def _answer(value: Mapping[str, Any] | None, question: Question) -> str | None:
    if value is None:
        return None
    found = value[_VALUES[question.kind]]
    if isinstance(found, list):
        if not found:
            return None
        found = "\n".join(map(str, found)) if question.kind == "text" else found[0]
    if question.kind in ("yes_no", "choice"):
        # Servers that don't know aliases give the title back.
        titles = {title: label for label, title in question.labels.items()}
        return titles.get(str(found), str(found))
    return str(found)


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
