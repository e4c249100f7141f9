"""A project on a server: its workspaces and data sets, made from ours and held against it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import AnnotationError, OptionError
from .connection import Connection
from .project import Project, Question

__all__ = [
    "HASH", "STRATUM", "ServerProject", "changes", "find", "make", "names",
    "note", "project_name", "question_names", "rater_code", "require_unchanged",
    "set_min_raters",
]  # fmt: skip

#: Metadata of a record that raters don't see: of the texts shown, and where it was sampled from.
HASH, STRATUM = "text_sha256", "stratum"
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,49}")
#: Between the names of project and rater where each rater has items of their own.
_BETWEEN = "--"
_KEY = "isogloss"
#: The server refuses to hide all but fewer labels than that.
_FEWEST_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerProject:
    """One data set of a project.

    Attributes:
        dataset: The server's id.
        workspace: The server's id of the workspace it lies in.
        name: What it is called there.
        rater: The code of the rater it is for (:func:`rater_code`); "" if it is for all.
        min_raters: So many raters answer an item.
        noted: What was noted at a push: version, key, samples.
        url: Where a rater begins.
        draft: Whether making it was interrupted.
    """

    dataset: str
    workspace: str
    name: str
    rater: str
    min_raters: int
    noted: Mapping[str, Any]
    url: str
    draft: bool


def rater_code(name: str) -> str:
    """Tells raters' data sets apart where each has one: names may hold what data sets may not.

    Example:
        >>> rater_code("Ada") == rater_code("ada")
        True
    """
    return hashlib.sha256(name.casefold().encode()).hexdigest()[:8]


def project_name(name: str) -> str:
    """A name for a project.

    Raises:
        OptionError: If it can't be one: it names a file and a data set.
    """
    if not _NAME.fullmatch(name) or _BETWEEN in name:
        raise OptionError(
            f"{name!r} can't be a project's name",
            where="--project",
            remedy="use up to 50 of a-z, 0-9, - and _, and no two - in a row",
        )
    return name


def find(connection: Connection, name: str) -> list[ServerProject]:
    """The data sets of a project, sorted by rater; none if the server has no such project."""
    workspaces = {one["id"]: one["name"] for one in _items(connection, "/me/workspaces")}
    found = []
    for one in _items(connection, "/me/datasets"):
        base, _, rater = one["name"].partition(_BETWEEN)
        if base == name and workspaces.get(one["workspace_id"]) == one["name"]:
            found.append(_described(connection, one, rater))
    return sorted(found, key=lambda project: project.rater)


def names(connection: Connection) -> list[str]:
    """The projects that the server has, sorted."""
    workspaces = {one["id"]: one["name"] for one in _items(connection, "/me/workspaces")}
    return sorted(
        {
            one["name"].partition(_BETWEEN)[0]
            for one in _items(connection, "/me/datasets")
            if workspaces.get(one["workspace_id"]) == one["name"]
        }
    )


def question_names(connection: Connection, server: ServerProject) -> list[str]:
    """The questions as the server asks them, in their order."""
    return [one["name"] for one in _items(connection, f"/datasets/{server.dataset}/questions")]


def make(
    connection: Connection,
    project: Project,
    *,
    rater: str,
    min_raters: int,
    noted: Mapping[str, Any],
) -> ServerProject:
    """Makes a workspace and a published data set in it.

    One that was interrupted leaves a draft, which :func:`find` shows as one and which this
    takes away first: nobody can have answered it.

    Args:
        connection: As an owner.
        project: What is asked.
        rater: The code of the rater, if each has items of their own; else "".
        min_raters: So many raters answer an item.
        noted: Kept with the data set.
    """
    name = f"{project.name}{_BETWEEN}{rater}" if rater else project.name
    workspaces = {one["name"]: one["id"] for one in _items(connection, "/me/workspaces")}
    if name not in workspaces:
        made = connection.request("POST", "/workspaces", json={"name": name})
        workspaces[name] = made["id"]
    for one in find(connection, project.name):
        if one.name == name and one.draft:
            connection.request("DELETE", f"/datasets/{one.dataset}")
    dataset = connection.request(
        "POST",
        "/datasets",
        json={
            "name": name,
            "workspace_id": workspaces[name],
            "guidelines": project.guidelines,
            "allow_extra_metadata": False,
            "distribution": _distribution(min_raters),
            "metadata": {_KEY: dict(noted)},
        },
    )
    path = f"/datasets/{dataset['id']}"
    for field in project.fields:
        given = {"name": field.column, "title": field.title, "required": field.required}
        settings = {"type": "text", "use_markdown": False}
        connection.request("POST", f"{path}/fields", json={**given, "settings": settings})
    for question in project.questions:
        connection.request("POST", f"{path}/questions", json=_question(question))
    for hidden in (HASH, STRATUM):
        given = {"name": hidden, "title": hidden, "visible_for_annotators": False}
        connection.request(
            "POST", f"{path}/metadata-properties", json={**given, "settings": {"type": "terms"}}
        )
    connection.request("PUT", f"{path}/publish")
    return next(one for one in find(connection, project.name) if one.rater == rater)


def changes(connection: Connection, server: ServerProject, project: Project) -> list[str]:
    """How what the server asks differs from the project, in words; none if it doesn't."""
    found = []
    if (version := server.noted.get("version", project.version)) != project.version:
        found.append(f"it is version {version} of the questions, and not {project.version}")
    there = {
        one["name"]: _as_asked(one)
        for one in _items(connection, f"/datasets/{server.dataset}/questions")
    }
    ours = {question.name: _as_asked(_question(question)) for question in project.questions}
    found += [f"the question {name} was added" for name in there if name not in ours]
    found += [f"the question {name} is gone" for name in ours if name not in there]
    for name in (name for name in ours if name in there):
        differing = [part for part, value in ours[name].items() if there[name][part] != value]
        if differing:
            found.append(f"the question {name} has another {' and '.join(differing)}")
    shown = [
        (one["name"], one["title"])
        for one in _items(connection, f"/datasets/{server.dataset}/fields")
    ]
    if shown != [(field.column, field.title) for field in project.fields]:
        found.append("it shows other texts")
    return found


