"""Brings the raters' answers from the server into a table of labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import polars as pl

from ..errors import AnnotationError
from .connection import Connection
from .labels import Label, Status, labels_table, pseudonym
from .project import Project
from .server_project import HASH, ServerProject, changes, find

__all__ = ["Pulled", "pull"]

_STATUSES: Mapping[str, Status] = {
    "submitted": "submitted",
    "draft": "draft",
    "discarded": "discarded",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulled:
    """What was read from a server.

    Attributes:
        labels: The table of labels, see :mod:`~isogloss.annotation.labels`.
        responses: Responses read, by status: one is a rater's answers to one item.
        left: Responses that were left on the server, by status.
        items: Items of the project on the server.
        min_raters: So many raters should answer an item.
        sample: How the items were drawn, as noted at the push; None if that isn't known.
        notes: What a reader must know, in sentences.
    """

    labels: pl.DataFrame
    responses: Mapping[str, int]
    left: Mapping[str, int]
    items: int
    min_raters: int
    sample: Mapping[str, Any] | None
    notes: tuple[str, ...]


def pull(connection: Connection, project: Project, *, all_statuses: bool = False) -> Pulled:
    """Reads all responses of a project.

    Args:
        connection: As an owner.
        project: What was asked; its name is the one on the server.
        all_statuses: Takes drafts and discarded responses as well; by default only what was
            submitted.

    Raises:
        AnnotationError: If the server has no such project, nobody has answered yet, or the
            answers are to another version of the questions.
        ServiceError: If the server fails.
    """
    servers = [one for one in find(connection, project.name) if not one.draft]
    if not servers:
        raise AnnotationError(
            "the server has no such project",
            where=f"{connection.url}, project {project.name}",
            remedy="push it first, or name it with --project",
        )
    for server in servers:
        _require_version(server, project)
    taken: Counter[str] = Counter()
    left: Counter[str] = Counter()
    labels: list[Label] = []
    items: set[str] = set()
    for server in servers:
        for record in connection.records(server.dataset, responses=True):
            items.add(record["external_id"])
            for response in record.get("responses") or ():
                status = response["status"]
                if status != "submitted" and not all_statuses:
                    left[status] += 1
                    continue
                taken[status] += 1
                labels += _labels(record, response, project)
    if not labels:
        waiting = ", ".join(f"{number} {status}" for status, number in sorted(left.items()))
        raise AnnotationError(
            "nobody has submitted an answer yet" + (f" ({waiting})" if waiting else ""),
            where=f"{connection.url}, project {project.name}",
            remedy="see how far the raters are with isogloss annotate status",
        )
    found = [change for server in servers for change in changes(connection, server, project)]
    notes = [f"on the server {change}" for change in dict.fromkeys(found)]
    return Pulled(
        labels=labels_table(labels),
        responses=dict(sorted(taken.items())),
        left=dict(sorted(left.items())),
        items=len(items),
        min_raters=max(server.min_raters for server in servers),
        sample=_sample(servers),
        notes=tuple(notes),
    )


def _require_version(server: ServerProject, project: Project) -> None:
    """Answers to one version of the questions must not pass for answers to another."""
    version = server.noted.get("version", project.version)
    if version != project.version:
        raise AnnotationError(
            f"the answers are to version {version} of the questions, and these are version "
            f"{project.version}",
            where=server.name,
            remedy="give the questions as they were with --questions",
        )


def _sample(servers: Sequence[ServerProject]) -> Mapping[str, Any] | None:
    """How the items were drawn: the one sample, or all of them where a project grew."""
    samples: list[Any] = []
    for server in servers:
        for one in server.noted.get("samples") or ():
            if isinstance(one, dict) and one not in samples:
                samples.append(one)
    if len(samples) > 1:
        return {"samples": samples}
    return samples[0] if samples else None


def _labels(
    record: Mapping[str, Any], response: Mapping[str, Any], project: Project
) -> Iterator[Label]:
    """A response as labels: one for each answer; one without, to be counted, where none is."""
    answers = {
        name: answer["value"]
        for name, answer in (response.get("values") or {}).items()
        if answer.get("value") is not None
    }
    status = _STATUSES[response["status"]]
    if status != "submitted":
        answers = {question.name: None for question in project.questions} | answers
    for name, value in answers.items():
        yield Label(
            item=record["external_id"],
            rater=pseudonym(response["user_id"], project=project.name),
            question=name,
            label=None if value is None else str(value),
            status=status,
            inserted_at=_time(response["inserted_at"]),
            updated_at=_time(response["updated_at"]),
            text_sha256=(record.get("metadata") or {}).get(HASH),
        )


def _time(text: str) -> datetime:
    """A time of the server's: UTC, where it has no zone."""
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
