"""Fetching wheels with the real pip: each once and whole, and causes told when it fails."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from isogloss.errors import ToolError
from isogloss.tools import catalogue, wheels
from isogloss.tools.logs import open_log
from isogloss.tools.wheels import download

from .toys import Told, Toy, write_catalogue

pytestmark = pytest.mark.slow


def fetch(toy: Toy, told: Told | None = None) -> list[str]:
    """The names of the wheels that are there then."""
    folder = toy.home / "wheels"
    folder.mkdir(parents=True, exist_ok=True)
    with open_log(toy.home / "pip.log") as log:
        download(catalogue()["toy"], Path(sys.executable), folder, log, told or Told())
    return sorted(path.name for path in folder.iterdir())


def failure(toy: Toy) -> str:
    with pytest.raises(ToolError) as told:
        fetch(toy)
    assert list((toy.home / "wheels").iterdir()) == []
    assert str(toy.home / "pip.log") in str(told.value)
    return str(told.value)


BOTH = ["toy_part-1.0-py3-none-any.whl", "toy_tool-1.0-py3-none-any.whl"]


def test_what_is_there_whole_is_not_fetched_again(
    toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheels, "_BATCH", 1)
    told = Told()
    assert fetch(toy, told) == BOTH
    assert told.phases == [("toy: download", 2)]
    assert (told.done[0], told.done[-1]) == (0, 2)
    cut = toy.home / "wheels" / BOTH[0]
    cut.write_bytes(cut.read_bytes()[:40])
    (toy.index / BOTH[1]).unlink()
    assert fetch(toy) == BOTH
    assert cut.read_bytes() == (toy.index / BOTH[0]).read_bytes()


def test_constraints_for_other_environments_don_t_count(
    toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "constraints.txt").write_text("toy-tool<1\n")
    monkeypatch.setenv("PIP_CONSTRAINT", str(tmp_path / "constraints.txt"))
    assert fetch(toy) == BOTH


def test_a_package_that_is_nowhere(toy: Toy) -> None:
    write_catalogue(toy.plugin, pins=["toy_tool==1.0", "toy-part==1.7"])
    catalogue.cache_clear()
    assert "the package index has no toy-part==1.7 for this Python" in failure(toy)


class _Refusing(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_error(403)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def refusing() -> Iterator[int]:
    """The port of an index that lets nobody in."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Refusing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


def test_an_index_that_fails_is_told_from_one_that_lacks_a_package_and_keys_stay_secret(
    toy: Toy, refusing: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("PIP_INDEX_URL", f"http://me:hush@127.0.0.1:{refusing}/simple?key=hush")
    said = failure(toy)
    assert "the package index refuses the credentials" in said
    monkeypatch.setenv("PIP_INDEX_URL", "http://hush@127.0.0.1:9/simple")
    unreachable = failure(toy)
    assert "the package index can't be reached. Check the network" in unreachable
    logs = [path.read_text() for path in toy.home.glob("pip.log*")]
    assert all("127.0.0.1" in log for log in logs)
    assert "hush" not in "".join([said, unreachable, *logs])