def require_unchanged(connection: Connection, server: ServerProject, project: Project) -> None:
    """Checks that the server still asks what the project asks.

    Raises:
        AnnotationError: If it doesn't: answers would mean different things.
    """
    found = changes(connection, server, project)
    if found:
        raise AnnotationError(
            f"the project on the server differs: {'; '.join(found)}",
            where=server.name,
            remedy="give the questions as they were, or push under another --project name",
        )


def note(connection: Connection, server: ServerProject, noted: Mapping[str, Any]) -> None:
    """Keeps something with a data set, in the place of what was noted before."""
    # The server doesn't notice that a note which is there changes: it is taken away first.
    for metadata in (None, {_KEY: dict(noted)}):
        connection.request("PATCH", f"/datasets/{server.dataset}", json={"metadata": metadata})


def set_min_raters(connection: Connection, server: ServerProject, number: int) -> None:
    """Changes how many raters answer an item."""
    connection.request(
        "PATCH",
        f"/datasets/{server.dataset}",
        json={"distribution": _distribution(number)},
    )


def _distribution(number: int) -> dict[str, Any]:
    return {"strategy": "overlap", "min_submitted": number}


def _described(connection: Connection, one: Mapping[str, Any], rater: str) -> ServerProject:
    noted = (one.get("metadata") or {}).get(_KEY) or {}
    return ServerProject(
        dataset=one["id"],
        workspace=one["workspace_id"],
        name=one["name"],
        rater=rater,
        min_raters=int((one.get("distribution") or {}).get("min_submitted", 1)),
        noted=noted,
        url=f"{connection.url}/dataset/{one['id']}/annotation-mode",
        draft=one.get("status") == "draft",
    )


def _question(question: Question) -> dict[str, Any]:
    """A question as the server takes it."""
    kinds = {"text": "text", "scale": "rating"}
    settings: dict[str, Any] = {"type": kinds.get(question.kind, "label_selection")}
    if question.kind == "text":
        settings["use_markdown"] = False
    elif question.kind == "scale":
        settings["options"] = [{"value": int(label)} for label in question.labels]
    else:
        settings["options"] = [
            {"value": label, "text": title} for label, title in question.labels.items()
        ]
        # Of many labels the pages hide some, unless they are told to show all.
        if len(question.labels) >= _FEWEST_SHOWN:
            settings["visible_options"] = len(question.labels)
    return {
        "name": question.name,
        "title": question.title,
        "description": question.description or None,
        "required": question.required,
        "settings": settings,
    }


def _as_asked(question: Mapping[str, Any]) -> dict[str, Any]:
    """What of a question makes an answer mean what it means."""
    settings = question["settings"]
    return {
        "kind": settings["type"],
        "title": question["title"],
        "description": question.get("description") or "",
        "set of labels": [
            (str(one["value"]), str(one.get("text", one["value"])))
            for one in settings.get("options") or ()
        ],
    }


def _items(connection: Connection, path: str) -> Sequence[dict[str, Any]]:
    items: list[dict[str, Any]] = connection.request("GET", path)["items"]
    return items
