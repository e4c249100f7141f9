"""``isogloss annotate serve`` and what talks to it, as people type it."""

from __future__ import annotations

import json
import re
import signal
import socket
import sqlite3
from contextlib import closing
from pathlib import Path

import httpx
import polars as pl
import pytest
from isogloss.annotation.connection import KEY_VARIABLE
from isogloss.annotation.home import open_home
from isogloss.tests.annotation.made import corpus
from isogloss.tests.annotation.served.command import free, serve
from isogloss.tests.annotation.served.site import Site
from isogloss.tests.conftest import Command as Runs
from isogloss.tests.conftest import Printed

pytestmark = pytest.mark.slow


def told(printed: Printed, *, status: int, code: str) -> str:
    """The one line of an error."""
    assert printed.returncode == status, printed
    assert printed.stdout == ""
    assert printed.stderr.startswith(f"error[{code}]: ")
    assert printed.stderr.count("\n") == 1
    assert "Traceback" not in printed.stderr
    return printed.stderr


def signs_in(url: str, name: str, password: str) -> int:
    data = {"username": name, "password": password}
    return httpx.post(f"{url}/api/v1/token", data=data, timeout=60).status_code


def token(url: str, name: str, password: str) -> str:
    data = {"username": name, "password": password}
    answer = httpx.post(f"{url}/api/v1/token", data=data, timeout=60)
    assert answer.status_code == 201
    return str(answer.json()["access_token"])


def me(url: str, access: str) -> int:
    headers = {"Authorization": f"Bearer {access}"}
    return httpx.get(f"{url}/api/v1/me", headers=headers, timeout=60).status_code


def test_a_server_from_its_first_start_to_its_last(tmp_path: Path, command: Runs) -> None:
    home = tmp_path / "home"
    with serve(home) as first:
        address = [line for line in first.lines if first.url in line]
        assert address == [f"Annotation server: {first.url} (Ctrl-C stops it)"]
        while not (found := re.search(r"as owner with the password (\S+)", first.said())):
            first.next_line()
        password = found[1]
        stale = token(first.url, "owner", password)
        assert me(first.url, stale) == 200

        busy = told(
            command("annotate", "serve", "--home", home, "--port", 0), status=1, code="busy"
        )
        assert first.url in busy
        nothing = told(command("annotate", "status", "--home", home), status=2, code="annotation")
        assert "the server has no project yet" in nothing

        renewed = command("annotate", "password", "owner", "--home", home)
        (new,) = re.findall(r"owner signs in with the password (\S+)", renewed.stdout)
        assert signs_in(first.url, "owner", password) == 401
        fresh = token(first.url, "owner", new)
        assert me(first.url, stale) == 401
        assert me(first.url, fresh) == 200
        unknown = told(
            command("annotate", "password", "nobody", "--home", home), status=2, code="annotation"
        )
        assert "'nobody': there is no such account" in unknown

        assert first.end(signal.SIGINT) == 0
        (backup,) = re.findall(r"^stopped; backup: (.+)$", first.said(), re.MULTILINE)
        assert Path(backup).is_file()
        assert Path(backup).parent == home / "backups"
        first.gone()
        assert free(first.url)
        assert password not in "".join(
            path.read_text(errors="replace") for path in home.iterdir() if path.is_file()
        )

    with serve(home) as second:
        # Whoever signed in with the password before is out, and with the new one is in.
        assert me(second.url, stale) == 401
        assert me(second.url, fresh) == 200
        # Nothing was written since the last backup, so that none is made. The terminal is closed.
        assert second.end(signal.SIGHUP) == 0
        assert not (home / "running.json").exists()
        assert not (home / "run").exists()
        assert "password" not in second.said()
        assert second.lines[-1] == "stopped"
        second.gone()

    with serve(home) as third:
        assert signs_in(third.url, "owner", new) == 201
        third.server.kill()
        assert third.ended() == 1
        error = third.lines[-1]
        assert error == (
            "error[tool]: the server: it was ended by SIGKILL, unasked. "
            f"Read {home / 'server.log'}."
        )
    assert not (home / "running.json").exists()
    assert not (home / "run").exists()
    gone = told(command("annotate", "status", "--home", home), status=2, code="annotation")
    assert "no server runs in this folder" in gone


