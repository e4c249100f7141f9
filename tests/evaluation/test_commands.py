"""``isogloss evaluate``: a corpus folder and a model's folder in, a table and a run out."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from isogloss.tests.conftest import Command, Printed, Run
from isogloss.tests.evaluation.made import pairs, write_corpus
from isogloss.tests.models.scoring.tiny_models import make_model

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]
FEW = ("--resamples", "100", "--tasks", "continuation")


@pytest.fixture(scope="module")
def one_thread() -> Any:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus and two models; tests that change them copy them."""
    folder = tmp_path_factory.mktemp("made")
    write_corpus(folder / "corpus", pairs(40, authors=8))
    make_model("llama", folder / "llama")
    make_model("gpt2", folder / "gpt2")
    return folder


@pytest.fixture
def evaluate(command: Command, made: Path) -> Any:
    def run(*more: object, data: Path | None = None, model: object = None) -> Printed:
        model = model or f"hf:{made / 'llama'}"
        return command(
            "evaluate", "--data", data or made / "corpus", "--model", model, "--out", "run",
            *FEW, *more,
        )  # fmt: skip

    return run


def hashes(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((folder / "results").rglob("*"))
        if path.is_file()
    }


def check_line(printed: Printed, *words: str, status: int = 2) -> None:
    """One line that says what is wrong, and no traceback."""
    assert printed.returncode == status, printed
    assert "Traceback" not in printed.stderr + printed.stdout
    lines = [line for line in printed.stderr.splitlines() if line.startswith("error[")]
    assert len(lines) == 1, printed.stderr
    for word in words:
        assert word in lines[0]


def test_a_run_from_the_beginning_to_the_table(evaluate: Any, tmp_path: Path) -> None:
    printed = evaluate()
    assert printed.returncode == 0, printed.stderr
    for word in ("lp", "matching", "perplexity", "continuation", "rows measured", "results"):
        assert word in printed.stdout
    assert "Loading weights" not in printed.stderr
    (folder,) = (tmp_path / "run" / "results").iterdir()
    metrics = json.loads((folder / "continuation" / "metrics.json").read_text())
    assert metrics["model"] == "hf:llama"
    assert (
        metrics["measured"] + metrics["excluded"].get("no_boundaries", 0) == metrics["rows"] == 40
    )
    assert metrics["metrics"][0]["clusters"] == 8
    record = (tmp_path / "run" / "run.json").read_text()
    assert json.loads(record)["corpus"]["name"] == "corpus"


