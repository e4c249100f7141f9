"""What a user reads when something is wrong: one line, and nothing half-written stays."""

from __future__ import annotations

import gzip
import json
import os
import re
import resource
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock
from isogloss.builders.samples import sample_path
from isogloss.tests.conftest import RULES_OPTIONS, Command, Run

SAMPLE = sample_path("realaae").read_bytes()
LINES = SAMPLE.splitlines(keepends=True)


def wrong_field_count(path: Path) -> None:
    lines = [line for line in LINES if line.count(b"\t") == 9][:40]
    lines[16] = b"\t".join(lines[16].split(b"\t")[:7]) + b"\n"
    path.write_bytes(b"".join(lines))


def latin1_csv(path: Path) -> None:
    rows = [f"{n},au café du coin il y a toujours du monde le soir {n}" for n in range(30)]
    path.write_bytes("\n".join(["id,text", *rows]).encode("latin-1"))


def cut_gzip(path: Path) -> None:
    path.write_bytes(gzip.compress(SAMPLE)[:-200])


def cut_zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.tsv", SAMPLE)
    path.write_bytes(path.read_bytes()[:-200])


def two_members(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.tsv", SAMPLE)
        archive.writestr("b.tsv", SAMPLE)


def limited(path: Path) -> None:
    fields = [line.split(b"\t") for line in LINES if line.count(b"\t") == 9]
    path.write_bytes(b"".join(b"\t".join(f[:2] + f[6:]) for f in fields))


def text(content: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_text(content)

    return write


CASES: dict[str, tuple[Callable[[Path], None], str]] = {
    "missing": (lambda _: None, "there is no such file"),
    "empty": (lambda path: path.touch(), "the file is empty"),
    "blank": (text("\n\n\n"), "nothing but empty lines"),
    "directory": (lambda path: path.mkdir(), "this is a directory"),
    "cut gzip": (cut_gzip, "damaged or cut off"),
    "cut zip": (cut_zip, "damaged or cut off"),
    "two members": (two_members, "::MEMBER; it has a.tsv, b.tsv"),
    "field count": (wrong_field_count, "row 17: 7 fields where TwitterAAE has 10"),
    "latin-1": (latin1_csv, "iconv -f LATIN1 -t UTF-8"),
    "rounded ids": (text("id,text\n2.8E+17,some words\n"), "2.8E+17 is a rounded number"),
    "no text column": (text("id,body\n1,some words\n"), "no column 'text'"),
    "limited": (limited, "ids and posteriors, no text"),
    "prose": (text("It was a fine day.\nWe went out.\n"), "the shape of the file is not known"),
    "damaged parquet": (text("PAR1 and then nothing"), "the Parquet file is damaged"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_bad_source_is_one_line(case: str, command: Command, tmp_path: Path) -> None:
    make, message = CASES[case]
    make(tmp_path / "source")
    done = command("build", "realaae", "--source=source", *RULES_OPTIONS, "--out=c")
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("error[source]: ")
    assert str(tmp_path) not in done.stderr
    assert not [path for path in tmp_path.glob("c/*") if path.name != ".work"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--translator=rule:"], "Did you mean rules:?"),
        (["--translator=rules:bavarian"], "no rules named 'bavarian'"),
        ([*RULES_OPTIONS, "--limit=0"], "--limit: 0 can't be used"),
        ([*RULES_OPTIONS, "--min-posterior=1.5"], "a number from 0 to 1"),
        ([*RULES_OPTIONS, "--workers=0"], "Give 1 or more"),
        ([*RULES_OPTIONS, "--sede=1"], "No such option: --sede"),
        ([], "no translator is named"),
    ],
)
def test_a_bad_option_is_one_line(options: list[str], message: str, command: Command) -> None:
    done = command("build", "realaae", "--source=sample", "--out=c", *options)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr


def test_unknown_builder_and_variety_suggest(command: Command) -> None:
    for arguments in (["build", "realae"], ["varieties", "bavarain"]):
        done = command(*arguments)
        assert done.returncode == 2
        assert "id you mean" in done.stderr
        assert len(done.stderr.splitlines()) == 1


BUILD = ("build", "realaae", "--source=sample", *RULES_OPTIONS, "--out=c")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"notes.txt": "mine"}, "files that are no corpus"),
        ({"manifest.json": '{"format_version": 1, "builder": {"name": "wikidir"}}'}, "'wikidir'"),
        ({"manifest.json": '{"format_version": 99}'}, "upgrade isogloss"),
        ({"manifest.json": "{"}, "damaged"),
    ],
)
def test_a_foreign_output_folder_is_left_alone(
    content: dict[str, str], message: str, command: Command, tmp_path: Path
) -> None:
    (tmp_path / "c").mkdir()
    for name, data in content.items():
        (tmp_path / "c" / name).write_text(data)
    done = command(*BUILD)
    assert done.returncode == 2
    assert message in done.stderr.replace("Upgrade", "upgrade")
    assert len(done.stderr.splitlines()) == 1
    assert {path.name: path.read_text() for path in (tmp_path / "c").iterdir()} == content


