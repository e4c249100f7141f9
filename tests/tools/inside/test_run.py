"""What runs inside: packages by their path, nothing of Isogloss but what is meant to be there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from isogloss.tools.processes import spawn, stop

from ..conftest import Script


def printed(argv: list[str]) -> str:
    """What it printed; standard error is where prints go."""
    process = spawn(argv, stderr=subprocess.STDOUT)
    assert process.stdout is not None
    text = process.stdout.read().decode()
    stop(process, grace=5)
    return text


def test_relative_imports_work_and_arguments_come(script: Script) -> None:
    code = """
    import sys
    from . import one
    from .one import two
    from isogloss.failpoints import failpoint
    print(__name__, __package__, sys.argv[1:], one.two is two, failpoint.__name__)
    assert sys.flags.isolated
    print("\\ud800".encode("utf-8", "surrogatepass"), "ä", sys.stdout.encoding)
    """
    said = printed(script(code, "--a", "b c", one="from . import two", two=""))
    assert said == ("__main__ code ['--a', 'b c'] True failpoint\nb'\\xed\\xa0\\x80' ä utf-8\n")


def test_isogloss_itself_is_not_there(script: Script) -> None:
    argv = script("import isogloss.corpus.store")
    # A Python that has no Isogloss installed, as a tool's.
    said = printed([sys._base_executable, *argv[1:]])  # type: ignore[attr-defined]
    assert "No module named 'isogloss.corpus'" in said


def test_a_folder_that_is_no_package(script: Script, tmp_path: Path) -> None:
    argv = script("")
    (tmp_path / "code" / "main.py").unlink()
    assert "No module named code.main" in printed(argv)
