"""A server that really answers, its owner, and raters who sign in as people do."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import httpx
from isogloss.annotation.connection import Connection
from isogloss.annotation.home import Home
from isogloss.annotation.items import Item, Items
from isogloss.annotation.people import Rater
from isogloss.annotation.project import Project
from isogloss.annotation.push import Pushed, push
from isogloss.annotation.server_project import find, rater_code


class Quiet:
    """Progress that nobody reads."""

    def phase(self, label: str, total: int | None) -> None:
        pass

    def advance(self, done: int, rows: int) -> None:
        pass


def items(number: int, *, author: Sequence[str] = ()) -> Items:
    """Items with texts of our own, named i000, i001, …."""
    made = [
        Item(
            id=f"i{at:03d}",
            fields={"dialect": f"we been knowing tune {at}", "standard": f"we know tune {at}"},
            prefilled={},
            stratum="first" if at % 3 else "rest",
            author=author[at % len(author)] if author else None,
            sha256=f"{at:064d}",
        )
        for at in range(number)
    ]
    return Items(items=tuple(made), rows=number, left_out={}, sample={"n": None, "seed": 0})


@dataclass(frozen=True)
class Site:
    """A running server."""

    home: Home
    url: str

    def owner(self) -> Connection:
        return Connection(self.url, self.home.api_key)

    def server(self) -> int:
        """The process that answers."""
        note = (self.home.folder / "running.json").read_text(encoding="utf-8")
        return int(json.loads(note)["pid"])

    def sign_in(self, name: str, password: str) -> httpx.Client:
        """A rater's browser, without the browser."""
        client = httpx.Client(base_url=self.url, timeout=60)
        answer = client.post("/api/v1/token", data={"username": name, "password": password})
        answer.raise_for_status()
        client.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"
        return client

    def asked(
        self,
        project: Project,
        *,
        raters: Sequence[str],
        number: int = 6,
        min_raters: int | None = None,
        given: Items | None = None,
    ) -> Asked:
        """Pushes items and signs the raters in; names must be new to the server."""
        owner = self.owner()
        pushed = push(
            owner,
            project,
            given or items(number),
            raters=raters,
            min_raters=min_raters,
            progress=Quiet(),
            made=lambda _rater: None,
        )
        dataset = {one.rater: one.dataset for one in find(owner, project.name)}
        ids = {one.name: one for one, _ in pushed.raters}
        clients = {name: self.sign_in(name, one.password or "") for name, one in ids.items()}
        return Asked(self, owner, pushed, dataset, clients, ids)


@dataclass(frozen=True)
class Asked:
    """A project that was pushed, with its raters signed in."""

    site: Site
    owner: Connection
    pushed: Pushed
    datasets: Mapping[str, str]
    clients: Mapping[str, httpx.Client]
    raters: Mapping[str, Rater]

    def dataset(self, rater: str = "") -> str:
        return self.datasets.get(rater_code(rater)) or self.datasets[""]

    @property
    def links(self) -> dict[str, str]:
        """Where each rater begins."""
        return {one.name: link for one, link in self.pushed.raters}

    def search(self, rater: str, body: Any = None, **params: Any) -> dict[str, Any]:
        """A rater's search, as the pages ask for it."""
        answer = self.clients[rater].post(
            f"/api/v1/me/datasets/{self.dataset(rater)}/records/search",
            params={"limit": 50, "include": "responses", **params},
            json=body or {},
        )
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found

    def records(self, rater: str) -> dict[str, str]:
        """The server's ids of a rater's records, by item, in the order the rater sees."""
        found = [one["record"] for one in self.search(rater, limit=1000)["items"]]
        return {record["external_id"]: record["id"] for record in found}

    def answer(
        self, rater: str, item: str, values: Mapping[str, Any], *, status: str = "submitted"
    ) -> httpx.Response:
        """Answers one item."""
        return self.submit(rater, self.records(rater)[item], values, status=status)

    def submit(
        self, rater: str, record: str, values: Mapping[str, Any], *, status: str = "submitted"
    ) -> httpx.Response:
        """Answers one record by the server's id."""
        return self.clients[rater].post(
            f"/api/v1/records/{record}/responses",
            json={"values": {k: {"value": v} for k, v in values.items()}, "status": status},
        )

    def at(self, site: Site) -> Asked:
        """The same project once its server was started again; raters are signed in still."""
        clients = {
            name: httpx.Client(base_url=site.url, timeout=60, headers=client.headers)
            for name, client in self.clients.items()
        }
        return replace(self, site=site, owner=site.owner(), clients=clients)
