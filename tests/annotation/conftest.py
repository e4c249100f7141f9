"""A built corpus for these tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from isogloss import build
from isogloss.tests.conftest import RULES


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample in its full form; not to be written to."""
    folder = tmp_path_factory.mktemp("built") / "c"
    build("realaae", source="sample", **RULES, out=folder)
    return folder


@pytest.fixture
def full(built: Path, tmp_path: Path) -> Path:
    """A copy of the sample in its full form."""
    return Path(shutil.copytree(built, tmp_path / "full"))
