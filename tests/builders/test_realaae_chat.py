"""The main job with a chat model that misbehaves: no answer lost, none paid twice."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest
from isogloss.tests.conftest import ROOT, Run, tree_hashes
from isogloss.tests.stub.server import KEY, hash_of

pytestmark = pytest.mark.slow
IN_FLIGHT = 8
BUILD = ("build", "realaae", "--source=sample", "--out=c")
SMALL = (*BUILD, "--limit=80")


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


@pytest.fixture
def stub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stub]:
    yield from serve(tmp_path_factory.mktemp("stub"), "--faults", "--latency=0.01")


@pytest.fixture
def fair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stub]:
    yield from serve(tmp_path_factory.mktemp("stub"))


def configure(folder: Path, url: str, more: str = "") -> None:
    """Writes ``isogloss.toml``; a user and a password in the URL must show up nowhere."""
    address = url.replace("http://", "http://planted-user:planted-password@")
    (folder / "isogloss.toml").write_text(
        f'[roles]\ntranslator = "openai:stub"\n[models."openai:stub"]\nbase_url = "{address}"\n'
        f"concurrency = {IN_FLIGHT}\ntimeout = 1.0\n{more}\n"
    )


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Hashes of a build that nobody killed, against the same misbehaving server."""
    folder = tmp_path_factory.mktemp("undisturbed")
    for server in serve(tmp_path_factory.mktemp("stub"), "--faults", "--latency=0.01"):
        configure(folder, server.url)
        subprocess.run(
            [sys.executable, "-m", "isogloss.cli", *SMALL],
            cwd=folder,
            env={**os.environ, "OPENAI_API_KEY": KEY},
            check=True,
            capture_output=True,
        )
    return tree_hashes(folder / "c")


def journalled(folder: Path) -> set[str]:
    """The requests whose answer or failure is in the journal, as the server names them."""
    with closing(sqlite3.connect(folder / "c" / ".work" / "journal.sqlite")) as journal:
        rows = journal.execute("SELECT request FROM answers UNION SELECT request FROM failures")
        requests = [json.loads(row[0]) for row in rows]
    return {
        hash_of([{"content": r["system"]}, *({"content": text} for _, text in r["messages"])])
        for r in requests
    }


@pytest.mark.parametrize(
    ("point", "workers"),
    [
        ("journal-before-commit:3", 1),
        ("journal-committed:9", 2),
        ("journal-committed:40", 1),
        ("block-written", 2),
        ("version-ready", 1),
    ],
)
def test_a_killed_build_asks_nothing_twice(
    point: str,
    workers: int,
    stub: Stub,
    undisturbed: dict[str, str],
    isogloss: Run,
    tmp_path: Path,
) -> None:
    configure(tmp_path, stub.url)
    killed = isogloss(*SMALL, f"--workers={workers}", kill_at=point)
    assert killed.returncode == -signal.SIGKILL
    before = {line["asked"] for line in stub.asked()}
    known = journalled(tmp_path)
    count = len(stub.asked())
    again = isogloss(*SMALL, f"--workers={workers}")
    assert again.returncode == 0, again.stderr
    after = {line["asked"] for line in stub.asked()[count:]}
    assert not after & known, "something that was in the journal was asked again"
    assert len(after & before) <= IN_FLIGHT
    assert tree_hashes(tmp_path / "c") == undisturbed


def test_every_fault_ends_in_a_kept_row_or_in_a_rejected_one(
    stub: Stub, isogloss: Run, tmp_path: Path
) -> None:
    from isogloss.tests.stub.server import ALWAYS, ONCE, translated

    configure(tmp_path, stub.url)
    done = isogloss(*BUILD)
    assert done.returncode == 0, done.stderr
    seen = {line["fault"] for line in stub.asked()}
    assert seen >= {*ONCE, *ALWAYS}
    rejected = pl.read_parquet(sorted((tmp_path / "c" / "rejected").glob("*trans*.parquet")))
    assert set(rejected["reason"]) == {"refusal", "length", "content_filter", "http_400"}
    kept = pl.read_parquet(sorted((tmp_path / "c" / "data").rglob("*.parquet")))
    assert kept.height + rejected.height == 168
    for dialect, standard, back in kept.select("dialect", "standard", "back").iter_rows():
        assert standard == translated(dialect)
        assert back == translated(standard)


def test_failed_requests_are_asked_again_only_when_told(
    stub: Stub, isogloss: Run, tmp_path: Path
) -> None:
    configure(tmp_path, stub.url)
    assert isogloss(*BUILD).returncode == 0
    count = len(stub.asked())
    assert isogloss(*BUILD).returncode == 0
    assert len(stub.asked()) == count
    rejected = pl.read_parquet(sorted((tmp_path / "c" / "rejected").glob("*trans*.parquet")))
    assert isogloss(*BUILD, "--retry-failed").returncode == 0
    again = stub.asked()[count:]
    assert len({line["asked"] for line in again}) == rejected.height > 0


def test_no_key_and_no_credential_is_written(stub: Stub, isogloss: Run, tmp_path: Path) -> None:
    configure(tmp_path, stub.url)
    killed = isogloss(*SMALL, kill_at="journal-committed:30")
    done = isogloss(*SMALL, "--debug")
    for text in (killed.stdout, killed.stderr, done.stdout, done.stderr):
        assert not [secret for secret in (KEY, "planted") if secret in text]
    files = [path for path in (tmp_path / "c").rglob("*") if path.is_file()]
    assert len(files) > 10
    for path in files:
        data = path.read_bytes()
        if path.suffix == ".parquet":
            data += str(pl.read_parquet(path).to_dicts()).encode()
        assert KEY.encode() not in data
        assert b"planted" not in data
        assert b"Bearer" not in data
    assert (tmp_path / "c" / ".work" / "journal.sqlite").stat().st_mode & 0o777 == 0o600


