"""A corpus folder: one writer, nothing of others touched, and no mix of two versions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from isogloss.corpus import folder as module
from isogloss.corpus.folder import PARTS, WORK, corpus_folder, staging, swap_in
from isogloss.corpus.manifest import FORMAT_VERSION
from isogloss.errors import IsoglossError, OutputError, StorageError, WorkFolderBusyError


class Killed(BaseException):
    """Stands for the end of the process."""


def manifest(text: str, builder: str = "pairs") -> str:
    return json.dumps({"format_version": FORMAT_VERSION, "builder": {"name": builder}, "is": text})


def stage(work: Path, text: str) -> None:
    staged = staging(work)
    for part in PARTS:
        if "." in part:
            (staged / part).write_text(manifest(text) if part == "manifest.json" else text)
        else:
            (staged / part / "default").mkdir(parents=True)
            (staged / part / "default" / f"{text}.parquet").write_text(text)


def version(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and WORK not in path.parts
    }


def build(folder: Path, text: str) -> dict[str, str]:
    with corpus_folder(folder, builder="pairs") as work:
        stage(work, text)
        swap_in(folder)
    return version(folder)


def reopen(folder: Path) -> dict[str, str]:
    with corpus_folder(folder, builder="pairs"):
        pass
    return version(folder)


@pytest.mark.parametrize("old", [False, True], ids=["first version", "second version"])
@pytest.mark.parametrize("point", ["failpoint", "_remove"])
@pytest.mark.parametrize("nth", range(1, 8))
def test_a_swap_killed_anywhere_is_rolled_forward(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: bool, point: str, nth: int
) -> None:
    expected = build(tmp_path / "expected", "new")
    folder = tmp_path / "corpus"
    if old:
        build(folder, "old")
    passed = 0
    done = getattr(module, point)

    def kill(argument: object) -> None:
        nonlocal passed
        done(argument)
        passed += 1
        if passed == nth:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(module, point, kill)
        if point == "_remove" and (nth == 7 or not old):
            assert build(folder, "new") == expected  # there are six parts, or none to set aside
            return
        with pytest.raises(Killed):
            build(folder, "new")
    assert reopen(folder) == expected
    assert not (folder / WORK / "staged").exists()


def test_what_was_not_declared_ready_is_not_moved_into_place(tmp_path: Path) -> None:
    before = build(tmp_path, "old")
    with corpus_folder(tmp_path, builder="pairs") as work:
        stage(work, "half")
    assert reopen(tmp_path) == before
    with corpus_folder(tmp_path, builder="pairs") as work:
        assert list(staging(work).iterdir()) == []


def test_one_process_at_a_time_and_the_lock_goes_with_it(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "corpus"
    with corpus_folder(folder, builder="pairs") as work:
        assert work.stat().st_mode & 0o777 == 0o700
        with (
            pytest.raises(WorkFolderBusyError, match="at work in this folder") as caught,
            corpus_folder(folder, builder="pairs"),
        ):
            pass
        assert caught.value.exit_status == 1
    with pytest.raises(Killed), corpus_folder(folder, builder="pairs"):
        raise Killed
    assert reopen(folder) == {}


FOREIGN = {
    "a file": {"": "text"},
    "other files": {"thesis.tex": "text"},
    "other files with a folder named .work": {"data/mine.csv": "text", f"{WORK}/notes": "text"},
    "another builder": {"manifest.json": manifest("old", builder="articles")},
    "a damaged manifest": {"manifest.json": "{"},
    "someone else's manifest": {"manifest.json": '{"name": "app", "icons": []}'},
    "a builder of another kind": {"manifest.json": '{"format_version": 1, "builder": "pairs"}'},
    "a newer format": {"manifest.json": f'{{"format_version": {FORMAT_VERSION + 1}}}'},
}


@pytest.mark.parametrize("files", FOREIGN.values(), ids=FOREIGN)
def test_a_folder_of_others_is_refused_and_not_touched(
    tmp_path: Path, files: dict[str, str]
) -> None:
    folder = tmp_path / "out"
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(OutputError) as caught, corpus_folder(folder, builder="pairs"):
        pass
    assert str(folder) in str(caught.value)
    assert caught.value.remedy
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("below", ["file/corpus", "x" * 300], ids=["below a file", "too long"])
def test_a_place_where_no_folder_can_be_is_the_users_mistake(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("a file")
    with (
        pytest.raises((OutputError, StorageError)) as caught,
        corpus_folder(tmp_path / below, builder="pairs"),
    ):
        pass
    assert isinstance(caught.value, IsoglossError)
