"""The report of made runs: what it says, what it escapes, and that it is always the same."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from isogloss.errors import OutputError, SourceError
from isogloss.evaluation.report import read_runs, report_folder, sections_of, write_report
from isogloss.evaluation.report.browser import examples_of, pieces_of
from isogloss.evaluation.report.table_files import as_csv, as_latex, as_markdown
from isogloss.evaluation.report.tables import Row, Table, tables_of
from isogloss.stats import Estimate
from isogloss.tests.conftest import Command
from isogloss.tests.evaluation.report.made import make_run, rows

pytestmark = pytest.mark.slow

NASTY = "<script>alert('x')</script> & \\textbf{%_$}"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two models and one that has no result yet; not to be written to."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    return make_run(folder, ["hf:first", "hf:second"], unfinished=["hf:late"])


def page(runs: list[Path], out: Path, **more: Any) -> str:
    return write_report(read_runs(runs), out, **more)[0].read_text(encoding="utf-8")


def hashes(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_every_file_is_written_and_the_same_run_gives_the_same_bytes(
    made: Path, tmp_path: Path
) -> None:
    for name in ("a", "b"):
        write_report(read_runs([made]), tmp_path / name)
    first = hashes(tmp_path / "a")
    assert first == hashes(tmp_path / "b")
    figures = ("figure-3-perplexity", "figure-4-preference", "figure-5-features")
    tables = ("table-2-metrics", "table-7-features")
    assert set(first) == {
        "report.html",
        *(f"figures/{name}.{form}" for name in figures for form in ("svg", "pdf")),
        *(f"tables/{name}.{form}" for name in tables for form in ("csv", "md", "tex")),
    }
    assert (tmp_path / "a" / "figures" / "figure-3-perplexity.pdf").read_bytes()[:5] == b"%PDF-"


def test_the_page_says_what_was_evaluated_and_what_is_missing(made: Path, tmp_path: Path) -> None:
    said = page([made], tmp_path / "r")
    for words in (
        "made-corpus", "split evaluation", "hf:first", "hf:second", "rrrrrrrrrrrr", "bfloat16",
        "does not\nmean dialect-matched", "language variety with a grammar of its own",
        "hf:late has no results", "measured", "Table 2", "Table 7", "Figure 5",
    ):  # fmt: skip
        assert words in said, words
    # Nothing comes from elsewhere.
    assert not re.search(r"""(src|href)=["'](?!#)|@import|url\((?!#)""", said)


def test_cells_are_the_numbers_of_the_runs(made: Path) -> None:
    (section,) = sections_of(read_runs([made]))
    table, features = tables_of(section)
    lp = next(row for row in table.rows if row.label == "LP")
    for path, cell in zip(sorted(made.glob("results/*/continuation")), lp.cells, strict=True):
        metrics = json.loads((path / "metrics.json").read_text())["metrics"]
        known = next(one for one in metrics if one["name"] == "lp")
        assert cell is not None
        assert (cell.value, cell.low, cell.high) == (known["value"], known["low"], known["high"])
        assert cell.n == known["n"] == 40
    lines = list(csv.DictReader(io.StringIO(as_csv(table))))
    assert len(lines) == len(table.rows)
    assert float(lines[0]["hf:first value"]) == lp.cells[0].value  # type: ignore[union-attr]
    assert {row.label for row in features.rows} >= {"auxiliary", "syntactic", "no feature"}
    assert any("Green (2002)" in row.group for row in features.rows)
    groups = " ".join(row.group for row in table.rows)
    assert "Forced choice" in groups
    assert "Perplexity" in groups


def test_any_task_s_numbers_get_a_row(made: Path, tmp_path: Path) -> None:
    run = copied(made, tmp_path)
    for path in run.glob("results/*/forced_choice/metrics.json"):
        data = json.loads(path.read_text())
        data["task"] = "invariance"
        names = (("dgi", ""), ("cdgi", "natural by majority"), ("kappa", ""), ("new one", "x"))
        data["metrics"] = [{**data["metrics"][0], "name": name, "of": of} for name, of in names]
        folder = path.parent.with_name("invariance")
        folder.mkdir()
        (folder / "metrics.json").write_text(json.dumps(data))
    (section,) = sections_of(read_runs([run]))
    labels = [row.label for row in tables_of(section)[0].rows if row.group == "Invariance"]
    assert len(labels) == 4
    assert labels[0].startswith("DGI")
    assert "natural by majority" in labels[1]
    assert labels[3] == "new one, x"


def copied(run: Path, folder: Path) -> Path:
    import shutil

    return Path(shutil.copytree(run, folder / "copy"))


