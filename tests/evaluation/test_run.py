"""A run: rounds, one pool for all tasks, one record, the same results after any stop."""

from __future__ import annotations

import errno
import hashlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from filelock import FileLock
from isogloss.errors import (
    CorpusError,
    InternalError,
    IsoglossError,
    ModelError,
    OptionError,
    OutputError,
    StorageError,
    WorkFolderBusyError,
)
from isogloss.evaluation import Corpus, Measured, Metric, Request, Result, TaskClass, evaluate, task
from isogloss.evaluation import run as module
from isogloss.evaluation.tasks.continuation import TASK
from isogloss.evaluation.tasks.features import TASK as FEATURES
from isogloss.models.scoring import Score, ScoreRequest
from isogloss.stats import mean_interval
from isogloss.tests.evaluation.made import Toy, by_length, pairs

ROWS = pairs(9, authors=3)
CORPUS = Corpus("made", "evaluation", ROWS, "0" * 64)
Evaluate = Callable[..., list[Result]]


class TwoRounds:
    """Asks of each row, then of the better continuation alone."""

    rounds = 0

    def plan(self, rows: pl.DataFrame, answers: Any) -> Iterable[Request]:
        type(self).rounds += 1
        for row_id in rows["id"]:
            first = Request(ScoreRequest("It was", (f" {row_id}", " nothing"), item=row_id))
            yield first
            found = answers.get(first)
            if isinstance(found, Score):
                best = max((0, 1), key=lambda at: found.scored[at].total)
                yield Request(ScoreRequest("So:", (first.ask.continuations[best],), item=row_id))

    def measure(self, rows: pl.DataFrame, answers: Any, *, bootstrap: Any) -> Measured:
        last = list(self.plan(rows, answers))[1::2]
        totals = [answers.get(request).scored[0].total for request in last]
        items = rows.select("id").with_columns(total=pl.Series(totals))
        mean = mean_interval(totals, clusters=rows["author"].to_list(), options=bootstrap)
        return Measured([Metric("mean", mean, unit="nats")], items, headline=("mean",))


TWO_ROUNDS = task("two-rounds", version=1, columns=("id",))(TwoRounds)


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> dict[str, Toy]:
    """Models by name; what isn't here can't be had."""
    known: dict[str, Toy] = {"toy:a": Toy(by_length)}

    def load(name: str, **_: Any) -> Any:
        if name not in known:
            raise ModelError("there is no such model", where=name, remedy="name another")
        return known[name].scorer(name)

    monkeypatch.setattr(module, "load_scorer", load)
    return known


@pytest.fixture
def run(tmp_path: Path, toys: dict[str, Toy]) -> Evaluate:
    del toys  # is at work

    def evaluated(
        corpus: Corpus = CORPUS, models: Iterable[str] = ("toy:a",),
        tasks: Iterable[TaskClass] = (TASK,), *, out: str = "run", **more: Any,
    ) -> list[Result]:  # fmt: skip
        options = {"resamples": 100, **more}
        return evaluate(corpus, list(models), list(tasks), out=tmp_path / out, **options)

    return evaluated


class Told:
    def __init__(self) -> None:
        self.phases: list[tuple[str, int | None]] = []
        self.done: list[int] = []
        self.notes: list[str] = []

    def phase(self, label: str, total: int | None) -> None:
        self.phases.append((label, total))

    def advance(self, done: int, rows: int) -> None:
        assert done == rows
        self.done.append(done)

    def note(self, message: str) -> None:
        self.notes.append(message)


def hashes(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((folder / "results").rglob("*"))
        if path.is_file()
    }


def test_a_task_is_asked_until_it_wants_nothing_new(run: Evaluate, toys: dict[str, Toy]) -> None:
    TwoRounds.rounds = 0
    told = Told()
    (result,) = run(tasks=[TWO_ROUNDS], progress=told)
    assert TwoRounds.rounds == 3 + 1  # two rounds, one that wants nothing, and to measure
    assert [len(asked) for asked in toys["toy:a"].asked] == [9, 9]
    assert {one.context for one in toys["toy:a"].asked[1]} == {"So:"}
    assert told.phases == [("loading toy:a", None), ("scores, toy:a", 9), ("scores, toy:a", 9)]
    again = Told()
    run(tasks=[TWO_ROUNDS], progress=again)
    assert again.phases == [("scores, toy:a", 9), ("scores, toy:a", 9)]  # nothing to load
    assert told.done == [*range(10), *range(10)]
    assert result.measured.items.height == 9


