"""What stands around the marks of a figure: labels of rows, ticks, a legend."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter

from .canvas import COLOURS, Drawing, shorter

__all__ = ["legend", "plain_ticks", "rows_axis"]


def rows_axis(axes: Axes, labels: Mapping[int, str], headings: Mapping[int, str]) -> None:
    """Labels rows at the left, and sets headings over groups of them."""
    axes.set_yticks(list(labels), list(labels.values()))
    for row, heading in headings.items():
        axes.text(
            0, row, shorter(heading), transform=axes.get_yaxis_transform(), va="center",
            ha="left", fontweight="bold", fontsize=9,
        )  # fmt: skip


def plain_ticks(axes: Axes) -> None:
    """Labels of a logarithmic axis as plain numbers."""
    axis = axes.xaxis
    low, high = axes.get_xlim()
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high / low < 100 else (1,)))
    axis.set_major_formatter(lambda value, _: f"{value:,g}")
    axis.set_minor_formatter(NullFormatter())


def legend(made: Drawing, entries: Sequence[tuple[str, str, str, bool]]) -> None:
    """A legend below: label, colour, marker, and whether it is hollow."""
    handles = list(_handles(entries))
    made.figure.legend(
        handles=handles, loc="outside lower center", ncols=2, handletextpad=0.3, columnspacing=1.2
    )


def _handles(entries: Sequence[tuple[str, str, str, bool]]) -> Iterator[Line2D]:
    for label, colour, marker, hollow in entries:
        yield Line2D(
            [], [], linestyle="none", marker=marker, markersize=5.2, color=COLOURS[colour],
            markerfacecolor=COLOURS["back"] if hollow else COLOURS[colour], label=label,
        )  # fmt: skip
