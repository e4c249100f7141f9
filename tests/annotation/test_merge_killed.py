"""A merge that is killed at any named point, and repeated, leaves what an undisturbed one does."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from isogloss.annotation.items import read_items
from isogloss.annotation.merge import merge
from isogloss.annotation.project_files import project_for
from isogloss.tests.annotation.made import answers, tree

POINTS = [
    "merge-labels",
    "merge-data",
    "version-ready",
    *(f"part-set-aside:{nth}" for nth in range(1, 6)),
    *(f"part-moved:{nth}" for nth in range(1, 6)),
]
#: A corpus that was merged before has five parts to set aside.
MERGE = """
import sys
from pathlib import Path

import polars as pl
from isogloss.annotation.merge import merge
from isogloss.annotation.project_files import project_for

merge(Path(sys.argv[1]), pl.read_parquet(sys.argv[2]), project_for("realaae"))
"""


def votes(folder: Path, said: str) -> pl.DataFrame:
    """The same answers to one question about all rows of a split."""
    items = pl.read_parquet(folder / "data" / "default" / "evaluation-*.parquet")["id"]
    return answers("back_natural", dict.fromkeys(items, said))


@pytest.fixture(scope="module")
def merged(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus with the first answers in it."""
    folder = Path(shutil.copytree(built, tmp_path_factory.mktemp("merged") / "c"))
    merge(folder, votes(folder, "yn"), project_for("realaae"))
    votes(folder, "yyn").write_parquet(folder / ".work" / "new.parquet")
    return folder


def run(folder: Path, kill_at: str = "") -> int:
    environment = {**os.environ, "ISOGLOSS_KILL_AT": kill_at}
    command = [sys.executable, "-c", MERGE, str(folder), str(folder / ".work" / "new.parquet")]
    return subprocess.run(command, env=environment, check=False, timeout=120).returncode


@pytest.fixture(scope="module")
def undisturbed(merged: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = Path(shutil.copytree(merged, tmp_path_factory.mktemp("undisturbed") / "c"))
    assert run(folder) == 0
    assert tree(folder) != tree(merged)
    return tree(folder)


@pytest.mark.slow
@pytest.mark.parametrize("point", POINTS)
def test_a_killed_merge_can_be_repeated(
    point: str, merged: Path, undisturbed: dict[str, str], tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(merged, tmp_path / "c"))
    assert run(folder, kill_at=point) == -signal.SIGKILL
    assert run(folder) == 0
    assert tree(folder) == undisturbed
    left = {path.name for path in (folder / ".work").iterdir()}
    assert left <= {"build.log", "lock", "new.parquet"}
    assert read_items(folder, project_for("realaae")).left_out == {}


@pytest.mark.slow
def test_what_was_killed_before_it_was_ready_left_nothing(merged: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(merged, tmp_path / "c"))
    assert run(folder, kill_at="merge-data") == -signal.SIGKILL
    assert tree(folder) == tree(merged)