def test_output_that_is_a_file(command: Command, tmp_path: Path) -> None:
    (tmp_path / "c").write_text("mine")
    done = command(*BUILD)
    assert done.returncode == 2
    assert "this is a file" in done.stderr


@pytest.mark.slow
def test_two_processes_on_one_folder(isogloss: Run, tmp_path: Path) -> None:
    (tmp_path / "c" / ".work").mkdir(parents=True)
    with FileLock(tmp_path / "c" / ".work" / "lock"):
        done = isogloss(*BUILD)
    assert done.returncode == 1
    assert "another process" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert isogloss(*BUILD).returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("kilobytes", [2, 8, 14])
def test_a_full_disk_stops_and_the_next_run_finishes(
    kilobytes: int, isogloss: Run, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "isogloss.cli", *BUILD]
    limit = (kilobytes * 1024, resource.RLIM_INFINITY)
    stopped = subprocess.run(
        command,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit),
    )
    assert stopped.returncode == 1, stopped.stderr
    assert "error[storage]" in stopped.stderr
    assert not (tmp_path / "c" / "manifest.json").exists()
    assert isogloss(*BUILD).returncode == 0
    counts = json.loads((tmp_path / "c" / "manifest.json").read_text())["counts"]
    assert counts["kept"] > 80
    assert counts["kept"] + sum(counts["rejected"].values()) == counts["read"] == 203


def test_help_needs_no_heavy_library() -> None:
    code = (
        "import sys; sys.argv = ['isogloss', '--help']\n"
        "from isogloss.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'torch', 'transformers', 'polars', 'pyarrow', 'datasets'} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "varieties" in done.stdout


def test_build_prints_tables_examples_and_how_to_load(command: Command) -> None:
    done = command(*BUILD)
    assert done.returncode == 0, done.stderr
    counted = re.search(r"203 rows read = (\d+) kept \+ (\d+) rejected", done.stdout)
    assert counted
    assert int(counted[1]) + int(counted[2]) == 203
    assert done.stdout.count("  dialect  ") == 3
    assert 'load_dataset("c")' in done.stdout
    assert "is up to date" in command(*BUILD).stdout


def test_dry_run_leaves_nothing(command: Command, tmp_path: Path) -> None:
    done = command(*BUILD, "--dry-run")
    assert done.returncode == 0
    assert "168 of them for the models" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_varieties_are_listed_and_shown(command: Command) -> None:
    assert "72 varieties" in command("varieties").stdout
    assert "bava1246" in command("varieties", "bar").stdout
    assert "realaae" in command("build", "--list").stdout


@pytest.mark.slow
def test_ctrl_c_says_what_is_kept(tmp_path: Path) -> None:
    environment = {**os.environ, "ISOGLOSS_KILL_AT": "selected:1", "ISOGLOSS_KILL_BY": "SIGINT"}
    done = subprocess.run(
        [sys.executable, "-m", "isogloss.cli", *BUILD],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert done.returncode == 130
    assert done.stderr.splitlines()[-1] == (
        "interrupted; what was finished is kept, and the same command goes on from there"
    )


def test_a_source_of_another_kind_is_named(command: Command, tmp_path: Path) -> None:
    kinds = {b"\xfd7zXZ\x00": ".xz", b"BZh91": ".bz2", b"\xff\xfei\x00d\x00": "UTF-16"}
    for start, name in kinds.items():
        (tmp_path / "source").write_bytes(start + b"0" * 50)
        done = command("build", "realaae", "--source=source", *RULES_OPTIONS, "--out=c")
        assert done.returncode == 2
        assert name in done.stderr


def test_a_spreadsheet_is_refused(command: Command, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "t.xlsx", "w") as archive:
        archive.writestr("[Content_Types].xml", "")
        archive.writestr("xl/sheet1.xml", "")
    done = command("build", "realaae", "--source=t.xlsx", *RULES_OPTIONS, "--out=c")
    assert "spreadsheet" in done.stderr


def test_a_manifest_without_what_a_build_needs_is_one_line(
    command: Command, tmp_path: Path
) -> None:
    (tmp_path / "c").mkdir()
    text = '{"format_version": 1, "builder": {"name": "realaae"}}'
    (tmp_path / "c" / "manifest.json").write_text(text)
    done = command(*BUILD)
    assert done.returncode == 2
    assert "no usable build_key" in done.stderr