def test_requests_of_all_tasks_are_pooled_and_equal_ones_asked_once(
    run: Evaluate, toys: dict[str, Toy]
) -> None:
    twin = task("twin", version=1, columns=("id",))(TASK.make)
    results = run(tasks=[TASK, twin, TWO_ROUNDS])
    assert [len(asked) for asked in toys["toy:a"].asked] == [9 * 2 + 9, 9]
    assert toys["toy:a"].loaded == 1
    first, second, _ = results
    assert first.measured.items.equals(second.measured.items)


def test_results_lie_by_model_and_task(run: Evaluate, tmp_path: Path) -> None:
    (result,) = run()
    (folder,) = (tmp_path / "run" / "results").iterdir()
    assert folder.name.startswith("toy-a-")
    metrics = json.loads((folder / "continuation" / "metrics.json").read_text())
    assert metrics["rows"] == metrics["measured"] == 9
    assert metrics["excluded"] == {}
    by_name = {one["name"]: one for one in metrics["metrics"]}
    lp = next(one for one in result.headline if one.name == "lp")
    assert by_name["lp"]["value"] == lp.estimate.value
    items = pl.read_parquet(folder / "continuation" / "items.parquet")
    assert items.equals(result.measured.items)


def test_the_record_says_what_the_run_is_of(run: Evaluate, tmp_path: Path) -> None:
    run(limit=5, seed=3)
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["corpus"] == {
        "name": "made", "split": "evaluation", "sha256": "0" * 64, "limit": 5, "seed": 3,
        "prompt": "",
    }  # fmt: skip
    assert record["models"] == {"toy:a": {"model": "toy:a"}}
    (call,) = record["calls"]
    assert {"isogloss", "torch", "transformers"} <= set(call["packages"])


def test_measuring_again_asks_nobody_and_writes_the_same_bytes(
    run: Evaluate, toys: dict[str, Toy], tmp_path: Path
) -> None:
    run()
    before = hashes(tmp_path / "run")
    run()
    assert toys["toy:a"].loaded == 1
    assert hashes(tmp_path / "run") == before
    assert len(before) == 2


def test_a_run_that_was_stopped_ends_as_if_it_had_not_been(
    run: Evaluate, toys: dict[str, Toy], tmp_path: Path
) -> None:
    run(out="undisturbed", tasks=[TASK, TWO_ROUNDS])
    left = iter(range(11))

    def fails_late(context: str, continuation: str) -> float:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return by_length(context, continuation)

    toys["toy:a"] = Toy(fails_late)
    with pytest.raises(KeyboardInterrupt):
        run(tasks=[TASK, TWO_ROUNDS])
    assert not (tmp_path / "run" / "results").exists()
    toys["toy:a"] = Toy(by_length)
    run(tasks=[TASK, TWO_ROUNDS])
    assert len(toys["toy:a"].asked[0]) == 27 - 5  # two continuations a request
    assert hashes(tmp_path / "run") == hashes(tmp_path / "undisturbed")


def test_a_model_that_is_gone_is_measured_by_its_answers_and_said_so(
    run: Evaluate, toys: dict[str, Toy], tmp_path: Path
) -> None:
    run()
    before = hashes(tmp_path / "run")
    del toys["toy:a"]
    told = Told()
    run(progress=told)
    assert told.notes == ["toy:a can't be had now; its answers of this run are measured"]
    assert hashes(tmp_path / "run") == before
    with pytest.raises(ModelError, match="there is no such model"):
        run(tasks=[TASK, TWO_ROUNDS])  # wants answers that are not there
    with pytest.raises(ModelError, match="there is no such model"):
        run(models=["toy:b"])  # was never here


