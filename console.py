"""What commands print: progress, tables, examples; plain lines where there is no terminal."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from .errors import printable

__all__ = ["ConsoleProgress", "errors", "output", "show", "table"]

_PLAIN_WIDTH = 200
output = Console(highlight=False, markup=False, emoji=False)
errors = Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)
if not output.is_terminal:
    output.width = _PLAIN_WIDTH

_PLAIN_SECONDS = 10.0


def table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    numbers: Sequence[str] = (),
) -> Table:
    """A table; columns named in ``numbers`` stand right, whole numbers with commas."""
    made = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD if output.is_terminal else box.ASCII2,
    )
    for column in columns:
        made.add_column(column, justify="right" if column in numbers else "left", overflow="fold")
    for row in rows:
        made.add_row(
            *(Text(f"{cell:,}" if isinstance(cell, int) else printable(str(cell))) for cell in row)
        )
    return made


def show(parts: Iterable[RenderableType]) -> None:
    """Prints tables within the width, and everything else without breaking its lines."""
    for part in parts:
        output.print(part, soft_wrap=not isinstance(part, Table))


class ConsoleProgress:
    """A bar with rate and remaining time on a terminal, a line every ten seconds elsewhere.

    Args:
        unit: What is counted.
    """

    def __init__(self, *, unit: str = "rows") -> None:
        self._unit = unit
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TextColumn(f"{{task.fields[rows]:,}} {unit}, {{task.fields[rate]:,.0f}} {unit}/s"),
            TimeRemainingColumn(),
            console=errors,
            transient=True,
        )
        self._task: TaskID | None = None
        self._label = ""
        self._total = 0
        self._started = self._told = 0.0

    def __enter__(self) -> ConsoleProgress:
        if errors.is_terminal:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if errors.is_terminal:
            self._bar.stop()

    def phase(self, label: str, total: int | None) -> None:
        """A phase begins."""
        self._label, self._total = label, total or 0
        self._started = self._told = time.monotonic()
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._task = self._bar.add_task(label, total=total, rows=0, rate=0.0)

    def advance(self, done: int, rows: int) -> None:
        """``done`` units and ``rows`` rows of the phase are done."""
        now = time.monotonic()
        rate = rows / max(now - self._started, 1e-3)
        if self._task is not None:
            self._bar.update(self._task, completed=done, rows=rows, rate=rate)
        if not errors.is_terminal and now - self._told >= _PLAIN_SECONDS:
            self._told = now
            share = done / self._total if self._total else 0.0
            left = (now - self._started) * (1 - share) / share if share else 0.0
            errors.print(
                f"{self._label}: {share:.0%}, {rows:,} {self._unit}, "
                f"{rate:,.0f} {self._unit}/s, {left:,.0f} s left"
            )

    def note(self, message: str) -> None:
        """Prints a line above the bar."""
        errors.print(f"note: {printable(message)}")