def test_texts_and_names_are_escaped(tmp_path: Path) -> None:
    frame = rows(12).with_columns(
        dialect=pl.lit("We was late <script>alert(1)</script> & \x1b[1m \u202e ") + pl.col("id"),
        standard=pl.lit("We were late <img src=x onerror=alert(2)> ") + pl.col("id"),
        id=pl.lit("<b>") + pl.col("id"),
        dialect_boundary=pl.lit(2), standard_boundary=pl.lit(2),
    )  # fmt: skip
    run = make_run(tmp_path / "run", [f"hf:{NASTY}"], frame=frame, name=f"corpus {NASTY}")
    said = page([run], tmp_path / "r")
    assert said.count("<script>") == 1  # its own
    assert "&lt;script&gt;" in said
    assert not re.search("<img|<b>|\x1b|\u202e", said)
    latex = (tmp_path / "r" / "tables" / "table-2-metrics.tex").read_text()
    assert r"\textbackslash{}textbf\{\%\_\$\}" in latex
    assert r"\textbf" not in latex
    assert "<script>" not in (tmp_path / "r" / "tables" / "table-2-metrics.md").read_text()


def test_tables_hold_no_formulas_and_no_arguments() -> None:
    cell = Estimate(value=-1.5, low=-2.0, high=math.nan, n=3, clusters=3, few_clusters=True)
    table = Table("t", "=T", ["=cmd()", "@b"], [Row("+g", "[label]|x", "nats", [cell, None])])
    head, line = csv.reader(io.StringIO(as_csv(table)))
    assert head[3] == "'=cmd() value"
    assert head[9:11] == ["'=cmd() reason", "'@b value"]
    assert line[:6] == ["'+g", "[label]|x", "nats", "-1.5", "-2.0", ""]
    latex = as_latex(table)
    assert "{}[label]\\textbar{}x & 3 & $-$1.50 [$-$2.00, $\\infty$]$^{\\dagger}$ & --" in latex
    assert "\\[label\\]\\|x" in as_markdown(table)


def test_tables_say_why_a_number_is_not_there() -> None:
    none = Estimate(value=math.nan, n=0, clusters=0, reason="=no rows_left & \n more")
    alone = Estimate(value=1.0, n=1, clusters=1, reason="one cluster")
    lines = [Row("g", f"row {at}", "nats", [alone, none]) for at in range(4)]
    table = Table("t", "T", ["a", "b"], [*lines, Row("g", "last", "nats", [alone, None])])
    found = list(csv.DictReader(io.StringIO(as_csv(table))))
    assert [one["a reason"] for one in found] == ["one cluster"] * 5
    assert [one["b reason"] for one in found] == ["'=no rows_left & more"] * 4 + ["not measured"]
    note = as_markdown(table).splitlines()[-1]
    assert note == (
        r"– A number that isn't there: =no rows\_left \& more (4 numbers), not measured (last)."
    )
    tex = as_latex(table).splitlines()[-1]
    assert tex.startswith("% dash: A number that isn")
    assert r"=no rows\_left \& more (4 numbers), not measured (last)." in tex
    whole = Table("t", "T", ["a"], [Row("g", "l", "nats", [alone])])
    assert "isn" not in as_markdown(whole) + as_latex(whole)


def test_the_guide_says_what_cdgi_counts_and_names_the_sides_of_all_sections(
    made: Path, tmp_path: Path
) -> None:
    def guide(said: str) -> str:
        return " ".join(said.partition("How to read this")[2].partition("</section>")[0].split())

    other = make_run(
        tmp_path / "other", ["hf:first"], frame=rows(12).with_columns(variety=pl.lit("scots")),
        sha256="b" * 64, names=["features"],
    )  # fmt: skip
    alone = guide(page([made], tmp_path / "a"))
    assert "over rows whose back-translation speakers judged natural" in alone
    assert "every text the same label has a DGI of 1" in alone
    assert "<sub>SAE</sub>" in alone
    both = guide(page([made, other], tmp_path / "b"))
    assert "<sub>standard</sub>" in both
    assert "AAE" not in both
    assert "SAE" not in both


@pytest.mark.slow
def test_two_corpora_are_never_mixed(made: Path, tmp_path: Path) -> None:
    other = make_run(
        tmp_path / "other", ["hf:first"], frame=rows(20), sha256="b" * 64, name="other-corpus",
        names=["continuation"],
    )  # fmt: skip
    sections = sections_of(read_runs([made, other]))
    labels = [[column.label for column in one.columns] for one in sections]
    assert labels == [["hf:first", "hf:second"], ["hf:first"]]
    said = page([made, other], tmp_path / "r")
    assert "2 different sets of rows" in said
    names = {path.name for path in (tmp_path / "r" / "figures").iterdir()}
    assert {"corpus1-figure-4-preference.svg", "corpus2-figure-4-preference.svg"} <= names
    assert "corpus2-figure-5-features.svg" not in names
    # An older report's files don't stay beside a new one's.
    page([made], tmp_path / "r")
    assert not list((tmp_path / "r" / "figures").glob("corpus*"))
    ids = re.findall(r'\bid="([^"]+)"', said)
    assert len(ids) == len(set(ids))


def test_the_same_rows_in_two_runs_stand_side_by_side(made: Path, tmp_path: Path) -> None:
    again = make_run(tmp_path / "again", ["hf:first"], names=["continuation"])
    (section,) = sections_of(read_runs([made, again, made]))
    assert [one.label for one in section.columns] == [
        "hf:first (run)", "hf:second", "hf:first (again)",
    ]  # fmt: skip
    missing = " ".join(section.missing)
    assert "hf:first (again) has no results of features, forced_choice" in missing


