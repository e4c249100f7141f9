"""The main job with a chat model that misbehaves: no answer lost, none paid twice."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
from isogloss.tests.builders.chat_server import (
    BUILD,
    IN_FLIGHT,
    MIDWAY,
    SMALL,
    Stub,
    configure,
    journalled,
)
from isogloss.tests.conftest import Run, tree_hashes
from isogloss.tests.stub.server import KEY

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("key")]


@pytest.mark.parametrize(
    ("point", "workers"),
    [
        ("journal-before-commit:3", 1),
        ("journal-committed:9", 2),
        ("journal-committed:25", 1),
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
    folder = tmp_path / "c" / "rejected"
    rejected = pl.read_parquet(sorted(folder.glob("*translate-*.parquet")))
    assert set(rejected["reason"]) == {"refusal", "length", "content_filter", "http_400"}
    kept = pl.read_parquet(sorted((tmp_path / "c" / "data").rglob("*.parquet")))
    by_gates = sorted(folder.glob("check_*.parquet"))
    refused = sum(pl.read_parquet(path).height for path in by_gates)
    assert kept.height + rejected.height + refused == 168
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


def test_what_failed_is_said_at_the_end_each_time(
    stub: Stub, isogloss: Run, tmp_path: Path
) -> None:
    configure(tmp_path, stub.url)
    for _ in range(2):  # built, and up to date
        last = isogloss(*BUILD).stdout.strip().splitlines()[-1]
        assert re.fullmatch(
            r"\d+ requests failed \(content_filter \d, .*\); the same command with --retry-failed "
            r"asks them again",
            last,
        )
    run = json.loads((tmp_path / "c" / "run.json").read_text())["models"]
    assert run["calls"] == len(stub.asked())
    assert run["sent_again"].keys() >= {"http_429", "http_500", "timeout", "invalid_json"}
    assert sum(run["failed"].values()) == int(last.partition(" ")[0])
    assert run["spent_in_all"]["tokens"] == run["input_tokens"] + run["output_tokens"]
    said = [{"model": "stub-2025-01-01", "system_fingerprint": "fp_stub"}]
    assert run["served_by"] == {"openai:stub": said}
    manifest = json.loads((tmp_path / "c" / "manifest.json").read_text())
    assert manifest["models"]["translator"]["served_by"] == said


def test_a_killed_run_that_asks_again_goes_on_where_it_was(
    stub: Stub, isogloss: Run, tmp_path: Path
) -> None:
    configure(tmp_path, stub.url)
    assert isogloss(*BUILD).returncode == 0
    count = len(stub.asked())
    killed = isogloss(*BUILD, "--retry-failed", kill_at="block-written")
    assert killed.returncode == -signal.SIGKILL
    again = {line["asked"] for line in stub.asked()[count:]}
    assert again
    count = len(stub.asked())
    assert isogloss(*BUILD, "--retry-failed").returncode == 0
    assert len(stub.asked()) == count, "what had just failed again was asked once more"
    assert isogloss(*BUILD, "--retry-failed").returncode == 0
    assert {line["asked"] for line in stub.asked()[count:]} == again


def test_the_estimate_counts_what_is_still_to_be_asked(
    fair: Stub, isogloss: Run, tmp_path: Path
) -> None:
    configure(tmp_path, fair.url)
    killed = isogloss(*SMALL, kill_at=MIDWAY)
    assert killed.returncode == -signal.SIGKILL
    assert "80 rows, 160 calls" in killed.stderr
    known = len(journalled(tmp_path)) - 1  # the note on the form of the answers is no call
    assert f"80 rows, {160 - known} calls" in isogloss(*SMALL).stderr


def test_no_key_and_no_credential_is_written(stub: Stub, isogloss: Run, tmp_path: Path) -> None:
    configure(tmp_path, stub.url)
    killed = isogloss(*SMALL, kill_at=MIDWAY)
    assert killed.returncode == -signal.SIGKILL
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


def test_a_damaged_journal_is_said_and_saved(fair: Stub, isogloss: Run, tmp_path: Path) -> None:
    configure(tmp_path, fair.url)
    assert isogloss(*BUILD).returncode == 0
    count, known = len(fair.asked()), len(journalled(tmp_path))
    path = tmp_path / "c" / ".work" / "journal.sqlite"
    data = path.read_bytes()
    middle = len(data) // 2 // 4096 * 4096
    path.write_bytes(data[:middle] + b"\0" * 4096 + data[middle + 4096 :])
    stopped = isogloss(*BUILD, "--retry-failed")
    assert stopped.returncode == 1
    assert "--rescue" in stopped.stderr
    saved = isogloss("journal", "c", "--rescue")
    assert saved.returncode == 0, saved.stderr
    number = re.search(r"saved (\d+) answers", saved.stdout)
    assert number is not None
    assert known > int(number[1]) > known - 30
    assert isogloss(*BUILD, "--retry-failed").returncode == 0
    assert 0 < len(fair.asked()) - count < 30


@pytest.mark.skipif("ISOGLOSS_SOAK" not in os.environ, reason="make soak: twenty random kills")
@pytest.mark.parametrize("workers", [1, 2])
def test_soak_twenty_random_kills(
    workers: int, stub: Stub, undisturbed: dict[str, str], tmp_path: Path
) -> None:
    configure(tmp_path, stub.url)
    command = [sys.executable, "-m", "isogloss.cli", *SMALL, f"--workers={workers}"]
    draw = random.Random(3)
    kills, before = 0, set[str]()
    while kills < 20:
        known = journalled(tmp_path)
        count = len(stub.asked())
        build = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL)
        time.sleep(draw.uniform(1.0, 4.0))
        kills += build.poll() is None
        build.kill()
        build.wait()
        after = {line["asked"] for line in stub.asked()[count:]}
        assert not after & known, "something that was in the journal was asked again"
        assert len(after & before) <= IN_FLIGHT
        before = after
        if (tmp_path / "c" / "manifest.json").exists():
            subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
            assert tree_hashes(tmp_path / "c") == undisturbed
            shutil.rmtree(tmp_path / "c")
            before = set()
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert tree_hashes(tmp_path / "c") == undisturbed
