"""Builders: one module per corpus, each a function that returns a pipeline.

A builder is a module here, or one named by an entry point of the group
``isogloss.builders``, with a function ``build`` whose keyword-only parameters are its
options (annotated with a type and a line of help) and whose docstring's first line says
what it builds. Its constant ``FORMS``, if it has one, declares the release forms of the
corpus beside the full one.
"""

from __future__ import annotations

import difflib
import pkgutil
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import BuilderError
from ..models.budget import Limits
from .engine import BuildResult, Pipeline, Progress, dry_run, run

if TYPE_CHECKING:
    from .forms import IdsForm

__all__ = [
    "BuildResult",
    "Pipeline",
    "build",
    "builder",
    "builder_forms",
    "builder_names",
    "dry_run",
    "run",
]

_GROUP = "isogloss.builders"


def builder_names() -> list[str]:
    """The builders' names as users write them, sorted."""
    ours = [module.name for module in pkgutil.iter_modules(__path__) if not module.ispkg]
    theirs = [point.name for point in entry_points(group=_GROUP)]
    return sorted({name.replace("_", "-") for name in ours + theirs})


def builder(name: str) -> Callable[..., Pipeline]:
    """The ``build`` function of a builder.

    Raises:
        BuilderError: If there is none of that name, or it can't be loaded.
    """
    if name not in builder_names():
        close = difflib.get_close_matches(name, builder_names(), n=1, cutoff=0.5)
        raise BuilderError(
            f"there is no builder {name!r}",
            where="build-corpus",
            remedy=(f"did you mean {close[0]}? " if close else "")
            + f"The builders are {', '.join(builder_names())}",
        )
    try:
        function: Callable[..., Pipeline] = _module(name).build
    except (ImportError, AttributeError) as error:
        raise BuilderError(
            f"the builder {name!r} can't be loaded ({error})",
            where="build-corpus",
            remedy="reinstall the package that provides it",
        ) from error
    return function


def builder_forms(name: str) -> Mapping[str, IdsForm]:
    """The release forms that a builder declares beside the full one, by their names.

    Raises:
        BuilderError: If there is no builder of that name, or it can't be loaded.
    """
    builder(name)
    forms: Mapping[str, IdsForm] = getattr(_module(name), "FORMS", {})
    return forms


def _module(name: str) -> Any:
    points = {point.name.replace("_", "-"): point for point in entry_points(group=_GROUP)}
    if name in points:
        return points[name].load()
    return import_module(f".{name.replace('-', '_')}", __name__)


def build(
    name: str,
    *,
    out: str | Path,
    workers: int = 1,
    limits: Limits | None = None,
    retry_failed: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> BuildResult:
    """Builds a corpus, or goes on where an interrupted build stopped.

    Args:
        name: The builder, for example ``"realaae"``.
        out: The corpus folder.
        workers: Blocks in work at the same time; changes the speed only.
        limits: What the models may cost in all runs on this folder together.
        retry_failed: Ask again what a model failed to answer, and only that.
        progress: Told of what is done.
        **options: The builder's options, as ``build-corpus NAME --help`` lists them.

    Raises:
        IsoglossError: With the mistake in one line.
    """
    pipeline = builder(name)(**options)
    return run(
        pipeline,
        Path(out),
        workers=workers,
        limits=limits,
        retry_failed=retry_failed,
        progress=progress,
    )
