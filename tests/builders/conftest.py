"""What the tests of builders share: loopback chat servers, and a build that nobody killed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from isogloss.tests.builders.chat_server import SMALL, Stub, configure, serve
from isogloss.tests.conftest import tree_hashes
from isogloss.tests.stub.server import KEY


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The right key, in the environment."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def stub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stub]:
    yield from serve(tmp_path_factory.mktemp("stub"), "--faults", "--latency=0.01")


@pytest.fixture
def fair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stub]:
    yield from serve(tmp_path_factory.mktemp("stub"))


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
