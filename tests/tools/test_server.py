"""Servers: waited for until they say that they are ready, and stopped with all they started."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest
from isogloss.errors import OptionError, ToolError
from isogloss.tools import ServerProcess

from .conftest import Script

pytestmark = pytest.mark.slow
#: Says that it is ready, has a child, and ends cleanly when it is asked to.
SERVER = """
import os
import signal
import subprocess
import sys
import threading

from isogloss.tools.inside.channel import say
from isogloss.tools.inside.parent import die_with_parent

from .words import LAST

end = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: end.set())
die_with_parent(end.set)
child = subprocess.Popen(["sleep", "3600"])
print("a stray line", sys.argv[1:])
say({"ready": {"pid": os.getpid(), "child": child.pid, "word": os.environ.get("TOY_WORD")}})
end.wait()
print(LAST, flush=True)
"""
WORDS = {"words": "LAST = 'a clean end'"}
SAY = "from isogloss.tools.inside.channel import say\n"


def server(argv: list[str], tmp_path: Path, **options: object) -> ServerProcess:
    return ServerProcess("the toy", argv, log=tmp_path / "toy.log", **options)  # type: ignore[arg-type]


def failure(argv: list[str], tmp_path: Path, **options: object) -> str:
    toy = server(argv, tmp_path, **options)
    with pytest.raises(ToolError) as told:
        toy.start()
    assert toy.pid is None
    assert str(tmp_path / "toy.log") in str(told.value)
    return str(told.value)


def test_it_is_ready_when_it_says_so_and_stops_with_its_children(
    script: Script, tmp_path: Path
) -> None:
    argv = script(SERVER, "--port", 0, **WORDS)
    with server(argv, tmp_path, variables={"TOY_WORD": "ärm"}) as toy:
        ready = toy.ready
        assert ready["word"] == "ärm"
        assert ready["pid"] == toy.pid
        assert os.getsid(ready["pid"]) == ready["pid"] != os.getsid(0)
        child = psutil.Process(ready["child"])
        toy.check()
        with pytest.raises(RuntimeError, match="started before"):
            toy.start()
    assert toy.pid is None
    child.wait()
    log = (tmp_path / "toy.log").read_text()
    assert "a stray line ['--port', '0']" in log
    assert log.endswith("a clean end\n")
    toy.stop()  # once more does no harm
    assert toy.start()["word"] == "ärm"  # and it can be started again
    toy.stop()
    assert "a clean end" in (tmp_path / "toy.log.old").read_text()


def test_one_that_does_not_listen_is_killed(script: Script, tmp_path: Path) -> None:
    deaf = f"{SAY}import signal, time\nsignal.signal(15, signal.SIG_IGN)\n"
    toy = server(script(f"{deaf}say({{'ready': {{}}}})\ntime.sleep(3600)"), tmp_path)
    toy.start()
    assert toy.pid is not None
    process = psutil.Process(toy.pid)
    toy.stop(grace=0.2)
    assert not process.is_running()


def ended(toy: ServerProcess) -> str:
    """What is said once a server has ended though nobody stopped it."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            toy.check()
        except ToolError as error:
            return str(error)
        time.sleep(0.02)
    raise AssertionError("it lives still")


def test_a_signal_that_ends_it_is_told_and_not_laid_to_old_lines(
    script: Script, tmp_path: Path
) -> None:
    toy = server(script(SERVER, **WORDS), tmp_path)
    child = psutil.Process(toy.start()["child"])
    assert toy.pid is not None
    os.kill(toy.pid, signal.SIGKILL)
    assert ended(toy) == (
        f"error[tool]: the toy: it was ended by SIGKILL, unasked. Read {tmp_path / 'toy.log'}."
    )
    toy.stop()
    child.wait()
    toy.check()


def test_why_it_does_not_start(script: Script, tmp_path: Path) -> None:
    wrong = f"{SAY}say({{'error': 'the port is taken', 'remedy': 'choose another one.'}})"
    assert failure(script(wrong), tmp_path) == (
        "error[tool]: the toy: the port is taken. Choose another one; its log is "
        f"{tmp_path / 'toy.log'}."
    )
    wrong = f"{SAY}say({{'error': 'it is taken', 'remedy': 'choose another', 'option': '--port'}})"
    with pytest.raises(OptionError) as told:
        server(script(wrong), tmp_path).start()
    assert str(told.value) == "error[option]: --port: it is taken. Choose another."
    said = failure(script("raise SystemExit('no such folder')"), tmp_path)
    assert "it left with status 1 before it was ready: no such folder. Read " in said
    said = failure(script("import time\nprint('still at it', flush=True)\ntime.sleep(3600)"),
                   tmp_path, seconds=1.5)  # fmt: skip
    assert "it was not ready within 1.5 s; it said last: still at it" in said
    said = failure([str(tmp_path / "none")], tmp_path)
    assert "it can't be started (No such file or directory)" in said
    said = failure(script("import os; os.close(3); os.close(1)"), tmp_path)
    assert "before it was ready: it printed nothing" in said


def test_a_log_that_can_t_be_written(script: Script, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    toy = ServerProcess("the toy", script(""), log=tmp_path / "file" / "toy.log")
    with pytest.raises(ToolError, match="the log can't be written"):
        toy.start()


def test_output_without_end_does_not_stop_it(script: Script, tmp_path: Path) -> None:
    chatty = f"""{SAY}
import sys
say({{"ready": {{}}}})
for n in range(2000):
    say({{"chatter": "x" * 1000}})
    print("y" * 1000)
"""
    toy = server(script(chatty), tmp_path)
    toy.start()
    assert "it left with status 0, unasked: yyy" in ended(toy)
    toy.stop()