def test_items_are_the_strongest_each_way(made: Path, tmp_path: Path) -> None:
    (run,) = read_runs([made])
    result = next(iter(run.results.values()))["continuation"]
    found = examples_of(result, 3)
    assert found is not None
    items = pl.read_parquet(result.items).with_columns(
        lp=pl.col("b_standard") - pl.col("b_dialect")
    )
    ordered = items.sort("lp")["id"].to_list()
    assert [one.id for one in found["dialect"]] == ordered[:3]
    assert [one.id for one in found["standard"]] == ordered[::-1][:3]
    one = found["standard"][0].shown["dialect"][1]
    assert one.side == "standard"
    assert sum(piece.logprob or 0 for piece in one.pieces) == pytest.approx(one.total)
    text = items.filter(pl.col("id") == found["standard"][0].id)["continuation_standard"].item()
    assert "".join(piece.text for piece in one.pieces) == text
    said = page([made], tmp_path / "none", limit=0)
    assert text.strip() not in said


@pytest.mark.slow
def test_without_token_ends_only_the_total_is_shown(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", ends=False, names=["continuation"])
    said = page([run], tmp_path / "r")
    assert "where they end isn&#39;t known" in said or "where they end isn't known" in said
    assert 'class="t s' not in said.partition('id="browser"')[2]
    for path in run.glob("results/*/*/items.parquet"):
        frame = pl.read_parquet(path)
        frame.drop([name for name in frame.columns if name.startswith("context_")]).write_parquet(
            path
        )
    assert "kept no texts" in page([run], tmp_path / "r")
    next(run.glob("results/*/*/items.parquet")).unlink()
    assert "file of items is missing" in page([run], tmp_path / "r")


def test_pieces_give_the_text_back_whatever_the_ends() -> None:
    for ends in ([2, 2, 5], [0, 3, 3], [0, 0, 0], [5, 5, 5], [1, 2, 4]):
        pieces = list(pieces_of("ab cd", [-1.0, -2.0, -3.0], ends))
        assert "".join(piece.text for piece in pieces) == "ab cd"
        known = [piece.logprob for piece in pieces if piece.logprob is not None]
        assert not known or sum(known) == -6.0


def broken(folder: Path, how: str) -> None:
    metrics = sorted(folder.glob("results/*/continuation/metrics.json"))[0]
    if how == "cut":
        metrics.write_bytes(metrics.read_bytes()[:100])
    elif how == "list":
        metrics.write_text("[]")
    elif how == "newer":
        metrics.write_text(json.dumps({**json.loads(metrics.read_text()), "format_version": 99}))
    elif how == "no metrics":
        data = json.loads(metrics.read_text())
        del data["metrics"]
        metrics.write_text(json.dumps(data))
    elif how == "items":
        metrics.with_name("items.parquet").write_bytes(b"PAR1 no")
    elif how == "record":
        (folder / "run.json").write_text("{}")
    elif how == "newer record":
        path = folder / "run.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "format_version": 99}))
    elif how == "no results":
        (folder / "results").rename(folder / "elsewhere")
    elif how == "a corpus":
        (folder / "manifest.json").write_text("{}")
    elif how == "no run":
        (folder / "run.json").unlink()


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("cut", "damaged"), ("list", "damaged"), ("newer", "format 99"),
        ("no metrics", "damaged (no 'metrics')"), ("items", "can't be read"),
        ("record", "damaged"), ("newer record", "format 99"), ("no results", "no results yet"),
        ("no run", "is no run"), ("a corpus", "is no run"),
    ],
)  # fmt: skip
def test_a_bad_run_is_told_in_one_line(
    how: str, words: str, made: Path, tmp_path: Path, command: Command
) -> None:
    run = copied(made, tmp_path)
    broken(run, how)
    printed = command("report", run)
    assert printed.returncode == 2, printed
    (line,) = printed.stderr.strip().splitlines()
    assert line.startswith("error[source]")
    assert words in line
    assert not (run / "report").exists()


def test_the_command_writes_into_the_run_and_says_what_is_missing(
    made: Path, tmp_path: Path, command: Command
) -> None:
    run = copied(made, tmp_path)
    printed = command("report", run, "--limit-items", 2)
    assert printed.returncode == 0, printed.stderr
    assert (run / "report" / "report.html").is_file()
    assert "hf:late has no results" in printed.stdout
    assert command("report", tmp_path / "none").returncode == 2
    assert command("report").returncode == 2


def test_a_report_lies_in_no_corpus_and_in_no_file(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    (corpus / "data").mkdir(parents=True)
    (corpus / "manifest.json").write_text("{}")
    (tmp_path / "file").write_text("")
    for out in (corpus, corpus / "a" / "b", tmp_path / "file", tmp_path / "file" / "a"):
        with pytest.raises(OutputError):
            report_folder([tmp_path / "run"], out)
    run = tmp_path / "run"
    assert report_folder([run], None) == run / "report"
    assert report_folder([run, tmp_path / "run2"], None) == Path("report")


def test_no_run_in_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SourceError, match="no such folder"):
        read_runs([tmp_path / "file"])
