"""The command: what it prints and writes, its exit status, and one line for each mistake."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from isogloss.builders.forms import release
from isogloss.tests.conftest import Command
from isogloss.tests.validation.quality.made import SENTENCES, jsonl, tsv
from isogloss.validation.quality.write import FILES

pytestmark = pytest.mark.slow

#: Long enough on both sides for nothing to be caught, and not alike.
GOOD = [
    ("We was late, so she mad at us all day", "We were late, so she is mad at us all day"),
    ("He be working on Sundays and never rest", "He usually works on Sundays and never rests"),
]
PAIR = ("--dialect=a", "--standard=b", "--variety=aae")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.tsv"
    path.write_bytes(tsv(*SENTENCES, header=("a", "b")))
    return path


def report(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "quality.json").read_text())
    return found


def test_a_corpus_folder_needs_no_options(command: Command, built: Path, tmp_path: Path) -> None:
    done = command("validate", built)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "108 pairs; checks: " in done.stdout
    assert "Open c-quality/quality.html" in done.stdout
    assert sorted(path.name for path in (tmp_path / "c-quality").iterdir()) == sorted(FILES)
    found = report(tmp_path / "c-quality")
    assert (found["source"]["shape"], found["source"]["name"]) == ("corpus", "c")
    # The word list stands in for a model without being asked for.
    assert found["models"]["sentiment"]["backend"] == "words"


def test_a_file_needs_its_columns_and_its_variety(
    command: Command, table: Path, tmp_path: Path
) -> None:
    (tmp_path / "r.csv").write_text(
        "item,rater,label\n" + "".join(f"{n},{who},{n % 2}\n" for n in range(1, 5) for who in "ab")
    )
    done = command("validate", table, *PAIR, "--ratings=r.csv", "--out=deep/out", "--workers=2")
    assert done.returncode == 0, done.stderr
    assert "Raters' agreement (Gwet's AC1): label" in done.stdout
    found = report(tmp_path / "deep" / "out")
    assert found["source"]["columns"] == {"dialect": "a", "standard": "b"}
    assert found["agreement"]["raters"] == 2
    assert not (tmp_path / "pairs-quality").exists()


def test_a_report_lies_here_and_is_named_after_its_source(
    command: Command, table: Path, tmp_path: Path
) -> None:
    assert command("validate", table, *PAIR).returncode == 0
    assert (tmp_path / "pairs-quality" / "quality.html").is_file()


def test_what_fails_stands_first_and_silent_gates_in_a_line(
    command: Command, tmp_path: Path
) -> None:
    (tmp_path / "p.tsv").write_bytes(tsv(*SENTENCES, *[("We ain't late", "")] * 2))
    done = command("validate", "p.tsv", "--variety=aae")
    lines = [line.split("|")[1].strip() for line in done.stdout.splitlines() if line[:1] == "|"]
    verdicts = [line for line in lines if line in ("fail", "look", "pass", "none")]
    assert verdicts == sorted(verdicts, key=["fail", "look", "pass", "none"].index)
    assert verdicts[0] == "fail"
    assert "| Gate empty " in done.stdout
    assert "Gate markup" not in done.stdout
    assert "gates caught nothing: " in done.stdout
    assert "markup" in done.stdout.partition("gates caught nothing")[2]
    assert re.search(r"empty: [56]: ", done.stdout)
    # What was held against the limits: two of six are 10 % or more.
    assert re.search(
        r"fail +\| Gate empty +\| +33\.3 % .*fail > 1 % +\| low end 9\.7 %", done.stdout
    )


def test_a_text_is_no_command_for_the_terminal(command: Command, tmp_path: Path) -> None:
    text = "\x1b[31m\u202eWe late\x07 [bold]x[/]"
    (tmp_path / "p.jsonl").write_bytes(
        jsonl({"id": f"i{text}", "dialect": text, "standard": f"{text} <unk>"})
    )
    done = command("validate", "p.jsonl", "--variety=aae")
    assert done.returncode == 0, done.stderr
    assert not any(sign in done.stdout for sign in "\x1b\u202e\x07")
    assert "[bold]x[/]" in done.stdout


@pytest.mark.parametrize(
    ("rows", "option", "status"),
    [
        (GOOD, "never", 0),
        (GOOD, "fail", 0),
        ([*GOOD, ("We late", "")] * 2, "never", 0),
        ([*GOOD, ("We late", "")] * 2, "fail", 1),
        ([*GOOD, ("We late", "")], "fail", 0),
        ([*GOOD, ("We late", "")], "look", 1),
        ([*GOOD, *GOOD[:1]], "look", 1),
    ],
)
def test_the_status_is_what_fail_on_says(
    rows: list[tuple[str, str]], option: str, status: int, command: Command, tmp_path: Path
) -> None:
    (tmp_path / "p.tsv").write_bytes(tsv(*rows))
    done = command("validate", "p.tsv", "--variety=aae", "--sentiment=none", f"--fail-on={option}")
    found = {check["id"]: check["verdict"] for check in report(tmp_path / "p-quality")["checks"]}
    assert done.returncode == status, found
    assert done.stderr == ""


def test_a_look_is_no_failure(command: Command, tmp_path: Path) -> None:
    # One refused row of a hundred and twenty-one: look, not fail.
    rows = [(f"{a} {n}", f"{b} {n}") for n in range(60) for a, b in GOOD]
    (tmp_path / "p.tsv").write_bytes(tsv(*rows, ("", "x")))
    given = ("validate", "p.tsv", "--variety=aae", "--sentiment=none")
    statuses = [command(*given, f"--fail-on={one}").returncode for one in ("never", "fail", "look")]
    found = {check["id"]: check["verdict"] for check in report(tmp_path / "p-quality")["checks"]}
    assert found["unreadable"] == "look"
    fails = "fail" in found.values()
    assert statuses == [0, int(fails), 1], found


def test_the_column_of_varieties_is_named_and_a_name_is_for_the_others(
    command: Command, tmp_path: Path
) -> None:
    (tmp_path / "p.csv").write_text("dialect,standard,language\na,b,gsw\na,b,bar\na,b,\n")
    done = command(
        *("validate", "p.csv", "--variety-column=language", "--sentiment=none"),
        *("--variety=gsw=bernese", "--variety=bar", "--variety=als=bernese"),
    )
    assert done.returncode == 0, done.stderr
    found = report(tmp_path / "p-quality")
    assert {name: one["pairs"] for name, one in found["varieties"].items()} == {
        "bavarian": 2,
        "bernese": 1,
    }
    [note] = found["source"]["notes"]
    assert note == "no row says 'als' in the column 'language': --variety als=bernese had no effect"
    assert f"note: {note}" in done.stdout
    assert note in (tmp_path / "p-quality" / "quality.html").read_text().replace("&#39;", "'")


def test_no_examples_no_texts(command: Command, tmp_path: Path) -> None:
    (tmp_path / "p.tsv").write_bytes(tsv(*SENTENCES, ("Zanzibar ain't late", "Zanzibar <unk>")))
    done = command("validate", "p.tsv", "--variety=aae", "--examples=0")
    assert done.returncode == 0
    assert "Zanzibar" not in done.stdout
    for name in FILES:
        assert b"Zanzibar" not in (tmp_path / "p-quality" / name).read_bytes()


def test_the_seed_chooses_the_examples(command: Command, tmp_path: Path) -> None:
    (tmp_path / "p.tsv").write_bytes(tsv(*((f"We ain't {n}", "") for n in range(200))))
    shown = []
    for seed in (0, 0, 1):
        command("validate", "p.tsv", "--variety=aae", f"--seed={seed}")
        found = report(tmp_path / "p-quality")["gates"]["empty"]["examples"]
        shown.append([one["position"] for one in found])
    assert shown[0] == shown[1] != shown[2]


# --- Mistakes ---------------------------------------------------------------------------------

MISTAKES: dict[str, tuple[tuple[str, ...], str]] = {
    "no file": (("nix.tsv",), "nix.tsv: there is no such file"),
    "an empty file": (("empty",), "the file is empty"),
    "no variety": (("pairs.tsv", "--dialect=a", "--standard=b"), "give --variety|Give --variety"),
    "an unknown variety": (("pairs.tsv", "--variety=aea"), "no variety is called 'aea'"),
    "no such column": (("pairs.tsv", "--variety=aae"), "there is no column 'dialect'"),
    "a wrong column": (
        ("pairs.tsv", "--variety=aae", "--dialect=a", "--standard=bb"),
        "there is no column 'bb'. ",
    ),
    "one column twice": (
        ("pairs.tsv", "--variety=aae", "--dialect=a", "--standard=a"),
        "two sides are the same column",
    ),
    "a strange verdict": (("pairs.tsv", *PAIR, "--fail-on=bad"), "--fail-on: 'bad' is none of"),
    "a strange encoder": (("pairs.tsv", *PAIR, "--encoder=x"), "error[model]"),
    "a strange sentiment": (("pairs.tsv", *PAIR, "--sentiment=words:x"), "error[model]"),
    "no ratings": (("pairs.tsv", *PAIR, "--ratings=nix"), "there is no such file"),
    "ratings without a rater": (
        ("pairs.tsv", *PAIR, "--ratings=pairs.tsv"),
        "there is no column 'item'",
    ),
    "into a corpus": (("pairs.tsv", *PAIR, "--out=full/report"), "would lie in a corpus folder"),
    "into its own corpus": (("full", "--out=full"), "would lie in a corpus folder"),
    "into a file": (("pairs.tsv", *PAIR, "--out=empty"), "this is a file, not a folder"),
    # Told before any model is looked for.
    "into a file, by a model": (
        ("pairs.tsv", *PAIR, "--out=empty/deep", "--encoder=x"),
        "error[output]: empty: this is a file, not a folder",
    ),
    "no column of varieties": (
        ("rows.csv", "--variety-column=language"),
        "rows.csv: there is no column 'language'. The columns are 'dialect', 'standard', 'variety'",
    ),
    "a column of varieties of a corpus": (("full", "--variety-column=x"), "--variety-column."),
    "columns of a corpus": (("full", "--dialect=a"), "the columns of a corpus folder are known"),
    "a variety of a corpus": (("full", "--variety=aae"), "the varieties of a corpus folder"),
    "the ids form": (("ids",), "the ids form has no dialect texts to look at"),
    "a folder that is none": (("plain",), "this folder is no corpus"),
    "no source": ((), "Missing argument"),
    "no workers": (("pairs.tsv", *PAIR, "--workers=0"), "--workers"),
    "fewer than no examples": (("pairs.tsv", *PAIR, "--examples=-1"), "--examples"),
    "a row of another length": (("pairs.tsv::x", *PAIR), "only a zip has members"),
    "a row of no known dialect": (
        ("rows.csv",),
        "rows.csv, row 2: no dialect is called 'klingon'",
    ),
}


@pytest.fixture(scope="module")
def ids(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("ids") / "ids"
    release("realaae", form="ids", full=built, out=out)
    return out


@pytest.fixture
def folders(built: Path, ids: Path, table: Path) -> Path:
    here = table.parent
    (here / "full").symlink_to(built)
    (here / "ids").symlink_to(ids)
    (here / "plain").mkdir()
    (here / "empty").touch()
    (here / "rows.csv").write_text("dialect,standard,variety\na,b,bar\na,b,klingon\n")
    return here


@pytest.mark.parametrize("case", MISTAKES)
@pytest.mark.usefixtures("folders")
def test_a_mistake_is_one_line(case: str, command: Command, tmp_path: Path) -> None:
    given, message = MISTAKES[case]
    done = command("validate", *given)
    assert done.returncode == 2, done.stdout
    assert any(one in done.stderr for one in message.split("|"))
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stdout == ""
    assert not list(tmp_path.glob("*quality*"))


def test_help_says_what_is_taken(command: Command) -> None:
    text = " ".join(command("validate", "--help").stdout.split())
    for option in (
        "--dialect",
        "--ratings",
        "--fail-on",
        "--examples",
        "--workers",
        "--back",
        "--variety-column",
    ):
        assert option in text
    assert "validate" in command("--help").stdout


# --- What is imported -------------------------------------------------------------------------

HEAVY = {"torch", "transformers", "bert_score", "scipy", "sklearn", "datasets", "openai", "aiohttp"}


def imported(code: str, folder: Path) -> set[str]:
    """The packages that a new process has imported in the end."""
    told = f"{code}\nimport sys; print(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run(
        [sys.executable, "-c", told], capture_output=True, text=True, check=True, cwd=folder
    )
    return set(done.stdout.split())


def test_a_process_that_asks_the_gates_imports_no_heavy_library(tmp_path: Path) -> None:
    found = imported(
        "import isogloss.validation.quality.report\n"
        "from isogloss.validation.gates import gates\n"
        "assert gates()",
        tmp_path,
    )
    assert {"polars", "isogloss"} <= found
    assert not found & HEAVY


@pytest.mark.parametrize("given", ["nix.tsv", "pairs.tsv --ratings=nix.csv", "empty"])
def test_a_file_that_is_missing_is_told_before_anything_heavy_is_imported(
    given: str, table: Path
) -> None:
    (table.parent / "empty").touch()
    found = imported(
        f"from isogloss.cli import main\ntry: main({['validate', *given.split()]!r})\n"
        "except SystemExit as error: assert error.code == 2",
        table.parent,
    )
    assert "isogloss" in found
    assert not found & {*HEAVY, "polars", "pyarrow", "numpy"}
