"""Processes that share work end with the one that started them, however that ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from isogloss.validation.quality.processes import Processes

SCRIPT = """
import os, signal, sys, time
from isogloss.validation.quality.processes import Processes

def work(known, task):
    time.sleep(0.1)

if __name__ != "__main__":
    # In one piece, since both processes write into one pipe.
    os.write(1, b"importing\\n")
    time.sleep(0.5)
else:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with Processes(2) as processes:
            processes.prepare(os.getpid)
            if sys.argv[1] == "importing":
                time.sleep(60)
            for _ in processes.map(work, None, [1, 2, 3]):
                pass
            if sys.argv[1] == "idle":
                print("idle", flush=True)
                time.sleep(60)
            for _ in processes.map(work, "x" * 100_000, [bytes(100_000)] * 10_000):
                print("at work", flush=True)
    except KeyboardInterrupt:
        print("stopped")
"""


@pytest.fixture(params=["importing", "idle", "at work"])
def program(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A program whose processes are just there; it is killed in the end."""
    (tmp_path / "program.py").write_text(SCRIPT)
    (tmp_path / "temp").mkdir()
    with subprocess.Popen(
        [sys.executable, tmp_path / "program.py", request.param],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path / "temp")},
        start_new_session=True,
    ) as started:
        assert started.stdout is not None
        assert any(line.strip() == request.param for line in started.stdout)
        yield started
        started.kill()


@pytest.mark.slow
def test_ctrl_c_is_no_matter_of_theirs(program: subprocess.Popen[str], tmp_path: Path) -> None:
    # A terminal sends it to all of them.
    os.killpg(program.pid, signal.SIGINT)
    # This waits for whoever could still write.
    said, complained = program.communicate(timeout=60)
    assert (said.splitlines()[-1], complained, program.returncode) == ("stopped", "", 0)
    assert list((tmp_path / "temp").glob("isogloss-*")) == []


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_who_starts_them_takes_them_along(
    how: signal.Signals, program: subprocess.Popen[str], tmp_path: Path
) -> None:
    program.send_signal(how)
    _, complained = program.communicate(timeout=60)
    assert program.returncode == -how
    assert "Traceback" not in complained
    assert list((tmp_path / "temp").glob("isogloss-*")) == []


def test_one_process_is_this_one() -> None:
    with Processes() as processes:
        processes.prepare(os._exit)  # type: ignore[arg-type]
        assert list(processes.map(pow, 2, [1, 5])) == [2, 32]
