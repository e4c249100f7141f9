"""``isogloss tools``: programs that run in environments of their own."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["tools"]

tools = typer.Typer(
    help="Programs whose pins can't live beside ours, each in an environment of its own.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
_Name = Annotated[str, typer.Argument(help="A tool, as `isogloss tools list` names it.")]
_MEGABYTE = 1_000_000


@tools.command("install")
def _install(
    name: _Name,
    python: Annotated[
        str | None,
        typer.Option(help="Path of the Python to use; by default this one, or one that fits."),
    ] = None,
) -> None:
    """Make a tool's environment; after a kill, the same command goes on where it ended."""
    from .console import ConsoleProgress, show
    from .tools import install

    with ConsoleProgress(unit="packages") as progress:
        made = install(name, python=python, progress=progress)
    show([f"{name} {made.tool.version} is installed: {_megabytes(made.size)} in {made.folder}"])


@tools.command("list")
def _list() -> None:
    """List the tools, and which of them are installed."""
    from .console import output, table
    from .tools import catalogue, installed

    found = {one.tool.name: one for one in installed()}
    columns = ["name", "version", "installed", "disk", "licence", "what for"]
    rows = [
        (
            tool.name,
            tool.version,
            f"Python {found[tool.name].python_version}" if tool.name in found else "no",
            _megabytes(found[tool.name].size) if tool.name in found else f"({tool.megabytes} MB)",
            tool.licence,
            tool.summary,
        )
        for tool in catalogue().values()
    ]
    output.print(table("Tools", columns, rows, numbers=["disk"]))


@tools.command("remove")
def _remove(name: _Name) -> None:
    """Remove a tool's environments, of all versions."""
    from .console import show
    from .tools import remove

    show([f"{name} is removed: {_megabytes(remove(name))} are free again"])


def _megabytes(size: int) -> str:
    return f"{size / _MEGABYTE:,.0f} MB"
