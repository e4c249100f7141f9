"""The tools there are: rows of ``catalogue.toml``, never code.

Third parties add theirs with an entry point of the group ``isogloss.tools`` that names a
TOML file (a :class:`pathlib.Path`) in the layout of ``catalogue.toml``; the lock files
stand beside it.
"""

from __future__ import annotations

import difflib
import hashlib
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from ..errors import OptionError, RegistryError

__all__ = ["Tool", "catalogue", "tool_named"]

_PIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9.!+_-]+")
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Tool:
    """A program that runs in an environment of its own."""

    name: str  # kebab-case
    version: str  # of the program itself
    summary: str  # what it is for, in a few words
    licence: str  # SPDX expression
    pythons: tuple[str, ...]  # "3.13" and so on, the preferred one first
    megabytes: int  # about what it takes on the disk
    imports: tuple[str, ...]  # modules that prove that it is installed
    pins: tuple[str, ...]  # name==version of every package

    @property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits that stand for exactly these pins."""
        return hashlib.sha256("\n".join(self.pins).encode()).hexdigest()[:12]


@cache
def catalogue() -> dict[str, Tool]:
    """All tools by name: those shipped with Isogloss, then those of installed plug-ins.

    Raises:
        RegistryError: A catalogue can't be read, or two tools share a name.

    Example:
        >>> catalogue()["argilla-server"].licence
        'Apache-2.0'
    """
    found = {tool.name: tool for tool in _tools(Path(__file__).with_name("catalogue.toml"))}
    # Sorted, so that the catalogue does not depend on the order of installation.
    plugins = sorted(entry_points(group="isogloss.tools"), key=lambda one: (one.name, one.value))
    for plugin in plugins:
        for tool in _tools(_plugin_file(plugin)):
            if tool.name in found:
                raise RegistryError(
                    f"there is a tool {tool.name!r} already",
                    where=f"isogloss.tools plug-in {plugin.name!r}",
                    remedy="give it another name",
                )
            found[tool.name] = tool
    return found


def tool_named(name: str) -> Tool:
    """The tool of a name.

    Raises:
        OptionError: There is none; the message suggests near ones.
    """
    tools = catalogue()
    if name not in tools:
        near = difflib.get_close_matches(name, tools) or list(tools)
        raise OptionError(
            "there is no tool of this name", where=name, remedy=f"choose {' or '.join(near)}"
        )
    return tools[name]


def _plugin_file(plugin: EntryPoint) -> Path:
    try:
        return Path(plugin.load())
    except Exception as error:  # someone else's module may raise anything when imported
        raise RegistryError(
            f"it can't be read from {plugin.value} ({error!r})",
            where=f"isogloss.tools plug-in {plugin.name!r}",
            remedy="have the entry point name the path of a TOML file",
        ) from error


def _tools(file: Path) -> Iterator[Tool]:
    try:
        tables = tomllib.loads(file.read_text(encoding="utf-8"))["tool"]
        for table in tables:
            yield _tool(table, file)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise RegistryError(
            f"this catalogue of tools can't be read ({type(error).__name__}: {error})",
            where=str(file),
            remedy="write [[tool]] tables like those of Isogloss' own catalogue",
        ) from error


def _tool(table: dict[str, Any], file: Path) -> Tool:
    lock = file.parent / table.pop("lock")
    lines = lock.read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    for pin in pins:
        if not _PIN.fullmatch(pin):
            raise ValueError(f"{lock.name}: {pin!r} is not name==version")
    if unknown := sorted({one.name for one in fields(Tool)} - {"pins"} ^ table.keys()):
        raise KeyError(f"{', '.join(unknown)}: missing or unknown")
    if not _NAME.fullmatch(table["name"]):
        raise ValueError(f"{table['name']!r} is not a name in kebab-case")
    lists: dict[str, Any] = {key: tuple(table.pop(key)) for key in ("pythons", "imports")}
    return Tool(**table, **lists, pins=tuple(pins))