def test_measured_again_without_the_model(
    evaluate: Any, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = shutil.copytree(made / "llama", tmp_path / "llama")
    evaluate(model=f"hf:{model}")
    before = hashes(tmp_path / "run")
    assert len(before) == 2
    shutil.rmtree(model)
    monkeypatch.setattr("isogloss.models.scoring.hf_scorer.HFScorer", None)
    again = evaluate(model=f"hf:{model}")
    assert again.returncode == 0, again.stderr
    assert "can't be had now" in again.stderr + again.stdout
    assert hashes(tmp_path / "run") == before


def test_two_models_in_one_run(evaluate: Any, made: Path, tmp_path: Path) -> None:
    printed = evaluate("--model", f"hf:{made / 'gpt2'}")
    assert printed.returncode == 0, printed.stderr
    assert len(list((tmp_path / "run" / "results").iterdir())) == 2
    assert len(json.loads((tmp_path / "run" / "run.json").read_text())["models"]) == 2


def test_a_killed_run_resumes_to_the_same_bytes(
    isogloss: Run, command: Command, made: Path, tmp_path: Path
) -> None:
    write_corpus(tmp_path / "corpus", pairs(120, authors=30))
    call = ("evaluate", "--data", "corpus", "--model", f"hf:{made / 'llama'}", *FEW, "--out")
    assert command(*call, "whole").returncode == 0
    for name, point in (("first", "journal-committed:1"), ("second", "journal-before-commit:2")):
        killed = isogloss(*call, name, kill_at=point, OMP_NUM_THREADS="1")
        assert killed.returncode == -9
        assert not (tmp_path / name / "results").exists()
        assert command(*call, name).returncode == 0
        assert hashes(tmp_path / name) == hashes(tmp_path / "whole")
        assert len(hashes(tmp_path / name)) == 2


def test_another_corpus_sample_or_seed_is_refused(
    evaluate: Any, made: Path, tmp_path: Path
) -> None:
    data = shutil.copytree(made / "corpus", tmp_path / "corpus")
    rows = pairs(40, authors=8)
    write_corpus(data, rows, split="train")
    assert evaluate("--limit", 9, data=data).returncode == 0
    before = hashes(tmp_path / "run")
    check_line(evaluate("--limit", 8, data=data), "another sample")
    check_line(evaluate("--limit", 9, "--seed", 1, data=data), "another seed")
    check_line(evaluate("--limit", 9, "--split", "train", data=data), "another split")
    write_corpus(data, rows.with_columns(pl.col("dialect") + "!"))
    check_line(evaluate("--limit", 9, data=data), "the corpus has changed", "--out")
    assert hashes(tmp_path / "run") == before


def test_wrong_names_are_one_line_each(evaluate: Any, made: Path, tmp_path: Path) -> None:
    check_line(evaluate("--split", "test"), "there is no split 'test'", "evaluation")
    check_line(evaluate("--tasks", "continuatoin"), "Did you mean continuation?")
    check_line(evaluate("--overlong", "maybe"), "--overlong", "raise or cut or skip")
    check_line(evaluate("--limit", 0), "--limit")
    check_line(evaluate(data=tmp_path / "nowhere"), "nowhere")
    for far in (f"/{'x' * 300}", "/proc/self/environ/x"):  # where even looking is refused
        check_line(evaluate(data=far), "error[corpus]", "no such folder")
        check_line(evaluate(model=f"hf:{far}"), "error[model]", "no such folder")
    check_line(evaluate(model="llama"), "hf:FOLDER_OR_HUB_ID")
    check_line(evaluate(model=f"hf:{made / 'corpus'}"), "no config.json")
    check_line(evaluate(model="hf:./nowhere"), "./nowhere")
    assert not (tmp_path / "run" / "results").exists()


@pytest.mark.parametrize("missing", ["--data", "--model", "--out"])
def test_what_a_run_needs_is_asked_for(command: Command, missing: str) -> None:
    given = {"--data": "corpus", "--model": "hf:tiny", "--out": "run"}
    del given[missing]
    arguments = [part for pair in given.items() for part in pair]
    check_line(command("evaluate", *arguments), missing, "a run needs it")


def test_the_tasks_are_listed(command: Command) -> None:
    printed = command("evaluate", "--list")
    assert printed.returncode == 0
    assert "continuation" in printed.stdout


def test_a_corpus_without_boundaries_is_refused(evaluate: Any, tmp_path: Path) -> None:
    rows = pairs(9)
    bare = write_corpus(tmp_path / "bare", rows.drop("dialect_boundary"))
    check_line(evaluate(data=bare), "'dialect_boundary'", "--encoder")
    none = rows.with_columns(standard_boundary=pl.lit(None, pl.Int32))
    empty = write_corpus(tmp_path / "empty", none)
    check_line(evaluate(data=empty), "'standard_boundary'", "--encoder")


def test_a_model_without_a_tokenizer_is_refused(evaluate: Any, made: Path, tmp_path: Path) -> None:
    model = shutil.copytree(made / "llama", tmp_path / "bare")
    for path in model.glob("*token*"):
        path.unlink()
    check_line(evaluate(model=f"hf:{model}"), "can't be loaded", "tokenizer")


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
@pytest.mark.parametrize("left", [b"", b"\x00\xff{", None])
def test_damaged_files_of_a_model_are_one_line(
    evaluate: Any, made: Path, tmp_path: Path, name: str, left: bytes | None
) -> None:
    model = shutil.copytree(made / "llama", tmp_path / "damaged")
    path = model / name
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] if left is None else left)
    check_line(evaluate(model=f"hf:{model}"), "error[model]", "damaged", "can't be loaded")


def test_a_file_of_a_model_that_cannot_be_read_is_one_line(
    evaluate: Any, made: Path, tmp_path: Path
) -> None:
    model = shutil.copytree(made / "llama", tmp_path / "closed")
    (model / "model.safetensors").unlink()
    (model / "model.safetensors").mkdir()  # unreadable for root too
    check_line(evaluate(model=f"hf:{model}"), "error[model]", "model.safetensors", "can't be read")


def test_a_folder_that_cannot_be_made_is_one_line(command: Command, made: Path) -> None:
    model = f"hf:{made / 'llama'}"
    for out in ("/proc/x", "file/below", "file"):
        Path("file").write_text("")
        printed = command(
            "evaluate", "--data", made / "corpus", "--model", model, "--out", out, *FEW
        )
        check_line(printed, "error[output]", out)


def test_a_context_beyond_the_window_is_refused_or_cut(
    evaluate: Any, tmp_path: Path, made: Path
) -> None:
    long = "We was waiting on the bus and " * 30
    rows = pairs(6).with_columns(
        dialect=pl.when(pl.col("id") == "r0002").then(pl.lit(long + "late")).otherwise("dialect"),
        dialect_boundary=pl.when(pl.col("id") == "r0002").then(pl.lit(210)).otherwise(1),
    )
    data = write_corpus(tmp_path / "long", rows)
    check_line(evaluate(data=data), "r0002", "the model's window has 160", "--overlong cut")
    check_line(evaluate(data=data), "--overlong skip")
    printed = evaluate("--overlong", "cut", data=data)
    assert printed.returncode == 0
    (items,) = (tmp_path / "run" / "results").rglob("items.parquet")
    cut = pl.read_parquet(items).filter(pl.col("cut") > 0)
    assert cut["id"].to_list() == ["r0002"]
    notes = json.loads((items.parent / "metrics.json").read_text())["notes"]
    assert (notes["rows_cut"], notes["tokens_cut"]) == (1, cut["cut"].sum())
    assert f"rows cut 1; tokens cut {notes['tokens_cut']:,}" in printed.stdout
    del made


