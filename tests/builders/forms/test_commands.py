"""The commands: what is printed, and one line for each mistake."""

from __future__ import annotations

from pathlib import Path

import pytest
from isogloss.builders.forms import release
from isogloss.tests.builders.forms.corpora import manifest_of, rows_of, save_manifest
from isogloss.tests.conftest import Command

pytestmark = pytest.mark.slow


def test_both_commands_say_what_came_of_it(command: Command, full: Path) -> None:
    rows = rows_of(full).height
    made = command("build", "realaae", "--from", full, "--form", "ids", "--out", "ids")
    assert made.returncode == 0, made.stderr
    assert f"ids is made: {rows} rows in the ids form" in made.stdout
    withheld = manifest_of(Path("ids"))["release"]["withheld"]["standard"]["rows"]
    assert f"| standard |  {rows} | {withheld:>8} |" in made.stdout
    back = command("hydrate", "ids", "--source", "sample", "--out", "h")
    assert back.returncode == 0, back.stderr
    assert f"| found |  {rows} |" in back.stdout
    assert f"h is made: {rows} rows in the hydrated form" in back.stdout


def test_missing_and_changed_tweets_are_counted_on_screen(
    command: Command, full: Path, tmp_path: Path
) -> None:
    release("realaae", form="ids", full=full, out=tmp_path / "ids")
    rows = rows_of(full)
    changed, *same = rows.head(4).to_dicts()
    lines = ["id,text", f"{changed['id']},other words"]
    lines += [f'{row["id"]},"{row["dialect"]}"' for row in same]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    done = command("hydrate", "ids", "--source", "t.csv", "--out", "less")
    assert done.returncode == 0, done.stderr
    for cell in ("| found   |    3 |", "| changed |    1 |", f"| missing |  {rows.height - 4} |"):
        assert cell in done.stdout


BUILD = ["build", "realaae"]
CASES = {
    "no form": ([*BUILD, "--from=full", "--out=x"], "--from: no form is named"),
    "no corpus": ([*BUILD, "--form=ids", "--out=x"], "--form ids: a form is made from a corpus"),
    "the full form": (
        [*BUILD, "--form=full", "--from=full", "--out=x"],
        "a build makes the full form; the builder realaae has no form to be made from it but ids",
    ),
    "unknown form": (
        [*BUILD, "--form=idz", "--from=full", "--out=x"],
        "--form idz: the builder realaae has no form to be made from it but ids",
    ),
    "with a source": (
        [*BUILD, "--form=ids", "--from=full", "--out=x", "--source=sample"],
        "--source: it has no meaning for a corpus that is built",
    ),
    "with a build's option": (
        [*BUILD, "--form=ids", "--from=full", "--out=x", "--max-cost=3"],
        "--max-cost: it has no meaning for a corpus that is built",
    ),
    "a default said aloud": (
        [*BUILD, "--form=ids", "--from=full", "--out=x", "--seed=0"],
        "--seed: it has no meaning",
    ),
    "no folder": ([*BUILD, "--form=ids", "--from=nix", "--out=x"], "nix: there is no corpus"),
    "of itself": ([*BUILD, "--form=ids", "--from=full", "--out=full"], "must be another folder"),
    "inside": ([*BUILD, "--form=ids", "--from=full", "--out=full/x"], "must be another folder"),
    "around": ([*BUILD, "--form=ids", "--from=full", "--out=."], "must be another folder"),
    "ids of ids": (
        [*BUILD, "--form=ids", "--from=ids", "--out=x"],
        "the corpus is in the form 'ids', needed is 'full'",
    ),
    "other builder": ([*BUILD, "--form=ids", "--from=foreign", "--out=x"], "by the builder 'wiki'"),
    "no source": ([*BUILD, "--out=x"], "--source: a build needs it"),
    "hydrate the full form": (
        ["hydrate", "full", "--source=sample", "--out=x"],
        "the corpus is in the form 'full', needed is 'ids'",
    ),
    "hydrate nothing": (["hydrate", "nix", "--source=sample", "--out=x"], "there is no corpus"),
    "hydrate from nothing": (["hydrate", "ids", "--source=nix", "--out=x"], "no such file"),
    "hydrate into itself": (["hydrate", "ids", "--source=sample", "--out=ids"], "another folder"),
}


@pytest.fixture
def folders(full: Path, tmp_path: Path) -> Path:
    """``full``, ``ids``, and ``foreign`` by another builder."""
    release("realaae", form="ids", full=full, out=tmp_path / "ids")
    manifest = manifest_of(full)
    manifest["builder"]["name"] = "wiki"
    (tmp_path / "foreign").mkdir()
    save_manifest(tmp_path / "foreign", manifest)
    return tmp_path


@pytest.mark.parametrize("case", CASES)
@pytest.mark.usefixtures("folders")
def test_a_mistake_is_one_line(case: str, command: Command) -> None:
    arguments, message = CASES[case]
    done = command(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr


def test_help_names_forms_and_where_they_are_made_from(command: Command) -> None:
    text = " ".join(command("build", "realaae", "--help").stdout.split())
    assert "make this form of a built corpus: ids" in text
    assert "Needed unless --from is given" in text
    assert "hydrate" in command("--help").stdout
