"""Children end with their parent, however it ends, and not before."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest
from isogloss.tools.processes import command, describe_exit, spawn, stop

from .conftest import Script
from .test_server import SERVER, WORDS

ROOT = Path(__file__).parents[2]
#: A worker in the middle of an item, and a server with a child; prints the three ids.
PARENT = """
import itertools, sys, threading
from pathlib import Path
from isogloss.tools import ServerProcess, Worker

folder, worker_argv, server_argv = Path(sys.argv[1]), {worker!r}, {server!r}
import os
me = str(os.getpid())
worker_argv[5] = server_argv[5] = me
server = ServerProcess("server", server_argv, log=folder / "server.log")
started = threading.Thread(target=server.start)  # the thread that starts it ends at once
started.start()
started.join()
worker = Worker("worker", worker_argv, log=folder / "worker.log", window=1)
answers = worker.ask({{"n": n}} for n in itertools.count())
pid = next(answers)["pid"]
print(pid, server.pid, server.ready["child"], flush=True)
next(answers)
"""
BUSY = """
import os, re, time
from isogloss.tools.inside.lines import serve

def answer(request):
    if request["n"]:
        re.match("(a|aa)+$", "a" * 100 + "b")  # deep in C, where no thread of Python's gets a turn
    return {"pid": os.getpid()}

serve(answer)
"""


def start_parent(script: Script, tmp_path: Path) -> tuple[subprocess.Popen[str], list[int]]:
    worker = script(BUSY)
    package = tmp_path / "other"
    (tmp_path / "code").rename(package)
    worker = [str(package) if one == str(tmp_path / "code") else one for one in worker]
    worker = ["other" if one == "code" else one for one in worker]
    program = PARENT.format(worker=worker, server=script(SERVER, **WORDS))
    parent = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    return parent, [int(part) for part in parent.stdout.readline().split()]


@pytest.mark.slow
@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGTERM])
def test_a_worker_and_a_server_die_with_a_killed_parent(
    script: Script, tmp_path: Path, by: signal.Signals
) -> None:
    parent, ids = start_parent(script, tmp_path)
    assert len(ids) == 3
    children = [psutil.Process(one) for one in ids]
    assert all(child.is_running() for child in children)
    parent.send_signal(by)
    parent.wait()
    _, alive = psutil.wait_procs(children, timeout=60)
    assert alive == []
    assert "a clean end" in (tmp_path / "server.log").read_text()
    assert parent.stdout is not None
    parent.stdout.close()


def test_it_lives_on_when_the_thread_that_started_it_ends(script: Script) -> None:
    argv = script("import sys; sys.stdin.read()")
    made: list[subprocess.Popen[bytes]] = []
    thread = threading.Thread(target=lambda: made.append(spawn(argv, stderr=subprocess.DEVNULL)))
    thread.start()
    thread.join()
    with pytest.raises(subprocess.TimeoutExpired):
        made[0].wait(1.0)
    stop(made[0], grace=5)
    assert made[0].returncode == -signal.SIGTERM


def test_a_parent_that_has_gone_already_is_noticed(script: Script) -> None:
    argv = script("print('hello')")
    argv[argv.index(str(os.getpid()))] = "1"
    process = spawn(argv, stderr=subprocess.DEVNULL)
    assert process.wait() == 1
    stop(process, grace=0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_children_can_be_started_after_a_fork(script: Script) -> None:
    stop(spawn(script("pass"), stderr=subprocess.DEVNULL), grace=5)
    forked = os.fork()
    if not forked:
        argv = script("pass")
        process = spawn(argv, stderr=subprocess.DEVNULL)
        os._exit(process.wait())
    assert os.waitpid(forked, 0)[1] == 0


def test_the_code_of_a_package_of_ours_keeps_its_name() -> None:
    python = Path("/a/python")
    argv = command(python, "launch", 1, "x", package=ROOT / "tools" / "inside")
    assert argv[:4] == ["/a/python", "-I", "-X", "utf8"]
    assert argv[5:7] == [str(os.getpid()), "isogloss.tools.inside"]
    assert argv[8:] == ["launch", "1", "x"]
    assert command(python, "m", package=Path("/some/where/code"))[6] == "code"
    assert command(python, "pip", "list")[6:] == ["", "", "pip", "list"]


def test_how_a_process_ended() -> None:
    assert describe_exit(0) == "it left with status 0"
    assert describe_exit(-11) == "it was ended by SIGSEGV"
    assert describe_exit(-250) == "it was ended by signal 250"
