"""The main job where it stops, or can not begin: at once, in one line, and losing nothing."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from isogloss.builders import builder
from isogloss.builders.engine.record import packages
from isogloss.models.config import LOCAL_PACKAGES
from isogloss.tests.builders.chat_server import (
    BUILD,
    FORM,
    IN_FLIGHT,
    MIDWAY,
    PRICE,
    SMALL,
    Stub,
    configure,
    journalled,
    serve,
)
from isogloss.tests.conftest import RULES, RULES_OPTIONS, Command, Run, tree_hashes
from isogloss.tests.stub.server import KEY, hash_of

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("key")]


def test_an_outage_costs_no_row(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> None:
    trees = []
    for number, options in enumerate([(), ("--outage=60:90", "--latency=0.01")]):
        folder = tmp_path / str(number)
        folder.mkdir()
        for server in serve(tmp_path_factory.mktemp("stub"), *options):
            configure(folder, server.url, "attempts = 2")
            command = [sys.executable, "-m", "isogloss.cli", *SMALL]
            statuses: list[int] = []
            while statuses[-1:] != [0]:
                done = subprocess.run(
                    command, cwd=folder, capture_output=True, text=True, check=False
                )
                statuses.append(done.returncode)
                assert done.returncode in (0, 1), done.stderr
                if done.returncode:
                    assert "stopped answering" in done.stderr or "not answered" in done.stderr
                assert len(statuses) < 9
            assert (len(statuses) > 1) == bool(options)
        trees.append(tree_hashes(folder / "c"))
    assert trees[0] == trees[1]


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_sends_nothing_more_and_loses_nothing(
    workers: int, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    for server in serve(tmp_path_factory.mktemp("stub"), "--latency=0.5"):
        configure(tmp_path, server.url)
        command = [sys.executable, "-m", "isogloss.cli", *SMALL, f"--workers={workers}"]
        build = subprocess.Popen(
            command,
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            text=True,
            # A shell's background job would hand SIGINT down as ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        while len(server.asked()) < IN_FLIGHT + 1:
            time.sleep(0.02)
        build.send_signal(signal.SIGINT)
        said = build.communicate(timeout=30)[1]
        asked = {line["asked"] for line in server.asked()}
    assert build.returncode == 130
    assert "calls in flight; the same command goes on from here" in said
    assert len(asked) <= 1 + 2 * IN_FLIGHT
    assert asked == journalled(tmp_path) - {hash_of([{"content": ""}, {"content": FORM}])}


def test_a_server_that_ignores_the_schema_is_asked_for_plain_text(
    tmp_path_factory: pytest.TempPathFactory, isogloss: Run, tmp_path: Path
) -> None:
    trees = []
    for point in ("", MIDWAY):
        for server in serve(tmp_path_factory.mktemp("stub"), "--plain"):
            configure(tmp_path, server.url, "attempts = 2")
            if point:
                shutil.rmtree(tmp_path / "c")
                assert isogloss(*SMALL, kill_at=point).returncode == -signal.SIGKILL
            done = isogloss(*SMALL)
            assert done.returncode == 0, done.stderr
            assert "requests failed" not in done.stdout
        trees.append(tree_hashes(tmp_path / "c"))
    assert trees[0] == trees[1]


@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_a_price_that_is_missing_is_found_before_anything_is_read(
    more: tuple[str, ...], isogloss: Run, tmp_path: Path
) -> None:
    configure(tmp_path, "http://127.0.0.1:9/v1")
    done = isogloss(*BUILD, "--max-cost=1", *more)
    assert done.returncode == 2
    assert "the price of openai:stub is not known" in done.stderr
    assert "rows" not in done.stderr


def test_a_dry_run_says_that_a_limit_is_too_low(isogloss: Run, tmp_path: Path) -> None:
    configure(tmp_path, "http://127.0.0.1:9/v1", PRICE)
    assert (
        "more than --max-cost 0.01 allows"
        in isogloss(*BUILD, "--dry-run", "--max-cost=0.01").stdout
    )
    assert "allows" not in isogloss(*BUILD, "--dry-run", "--max-cost=100").stdout


@pytest.mark.parametrize("option", ["--max-cost=nan", "--max-cost=-1", "--max-tokens=0"])
def test_a_limit_that_is_none_is_a_users_mistake(
    option: str, isogloss: Run, tmp_path: Path
) -> None:
    configure(tmp_path, "http://127.0.0.1:9/v1", PRICE)
    done = isogloss(*BUILD, option)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error[option]: {option.partition('=')[0]}")


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


@pytest.mark.parametrize(
    ("price", "option", "message", "some"),
    [
        ("", "--max-cost=1", "the price of openai:stub is not known", False),
        (PRICE, "--max-cost=0.000001", "--max-cost is 1e-06", False),
        (PRICE, "--max-cost=0.03", "are spent", True),
        ("", "--max-tokens=9000", "tokens are spent", True),
        (PRICE, "--max-tokens=9000", "tokens are spent", True),
    ],
)
def test_a_budget_is_never_passed(
    price: str, option: str, message: str, some: bool, fair: Stub, isogloss: Run, tmp_path: Path
) -> None:
    configure(tmp_path, fair.url, price)
    done = isogloss(*BUILD, option)
    assert done.returncode in (1, 2)
    assert message in done.stderr.splitlines()[-1]
    assert (len(fair.asked()) > 0) == some
    summary = isogloss("journal", "c").stdout
    with closing(sqlite3.connect(tmp_path / "c" / ".work" / "journal.sqlite")) as journal:
        cost, tokens = journal.execute("SELECT cost, tokens FROM spent").fetchone()
    assert ("openai:stub" in summary) == some
    limit = float(option.partition("=")[2])
    assert (cost if "cost" in option else tokens) <= limit
    assert (tokens > 0) == some
    finished = isogloss(*BUILD)
    assert finished.returncode == 0, finished.stderr
    counts = [line["asked"] for line in fair.asked()]
    assert len(counts) == len(set(counts)), "an answer that was paid for was asked again"


def test_a_server_without_schemas_is_asked_for_plain_text(
    tmp_path_factory: pytest.TempPathFactory, isogloss: Run, tmp_path: Path
) -> None:
    for server in serve(tmp_path_factory.mktemp("stub"), "--no-schema"):
        configure(tmp_path, server.url)
        done = isogloss(*BUILD)
        assert done.returncode == 0, done.stderr
        assert "requests failed" not in done.stdout
        count = len(server.asked())
        assert isogloss(*BUILD, "--retry-failed").returncode == 0
        assert len(server.asked()) <= count + 1


@pytest.mark.parametrize("option", ["--max-cost=1", "--max-tokens=9", "--retry-failed"])
def test_options_about_models_are_refused_where_none_is_asked(
    option: str, command: Command
) -> None:
    done = command("build", "realaae", "--source=sample", *RULES_OPTIONS, "--out=c", option)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error[option]: {option.partition('=')[0]}: this build asks no")


def test_what_runs_local_models_is_in_the_manifest() -> None:
    pipeline = builder("realaae")(source="sample", **RULES)
    assert packages(pipeline).keys().isdisjoint(LOCAL_PACKAGES)
    local = replace(pipeline, models={"translator": {"backend": "hf", "model": "m"}})
    assert packages(local).keys() >= set(LOCAL_PACKAGES)
