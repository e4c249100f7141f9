"""Runs code of ours with a tool's Python, which has no Isogloss in it.

``python -I run.py PARENT NAME FOLDER MODULE ARGUMENTS…`` makes the package in ``FOLDER``
importable as ``NAME`` (relative imports work, and so do :mod:`isogloss.tools.inside` and
:mod:`isogloss.failpoints`) and runs its module; with ``NAME`` empty it runs any module of
the environment. The process ends with its parent, and what anything prints goes to standard
error: see :mod:`.channel`.
"""

from __future__ import annotations

import importlib.util
import runpy
import sys
from pathlib import Path
from types import ModuleType

__all__ = ["load", "main"]

_OURS = "isogloss.tools.inside"


def load(name: str, folder: Path) -> ModuleType:
    """Makes a package folder importable by a dotted name; packages above it stay empty.

    Args:
        name: What relative imports inside the folder count from.
        folder: Where the package's files lie.
    """
    above = name.split(".")[:-1]
    for depth in range(1, len(above) + 1):
        bare = ModuleType(".".join(above[:depth]))
        bare.__path__ = []
        sys.modules.setdefault(bare.__name__, bare)
    spec = importlib.util.spec_from_file_location(
        name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"there is no package in {folder}")
    package = importlib.util.module_from_spec(spec)
    sys.modules[name] = package
    if (folder / "__init__.py").is_file():
        spec.loader.exec_module(package)
    return package


def _load_failpoints(file: Path) -> None:
    """Makes the points at which a test kills a process importable here too."""
    spec = importlib.util.spec_from_file_location("isogloss.failpoints", file)
    if spec is not None and spec.loader is not None:
        sys.modules[spec.name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[spec.name])


def main(parent: str, name: str, folder: str, module: str, *arguments: str) -> None:
    """Binds this process to its parent, loads the package, and runs the module."""
    inside = Path(__file__).absolute().parent
    load(_OURS, inside)
    _load_failpoints(inside.parent.parent / "failpoints.py")
    channel, bound = (importlib.import_module(f"{_OURS}.{one}") for one in ("channel", "parent"))
    bound.end_with(int(parent))
    channel.keep_clear()
    if name:
        load(name, Path(folder))
    sys.argv = [module, *arguments]
    runpy.run_module(f"{name}.{module}" if name else module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
