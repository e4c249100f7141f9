"""What the figures are drawn with: dots and intervals in rows, as SVG and PDF.

The same numbers give the same bytes: no date, no random ids, the font that the library brings.
"""

from __future__ import annotations

import io
import math
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...stats import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "COLOURS",
    "Drawing",
    "drawing",
    "inline",
    "mark",
    "models_style",
    "shorter",
]

#: Okabe and Ito's palette, which colour-blind people can tell apart, and what it is on a page.
COLOURS: Mapping[str, str] = {
    "ink": "#1b1f24", "faint": "#59636e", "line": "#d5dae0", "back": "#fefefe",
    "dialect": "#d55e00", "standard": "#0072b2",
    "third": "#009e73", "fourth": "#b5568e", "fifth": "#8a6d00", "sixth": "#3f9bd1",
}  # fmt: skip
_SERIES = ("standard", "dialect", "third", "fourth", "fifth", "sixth")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_ROW, _WIDTH = 0.235, 4.7
_LONGEST = 44
_STYLE: Mapping[str, Any] = {
    "font.family": "DejaVu Sans", "font.size": 9, "text.parse_math": False,
    "svg.fonttype": "none", "pdf.fonttype": 42, "axes.edgecolor": COLOURS["faint"],
    "axes.labelcolor": COLOURS["ink"], "text.color": COLOURS["ink"],
    "xtick.color": COLOURS["faint"], "ytick.color": COLOURS["ink"],
    "xtick.labelcolor": COLOURS["ink"], "grid.color": COLOURS["line"],
    "figure.facecolor": COLOURS["back"], "axes.facecolor": COLOURS["back"],
    "savefig.facecolor": COLOURS["back"], "axes.linewidth": 0.7, "grid.linewidth": 0.6,
    "legend.frameon": False, "legend.fontsize": 8.5, "axes.unicode_minus": True,
}  # fmt: skip
_SVG = re.compile(r"<svg\b.*</svg>", re.DOTALL)
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_SIZE = re.compile(r'(<svg\b[^>]*?) width="[^"]*" height="[^"]*"|(<svg\b[^>]*?) height="[^"]*"')


@dataclass(slots=True)
class Drawing:
    """A figure that is being drawn.

    Attributes:
        figure: The library's.
        axes: Its panels, from the left.
    """

    figure: Figure
    axes: Sequence[Axes]
    svg: bytes = b""
    pdf: bytes = b""


@contextmanager
def drawing(
    name: str, rows: int, *, widths: Sequence[float] = (1,), row: float = _ROW
) -> Iterator[Drawing]:
    """An empty figure of so many rows; when the block ends it is written.

    Args:
        name: Of which the ids in the SVG are made.
        rows: Rows of marks.
        widths: Of the panels beside each other, in parts.
        row: Height of a row, in inches.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    style: Any = {**_STYLE, "svg.hashsalt": name}
    with mpl.rc_context(style), warnings.catch_warnings():
        # The font has not every sign that a name may have; the SVG shows it in another.
        warnings.filterwarnings("ignore", message=".*[Gg]lyph .* missing")
        figure = Figure(figsize=(_WIDTH, row * rows + 0.95), layout="constrained")
        axes = figure.subplots(
            1, len(widths), sharey=True, width_ratios=widths, squeeze=False
        )[0]  # fmt: skip
        for one in axes:
            one.set_ylim(rows - 0.4, -0.6)
            one.spines[["top", "right", "left"]].set_visible(False)
            one.tick_params(axis="y", length=0)
            one.grid(visible=True, axis="x")
            one.set_axisbelow(True)
        made = Drawing(figure, list(axes))
        yield made
        for form, metadata in (("svg", {"Date": None}), ("pdf", {"CreationDate": None})):
            file = io.BytesIO()
            figure.savefig(file, format=form, metadata=metadata)
            setattr(made, form, file.getvalue())


def mark(
    axes: Axes, row: float, estimate: Estimate | None, colour: str, *, marker: str = "o",
    hollow: bool = False,
) -> None:  # fmt: skip
    """A dot with its interval; nothing where there is no number."""
    if estimate is None or not math.isfinite(estimate.value):
        return
    if math.isfinite(estimate.low) and math.isfinite(estimate.high):
        axes.plot(
            [estimate.low, estimate.high], [row, row], color=COLOURS[colour], linewidth=1.4,
            solid_capstyle="butt",
        )  # fmt: skip
    axes.plot(
        [estimate.value], [row], marker=marker, markersize=5.2, color=COLOURS[colour],
        markerfacecolor=COLOURS["back"] if hollow else COLOURS[colour], linestyle="none",
        clip_on=False,
    )  # fmt: skip


def models_style(number: int) -> tuple[str, str]:
    """Colour and marker of the model of a number; both repeat, but not together."""
    return _SERIES[number % len(_SERIES)], _MARKERS[number % len(_MARKERS)]


def shorter(text: str, longest: int = _LONGEST) -> str:
    """A text that fits, its middle left out if need be.

    Example:
        >>> shorter("hf:a/very-long-name-of-a-model", 15)
        'hf:a/ve…a-model'
    """
    if len(text) <= longest:
        return text
    half = (longest - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


def inline(svg: bytes, name: str) -> str:
    """An SVG for a page: ids of its own, colours of the page, as wide as there is room.

    Args:
        svg: As it was written.
        name: What its ids begin with.
    """
    found = _SVG.search(svg.decode())
    text = _METADATA.sub("", found.group()) if found else ""
    text = _SIZE.sub(r"\1\2", text, count=1)
    for before, after in (
        (' id="', f' id="{name}-'), ('href="#', f'href="#{name}-'), ("url(#", f"url(#{name}-"),
    ):  # fmt: skip
        text = text.replace(before, after)
    for role, colour in COLOURS.items():
        text = text.replace(colour, f"var(--{role})")
    return text
