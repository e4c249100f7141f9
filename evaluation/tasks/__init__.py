"""The tasks: one file each, found by their file, or named by an entry point.

A task is a module here with a :class:`~isogloss.evaluation.task.TaskClass` named ``TASK``, or an
object of that type named by an entry point of the group ``isogloss.tasks``.
"""

from __future__ import annotations

import difflib
import pkgutil
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from ...corpus.plugins import add_third_parties
from ...errors import OptionError
from ..task import TaskClass

__all__ = ["SUITES", "chosen_tasks", "tasks"]

SUITES: Mapping[str, tuple[str, ...]] = {
    "realaae": ("invariance", "continuation", "forced_choice", "features"),
}
"""Tasks that belong together, by the name of the study that they are from."""

_GROUP = "isogloss.tasks"


@cache
def tasks() -> dict[str, TaskClass]:
    """All tasks by name, sorted.

    Raises:
        RegistryError: If a third party's task can't be loaded, or two have one name.
    """
    found: dict[str, TaskClass] = {}
    for module in pkgutil.iter_modules(__path__):
        one = import_module(f".{module.name}", __name__).TASK
        found[one.name] = one
    points = entry_points(group=_GROUP)
    add_third_parties(found, points, TaskClass, what="task", key="name")
    return dict(sorted(found.items()))


def chosen_tasks(names: Sequence[str], *, suite: str | None = None) -> list[TaskClass]:
    """The tasks of some names and of a suite, each once, in their order; all tasks for neither.

    Raises:
        OptionError: If there is no such task or suite.
    """
    known = tasks()
    if suite is not None and suite not in SUITES:
        raise OptionError(
            f"there is no suite {suite!r}",
            where="--suite",
            remedy=f"choose one of {', '.join(SUITES)}",
        )
    names = [*names, *(SUITES[suite] if suite else ())]
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}? " if near else ""
            raise OptionError(
                f"there is no task {name!r}",
                where="--tasks",
                remedy=f"{hint}`isogloss evaluate --list` names all of them",
            )
    return [known[name] for name in dict.fromkeys(names or known)]
