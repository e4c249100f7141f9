"""Brings the items of a corpus to the raters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape as escape_html
from typing import Any, Protocol

from ..errors import AnnotationError, OptionError
from .connection import Connection
from .items import Item, Items
from .people import Rater, accounts_of, admit, make_account, members
from .project import Project
from .server_project import (
    HASH,
    STRATUM,
    ServerProject,
    find,
    make,
    note,
    rater_code,
    require_unchanged,
    set_min_raters,
)

__all__ = ["PLAIN_TEXTS", "Progress", "Pushed", "push"]

#: A header of servers whose pages show a text as it is.
PLAIN_TEXTS = "x-isogloss-plain-texts"
#: Records in one request; the server takes no more.
_BATCH = 500


class Progress(Protocol):
    """Is told of what is done."""

    def phase(self, label: str, total: int | None) -> None:
        """A part begins."""

    def advance(self, done: int, rows: int) -> None:
        """So much of it is done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pushed:
    """What a push did.

    Attributes:
        project: What is asked.
        raters: Who answers, and where each begins; with passwords where accounts were made now.
        added: Items that came to the server.
        present: Items that were there, and stayed as they were.
        changed: Of these, items whose texts are others in the corpus now: raters go on seeing
            the ones they began with.
        left_out: Rows that can't be asked about, by reason.
        min_raters: So many raters answer an item.
        spare: So many raters more there are: an item that has its answers is shown to nobody.
    """

    project: Project
    raters: Sequence[tuple[Rater, str]]
    added: int
    present: int
    changed: int
    left_out: Mapping[str, int]
    min_raters: int
    spare: int


def push(
    connection: Connection,
    project: Project,
    items: Items,
    *,
    raters: Sequence[str],
    min_raters: int | None,
    progress: Progress,
    made: Callable[[Rater], None],
) -> Pushed:
    """Makes the project on the server if it isn't there, and adds the items that are missing.

    Pushing twice adds nothing twice: an item is known by its row's id. Nothing that raters see,
    or have answered, is ever changed or taken away. Accounts are made last, so that a push that
    is interrupted has shown every password there is.

    Args:
        connection: As an owner.
        project: What is asked; its name is the one on the server.
        items: The items.
        raters: Names; an account may be written otherwise.
        min_raters: So many raters answer an item; by default the server's number, and of a new
            project its own, or all raters where they are fewer.
        progress: Told of the items sent.
        made: Called with each account that was made, at once: its password is stored nowhere.

    Raises:
        AnnotationError: If the project on the server asks something else.
        OptionError: If there are fewer raters than should answer an item, or an owner is named.
        ServiceError: If the server fails; the same push goes on from there.
    """
    shared = project.assignment == "shared"
    known = accounts_of(connection, raters)
    servers = _servers(connection, project, shared=shared)
    number, everybody = _numbers(connection, project, servers.get(""), raters, min_raters)
    codes = {name: "" if shared else rater_code(name) for name in raters}
    for code in dict.fromkeys(codes.values()):
        if code not in servers:
            servers[code] = make(
                connection,
                project,
                rater=code,
                min_raters=number if shared else 1,
                noted=_noted(project, items, {}),
            )
    if shared and servers[""].min_raters != number:
        set_min_raters(connection, servers[""], number)
    sent = _Sent()
    for name in dict.fromkeys(codes.values()):
        rater = next(one for one in raters if codes[one] == name)
        server = servers[name]
        _send(connection, server, project, items.of(rater, project), sent, progress)
        noted = _noted(project, items, server.noted)
        if noted != server.noted:
            note(connection, server, noted)
    people = []
    for name in raters:
        one = known.get(name.casefold())
        if one is None:
            one = make_account(connection, name)
            made(one)
        admit(connection, one, servers[codes[name]].workspace)
        people.append((one, servers[codes[name]].url))
    return Pushed(
        project=project,
        raters=people,
        added=sent.added,
        present=sent.present,
        changed=sent.changed,
        left_out=items.left_out,
        min_raters=number,
        spare=everybody - number if shared else 0,
    )


@dataclass(slots=True)
class _Sent:
    added: int = 0
    present: int = 0
    changed: int = 0


