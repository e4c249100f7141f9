"""What a rater, or a page of somebody else's, can't get out of the server."""

from __future__ import annotations

import re
import sqlite3
import stat
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import psutil  # type: ignore[import-untyped]
import pytest
from isogloss.annotation.connection import Connection
from isogloss.annotation.pull import pull
from isogloss.errors import ServiceError
from isogloss.tests.annotation.made import project, question
from isogloss.tests.annotation.served.site import Asked, Site, items
from isogloss.tools import Environment

pytestmark = pytest.mark.slow

ADA, GRACE, JOAN = "privacy-ada", "privacy-grace", "privacy-joan"
#: Parts of what ada must never see: grace's answers, and metadata that is hidden.
ANSWER, STRATUM, HASH = "Kaiserschmarrn", "mit-Apfelmus", "c0ffee" * 5
NOBODY = "00000000-0000-4000-8000-000000000000"
CHANGES = ("post", "put", "patch", "delete")


@dataclass(frozen=True)
class Secret:
    """A project in which grace has answered, and ids of everything in it."""

    asked: Asked
    ids: Mapping[str, list[str]]
    secrets: tuple[str, ...]

    def paths(self, path: str) -> Iterator[str]:
        """A route with the ids of this project in it."""
        name = re.search(r"\{(\w+)\}", path)
        if name is None:
            yield f"/api/v1{path}"
            return
        for one in self.ids.get(name[1], [NOBODY]):
            yield from self.paths(path.replace(name[0], one, 1))


@pytest.fixture(scope="module")
def secret(site: Site) -> Secret:
    made = items(4)
    hidden = [
        replace(one, stratum=STRATUM, sha256=f"{HASH}{at:034d}")
        for at, one in enumerate(made.items)
    ]
    asking = project(question("said", "text"), question("natural"), name="privacy")
    asked = site.asked(
        asking,
        raters=[ADA, GRACE],
        min_raters=2,
        given=replace(made, items=tuple(hidden)),
    )
    site.asked(replace(asking, name="privacy-other"), raters=[JOAN])
    for at, status in enumerate(["submitted", "draft", "discarded"]):
        values = {"said": f"{ANSWER} {at}", "natural": "no"}
        assert asked.answer(GRACE, f"i{at:03d}", values, status=status).is_success
    owner, dataset = asked.owner, asked.dataset()
    records = list(owner.records(dataset, responses=True))

    def listed(path: str) -> list[str]:
        return [one["id"] for one in owner.request("GET", path)["items"]]

    ids = {
        "dataset_id": [dataset],
        "record_id": [one["id"] for one in records],
        "response_id": [answer["id"] for one in records for answer in one["responses"]],
        "question_id": listed(f"/datasets/{dataset}/questions"),
        "field_id": listed(f"/datasets/{dataset}/fields"),
        "metadata_property_id": listed(f"/me/datasets/{dataset}/metadata-properties"),
        "user_id": [asked.raters[GRACE].id, owner.request("GET", "/me")["id"]],
        "workspace_id": [owner.request("GET", f"/datasets/{dataset}")["workspace_id"]],
    }
    assert all(ids.values())
    keys = [one["api_key"] for one in owner.request("GET", "/users")["items"]]
    own = asked.clients[ADA].get("/api/v1/me").json()["api_key"]
    secrets = (ANSWER, STRATUM, HASH, site.home.secret_key, *(key for key in keys if key != own))
    return Secret(asked, ids, secrets)


