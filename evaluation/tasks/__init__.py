"""The tasks: one file each, found by their file, or named by an entry point.

A task is a module here with a :class:`~isogloss.evaluation.task.TaskClass` named ``TASK``, or an
object of that type named by an entry point of the group ``isogloss.tasks``.
"""

from __future__ import annotations

import difflib
import pkgutil
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from ...errors import OptionError, RegistryError
from ..task import TaskClass

__all__ = ["chosen_tasks", "tasks"]

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
    for point in entry_points(group=_GROUP):
        try:
            one = point.load()
        except Exception as error:
            # Foreign code: importing it may raise anything.
            raise RegistryError(
                f"the task {point.name!r} can't be loaded ({error})",
                remedy="reinstall the package that provides it",
            ) from error
        if not isinstance(one, TaskClass) or one.name in found:
            raise RegistryError(
                f"the entry point {point.name!r} is no task, or its name is taken",
                remedy="name a TaskClass with a name of its own",
            )
        found[one.name] = one
    return dict(sorted(found.items()))


def chosen_tasks(names: Sequence[str]) -> list[TaskClass]:
    """The tasks of some names, each once, in their order; all tasks for no name.

    Raises:
        OptionError: If there is no such task.
    """
    known = tasks()
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