def _servers(connection: Connection, project: Project, *, shared: bool) -> dict[str, ServerProject]:
    """The project's data sets by the code of their rater, held against the project."""
    servers = {one.rater: one for one in find(connection, project.name) if not one.draft}
    if servers and ("" in servers) != shared:
        raise AnnotationError(
            "the server has a project of that name with another assignment",
            where=project.name,
            remedy="choose another --project name",
        )
    for one in servers.values():
        require_unchanged(connection, one, project)
    return servers


def _numbers(
    connection: Connection,
    project: Project,
    server: ServerProject | None,
    raters: Sequence[str],
    given: int | None,
) -> tuple[int, int]:
    """How many raters answer an item, and how many there are in all."""
    names = {name.casefold() for name in raters}
    if server is not None:
        names |= {name.casefold() for name in members(connection, server.workspace).values()}
    number = given
    if number is None:
        number = min(project.min_raters, len(names)) if server is None else server.min_raters
    if number < 1:
        raise OptionError(f"{number} can't be used", where="--min", remedy="give 1 or more")
    if given is not None and project.assignment == "shared" and number > len(names):
        raise OptionError(
            f"{number} raters for an item, but the project has only {len(names)}",
            where="--min",
            remedy="give less, or name more --raters",
        )
    return number, len(names)


def _noted(project: Project, items: Items, before: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept with a data set: which questions, and every sample that was drawn for it."""
    samples = list(before.get("samples") or ())
    if dict(items.sample) not in samples:
        samples.append(dict(items.sample))
    return {
        "format": 1,
        "project": project.name,
        "version": project.version,
        "key": project.key,
        "samples": samples,
    }


def _send(
    connection: Connection,
    server: ServerProject,
    project: Project,
    items: Sequence[Item],
    sent: _Sent,
    progress: Progress,
) -> None:
    known = {
        record["external_id"]: (record.get("metadata") or {}).get(HASH)
        for record in connection.records(server.dataset)
    }
    fresh = [item for item in items if item.id not in known]
    present = [item for item in items if item.id in known]
    sent.present += len(present)
    sent.changed += sum(known[item.id] != item.sha256 for item in present)
    questions = _question_ids(connection, server, project)
    written = str if _shows_plain_text(connection) else _escaped
    progress.phase("send items", len(fresh))
    for at in range(0, len(fresh), _BATCH):
        batch = fresh[at : at + _BATCH]
        connection.request(
            "POST",
            f"/datasets/{server.dataset}/records/bulk",
            json={"items": [_record(item, questions, written) for item in batch]},
            # The answer repeats all texts: on one machine packing it costs more than sending it.
            headers={"Accept-Encoding": "identity"},
        )
        sent.added += len(batch)
        progress.advance(at + len(batch), at + len(batch))


def _shows_plain_text(connection: Connection) -> bool:
    """Whether raters see a text as it is.

    Argilla puts texts into its pages as if they were HTML: a tag in one would vanish, or run.
    Our server mends that and says so; for any other one, texts are escaped.
    """
    with connection.failures():
        answer = connection.client.http_client.get("/api/v1/version")
    return answer.headers.get(PLAIN_TEXTS) is not None


def _question_ids(
    connection: Connection, server: ServerProject, project: Project
) -> dict[str, str]:
    """The server's ids of the questions that begin with a text."""
    if not any(question.prefill for question in project.questions):
        return {}
    found = connection.request("GET", f"/datasets/{server.dataset}/questions")["items"]
    return {one["name"]: one["id"] for one in found}


def _record(
    item: Item, questions: Mapping[str, str], written: Callable[[str], str]
) -> dict[str, Any]:
    record: dict[str, Any] = {
        "external_id": item.id,
        "fields": {name: written(text) for name, text in item.fields.items()},
        "metadata": {HASH: item.sha256, STRATUM: item.stratum},
    }
    if item.prefilled:
        record["suggestions"] = [
            {"question_id": questions[name], "value": text} for name, text in item.prefilled.items()
        ]
    return record


def _escaped(text: str) -> str:
    return escape_html(text, quote=False)
