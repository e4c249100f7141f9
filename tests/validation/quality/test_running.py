"""Where a report goes and when the command fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from isogloss.errors import OptionError, OutputError
from isogloss.validation.quality import Processes, fails_on, processes_for, report_folder


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("pairs.tsv", "pairs-quality"),
        ("a/b/pairs.v2.tsv.gz", "pairs-quality"),
        ("pairs.zip::deep/x.tsv", "pairs-quality"),
        ("corpus/", "corpus-quality"),
        (".hidden", "corpus-quality"),
        ("..", None),
        ("~/pairs.csv", "pairs-quality"),
    ],
)
def test_a_report_is_named_after_its_source(source: str, name: str | None) -> None:
    expected = name or f"{Path.cwd().parent.name.partition('.')[0] or 'corpus'}-quality"
    assert report_folder(source, None) == Path(expected)


def test_the_folder_that_is_given_is_taken(tmp_path: Path) -> None:
    assert report_folder("x.tsv", tmp_path / "deep" / "new") == tmp_path / "deep" / "new"


@pytest.mark.parametrize("inside", [".", "report", "data/report", "work/../report"])
def test_a_report_never_lies_in_a_corpus(inside: str, tmp_path: Path) -> None:
    (tmp_path / "c" / "data").mkdir(parents=True)
    (tmp_path / "c" / "manifest.json").write_text("{}")
    with pytest.raises(OutputError, match="would lie in a corpus folder"):
        report_folder("x.tsv", tmp_path / "c" / inside)
    beside = tmp_path / "c" / ".." / "out"
    assert report_folder("x.tsv", beside) == beside


def test_not_even_by_default_or_through_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "c" / "data").mkdir(parents=True)
    (tmp_path / "c" / "manifest.json").write_text("{}")
    (tmp_path / "link").symlink_to(tmp_path / "c")
    with pytest.raises(OutputError):
        report_folder("x.tsv", tmp_path / "link" / "report")
    monkeypatch.chdir(tmp_path / "c")
    with pytest.raises(OutputError, match="choose another folder with --out|Choose another"):
        report_folder(".", None)


def test_a_file_in_the_place_of_the_folder_is_told_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("f").touch()
    Path("link").symlink_to("nowhere")
    Path("pairs-quality").touch()
    for out in (Path("f"), Path("f/deep/er"), Path("../") / tmp_path.name / "f", Path("link")):
        with pytest.raises(OutputError, match="this is a file, not a folder") as caught:
            report_folder("x.tsv", out)
        assert caught.value.where == str(out).removesuffix("/deep/er")
    with pytest.raises(OutputError, match="this is a file, not a folder"):
        report_folder("pairs.tsv", None)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f", "link", "pairs-quality"]


def test_what_fails() -> None:
    assert fails_on("never") == ()
    assert fails_on("fail") == ("fail",)
    assert set(fails_on("look")) == {"look", "fail"}
    with pytest.raises(OptionError, match="'pass' is none of its values. Give never, fail, look"):
        fails_on("pass")


def test_a_small_file_needs_no_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared: list[tuple[int, list[str]]] = []
    monkeypatch.setattr(
        Processes,
        "prepare",
        lambda self, function: prepared.append((self.count, *function.args)),
    )
    small, large = tmp_path / "small.tsv", tmp_path / "large.tsv"
    small.write_text("aae\tsae\n")
    large.write_text("x" * (1 << 20))
    named = ["gsw=bernese", "aae", "", "nobody"]
    for source, workers in ((small, 3), (large, 3), (tmp_path, 2), (large, None)):
        processes_for(str(source), workers, named)
    known = ["bernese", "african-american-english"]
    assert prepared[:3] == [(1, known), (3, known), (2, known)]
    assert 1 <= prepared[3][0] <= 8
