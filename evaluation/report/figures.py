"""Figures 3 to 5 of the paper, with an interval and n for every number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...corpus.lexicon import CLASSES
from ...stats import Estimate
from ..preference import SIDES
from .axes import legend, plain_ticks, rows_axis
from .canvas import COLOURS, drawing, mark, models_style, shorter
from .numbers import shown_n
from .sections import Column, Section

__all__ = ["Figure", "figures_of"]

_CLASSES = (*CLASSES, "no feature")
#: Height of a row where there are many, in inches.
_THIN = 0.19


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure that is drawn.

    Attributes:
        name: Of its files.
        title: In words.
        caption: How it is read.
        svg: Vector graphics for the web.
        pdf: The same for paper.
    """

    name: str
    title: str
    caption: str
    svg: bytes
    pdf: bytes


def figures_of(section: Section) -> list[Figure]:
    """The figures that a section has numbers for."""
    preferring = [column for column in section.columns if "continuation" in column.results]
    localised = [column for column in section.columns if "features" in column.results]
    found = []
    if preferring:
        found += [_perplexity(section, preferring), _preference(section, preferring)]
    if localised:
        found.append(_features(section, localised))
    return found


def _perplexity(section: Section, columns: Sequence[Column]) -> Figure:
    names, name = section.names, "figure-3-perplexity"
    pairs = [(context, side) for context in SIDES for side in SIDES]
    with drawing(name, 5 * len(columns)) as made:
        (axes,) = made.axes
        labels, headings = {}, {}
        for number, column in enumerate(columns):
            top = 5 * number
            found = [
                column.get("continuation", "perplexity", f"{side} | {context}")
                for context, side in pairs
            ]
            headings[top] = _heading(column, found)
            for row, ((context, side), one) in enumerate(
                zip(pairs, found, strict=True), start=top + 1
            ):
                labels[row] = f"{names.side(side)} | {names.side(context)}"
                mark(axes, row, one, side, hollow=side != context)
        axes.set_xscale("log")
        plain_ticks(axes)
        axes.set_xlabel("perplexity over all tokens (logarithmic)")
        rows_axis(axes, labels, headings)
        legend(
            made,
            [
                *((names.side(side) + " continuation", side, "o", False) for side in SIDES),
                ("context in the other variety", "faint", "o", True),
            ],
        )
    return Figure(
        name,
        "Figure 3. Perplexity of continuations in their own and in the other context",
        "Each row is continuation | context. Lower means that the model expects the continuation "
        "more. Lines are 95 % intervals. Perplexities of models with different tokenizers can't "
        "be compared; bits per byte in Table 2 can.",
        made.svg,
        made.pdf,
    )


def _preference(section: Section, columns: Sequence[Column]) -> Figure:
    names, name = section.names, "figure-4-preference"
    rows_of = (
        ("lp", "LP", "ink", "D"),
        ("b_standard", f"b_{names.standard}", "standard", "o"),
        ("b_dialect", f"b_{names.dialect}", "dialect", "o"),
        ("matching", "I", "faint", "s"),
    )
    height = len(rows_of) + 1
    with drawing(name, height * len(columns)) as made:
        (axes,) = made.axes
        axes.axvline(0, color=COLOURS["faint"], linewidth=1)
        labels, headings = {}, {}
        for number, column in enumerate(columns):
            found = [column.get("continuation", metric) for metric, *_ in rows_of]
            headings[height * number] = _heading(column, found)
            for row, ((_, label, colour, marker), one) in enumerate(
                zip(rows_of, found, strict=True), start=height * number + 1
            ):
                labels[row] = label
                mark(axes, row, one, colour, marker=marker)
        axes.set_xlabel("nats, summed over tokens, mean over items")
        rows_axis(axes, labels, headings)
    return Figure(
        name,
        "Figure 4. Preference for the standard continuation (LP) and its two parts",
        f"LP = b_{names.standard} − b_{names.dialect}: to the right, the standard continuation is "
        f"preferred. I = b_{names.standard} + b_{names.dialect}: to the right, the model follows "
        "its context. LP = 0 with I = 0 is a model that the context doesn't touch. Lines are "
        "95 % intervals.",
        made.svg,
        made.pdf,
    )


def _features(section: Section, columns: Sequence[Column]) -> Figure:
    name, standard = "figure-5-features", section.names.standard
    labels: dict[float, str] = {}
    ends: list[float] = []
    # Filled and hollow, a row each; whoever shows nothing shows nothing else either.
    step = 2 * len(columns) + 1
    rows = step * len(CLASSES) + max(len(columns), 2)
    with drawing(name, rows, widths=(2.4, 1), row=_THIN) as made:
        left, right = made.axes
        left.axvline(0, color=COLOURS["faint"], linewidth=1)
        for at, one in enumerate(_CLASSES):
            top, each = step * at, 2 if one in CLASSES else 1
            inclusive = [column.get("features", "lp_by_class", one) for column in columns]
            alone = [column.get("features", "lp_by_class_exclusive", one) for column in columns]
            falsely = [column.get("features", "class_rate_standard", one) for column in columns]
            labels[top], labels[top + 1] = one, _counts(inclusive, alone)
            ends.append(top + step - 1)
            for number in range(len(columns)):
                colour, marker = models_style(number)
                row = top + each * number
                mark(left, row, inclusive[number], colour, marker=marker)
                mark(left, row + 1, alone[number], colour, marker=marker, hollow=True)
                mark(right, row + 0.5, falsely[number], colour, marker=marker)
        for end in ends[:-1]:
            for axes in made.axes:
                axes.axhline(end, color=COLOURS["line"], linewidth=0.6)
        left.set_xlabel("LP, nats")
        right.set_xlabel(f"on {standard} side")
        right.xaxis.set_major_formatter(lambda value, _: f"{value * 100:g} %")
        right.set_xlim(left=0)
        left.set_yticks(list(labels), list(labels.values()))
        styles = [models_style(number) for number in range(len(columns))]
        legend(
            made,
            [
                *(
                    (shorter(column.label, 30), colour, marker, False)
                    for column, (colour, marker) in zip(columns, styles, strict=True)
                ),
                ("no other class (exclusive)", "faint", "o", True),
            ],
        )
    return Figure(
        name,
        "Figure 5. LP by what the dialect's grammar shows",
        "Filled: all rows that show a feature of the class; hollow: those that show no other "
        f"class. At the right how often the same patterns match the {standard} side, where the "
        "feature should not be: the share of false positives. Classes as in the paper; those of "
        "Green (2002) stand in Table 7. Lines are 95 % intervals.",
        made.svg,
        made.pdf,
    )


def _counts(inclusive: Sequence[Estimate | None], alone: Sequence[Estimate | None]) -> str:
    label = f"n = {shown_n([one.n for one in inclusive if one])}"
    counts = [one.n for one in alone if one]
    return f"{label}, alone {shown_n(counts)}" if counts else label


def _heading(column: Column, found: Sequence[Estimate | None]) -> str:
    return f"{shorter(column.label, 34)}  n = {shown_n([one.n for one in found if one])}"
