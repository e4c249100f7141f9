"""What the tests of models share: requests, a journal, and the loopback server."""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from isogloss.corpus.journal import Journal
from isogloss.models.asker import Session
from isogloss.models.budget import Limits
from isogloss.models.chat import ChatRequest, Sampling
from isogloss.tests.conftest import ROOT
from isogloss.tests.stub.server import Server, parse

KEY = "sk-planted-0123456789"


def question(text: str, *, max_tokens: int = 20, **more: Any) -> ChatRequest:
    """A request that asks for one text."""
    return ChatRequest("test", "Translate.", (("user", text),), Sampling(max_tokens), **more)


@dataclass(frozen=True, slots=True)
class Stub:
    """A running loopback server, its log, and the options of one in this process."""

    url: str
    log: Path
    options: argparse.Namespace

    def requests(self) -> list[dict[str, Any]]:
        """One entry per request that the server has had."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]


StartStub = Callable[..., Stub]


@pytest.fixture
def stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StartStub]:
    """Starts servers with the given options; the right key is in the environment."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    servers: list[subprocess.Popen[bytes]] = []

    def start(*options: str) -> Stub:
        folder = tmp_path / f"server-{len(servers)}"
        folder.mkdir()
        program = str(ROOT / "tests" / "stub" / "server.py")
        port, log = folder / "port", folder / "log"
        command = [sys.executable, program, "--port-file", str(port), "--log", str(log), *options]
        server = subprocess.Popen(command)
        servers.append(server)
        until = time.monotonic() + 30
        while not port.exists() and time.monotonic() < until and server.poll() is None:
            time.sleep(0.02)
        return Stub(f"http://127.0.0.1:{port.read_text()}/v1", log, argparse.Namespace())

    yield start
    for server in servers:
        server.kill()
        server.wait()


@pytest.fixture
def near(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StartStub]:
    """Likewise, in a thread of this process: quicker, and its options may be changed."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    servers: list[asyncio.Server] = []

    def start(*options: str) -> Stub:
        log = tmp_path / f"near-{len(servers)}.log"
        parsed = parse(["--port-file", "", "--log", str(log), *options])
        connection = Server(parsed).connection
        starting = asyncio.start_server(connection, "127.0.0.1", 0, backlog=512)
        servers.append(asyncio.run_coroutine_threadsafe(starting, loop).result())
        port = servers[-1].sockets[0].getsockname()[1]
        return Stub(f"http://127.0.0.1:{port}/v1", log, parsed)

    yield start
    for server in servers:
        loop.call_soon_threadsafe(server.close)
    asyncio.run_coroutine_threadsafe(_cancel_all(), loop).result()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


async def _cancel_all() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    """An empty journal."""
    with Journal(tmp_path / "journal.sqlite") as opened:
        yield opened


@pytest.fixture
def session(journal: Journal) -> Session:
    """A run without limits."""
    return Session(journal, Limits())


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """One thread for torch: more of them are slower on a busy machine."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
