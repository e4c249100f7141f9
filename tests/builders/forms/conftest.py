"""A sample corpus, built once, with texts of every kind in it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from isogloss import build
from isogloss.tests.builders.forms.corpora import edited, rewrite
from isogloss.tests.conftest import RULES


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample in its full form; not to be written to."""
    folder = tmp_path_factory.mktemp("full") / "c"
    build("realaae", source="sample", **RULES, out=folder)
    rewrite(folder, edited)
    return folder


@pytest.fixture
def full(built: Path, tmp_path: Path) -> Path:
    """A copy of the sample in its full form."""
    return Path(shutil.copytree(built, tmp_path / "full"))
