"""Tasks are found by their file or an entry point; a wrong name gets a suggestion."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from isogloss.errors import OptionError, RegistryError
from isogloss.evaluation import TaskClass, chosen_tasks, task, tasks
from isogloss.evaluation import tasks as package
from isogloss.evaluation.tasks.continuation import TASK

Points = Callable[..., None]


class Nothing:
    """Asks nothing, says nothing.

    More of it.
    """

    def plan(self, rows: Any, answers: Any) -> Any:
        del rows, answers
        return ()

    def measure(self, rows: Any, answers: Any, *, bootstrap: Any) -> Any:
        raise NotImplementedError


OURS = task("zz-nothing", version=3, columns=["id"])(Nothing)


class Point:
    def __init__(self, name: str, value: Any) -> None:
        self.name, self._value = name, value

    def load(self) -> Any:
        if isinstance(self._value, Exception):
            raise self._value
        return self._value


@pytest.fixture
def points(monkeypatch: pytest.MonkeyPatch) -> Iterator[Points]:
    """Puts objects where entry points are looked for."""
    import sys

    module = sys.modules["isogloss.evaluation.tasks"]

    def install(*values: Any) -> None:
        found = [Point(f"third{at}", value) for at, value in enumerate(values)]
        monkeypatch.setattr(
            module, "entry_points", lambda group: found if group == "isogloss.tasks" else []
        )
        tasks.cache_clear()

    yield install
    monkeypatch.undo()
    tasks.cache_clear()


def test_our_task_is_found_by_its_file() -> None:
    assert callable(package)
    assert tasks()["continuation"] is TASK


def test_a_decorated_class_is_a_task() -> None:
    assert isinstance(OURS, TaskClass)
    assert (OURS.name, OURS.version, OURS.columns) == ("zz-nothing", 3, ("id",))
    assert OURS.summary == "Asks nothing, says nothing."
    assert isinstance(OURS.make(), Nothing)


def test_a_third_partys_task_is_found_by_its_entry_point(points: Points) -> None:
    points(OURS)
    assert list(tasks())[-1] == "zz-nothing"
    assert {"continuation", "features"} < set(tasks())
    assert chosen_tasks(["zz-nothing"]) == [OURS]
    assert chosen_tasks([]) == list(tasks().values())
    assert TASK in chosen_tasks([])


@pytest.mark.parametrize(
    "value",
    [Nothing, "continuation", task("continuation", version=1, columns=[])(Nothing)],
    ids=["a bare class", "a string", "a name that is taken"],
)
def test_what_is_no_task_of_its_own_is_refused(points: Points, value: Any) -> None:
    points(value)
    with pytest.raises(RegistryError, match="'third0' is no task, or its name is taken"):
        tasks()


@pytest.mark.parametrize(
    "error",
    [ImportError("no module x"), AttributeError("no y"), SyntaxError("z"), ValueError("w")],
    ids=repr,
)
def test_a_task_that_cannot_be_loaded_is_named(points: Points, error: Exception) -> None:
    points(error)
    with pytest.raises(RegistryError, match="the task 'third0' can't be loaded"):
        tasks()


@pytest.mark.parametrize(("wrong", "hint"), [("continuatoin", "continuation"), ("xyz", "")])
def test_a_wrong_name_gets_a_suggestion(wrong: str, hint: str) -> None:
    with pytest.raises(OptionError, match=f"there is no task '{wrong}'") as caught:
        chosen_tasks([wrong])
    assert ("did you mean" in caught.value.remedy) == bool(hint)
    assert hint in caught.value.remedy
    assert "isogloss evaluate --list" in caught.value.remedy


def test_each_task_comes_once() -> None:
    assert chosen_tasks(["continuation", "continuation"]) == [TASK]
