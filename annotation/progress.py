"""How far the raters of a project are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..errors import AnnotationError
from .connection import Connection
from .people import members
from .server_project import find, question_names

__all__ = ["ProjectProgress", "RaterProgress", "project_progress"]


@dataclass(slots=True, kw_only=True)
class RaterProgress:
    """One rater's.

    Attributes:
        name: The account's.
        items: Items that this rater may see.
        responses: Their number by status: submitted, draft, discarded.
        last: When the last one was given or changed, as the server says it; "" if none was.
    """

    name: str
    items: int
    responses: Counter[str] = field(default_factory=Counter)
    last: str = ""

    @property
    def pending(self) -> int:
        """Items without a response."""
        return self.items - self.responses.total()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectProgress:
    """A project's.

    Attributes:
        items: Items on the server, each counted once.
        complete: Items that enough raters have submitted.
        min_raters: How many that is.
        raters: Sorted by name.
        questions: Answers that were submitted, by question, in the order asked.
        links: Where raters begin, by data set.
    """

    items: int
    complete: int
    min_raters: int
    raters: tuple[RaterProgress, ...]
    questions: Mapping[str, int]
    links: tuple[str, ...]


def project_progress(connection: Connection, name: str) -> ProjectProgress:
    """Reads a project's progress from the server.

    Args:
        connection: As an owner.
        name: The project's on the server.

    Raises:
        AnnotationError: If the server has no such project.
        ServiceError: If the server fails.
    """
    servers = [one for one in find(connection, name) if not one.draft]
    if not servers:
        raise AnnotationError(
            "the server has no such project",
            where=f"{connection.url}, project {name}",
            remedy="push it first, or name it with --project",
        )
    raters: dict[str, RaterProgress] = {}
    submitted: Counter[str] = Counter()
    answers = Counter({one: 0 for each in servers for one in question_names(connection, each)})
    items: set[str] = set()
    for server in servers:
        names = members(connection, server.workspace)
        records = list(connection.records(server.dataset, responses=True))
        items.update(record["external_id"] for record in records)
        for member in names.values():
            raters.setdefault(member, RaterProgress(name=member, items=0)).items += len(records)
        for record in records:
            for response in record.get("responses") or ():
                # Somebody who was taken out of the project keeps what they have answered.
                member = names.get(response["user_id"], "(no longer in the project)")
                one = raters.setdefault(member, RaterProgress(name=member, items=0))
                one.responses[response["status"]] += 1
                one.last = max(one.last, response["updated_at"])
                if response["status"] == "submitted":
                    submitted[record["external_id"]] += 1
                    answers.update((response.get("values") or {}).keys())
    # Where each rater has items of their own, one answer each is what is wanted.
    enough = max(server.min_raters for server in servers)
    return ProjectProgress(
        items=len(items),
        complete=sum(number >= enough for number in submitted.values()),
        min_raters=enough,
        raters=tuple(sorted(raters.values(), key=lambda one: one.name)),
        questions=dict(answers),
        links=tuple(server.url for server in servers),
    )
