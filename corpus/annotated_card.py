"""What a card says of people's answers: who was asked what, how far they agree, which columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .annotated import Entries, machine_column

__all__ = ["annotated_section", "with_section"]

_HEAD = "## Annotated by people"
_FIGURES = {
    "exact": "all agree",
    "gwet_ac1": "Gwet's AC1",
    "krippendorff_alpha": "Krippendorff's α",
}
_MEANINGS = {
    "yes_no": "`_majority` says what most said, null on a tie; `_unanimous`, whether all said "
    "yes; `_any`, whether someone did; `_labels`, how many answered",
    "choice": "`_majority` is the answer given most often, null on a tie; `_unanimous` says "
    "whether it was the only one; `_labels`, how many answered",
    "scale": "`_mean` and `_median` of the numbers given; `_labels`, how many answered",
}


def annotated_section(projects: Entries) -> str:
    """The section about people's answers; "" for a corpus without."""
    return "\n".join(_lines(projects)) + "\n" if projects else ""


def with_section(body: str, section: str) -> str:
    r"""A generated body with the section at its end, in the place of an earlier one.

    Example:
        >>> body = with_section("# Title\n", "## Annotated by people\n\nNobody.\n")
        >>> with_section(body, "") == "# Title\n"
        True
    """
    text = body.partition(f"\n{_HEAD}\n")[0].rstrip("\n") + "\n"
    return f"{text}\n{section}" if section else text


def _lines(projects: Entries) -> Iterator[str]:
    yield _HEAD
    for project, entry in projects.items():
        yield from ("", *_counts(project, entry), "")
        yield "| question | items | answers | " + " | ".join(_FIGURES.values()) + " |"
        yield "|---|---:|---:|" + "---|" * len(_FIGURES)
        measured = entry.get("agreement", {})
        for name in (one["name"] for one in entry["questions"] if one["name"] in measured):
            found = measured[name]
            figures = [_figure(found["measures"][key]) for key in _FIGURES]
            counts = f"{found['items']:,} | {found['ratings']:,}"
            yield f"| `{name}` | {counts} | {' | '.join(figures)} |"
        yield from ("", "In brackets: the 95 % interval, items resampled.", "")
        for kind, meaning in _MEANINGS.items():
            names = [f"`{one['name']}`" for one in entry["questions"] if one["kind"] == kind]
            if names:
                yield f"- Columns that begin with {', '.join(names)}: {meaning}."
        for column, counts in entry["replaced"].items():
            yield (
                f"- `{column}` is people's text in {counts['rows']:,} rows. In "
                f"{counts['differ']:,} rows their texts differ, and nothing was replaced. Scores "
                "and boundaries are of the earlier text."
            )
            kept = machine_column(column)
            if kept in entry["columns"]:
                yield f"- `{kept}` has what stood in `{column}` before."


def _counts(name: str, entry: Mapping[str, Any]) -> Iterator[str]:
    yield (
        f"{entry['raters']:,} raters gave {entry['labels']:,} answers about {entry['items']:,} "
        f"items (questions `{name}`, version {entry['version']}). A verdict needs "
        f"{entry['min_labels']:,} of them or more; without one it is null."
    )


def _figure(measure: Mapping[str, Any]) -> str:
    value, low, high = (measure[key] for key in ("value", "low", "high"))
    if value is None:
        return f"none: {measure['reason']}"
    return f"{value:.3f}" if low is None or high is None else f"{value:.3f} [{low:.3f}, {high:.3f}]"
