"""One self-contained HTML page of a report: no script, no font, no picture from elsewhere."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from ...corpus.varieties import varieties
from ...errors import printable
from ...stats import Estimate
from ..agreement import Agreement
from ..gates import gates
from .examples import differences
from .histogram import Histogram
from .pairs import standard_of
from .verdicts import VERDICTS, Check

if TYPE_CHECKING:
    import jinja2

    from .report import Quality

__all__ = ["is_gate", "render", "shown_held", "shown_value", "worst_first"]

_SIGNS = {"pass": "✓", "look": "●", "fail": "✗", "none": "–"}
_WORDS = {"pass": "pass", "look": "look", "fail": "fail", "none": "not judged"}
_MEASURES = {
    "exact": "All raters agree",
    "pairwise": "Mean pairwise agreement",
    "fleiss_kappa": "Fleiss' κ",
    "randolph_kappa": "Randolph's κ",
    "gwet_ac1": "Gwet's AC1",
    "krippendorff_alpha": "Krippendorff's α",
    "cohen_kappa": "Cohen's κ",
}
#: What a histogram's axis says: label by position from 0 to 1.
_RATIO_AXIS = ("¼", "½", "1", "2", "4")


def render(quality: Quality) -> str:
    """The page.

    Args:
        quality: What was measured. Texts in it are untrusted and escaped.
    """
    return _template().render(
        quality=quality,
        pairs=quality.pairs,
        counts={verdict: _count(quality, verdict) for verdict in ("fail", "look", "pass", "none")},
        checks=worst_first(check for check in quality.checks if not is_gate(check)),
        gate_checks={
            check.id.removeprefix("gate."): check for check in quality.checks if is_gate(check)
        },
        signs=_SIGNS,
        words=_WORDS,
        measures=_MEASURES,
        gates=quality.gate_table(),
        purposes={gate.code: _first_line(gate.check) for gate in gates()},
        varieties={name: varieties()[name] for name in quality.pairs.varieties},
        standards={name: varieties()[standard_of(name)] for name in quality.pairs.varieties},
        by_variety=quality.by_variety,
        ratio_axis=_RATIO_AXIS,
        columns=_COLUMNS,
    )


_COLUMNS = {"dialect": "dialect", "standard": "standard", "back": "back-translation"}


@cache
def _template() -> jinja2.Template:
    import jinja2

    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters.update(
        number=_number, percent=_percent, bars=_bars, shown=_shown, estimate=_estimate,
        place=_place, held=shown_held, not_asked=_not_asked,
    )  # fmt: skip
    environment.globals.update(differences=differences, order=_order)
    source = resources.files(__package__).joinpath("page.html.j2").read_text(encoding="utf-8")
    return environment.from_string(source)


def _count(quality: Quality, verdict: str) -> int:
    return sum(check.verdict == verdict for check in quality.checks)


def _first_line(function: Any) -> str:
    return (inspect.getdoc(function) or "").partition("\n")[0].rstrip(".")


def _order(question: Agreement) -> list[tuple[str, Estimate]]:
    """A question's measures in the order that readers know, the others behind them."""
    known = [(name, question.measures[name]) for name in _MEASURES if name in question.measures]
    return known + [one for one in question.measures.items() if one[0] not in _MEASURES]


def _number(value: float, digits: int = 2) -> str:
    if not math.isfinite(value):
        return "–"
    # Adding 0.0 turns the -0.00 of a small negative number into 0.00.
    return f"{value:,}" if isinstance(value, int) else f"{round(value, digits) + 0.0:,.{digits}f}"


def _percent(value: float | None) -> str:
    """A share in per cent, with as many digits as tell it from 0 and 1."""
    if value is None or math.isnan(value):
        return "–"
    digits = 3 if min(value, 1 - value) < 0.0005 and 1e-6 < value < 1 - 1e-6 else 1
    return f"{value * 100:.{digits}f} %"


def _estimate(value: Estimate, share: bool = False) -> str:
    show = _percent if share else _number
    if math.isnan(value.value):
        return "–"
    if math.isnan(value.low):
        return show(value.value)
    ends = f"{show(value.low).removesuffix(' %')} – {show(value.high)}"
    return f"{show(value.value)} ({ends})"


def shown_value(check: Check) -> str:
    """A check's value with its interval, as people read it."""
    return _estimate(check.value, check.share)


def shown_held(check: Check) -> str:
    """What was held against the limits, as people read it; empty if nothing was.

    Example:
        >>> from isogloss.validation.quality.verdicts import judge, share_of
        >>> shown_held(judge("unreadable", share_of(1, 50)))
        'low end 0.4 %'
    """
    if check.held in ("", "value"):
        return check.held
    return f"{check.held} {_percent(check.held_value)}"


def worst_first(checks: Iterable[Check]) -> list[Check]:
    """What fails before what passes, else in the order given."""
    return sorted(checks, key=lambda check: -VERDICTS.index(check.verdict))


def is_gate(check: Check) -> bool:
    """Whether a check is about a gate."""
    return check.id.startswith("gate.")


def _not_asked(gate: Mapping[str, Any]) -> str:
    """Of which varieties a gate of the table was not asked, and why; empty if of none."""
    left_out = gate["left_out"]
    if not gate["n"] and len(left_out) == 1:
        return f"Not asked: {left_out[0]['reason']}."
    parts = [
        f"of {', '.join(varieties()[name].name for name in one['varieties'])}: {one['reason']}"
        for one in left_out
    ]
    return f"Not asked {'; '.join(parts)}." if parts else ""


def _place(value: float, least: float = 0.0, most: float = 1.0) -> float:
    """Where a value stands on a scale of 100."""
    return round(100 * min(max((value - least) / (most - least), 0.0), 1.0), 2)


def _bars(found: Histogram) -> list[Mapping[str, Any]]:
    """The bars of a histogram in a picture of 100 by 40."""
    counts = [*found.counts]
    most = max([*counts, 1])
    width = 100 / len(counts)
    bars: list[Mapping[str, Any]] = []
    for number, count in enumerate(counts):
        left = found.start + number * found.width
        height = 0.0 if not count else max(40 * count / most, 0.6)
        bars.append(
            {
                "x": round(number * width, 3),
                "y": round(40 - height, 3),
                "width": round(width * 0.9, 3),
                "height": round(height, 3),
                "says": f"{left:.6g} to {left + found.width:.6g}: {count:,}",
            }
        )
    return bars


def _shown(text: str) -> str:
    """A text as a page can show it: line breaks as a sign, other control characters gone."""
    return printable(text.replace("\r\n", "\n").replace("\n", " ⏎ "))