def test_what_keeps_a_server_from_starting(tmp_path: Path, command: Runs) -> None:
    def refused(home: Path, port: object = 0, *, status: int, code: str) -> str:
        printed = command("annotate", "serve", "--home", home, "--port", port)
        return told(printed, status=status, code=code)

    home = tmp_path / "home"
    assert "70000 is no port" in refused(home, 70_000, status=2, code="option")
    assert "-1 is no port" in refused(home, -1, status=2, code="option")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        line = refused(home, port, status=2, code="option")
        assert f"port {port} of 127.0.0.1 can't be listened on (Address already in use)" in line
        assert "Choose another --port" in line
    assert not (home / "options.json").exists()
    for host in ("203.0.113.1", "no-such-host.invalid"):
        printed = command("annotate", "serve", "--home", home, "--port", 0, "--host", host)
        line = told(printed, status=2, code="option")
        assert f"--host: port 0 of {host} can't be listened on" in line
    for name, value in (
        *(("--session-days", value) for value in ("nan", "inf", "-1", "0")),
        ("--backup-minutes", "inf"),
    ):
        printed = command("annotate", "serve", "--home", home, "--port", 0, name, value)
        assert f"{name}: {value} can't be used" in told(printed, status=2, code="option")

    (tmp_path / "file").write_text("notes")
    refused(tmp_path / "file", status=2, code="output")
    assert (tmp_path / "file").read_text() == "notes"
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("notes")
    assert "holds files, but no annotation server" in refused(
        tmp_path / "full", status=2, code="output"
    )
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["notes.txt"]

    said = json.loads((home / "server.json").read_text())
    for text, part in (
        (json.dumps({**said, "format_version": 2}), "the folder has format 2, this version reads"),
        ('{"format_version": 1, "secret', "the file can't be read"),
        ('{"format_version": 1}', "the file holds no keys"),
        ("[]", "the file holds no keys"),
        ("\0\0\0", "the file can't be read"),
    ):
        (home / "server.json").write_text(text)
        assert part in refused(home, status=2, code="annotation")
        assert (home / "server.json").read_text() == text
        for name in ("status", "password", "backup"):
            arguments = ["owner"] if name == "password" else []
            printed = command("annotate", name, *arguments, "--home", home)
            assert part in told(printed, status=2, code="annotation")


def test_a_database_that_it_cannot_read_keeps_it_from_starting(
    tmp_path: Path, command: Runs
) -> None:
    home = tmp_path / "home"
    open_home(home, make=True)
    with closing(sqlite3.connect(home / "argilla.db")) as database, database:
        database.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
        database.execute("INSERT INTO alembic_version VALUES ('ffffffffffff')")
    newer = command("annotate", "serve", "--home", home, "--port", 0)
    line = told(newer, status=1, code="tool")
    assert "a newer Argilla wrote the database there" in line
    with closing(sqlite3.connect(home / "argilla.db")) as database:
        versions = database.execute("SELECT version_num FROM alembic_version").fetchall()
    assert versions == [("ffffffffffff",)]
    (home / "argilla.db").write_bytes(b"no database at all, but a letter" * 200)
    line = told(command("annotate", "serve", "--home", home, "--port", 0), status=1, code="tool")
    assert "file is not a database" in line
    line = told(command("annotate", "backup", "--home", home), status=2, code="annotation")
    assert f"{home / 'argilla.db'}: the database is damaged (file is not a database)" in line