@pytest.mark.parametrize("changed", [{"chat": "off"}, {"overlong": "skip"}])
def test_a_model_that_is_gone_is_not_measured_under_other_options(
    run: Evaluate, toys: dict[str, Toy], tmp_path: Path, changed: dict[str, str]
) -> None:
    run()
    gone = toys.pop("toy:a")
    before = hashes(tmp_path / "run")
    with pytest.raises(ModelError, match="has no answers of it under --chat") as caught:
        run(**changed)
    assert "--chat auto --overlong raise" in caught.value.remedy
    assert hashes(tmp_path / "run") == before
    toys["toy:a"] = gone
    run(**changed)
    del toys["toy:a"]
    for options in ({}, changed):  # it was asked with both
        (result,) = run(**options)
        assert result.how.items() >= {"chat": "auto", "overlong": "raise", **options}.items()


def test_options_of_a_model_that_has_changed_since_are_forgotten(
    run: Evaluate, toys: dict[str, Toy], monkeypatch: pytest.MonkeyPatch
) -> None:
    run()
    changed = toys["toy:a"].scorer("toy:a", revision="2")
    monkeypatch.setattr(toys["toy:a"], "scorer", lambda _: changed)
    run(chat="off")
    del toys["toy:a"]
    assert run(chat="off")
    with pytest.raises(ModelError, match="has no answers of it under"):
        run()


def test_tasks_that_the_corpus_has_no_columns_for_are_left_out_where_none_was_named(
    run: Evaluate, tmp_path: Path
) -> None:
    told = Told()
    bare = Corpus("x", "s", ROWS.drop("variety"), "0")
    results = run(bare, tasks=[FEATURES, TASK], skip_unfit=True, progress=told)
    assert [one.task.name for one in results] == ["continuation"]
    (note,) = told.notes
    assert note.startswith("left out: features needs the column 'variety'")
    assert "isogloss varieties" in note
    (call,) = json.loads((tmp_path / "run" / "run.json").read_text())["calls"]
    assert list(call["skipped_tasks"]) == ["features"]
    assert "'variety'" in call["skipped_tasks"]["features"]
    with pytest.raises(CorpusError, match="'variety'"):
        run(bare, tasks=[FEATURES, TASK])
    none = Corpus("x", "s", ROWS.drop("dialect_boundary"), "0")
    with pytest.raises(CorpusError, match="'dialect_boundary'"):
        run(none, tasks=[TASK], skip_unfit=True, out="none")


def test_two_models_share_a_run_and_no_answers(
    run: Evaluate, toys: dict[str, Toy], tmp_path: Path
) -> None:
    toys["toy:b"] = Toy(lambda context, text: 2 * by_length(context, text))
    first, second = run(models=["toy:a", "toy:b"])
    assert [len(toys[name].asked[0]) for name in ("toy:a", "toy:b")] == [18, 18]
    one, other = (dict(zip(["lp"], result.headline, strict=False)) for result in (first, second))
    assert other["lp"].estimate.value == pytest.approx(2 * one["lp"].estimate.value)
    assert len({path.name for path in (tmp_path / "run" / "results").iterdir()}) == 2
    alone = run(models=["toy:b"])
    assert alone[0].headline[0].estimate == other["lp"].estimate
    assert toys["toy:b"].loaded == 1
    assert set(json.loads((tmp_path / "run" / "run.json").read_text())["models"]) == set(toys)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"corpus": Corpus("made", "evaluation", ROWS, "1" * 64)}, "the corpus has changed"),
        ({"corpus": Corpus("made", "train", ROWS, "0" * 64)}, "the run is of another split"),
        ({"limit": 4}, "the run is of another sample"),
        ({"seed": 1}, "the run has another seed"),
    ],
)
def test_what_would_mix_two_runs_is_refused(
    run: Evaluate, tmp_path: Path, changed: dict[str, Any], why: str
) -> None:
    run()
    before = hashes(tmp_path / "run")
    record = (tmp_path / "run" / "run.json").read_bytes()
    with pytest.raises(CorpusError, match=why) as caught:
        run(**changed)
    assert "run.json" in caught.value.where
    assert "--out" in caught.value.remedy
    assert hashes(tmp_path / "run") == before
    assert (tmp_path / "run" / "run.json").read_bytes() == record


