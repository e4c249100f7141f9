"""The report of runs that `evaluate` itself made, whole or stopped halfway."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from isogloss.errors import SourceError
from isogloss.evaluation import Corpus, TaskClass, evaluate
from isogloss.evaluation import run as module
from isogloss.evaluation.report import Section, read_runs, sections_of, write_report
from isogloss.evaluation.tasks.continuation import TASK
from isogloss.evaluation.tasks.features import TASK as FEATURES
from isogloss.tests.evaluation.made import Toy, by_length, pairs

pytestmark = pytest.mark.slow

ROWS = pairs(9, authors=3)
CORPUS = Corpus("made", "evaluation", ROWS, "0" * 64)
Evaluate = Callable[..., Path]


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> dict[str, Toy]:
    known = {name: Toy(by_length) for name in ("toy:a", "toy:b")}
    monkeypatch.setattr(module, "load_scorer", lambda name, **_: known[name].scorer(name))
    return known


@pytest.fixture
def run(tmp_path: Path, toys: dict[str, Toy]) -> Evaluate:
    del toys  # is at work

    def evaluated(
        corpus: Corpus = CORPUS, models: Iterable[str] = ("toy:a",),
        tasks: Iterable[TaskClass] = (TASK,), *, out: str = "run", **more: Any,
    ) -> Path:  # fmt: skip
        options = {"resamples": 100, **more}
        evaluate(corpus, list(models), list(tasks), out=tmp_path / out, **options)
        return tmp_path / out

    return evaluated


def stopped(run: Evaluate, toy: Toy, *, after: int = 0, **options: Any) -> None:
    """A run that is killed when the model has given so many answers."""
    left = iter(range(after))

    def fails(context: str, continuation: str) -> float:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return by_length(context, continuation)

    toy.logp = fails
    with pytest.raises(KeyboardInterrupt):
        run(**options)
    toy.logp = by_length


def only(*folders: Path) -> Section:
    (section,) = sections_of(read_runs(folders))
    return section


def rewrite(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")


def test_tasks_that_were_left_out_are_named(run: Evaluate, tmp_path: Path) -> None:
    bare = Corpus("made", "evaluation", ROWS.drop("variety"), "0" * 64)
    folder = run(bare, tasks=[TASK, FEATURES], skip_unfit=True)
    (line,) = only(folder).missing
    assert line.startswith("features was left out in run run: ")
    assert "'variety'" in line
    said = write_report(read_runs([folder]), tmp_path / "r")[0].read_text(encoding="utf-8")
    assert "features was left out" in said


def test_a_run_is_unfinished_until_all_that_it_was_to_measure_is_there(
    run: Evaluate, toys: dict[str, Toy], tmp_path: Path
) -> None:
    folder = run()
    assert only(folder).missing == []
    wanted: dict[str, Any] = {"models": ["toy:a", "toy:b"], "tasks": [TASK, FEATURES]}
    # Features ask what continuations ask, so the first model has all answers already.
    stopped(run, toys["toy:b"], **wanted)
    (line,) = only(folder).missing
    assert line.endswith("has no results: run run isn't finished.")
    run(**wanted)
    assert only(folder).missing == []
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["wanted"] == {name: ["continuation", "features"] for name in ("toy:a", "toy:b")}
    # As after a kill: noted what is wanted, nothing measured.
    rewrite(folder / "run.json", lambda data: data["wanted"]["toy:a"].append("forced_choice"))
    (line,) = only(folder).missing
    assert line == "toy:a has no results of forced_choice: run run isn't finished."


def test_models_that_the_run_did_not_get_to_are_missing_too(
    run: Evaluate, toys: dict[str, Toy]
) -> None:
    folder = run(models=["toy:b"])
    stopped(run, toys["toy:a"], after=3, models=["toy:a", "toy:b"], tasks=[TASK, FEATURES])
    assert sorted(only(folder).missing) == [
        "toy:a has no results: run run isn't finished.",
        "toy:b has no results of features: run run isn't finished.",
    ]


def test_a_record_of_an_older_version_says_nothing_of_what_was_wanted(run: Evaluate) -> None:
    folder = run()
    rewrite(folder / "run.json", lambda data: data.pop("wanted"))
    assert only(folder).missing == []


def test_a_run_without_results_is_a_line_among_others(
    run: Evaluate, toys: dict[str, Toy], tmp_path: Path
) -> None:
    done = run(out="done")
    stopped(run, toys["toy:b"], models=["toy:b"], out="late")
    other = Corpus("other", "evaluation", ROWS, "1" * 64)
    stopped(run, toys["toy:b"], corpus=other, models=["toy:b"], out="elsewhere")
    late, elsewhere = tmp_path / "late", tmp_path / "elsewhere"
    with pytest.raises(SourceError, match="no results yet"):
        read_runs([late])
    section = only(elsewhere, done, late)
    assert [column.label for column in section.columns] == ["toy:a"]
    first, second = section.missing
    assert first.startswith("Run elsewhere has no results yet of toy:b on other")
    assert second.startswith("Run late has no results yet of toy:b on made")
    said = write_report(read_runs([late, done]), tmp_path / "r")[0].read_text(encoding="utf-8")
    assert "Run late has no results yet" in said


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"chat": "off"}, "differ in --chat: auto (continuation), off (features)"),
        ({"overlong": "cut"}, "differ in --overlong: raise (continuation), cut (features)"),
        ({"prompt": "Be kind."}, "differ in --prompt: none (continuation), Be kind. (features)"),
        ({"resamples": 200}, "resamples of the bootstrap: 100 (continuation), 200 (features)"),
        ({"model": {"revision": "r2"}}, "the model's revision: r1 (continuation), r2 (features)"),
    ],
)  # fmt: skip
def test_tasks_that_were_not_asked_alike_are_named(
    run: Evaluate, tmp_path: Path, changed: dict[str, Any], words: str
) -> None:
    folder = run(tasks=[TASK, FEATURES])
    for path in folder.glob("results/*/*/metrics.json"):
        data = json.loads(path.read_text(encoding="utf-8"))
        data["how"]["model"] = {"revision": "r1"}
        if path.parent.name == "features":
            data["how"] |= changed
        path.write_text(json.dumps(data), encoding="utf-8")
    (line,) = only(folder).missing
    assert line.startswith("toy:a's tasks differ in ")
    assert words in line
    said = write_report(read_runs([folder]), tmp_path / "r")[0].read_text(encoding="utf-8")
    table = said.partition("What was evaluated</h3>")[2].partition("</table>")[0]
    assert ("by task" in table) == ("resamples" not in changed)
    assert "<code>r1</code>" in table or "model" in changed


@pytest.mark.parametrize(
    ("found", "chat", "words"),
    [
        ({"chat_template_sha256": None}, "auto", "in plain text: the model has no chat template"),
        ({"chat_template_sha256": "ab"}, "auto", "<td>by its chat template</td>"),
        ({}, "auto", "by its chat template if it has one"),
        ({"chat_template_sha256": "ab"}, "off", "as plain text"),
    ],
)
def test_the_page_says_whether_a_chat_template_was_used(
    run: Evaluate, tmp_path: Path, found: dict[str, Any], chat: str, words: str
) -> None:
    folder = run(chat=chat)
    rewrite(folder / "run.json", lambda data: data["found"].update({"toy:a": found}))
    said = write_report(read_runs([folder]), tmp_path / "r")[0].read_text(encoding="utf-8")
    assert words in said


@pytest.mark.parametrize(
    ("key", "value"),
    [("limit", [3]), ("limit", True), ("limit", "3"), ("seed", {}), ("prompt", 7)],
)
def test_a_record_with_a_value_of_another_type_is_damaged(
    run: Evaluate, key: str, value: Any
) -> None:
    folder = run()
    rewrite(folder / "run.json", lambda data: data["corpus"].update({key: value}))
    with pytest.raises(SourceError, match=f"damaged \\({key} is"):
        read_runs([folder])


@pytest.mark.parametrize("wanted", [[], {"toy:a": "continuation"}, {"toy:a": [1]}, 7])
def test_wanted_tasks_of_another_shape_are_damage_or_none(run: Evaluate, wanted: Any) -> None:
    folder = run()
    rewrite(folder / "run.json", lambda data: data.update(wanted=wanted))
    if wanted == []:
        assert only(folder).missing == []
        return
    with pytest.raises(SourceError, match="damaged"):
        read_runs([folder])


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda data: data["how"].update(chat=["on"]), "chat is"),
        (lambda data: data["how"].update(model="gpt"), "model is"),
        (lambda data: data["metrics"][0].update(reason=[1]), "reason is"),
        (lambda data: data.update(rows=float("inf")), "infinity"),
    ],
)
def test_results_with_a_value_of_another_type_are_damaged(
    run: Evaluate, change: Callable[[dict[str, Any]], object], why: str
) -> None:
    folder = run()
    rewrite(next(folder.glob("results/*/*/metrics.json")), change)
    with pytest.raises(SourceError, match=why):
        read_runs([folder])