def test_a_wrong_key_stops_at_once(stub: Stub, isogloss: Run, tmp_path: Path) -> None:
    configure(tmp_path, stub.url)
    done = isogloss(*BUILD, OPENAI_API_KEY="sk-wrong")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("error[service]: openai:stub")
    assert "OPENAI_API_KEY" in done.stderr
    assert "sk-wrong" not in done.stderr
    assert len(stub.asked()) <= IN_FLIGHT


@pytest.mark.parametrize(
    ("model", "url", "key", "message"),
    [
        ("stub", None, "", "error[model]: openai:stub: the environment variable OPENAI_API_KEY"),
        ("other", None, KEY, "the server knows no such model"),
        ("stub", "http://127.0.0.1:9/v1", KEY, "the server can't be reached"),
    ],
)
def test_what_cannot_be_asked_is_one_line(
    model: str, url: str | None, key: str, message: str, fair: Stub, isogloss: Run, tmp_path: Path
) -> None:
    configure(tmp_path, url or fair.url)
    text = (tmp_path / "isogloss.toml").read_text().replace("openai:stub", f"openai:{model}")
    (tmp_path / "isogloss.toml").write_text(text)
    done = isogloss(*BUILD, OPENAI_API_KEY=key)
    assert done.returncode in (1, 2)
    assert message in done.stderr.splitlines()[-1]
    assert not (tmp_path / "c" / "manifest.json").exists()


PRICE = "input_price = 1.0\noutput_price = 2.0"


@pytest.mark.parametrize(
    ("price", "option", "message", "asked"),
    [
        ("", "--max-cost=1", "the price of openai:stub is not known", 0),
        (PRICE, "--max-cost=0.000001", "--max-cost is 1e-06", 0),
        (PRICE, "--max-cost=0.03", "are spent", 1),
        ("", "--max-tokens=9000", "tokens are spent", 1),
    ],
)
def test_a_budget_is_never_passed(
    price: str, option: str, message: str, asked: int, fair: Stub, isogloss: Run, tmp_path: Path
) -> None:
    configure(tmp_path, fair.url, price)
    done = isogloss(*BUILD, option)
    assert done.returncode in (1, 2)
    assert message in done.stderr.splitlines()[-1]
    assert len(fair.asked()) >= asked
    summary = isogloss("journal", "c").stdout
    with closing(sqlite3.connect(tmp_path / "c" / ".work" / "journal.sqlite")) as journal:
        cost, tokens = journal.execute("SELECT cost, tokens FROM spent").fetchone()
    assert "openai:stub" in summary or not asked
    assert cost <= 0.03
    assert tokens <= 9000 or price
    finished = isogloss(*BUILD)
    assert finished.returncode == 0, finished.stderr
    counts = [line["asked"] for line in fair.asked()]
    assert len(counts) == len(set(counts)), "an answer that was paid for was asked again"


def test_a_damaged_journal_is_said_and_saved(fair: Stub, isogloss: Run, tmp_path: Path) -> None:
    configure(tmp_path, fair.url)
    assert isogloss(*BUILD).returncode == 0
    count = len(fair.asked())
    path = tmp_path / "c" / ".work" / "journal.sqlite"
    data = path.read_bytes()
    middle = len(data) // 2 // 4096 * 4096
    path.write_bytes(data[:middle] + b"\0" * 4096 + data[middle + 4096 :])
    stopped = isogloss(*BUILD, "--retry-failed")
    assert stopped.returncode == 1
    assert "--rescue" in stopped.stderr
    saved = isogloss("journal", "c", "--rescue")
    assert saved.returncode == 0, saved.stderr
    assert "saved 3" in saved.stdout, "of 336 answers most are saved"
    assert isogloss(*BUILD, "--retry-failed").returncode == 0
    assert 0 < len(fair.asked()) - count < 30


def test_a_server_without_schemas_is_asked_for_plain_text(
    tmp_path_factory: pytest.TempPathFactory, isogloss: Run, tmp_path: Path
) -> None:
    for server in serve(tmp_path_factory.mktemp("stub"), "--no-schema"):
        configure(tmp_path, server.url)
        done = isogloss(*BUILD)
        assert done.returncode == 0, done.stderr
        assert "168 kept" in done.stdout
        count = len(server.asked())
        assert isogloss(*BUILD, "--retry-failed").returncode == 0
        assert len(server.asked()) <= count + 1


@pytest.mark.skipif("ISOGLOSS_SOAK" not in os.environ, reason="make soak: twenty random kills")
def test_soak_twenty_random_kills(stub: Stub, undisturbed: dict[str, str], tmp_path: Path) -> None:
    configure(tmp_path, stub.url)
    command = [sys.executable, "-m", "isogloss.cli", *SMALL]
    draw = random.Random(3)
    kills = 0
    while kills < 20:
        build = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL)
        time.sleep(draw.uniform(1.0, 4.0))
        kills += build.poll() is None
        build.kill()
        build.wait()
        if (tmp_path / "c" / "manifest.json").exists():
            subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
            assert tree_hashes(tmp_path / "c") == undisturbed
            subprocess.run(["rm", "-rf", str(tmp_path / "c")], check=True)
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert tree_hashes(tmp_path / "c") == undisturbed
