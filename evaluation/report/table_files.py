"""Tables as CSV, Markdown and LaTeX; whatever stands in them can't be more than text."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from ...errors import printable
from .numbers import FEW, MINUS, shown
from .tables import NOT_MEASURED, Row, Table

__all__ = ["WRITERS", "as_csv", "as_latex", "as_markdown"]

_FORMULA = ("=", "+", "-", "@")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|&~$!])")
_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}", "`": r"\textasciigrave{}",
    MINUS: "$-$", "κ": r"$\kappa$", "∞": r"$\infty$", FEW: r"$^{\dagger}$", "“": "``", "”": "''",
    "–": "--", "…": r"\ldots{}",
}  # fmt: skip
_FEW_NOTE = "Fewer than 50 clusters, or not enough for a percentile interval."
#: Of so many numbers a note says which they are.
_NAMED = 3
_PARTS = ("value", "low", "high", "n", "clusters", "method", "reason")


def as_csv(table: Table) -> str:
    """Every number in full; seven columns for each model.

    The last says why a number isn't there, or why its interval isn't or was found otherwise.

    Text that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    lines = io.StringIO()
    write = csv.writer(lines, lineterminator="\n").writerow
    models = [f"{model} {part}" for model in table.models for part in _PARTS]
    write([_cell(text) for text in ("group", "metric", "unit", *models)])
    for row in table.rows:
        numbers: list[object] = []
        for one in row.cells:
            numbers += (
                [*[""] * (len(_PARTS) - 1), NOT_MEASURED]
                if one is None
                else [
                    *map(_number, (one.value, one.low, one.high)),
                    one.n,
                    one.clusters,
                    one.method,
                    _cell(one.reason or ""),
                ]
            )
        write([*map(_cell, (row.group, row.label, row.unit)), *numbers])
    return lines.getvalue()


def as_markdown(table: Table) -> str:
    """A table for a README."""
    head = ["", "n", *table.models]
    lines = [f"**{_markdown(table.title)}** (value [95 % interval])", ""]
    lines += [_line(map(_markdown, head)), _line(["---", *["--:"] * (len(head) - 1)])]
    for group, rows in _grouped(table):
        lines.append(_line([f"*{_markdown(group)}*", *[""] * (len(head) - 1)]))
        lines += [_line(map(_markdown, _texts(row))) for row in rows]
    if table.few:
        lines += ["", f"{FEW} {_FEW_NOTE}"]
    if table.reasons:
        lines += ["", _markdown(f"– {_dashes(table)}")]
    return "\n".join(lines) + "\n"


def as_latex(table: Table) -> str:
    """A ``tabular`` with the rules of booktabs."""
    columns = len(table.models) + 2
    head = " & ".join(map(_latex, ("", "n", *table.models)))
    lines = [
        "% needs \\usepackage{booktabs,textcomp} and \\usepackage[T1]{fontenc}",
        f"% {_latex(table.title)}",
        f"\\begin{{tabular}}{{l{'r' * (columns - 1)}}}",
        "\\toprule",
        f"{head} \\\\",
    ]
    for group, rows in _grouped(table):
        lines += ["\\midrule", f"\\multicolumn{{{columns}}}{{l}}{{\\emph{{{_latex(group)}}}}} \\\\"]
        lines += [f"{_guarded(' & '.join(map(_latex, _texts(row))))} \\\\" for row in rows]
    lines += ["\\bottomrule", "\\end{tabular}"]
    if table.few:
        lines.append(f"% dagger: {_FEW_NOTE}")
    if table.reasons:
        lines.append(f"% dash: {_latex(_dashes(table))}")
    return "\n".join(lines) + "\n"


WRITERS: Mapping[str, Callable[[Table], str]] = {
    "csv": as_csv,
    "md": as_markdown,
    "tex": as_latex,
}
"""By the ending of a file's name."""


def _grouped(table: Table) -> Iterator[tuple[str, list[Row]]]:
    groups: dict[str, list[Row]] = {}
    for row in table.rows:
        groups.setdefault(row.group, []).append(row)
    yield from groups.items()


def _texts(row: Row) -> list[str]:
    cells = [
        shown(one, row.unit) + ("" if one is None or row.same_n else f" (n = {one.n:,})")
        for one in row.cells
    ]
    return [row.label, row.n, *cells]


def _dashes(table: Table) -> str:
    """Why numbers aren't there, in a line."""
    said = []
    for why, rows in table.reasons.items():
        few = len(rows) <= _NAMED
        said.append(f"{why} ({'; '.join(dict.fromkeys(rows)) if few else f'{len(rows)} numbers'})")
    return f"A number that isn't there: {', '.join(said)}."


def _number(value: float) -> str:
    return repr(value) if math.isfinite(value) else ""


def _cell(text: str) -> str:
    text = printable(text)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", printable(text))


def _guarded(line: str) -> str:
    """A line that isn't taken for an argument of the line break before it."""
    return f"{{}}{line}" if line.startswith(("[", "*")) else line


def _latex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in printable(text))