def test_what_is_too_long_is_skipped_and_counted(
    evaluate: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = pairs(6)
    long = pl.lit("We was waiting on the bus and " * 30 + "late")
    is_long = pl.col("id") == "r0002"
    data = write_corpus(
        tmp_path / "long",
        rows.with_columns(pl.when(is_long).then(long).otherwise("dialect").alias("dialect")),
    )
    check_line(evaluate(data=data), "r0002", "--overlong skip")
    skipped = evaluate("--overlong", "skip", data=data)
    assert skipped.returncode == 0, skipped.stderr
    assert "5 of 6 rows measured (failed_too_long 1)" in skipped.stdout
    assert "rows cut" not in skipped.stdout
    before = hashes(tmp_path / "run")
    # Those that fit need no model again; the one that doesn't is an error again.
    check_line(evaluate(data=data), "r0002", "the model's window has 160")
    with monkeypatch.context() as patched:
        patched.setattr("isogloss.models.scoring.hf_scorer.HFScorer", None)
        assert evaluate("--overlong", "skip", data=data).returncode == 0
    assert hashes(tmp_path / "run") == before


def test_what_was_scored_before_is_not_scored_again_where_others_are_skipped(
    evaluate: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = write_corpus(tmp_path / "short", pairs(6))
    assert evaluate(data=data).returncode == 0
    monkeypatch.setattr("isogloss.models.scoring.hf_scorer.HFScorer", None)
    assert evaluate("--overlong", "skip", data=data).returncode == 0


def test_tasks_without_their_columns_are_left_out_unless_they_are_named(
    command: Command, made: Path, tmp_path: Path
) -> None:
    data = write_corpus(tmp_path / "bare", pairs(6).drop("variety"))
    call = ("evaluate", "--data", data, "--model", f"hf:{made / 'llama'}", "--resamples", 100)
    printed = command(*call, "--out", "run")
    assert printed.returncode == 0, printed.stderr
    assert "note: left out: features needs the column 'variety'" in printed.stderr
    (folder,) = (tmp_path / "run" / "results").iterdir()
    found = {path.name for path in folder.iterdir()}
    assert found >= {"continuation", "forced_choice"}
    assert "features" not in found
    named = command(*call, "--tasks", "continuation,features", "--out", "other")
    check_line(named, "'variety'", "isogloss varieties")


def test_numbers_are_ids_and_authors_but_no_varieties(command: Command, made: Path) -> None:
    rows = pairs(6).with_columns(
        id=pl.int_range(pl.len()), author=pl.int_range(pl.len()) // 2, variety=pl.lit(7)
    )
    data = write_corpus(Path("numbers"), rows)
    call = ("evaluate", "--data", data, "--model", f"hf:{made / 'llama'}", "--out", "run", *FEW)
    assert command(*call).returncode == 0
    (items,) = Path("run").rglob("items.parquet")
    found = pl.read_parquet(items)
    assert found["id"].to_list() == [str(number) for number in range(6)]
    assert found["cluster"].n_unique() == 3
    check_line(command(*call, "--tasks", "features"), "error[corpus]", "'variety'", "type Int")


def test_blank_continuations_are_excluded_and_counted(evaluate: Any, tmp_path: Path) -> None:
    rows = pairs(6).with_columns(
        dialect=pl.when(pl.col("id") == "r0002").then(pl.lit("We was ")).otherwise("dialect")
    )
    printed = evaluate(data=write_corpus(tmp_path / "blank", rows))
    assert printed.returncode == 0, printed.stderr
    assert "no_boundaries 1" in printed.stdout


def test_a_full_disk_or_a_closed_folder_is_the_surroundings_fault(
    evaluate: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import errno

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    check_line(evaluate(), "No space left", status=1)


def test_a_question_is_asked_with_or_without_a_template(evaluate: Any, tmp_path: Path) -> None:
    data = write_corpus(tmp_path / "short", pairs(6).with_columns(dialect=pl.lit("We was late"),
        standard=pl.lit("We were late"), dialect_boundary=2, standard_boundary=1))  # fmt: skip
    found = []
    for chat in ("auto", "on", "off"):
        printed = evaluate("--tasks", "forced_choice", "--chat", chat, data=data)
        assert printed.returncode == 0, printed.stderr
        (folder,) = (tmp_path / "run" / "results").iterdir()
        said = json.loads((folder / "forced_choice" / "metrics.json").read_text())
        assert said["how"]["chat"] == chat
        assert said["measured"] == said["rows"]
        found.append(said["metrics"])
    assert found[0] == found[1] != found[2]
    calls = json.loads((tmp_path / "run" / "run.json").read_text())["calls"]
    assert [call["chat"] for call in calls] == ["auto", "on", "off"]
    check_line(evaluate("--chat", "perhaps", data=data), "--chat", "auto or on or off")
