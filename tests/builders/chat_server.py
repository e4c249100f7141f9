"""Builds against a loopback chat server: how it is started, configured, and looked into."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from isogloss.tests.conftest import ROOT
from isogloss.tests.stub.server import hash_of

IN_FLIGHT = 8
BUILD = ("build", "realaae", "--source=sample", "--encoder=none", "--bertscore=none", "--out=c")
SMALL = (*BUILD, "--limit=80")
#: A kill that SMALL can't outrun: a commit holds no more answers than there are in flight.
MIDWAY = "journal-committed:12"
PRICE = "input_price = 1.0\noutput_price = 2.0"
#: What the journal remembers beside the requests.
FORM = "form of the answers"


@dataclass(frozen=True, slots=True)
class Stub:
    """A server in a process of its own, and where its log is."""

    url: str
    log: Path

    def asked(self) -> list[dict[str, str]]:
        """The log's lines so far."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [json.loads(line) for line in lines]


def serve(folder: Path, *options: str) -> Iterator[Stub]:
    port, log = folder / "port", folder / "log"
    script = ROOT / "tests" / "stub" / "server.py"
    command = [sys.executable, str(script), f"--port-file={port}", f"--log={log}", *options]
    server = subprocess.Popen(command)
    try:
        while not port.exists():
            time.sleep(0.05)
        yield Stub(f"http://127.0.0.1:{port.read_text()}/v1", log)
    finally:
        server.kill()
        server.wait()


def configure(folder: Path, url: str, more: str = "") -> None:
    """Writes ``isogloss.toml``; a user and a password in the URL must show up nowhere."""
    address = url.replace("http://", "http://planted-user:planted-password@")
    (folder / "isogloss.toml").write_text(
        f'[roles]\ntranslator = "openai:stub"\n[models."openai:stub"]\nbase_url = "{address}"\n'
        f"concurrency = {IN_FLIGHT}\ntimeout = 1.0\n{more}\n"
    )


def journalled(folder: Path) -> set[str]:
    """The requests whose answer or failure is in the journal, as the server names them."""
    path = folder / "c" / ".work" / "journal.sqlite"
    if not path.exists():
        return set()
    with closing(sqlite3.connect(path)) as journal:
        tables = journal.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        query = "SELECT request FROM answers UNION SELECT request FROM failures"
        rows = journal.execute(query).fetchall() if tables else []
        requests = [json.loads(row[0]) for row in rows]
    return {
        hash_of([{"content": r["system"]}, *({"content": text} for _, text in r["messages"])])
        for r in requests
    }