def test_a_folder_of_something_else_is_left_alone(run: Evaluate, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.tex").write_text("dear")
    with pytest.raises(OutputError, match="has something else in it"):
        run()
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["thesis.tex"]
    (tmp_path / "file").write_text("")
    for out in ("file", "file/below"):
        with pytest.raises(OutputError, match="this is a file"):
            run(out=out)


@pytest.mark.parametrize("shut", ["pathlib.Path.iterdir", "filelock.FileLock.acquire"])
def test_a_folder_without_permission_is_a_line(
    run: Evaluate, monkeypatch: pytest.MonkeyPatch, shut: str
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(shut, refuse)
    with pytest.raises(StorageError, match="Permission denied") as caught:
        run()
    assert "permissions" in caught.value.remedy


@pytest.mark.parametrize("left", ["journal.sqlite", "lock", ".run.json.tmp"])
def test_what_a_kill_at_the_very_beginning_leaves_is_no_hindrance(
    run: Evaluate, tmp_path: Path, left: str
) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / left).write_bytes(b"")
    assert run()


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "null", '{"corpus": "realaae", "format_version": 1, "models": {}}',
     '{"corpus": {}, "format_version": 1, "models": []}', "\x00\xff",
     '{"corpus": {}, "format_version": 99, "models": {}, "calls": []}',
     '{"rows": 7, "seconds": 3.5}'],
)  # fmt: skip
def test_a_record_that_is_none_is_refused_in_a_line(
    run: Evaluate, tmp_path: Path, text: str
) -> None:
    path = tmp_path / "run" / "run.json"
    path.parent.mkdir()
    path.write_text(text, encoding="latin-1")
    with pytest.raises(CorpusError) as caught:
        run()
    assert "run.json" in str(caught.value)
    assert path.read_text(encoding="latin-1") == text


def test_a_run_at_work_keeps_others_out(run: Evaluate, tmp_path: Path) -> None:
    run()
    busy = pytest.raises(WorkFolderBusyError, match="another process is at work in this folder")
    with FileLock(tmp_path / "run" / "lock"), busy as caught:
        run()
    assert caught.value.exit_status == 1


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"limit": 0}, OptionError),
        ({"limit": -3}, OptionError),
        ({"overlong": "truncate"}, OptionError),
        ({"corpus": Corpus("x", "s", ROWS.drop("dialect_boundary"), "0")}, CorpusError),
        ({"corpus": Corpus("x", "s", ROWS.clear(), "0")}, CorpusError),
        ({"models": ["toy:none"]}, ModelError),
    ],
)
def test_a_wrong_call_leaves_a_line(
    run: Evaluate, options: dict[str, Any], kind: type[IsoglossError]
) -> None:
    with pytest.raises(kind) as caught:
        run(**options)
    assert "\n" not in str(caught.value)
    assert caught.value.remedy


def test_columns_of_another_type_are_refused_in_a_line(run: Evaluate) -> None:
    for column, values in (
        ("dialect_boundary", [[1]] * 9),
        ("standard_boundary", [2.0] * 9),
        ("dialect", [7] * 9),
    ):
        odd = ROWS.with_columns(pl.Series(column, values))
        with pytest.raises(CorpusError, match=f"the column '{column}' has the type"):
            run(Corpus("x", "s", odd, "0"))


def test_a_role_that_nobody_plays_is_a_bug(run: Evaluate) -> None:
    class Judges(TwoRounds):
        def plan(self, rows: pl.DataFrame, answers: Any) -> Iterable[Request]:
            for request in super().plan(rows, answers):
                yield Request(request.ask, role="judge")

    with pytest.raises(InternalError, match="judge"):
        run(tasks=[task("judged", version=1, columns=("id",))(Judges)])


def test_a_sample_asks_of_its_rows_only(run: Evaluate, toys: dict[str, Toy]) -> None:
    (result,) = run(limit=4)
    assert result.rows == 4
    assert len(toys["toy:a"].asked[0]) == 8
