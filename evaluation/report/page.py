"""One self-contained HTML page: no script, no font, no picture from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import groupby
from typing import TYPE_CHECKING

from ...corpus.varieties import varieties
from ...errors import RegistryError
from ...stats import Estimate
from ..preference import SIDES
from .browser import STEPS, Example, examples_of, visible
from .canvas import inline
from .figures import Figure
from .names import Names
from .numbers import MINUS, shown, shown_number
from .sections import Column, Section
from .tables import NOT_MEASURED, Row, Table

if TYPE_CHECKING:
    import jinja2

__all__ = ["Part", "render"]

_REASONS = {
    "no_boundaries": "no boundary between context and continuation",
    "no_text": "a side has no text",
    "no_lexicon": "the variety has no lexicon of features",
    "not_finite": "a log-probability is no finite number",
    "same_continuation": "both continuations are the same text",
    "failed_no_tokens": "a continuation has no token of its own",
    "failed_too_long": "the question is longer than the model's window",
}
_CHATS = {"auto": "by its chat template if it has one", "on": "by its chat template",
          "off": "as plain text"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """A section with its figures and tables.

    Attributes:
        section: What was evaluated.
        figures: Its figures.
        tables: Its tables.
    """

    section: Section
    figures: Sequence[Figure]
    tables: Sequence[Table]


@dataclass(frozen=True, slots=True)
class Browsed:
    """One model's items.

    Attributes:
        label: The model.
        sides: By the preferred side; empty if nothing can be shown.
        why_not: Why not.
    """

    label: str
    sides: Mapping[str, Sequence[Example]]
    why_not: str = ""


def render(parts: Sequence[Part], *, limit: int) -> str:
    """The page.

    Args:
        parts: What is shown. Texts in it are untrusted and escaped.
        limit: How many items to show of each model for each side; 0 for no text of the corpus.

    Raises:
        SourceError: If a run's items can't be read.
    """
    return _template().render(
        parts=[
            {
                "section": part.section,
                "figures": [
                    (figure, inline(figure.svg, f"{part.section.key}{figure.name}"))
                    for figure in part.figures
                ],
                "tables": part.tables,
                "excluded": list(_excluded(part.section)),
                "browsed": list(_browsed(part.section, limit)),
                "language": _language(part.section),
                "asked": list(map(_asked, part.section.columns)),
            }
            for part in parts
        ],
        names=_common([part.section.names for part in parts]),
        limit=limit,
        sides=SIDES,
        shades=[*(f"{step:g}".replace("-", MINUS) for step in STEPS), ""],
    )


@cache
def _template() -> jinja2.Template:
    import jinja2

    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters.update(
        estimate=_estimate, number=shown_number, visible=visible, grouped=_grouped
    )
    source = resources.files(__package__).joinpath("page.html.j2").read_text(encoding="utf-8")
    return environment.from_string(source)


def _estimate(value: Estimate | None, row: Row) -> tuple[str, str]:
    """A number and its interval, apart so that a narrow cell breaks between them."""
    if value is None:
        return "–", NOT_MEASURED
    number, _, rest = shown(value, row.unit).partition(" [")
    if number == "–":
        return number, value.reason or ""
    own_n = "" if row.same_n else f" n = {value.n:,}"
    return number, (f"[{rest}" if rest else "") + own_n


def _grouped(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    return [(group, list(found)) for group, found in groupby(rows, key=lambda row: row.group)]


def _excluded(section: Section) -> Iterator[tuple[str, str, list[int | None]]]:
    """Task, what became of its rows, and each model's count of them."""
    for task in section.tasks:
        found = [column.results.get(task) for column in section.columns]
        yield task, "measured", [one.measured if one else None for one in found]
        for reason in dict.fromkeys(reason for one in found if one for reason in one.excluded):
            counts = [one.excluded.get(reason, 0) if one else None for one in found]
            yield task, f"left out: {_said(reason)}", counts
        for note in dict.fromkeys(note for one in found if one for note in one.notes):
            if not any(one.notes.get(note) for one in found if one):
                continue
            counts = [one.notes.get(note, 0) if one else None for one in found]
            yield task, f"among those measured: {_said(note)}", counts


def _said(reason: str) -> str:
    plain = reason.replace("failed_", "the model failed: ", 1).replace("_", " ")
    return _REASONS.get(reason, plain)


def _browsed(section: Section, limit: int) -> Iterator[Browsed]:
    for column in section.columns if limit else ():
        if "continuation" in column.results:
            yield _of_model(column, limit)


def _of_model(column: Column, limit: int) -> Browsed:
    result = column.results["continuation"]
    if not result.items.is_file():
        return Browsed(column.label, {}, "The run's file of items is missing.")
    found = examples_of(result, limit)
    if found is None:
        why = (
            "The run was measured by an older version, which kept no texts beside the numbers. "
            "Evaluate again into the same folder: answers come from its journal."
        )
        return Browsed(column.label, {}, why)
    return Browsed(column.label, found)


def _asked(column: Column) -> str:
    """How questions were put to a model."""
    chats, overlong, prompt = (list(column.how(key)) for key in ("chat", "overlong", "prompt"))
    said = _CHATS.get(chats[0], chats[0]) if chats else "not known"
    if chats == ["auto"] and "chat_template_sha256" in column.found:
        has_one = column.found["chat_template_sha256"] is not None
        said = _CHATS["on"] if has_one else "in plain text: the model has no chat template"
    if len(chats) > 1:
        said = "differs by task"
    if len(overlong) > 1:
        said += "; what became of long contexts differs by task"
    elif overlong == ["cut"]:
        said += "; long contexts cut"
    if len(prompt) > 1:
        said += "; the prompt differs by task"
    elif any(prompt):
        said += f"; behind the prompt “{prompt[0]}”"
    return said


def _common(names: Sequence[Names]) -> Names:
    """Names that are right for all sections."""
    same = len({(one.dialect, one.standard) for one in names}) == 1
    return names[0] if same else Names()


def _language(section: Section) -> str:
    try:
        return varieties()[section.names.variety].bcp47 if section.names.variety else ""
    except (KeyError, RegistryError):
        return ""