def test_commands_without_a_server_say_what_to_do(
    tmp_path: Path, command: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    made = corpus(tmp_path / "c", builder="realaae")
    home = ["--home", tmp_path / "nowhere"]
    ways: list[list[object]] = [["status"], ["pull", made], ["password", "owner"]]
    for arguments in ways:
        line = told(command("annotate", *arguments, *home), status=2, code="annotation")
        assert "no annotation server was ever started in this folder" in line
        line = told(
            command("annotate", *arguments, "--url", "http://127.0.0.1:9"), status=2, code="option"
        )
        assert "ARGILLA_API_KEY is not set" in line
    monkeypatch.setenv(KEY_VARIABLE, "some-key-of-an-owner")
    away = command("annotate", "status", "--url", "http://127.0.0.1:9")
    line = told(away, status=1, code="service")
    assert "http://127.0.0.1:9: the server can't be reached" in line
    for arguments in ways:
        line = told(
            command("annotate", *arguments, "--url", "127.0.0.1:9"), status=2, code="option"
        )
        assert "is no address" in line
        line = told(
            command("annotate", *arguments, "--url", "http://127.0.0.1:9", *home),
            status=2,
            code="option",
        )
        assert "leave it or --url out" in line.casefold()
        assert "some-key-of-an-owner" not in line
    assert not (tmp_path / "nowhere").exists()


@pytest.fixture
def hosted(site: Site, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The same server by its address and its owner's key."""
    monkeypatch.setenv(KEY_VARIABLE, site.home.api_key)
    return ["--url", f"{site.url}/"]


def test_a_hosted_server_gives_the_same(
    site: Site, hosted: list[object], full: Path, command: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = ["--home", site.home.folder]
    monkeypatch.delenv(KEY_VARIABLE)
    asking = ["--project", "hosted", "--raters", "hosted-ada,hosted-grace", "--sample", 8]
    pushed = command("annotate", "push", full, *asking, *home)
    assert pushed.returncode == 0, pushed
    assert "8 items added, 0 were there; 2 raters answer each." in pushed.stdout
    (password,) = re.findall(r"hosted-ada\s*\|\s*(\S+)", pushed.stdout)
    client = site.sign_in("hosted-ada", password)
    dataset = re.findall(r"/dataset/([0-9a-f-]{36})/", pushed.stdout)[0]
    found = client.post(f"/api/v1/me/datasets/{dataset}/records/search", json={}).json()["items"]
    names = ["sentiment_preserved", "meaning_preserved", "dialect_natural", "back_natural"]
    for one in found[:3]:
        answer = {
            "values": {name: {"value": "yes"} for name in names},
            "status": "submitted",
        }
        sent = client.post(f"/api/v1/records/{one['record']['id']}/responses", json=answer)
        assert sent.is_success, sent.text

    here = command("annotate", "status", full, *home)
    pulled = command("annotate", "pull", full, *home)
    assert pulled.returncode == 0, pulled
    assert "3 submitted responses to 8 items, 12 labels read" in pulled.stdout
    labels = pl.read_parquet(full / "annotations" / "hosted.parquet")
    (full / "annotations" / "hosted.parquet").unlink()

    monkeypatch.setenv(KEY_VARIABLE, site.home.api_key)
    again = command("annotate", "push", full, *asking, *hosted)
    assert again.returncode == 0, again
    assert "0 items added, 8 were there" in again.stdout
    assert "(as before)" in again.stdout
    assert site.home.api_key not in again.stdout + again.stderr
    there = command("annotate", "status", full, *hosted)
    assert (there.returncode, there.stdout) == (0, here.stdout)
    assert "hosted-ada" in there.stdout
    pulled = command("annotate", "pull", full, *hosted)
    assert pulled.returncode == 0, pulled
    assert pl.read_parquet(full / "annotations" / "hosted.parquet").equals(labels)

    unknown = command("annotate", "status", "--project", "no-such", *hosted)
    assert "the server has no such project" in told(unknown, status=2, code="annotation")
    unknown = command("annotate", "pull", full, "--project", "no-such", *hosted)
    assert "the server has no such project" in told(unknown, status=2, code="annotation")
    monkeypatch.setenv(KEY_VARIABLE, "wrong")
    refused = command("annotate", "status", *hosted)
    assert "the server refuses the key" in told(refused, status=1, code="service")
    monkeypatch.setenv(KEY_VARIABLE, client.get("/api/v1/me").json()["api_key"])
    refused = command("annotate", "push", full, *asking, *hosted)
    assert "the key's user may not do this" in told(refused, status=1, code="service")