@pytest.fixture(scope="module")
def routes(environment: Environment) -> list[tuple[str, str]]:
    """All routes of the API, read from the server's own source."""
    found = []
    (folder,) = environment.python.parent.parent.glob("lib/*/site-packages/argilla_server")
    for path in sorted((folder / "api" / "handlers" / "v1").rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        found += re.findall(r'@router\.(get|post|put|patch|delete)\(\s*"([^"]+)"', source)
        assert source.count("@router.") == len(re.findall(r'@router\.\w+\(\s*"', source))
    assert len(found) > 60
    return found


def asking() -> list[dict[str, Any]]:
    """Searches that might tell something."""
    bodies: list[dict[str, Any]] = [{}, {"query": {"text": {"q": ANSWER}}}]
    scopes: list[tuple[dict[str, Any], str]] = [
        ({"entity": "metadata", "metadata_property": "stratum"}, STRATUM),
        ({"entity": "metadata", "metadata_property": "text_sha256"}, f"{HASH}{0:034d}"),
        ({"entity": "response", "question": "said"}, f"{ANSWER} 0"),
        ({"entity": "response", "question": "natural"}, "no"),
    ]
    for scope, value in scopes:
        bodies += [
            {"filters": {"and": [{"type": "terms", "scope": scope, "values": [value]}]}},
            {"filters": {"and": [{"type": "range", "scope": scope, "ge": "A", "le": "zz"}]}},
            {"sort": [{"scope": scope, "order": "asc"}]},
        ]
    return bodies


def test_no_route_tells_a_rater_what_others_said_or_what_is_hidden(
    secret: Secret, routes: list[tuple[str, str]]
) -> None:
    ada = secret.asked.clients[ADA]
    before = pull(secret.asked.owner, secret.asked.pushed.project, all_statuses=True).labels
    everything = {
        "include": "responses,suggestions,vectors",
        "limit": "1000",
        "ids": ",".join(secret.ids["record_id"]),
    }
    # A server that fails hangs up: each request has a line of its own.
    alone = {"Connection": "close"}
    answers: list[tuple[str, str, httpx.Response]] = []
    for method, route in routes:
        bodies = asking() if route.endswith("/search") else [{}]
        for path in secret.paths(route):
            for body in bodies:
                answer = ada.request(
                    method,
                    path,
                    params=everything,
                    json=body if method in ("post", "put", "patch") else None,
                    headers=alone,
                )
                answers.append((method, route, answer))
    read = {route for method, route, answer in answers if method == "get" and answer.is_success}
    # The walk was worth something: what a rater needs was answered.
    assert {"/me", "/datasets/{dataset_id}", "/records/{record_id}/suggestions"} <= read
    for method, route, answer in answers:
        for one in secret.secrets:
            assert one not in answer.text, (method, route)
        if method in CHANGES and not route.endswith("/search"):
            assert answer.is_client_error, (method, route, answer.text)
        else:
            assert answer.status_code < 500, (method, route, answer.text)
    after = pull(secret.asked.owner, secret.asked.pushed.project, all_statuses=True).labels
    assert after.equals(before)


def test_finding_and_sorting_tell_a_rater_nothing(secret: Secret) -> None:
    ada = secret.asked
    whole = sorted(ada.records(ADA).values())
    for scope, right in (
        ({"entity": "metadata", "metadata_property": "stratum"}, STRATUM),
        ({"entity": "response", "question": "said"}, f"{ANSWER} 0"),
        ({"entity": "response", "question": "natural"}, "no"),
    ):
        found = [
            ada.search(
                ADA, {"filters": {"and": [{"type": "terms", "scope": scope, "values": [one]}]}}
            )
            for one in (right, "something else")
        ]
        assert found == [{"items": [], "total": 0}] * 2
        ways = [
            ada.search(ADA, {"sort": [{"scope": scope, "order": way}]}) for way in ("asc", "desc")
        ]
        there = [[one["record"]["id"] for one in way["items"]] for way in ways]
        assert there in ([[], []], [whole, whole])
    # An owner finds by them, so that the searches are right.
    body = {"filters": {"and": [{"type": "terms", "scope": scope, "values": ["no"]}]}}
    path = f"/datasets/{ada.dataset()}/records/search"
    assert ada.owner.request("POST", path, json=body)["total"] == 3


def test_a_rater_sees_their_own_records_and_answers_alone(secret: Secret) -> None:
    found = secret.asked.search(GRACE)["items"]
    assert {one["record"]["external_id"]: one["record"]["metadata"] for one in found} == {
        f"i{at:03d}": {} for at in range(4)
    }
    answers = [answer for one in found for answer in one["record"]["responses"]]
    assert {answer["user_id"] for answer in answers} == {secret.asked.raters[GRACE].id}
    assert len(answers) == 3
    assert all(not one["record"]["responses"] for one in secret.asked.search(ADA)["items"])


def test_a_rater_can_answer_for_nobody_else(secret: Secret) -> None:
    ada = secret.asked.clients[ADA]
    (given, *_) = secret.ids["response_id"]
    changed = {"values": {"said": {"value": "mine"}}, "status": "discarded"}
    assert ada.put(f"/api/v1/responses/{given}", json=changed).status_code == 403
    assert ada.delete(f"/api/v1/responses/{given}").status_code == 403
    record = secret.ids["record_id"][0]
    forged = {**changed, "user_id": secret.asked.raters[GRACE].id}
    answer = ada.post(f"/api/v1/records/{record}/responses", json=forged)
    assert answer.json()["user_id"] == secret.asked.raters[ADA].id
    assert ada.delete(f"/api/v1/responses/{answer.json()['id']}").is_success
    dataset = f"/datasets/{secret.asked.dataset()}"
    for path, body in {
        "/users": {"first_name": "x", "username": "x", "role": "owner", "password": "x" * 8},
        "/workspaces": {"name": "x"},
        "/datasets": {"name": "x", "workspace_id": secret.ids["workspace_id"][0]},
        "/webhooks": {"url": "https://elsewhere.example", "events": ["response.created"]},
        f"{dataset}/records/bulk": {"items": [{"fields": {"dialect": "x"}}]},
        f"{dataset}/fields": {"name": "x", "title": "x", "settings": {"type": "text"}},
        f"{dataset}/questions": {"name": "x", "title": "x", "settings": {"type": "text"}},
        f"{dataset}/metadata-properties": {
            "name": "x",
            "title": "x",
            "settings": {"type": "terms"},
        },
        f"{dataset}/vectors-settings": {"name": "x", "title": "x", "dimensions": 2},
        f"/workspaces/{secret.ids['workspace_id'][0]}/users": {
            "user_id": secret.asked.raters[ADA].id
        },
    }.items():
        assert ada.post(f"/api/v1{path}", json=body).status_code == 403, path
    upsert = {"items": [{"id": record, "fields": {"dialect": "x"}}]}
    assert ada.put(f"/api/v1{dataset}/records/bulk", json=upsert).status_code == 403
    role = ada.patch(f"/api/v1/users/{secret.asked.raters[ADA].id}", json={"role": "owner"})
    assert role.status_code == 403


def test_a_rater_of_another_project_sees_nothing_of_this_one(
    secret: Secret, routes: list[tuple[str, str]], site: Site
) -> None:
    owner = site.owner()
    joan = next(one for one in owner.request("GET", "/users")["items"] if one["username"] == JOAN)
    with httpx.Client(base_url=site.url, headers={"X-Argilla-Api-Key": joan["api_key"]}) as client:
        assert client.get("/api/v1/me").json()["username"] == JOAN
        for method, route in routes:
            if "{" not in route or not (method == "get" or route.endswith("/search")):
                continue
            for path in secret.paths(route):
                answer = client.request(method, path, json={} if method == "post" else None)
                assert answer.status_code in (401, 403, 404), path
        for route in ("/me/datasets", "/me/workspaces"):
            text = client.get(f"/api/v1{route}").text
            assert secret.asked.dataset() not in text
            assert secret.ids["workspace_id"][0] not in text
        draft = {"values": {"said": {"value": "x"}}, "status": "draft"}
        record = secret.ids["record_id"][0]
        sent = client.post(f"/api/v1/records/{record}/responses", json=draft)
        assert sent.status_code == 403
        bulk = {"items": [{**draft, "record_id": record}]}
        (one,) = client.post("/api/v1/me/responses/bulk", json=bulk).json()["items"]
        assert one["item"] is None
        assert one["error"] is not None


def test_it_listens_on_this_machine_alone(site: Site) -> None:
    listening = [
        one.laddr.ip
        for one in psutil.Process(site.server()).net_connections("all")
        if one.status == psutil.CONN_LISTEN
    ]
    assert listening == ["127.0.0.1"]


@pytest.mark.parametrize("path", ["/", "/sign-in", "/api/v1/version", "/no/such/page"])
def test_pages_of_others_get_nothing(site: Site, path: str) -> None:
    with httpx.Client(base_url=site.url) as client:
        answer = client.get(path)
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in answer.headers
        asking = {"Access-Control-Request-Method": "GET"}
        for origin in ("https://elsewhere.example", "null", f"{site.url}.elsewhere.example"):
            found = client.get(path, headers={"Origin": origin})
            assert "access-control-allow-origin" not in found.headers
            found = client.options(path, headers={"Origin": origin, **asking})
            assert "access-control-allow-origin" not in found.headers
        for host in (
            "elsewhere.example",
            "elsewhere.example:6900",
            "127.0.0.1.elsewhere.example",
            "",
        ):
            found = client.get(path, headers={"Host": host})
            assert found.status_code == 421
            assert "content-security-policy" in found.headers
        port = site.url.rpartition(":")[2]
        assert client.get(path, headers={"Host": f"LOCALHOST:{port}"}).status_code != 421


@pytest.mark.usefixtures("secret")
def test_a_wrong_password_is_refused_like_an_unknown_name(site: Site) -> None:
    said = [
        httpx.post(f"{site.url}/api/v1/token", data={"username": name, "password": "wrong"})
        for name in (ADA, "nobody-of-that-name", "owner")
    ]
    assert {answer.status_code for answer in said} == {401}
    assert len({answer.text for answer in said}) == 1
    for headers in ({}, {"Authorization": "Bearer x.y.z"}, {"X-Argilla-Api-Key": "wrong"}):
        assert httpx.get(f"{site.url}/api/v1/me", headers=headers).status_code == 401


def test_the_home_folder_is_for_its_user_alone(site: Site) -> None:
    def mode(path: Path) -> int:
        return stat.S_IMODE(path.stat().st_mode)

    assert mode(site.home.folder) == 0o700
    there = {path.name: mode(path) for path in site.home.folder.iterdir()}
    assert {"argilla.db", "server.json", "server.log", "running.json"} <= there.keys()
    del there["lock"]  # it is empty
    assert {name: oct(found) for name, found in there.items() if found & 0o077} == {}


def test_nothing_that_people_wrote_and_no_secret_gets_into_the_log(
    secret: Secret, site: Site
) -> None:
    asked = secret.asked
    written = "Zwiebelrostbraten"
    record = secret.ids["record_id"][3]
    odd = [
        {"values": {"said": {"value": written}, "natural": {"value": written}}, "status": "draft"},
        {"values": {"said": {"value": {"a": written}}}, "status": "draft"},
        {"values": {"said": {"value": written}}, "status": written},
        {"values": written, "status": "submitted"},
        [written],
    ]
    for body in odd:
        answer = asked.clients[GRACE].post(f"/api/v1/records/{record}/responses", json=body)
        assert answer.status_code == 422
    broken = (
        b'{"values": {"said": {"value": "' + written.encode() + b' \\ud800"}}, "status": "draft"}'
    )
    for content in (broken, broken[:50]):
        answer = asked.clients[GRACE].post(
            f"/api/v1/records/{record}/responses",
            content=content,
            headers={"Content-Type": "application/json"},
        )
        assert answer.status_code == 422
    with pytest.raises(ServiceError) as refused:
        asked.owner.request(
            "POST",
            f"/datasets/{asked.dataset()}/records/bulk",
            json={"items": [{"fields": {"dialect": written}, "metadata": written}]},
        )
    unread = httpx.post(f"{site.url}/api/v1/token", data={"username": ADA, "passwort": written})
    assert unread.status_code == 422
    log = site.home.log.read_text(encoding="utf-8")
    # The mistakes are there, for whoever looks for a reason.
    assert "a request can't be read" in log
    passwords = [rater.password for rater in asked.raters.values() if rater.password]
    private = [written, ANSWER, "we been knowing", *secret.secrets, site.home.api_key, *passwords]
    assert len(passwords) == 2
    shown = [
        log,
        str(refused.value),
        repr(refused.value),
        repr(site.home),
        repr(asked.owner),
        repr(list(asked.raters.values())),
        str(key_error(site)),
    ]
    for text in shown:
        for one in private:
            assert one not in text


def key_error(site: Site) -> ServiceError:
    with pytest.raises(ServiceError) as left:
        Connection(site.url, f"{site.home.api_key}x")
    return left.value


def test_passwords_are_not_in_the_database(secret: Secret, site: Site) -> None:
    with closing(sqlite3.connect(f"file:{site.home.database}?mode=ro", uri=True)) as database:
        stored = dict(database.execute("SELECT username, password_hash FROM users").fetchall())
    for name, rater in secret.asked.raters.items():
        assert stored[name].startswith("$2")
        assert rater.password not in stored[name]
