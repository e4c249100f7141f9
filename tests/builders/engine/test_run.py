"""Byte identity: with any number of workers, and after a kill at every named point."""

from __future__ import annotations

import importlib.util
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from isogloss.tests.conftest import ROOT, RULES_OPTIONS, Run, tree_hashes

ROWS = 9_000
POINTS = [
    "prepared",
    "selected",
    "block-half-written:2",
    "block-written:2",
    "block-in-place:1",
    "block-in-place:2",
    "version-ready",
    "part-moved:1",
    "part-moved:2",
    "part-moved:4",
    "part-moved:5",
]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with every trap of the format, big enough for several blocks."""
    spec = importlib.util.spec_from_file_location("f", ROOT / "benchmarks" / "twitteraae_file.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    path = tmp_path_factory.mktemp("source") / "tweets.tsv"
    module.write(path, ROWS)
    return path


def arguments(source: Path, out: Path) -> list[str]:
    # The threshold leaves a few rows more than one block.
    return [
        *("build", "realaae", f"--source={source}", *RULES_OPTIONS, f"--out={out}"),
        "--min-posterior=0.88",
    ]


@pytest.fixture(scope="module")
def undisturbed(source: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Hashes of a build that nothing disturbed."""
    out = tmp_path_factory.mktemp("undisturbed") / "c"
    command = [sys.executable, "-m", "isogloss.cli", *arguments(source, out)]
    subprocess.run(command, check=True, capture_output=True, cwd=out.parent)
    hashes = tree_hashes(out)
    assert len(hashes) >= 8
    return hashes


@pytest.mark.slow
def test_two_workers_write_the_same_bytes(
    source: Path, undisturbed: dict[str, str], isogloss: Run, tmp_path: Path
) -> None:
    done = isogloss(*arguments(source, tmp_path / "c"), "--workers", 2)
    assert done.returncode == 0, done.stderr
    assert tree_hashes(tmp_path / "c") == undisturbed


@pytest.mark.slow
@pytest.mark.parametrize("point", POINTS)
def test_a_killed_build_goes_on_to_the_same_bytes(
    point: str, source: Path, undisturbed: dict[str, str], isogloss: Run, tmp_path: Path
) -> None:
    killed = isogloss(*arguments(source, tmp_path / "c"), kill_at=point)
    assert killed.returncode == -signal.SIGKILL
    again = isogloss(*arguments(source, tmp_path / "c"), "--workers", 2)
    assert again.returncode == 0, again.stderr
    assert tree_hashes(tmp_path / "c") == undisturbed
    left = {path.name for path in (tmp_path / "c" / ".work").iterdir()}
    assert left <= {"build.log", "lock"}


@pytest.mark.slow
@pytest.mark.skipif("ISOGLOSS_SOAK" not in os.environ, reason="make soak: twenty random kills")
def test_soak_twenty_random_kills(
    source: Path, undisturbed: dict[str, str], tmp_path: Path
) -> None:
    out = tmp_path / "c"
    command = [sys.executable, "-m", "isogloss.cli", *arguments(source, out)]
    draw = random.Random(20)
    kills = 0
    while kills < 20:
        build = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL)
        time.sleep(draw.uniform(0.3, 4.0))
        kills += build.poll() is None
        build.kill()
        build.wait()
        if (out / "manifest.json").exists():
            assert subprocess.run(command, check=True, capture_output=True).returncode == 0
            assert tree_hashes(out) == undisturbed
            subprocess.run(["rm", "-rf", str(out)], check=True)
    subprocess.run(command, check=True, capture_output=True)
    assert tree_hashes(out) == undisturbed
