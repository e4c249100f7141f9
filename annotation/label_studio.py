"""A project as files for Label Studio.

Label Studio takes a labelling interface (``config.xml``: paste it under Settings → Labeling
Interface → Code) and tasks (``tasks.json``: import them).
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ..corpus.folder import outside_corpora
from ..corpus.manifest import dump_json
from ..corpus.store import made_folder, write_atomic
from ..errors import AnnotationError, OutputError
from .items import Items
from .project import Project, Question

__all__ = ["HASH", "ITEM", "export", "interface", "tasks"]

#: Data of a task beside its texts: names that no column of a corpus has.
ITEM, HASH = "isogloss_item", "isogloss_sha256"


def export(items: Items, project: Project, out: Path) -> None:
    """Writes ``config.xml``, ``tasks.json`` and ``guidelines.md``.

    Args:
        items: What is asked about.
        project: What is asked.
        out: A folder; made if it isn't there, and may hold an earlier export.

    Raises:
        AnnotationError: If a scale doesn't begin at 1, which Label Studio can't show, or raters
            see different items, which a file can't say.
        OutputError: If there can be no folder, it holds other files, or lies in a corpus.
    """
    if project.assignment != "shared":
        raise AnnotationError(
            "raters must not see their own items, and a file for Label Studio shows all to all",
            where=f"project {project.name}",
            remedy="push it to a server instead",
        )
    shown = {column for item in items.items for column in item.fields}
    files = {
        "config.xml": interface(project, shown=shown),
        "tasks.json": dump_json(tasks(items)),
        "guidelines.md": project.guidelines.encode(),
    }
    outside_corpora(out)
    made_folder(out)
    if others := sorted(one.name for one in out.iterdir() if one.name not in files):
        raise OutputError(
            f"the folder holds other files, {others[0]!r} among them",
            where=str(out),
            remedy="choose an empty or a new folder with --out",
        )
    for name, content in files.items():
        write_atomic(out / name, content)


def interface(project: Project, *, shown: Collection[str]) -> bytes:
    """The labelling interface: the texts, then a control for each question.

    Args:
        project: What is asked.
        shown: The columns that some item has a text in.

    Raises:
        AnnotationError: If a scale doesn't begin at 1.
    """
    view = ElementTree.Element("View")
    ElementTree.SubElement(view, "Header", value=project.title, size="3")
    fields = [field for field in project.fields if field.column in shown]
    for field in fields:
        ElementTree.SubElement(view, "Header", value=field.title)
        ElementTree.SubElement(view, "Text", name=field.column, value=f"${field.column}")
    about = fields[0].column
    for question in project.questions:
        ElementTree.SubElement(view, "Header", value=question.title)
        if question.description:
            ElementTree.SubElement(view, "Header", value=question.description, size="5")
        view.append(_control(question, about))
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="unicode").encode() + b"\n"


def _control(question: Question, about: str) -> ElementTree.Element:
    common = {
        "name": question.name,
        "toName": about,
        "required": str(question.required).lower(),
    }
    match question.kind:
        case "text":
            filled = {"value": f"${question.prefill}"} if question.prefill else {}
            return ElementTree.Element(
                "TextArea", common | filled | {"editable": "true", "maxSubmissions": "1"}
            )
        case "scale":
            if "1" not in question.labels or "0" in question.labels:
                raise AnnotationError(
                    f"the scale of {question.name} doesn't begin at 1",
                    where="Label Studio",
                    remedy="make it a choice in a project file",
                )
            return ElementTree.Element("Rating", common | {"maxRating": str(len(question.labels))})
        case _:
            control = ElementTree.Element(
                "Choices", common | {"choice": "single-radio", "showInline": "true"}
            )
            for label, title in question.labels.items():
                ElementTree.SubElement(control, "Choice", value=title, alias=label)
            return control


def tasks(items: Items) -> list[dict[str, Any]]:
    """The tasks to import: the texts of each item, and no predictions."""
    empty = {column: "" for item in items.items for column in item.fields}
    return [
        {"data": {**empty, **item.fields, ITEM: item.id, HASH: item.sha256}} for item in items.items
    ]
