"""What a person reads at the end of the commands of ``isogloss annotate``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from .console import table
from .errors import printable

if TYPE_CHECKING:
    from .annotation.merge import Merged
    from .annotation.people import Rater
    from .annotation.progress import ProjectProgress
    from .annotation.pull import Pulled
    from .annotation.push import Pushed
    from .annotation.serving import Served

__all__ = [
    "account_line",
    "exported_summary",
    "merged_summary",
    "password_summary",
    "progress_summary",
    "pulled_summary",
    "pushed_summary",
    "served_summary",
]

_MEASURES = {
    "exact": "all agree",
    "fleiss_kappa": "Fleiss' κ",
    "gwet_ac1": "Gwet's AC1",
    "krippendorff_alpha": "Krippendorff's α",
}
_ONCE = (
    "Passwords are shown this once and stored nowhere; isogloss annotate password makes a new one."
)


def served_summary(served: Served, owner: str, *, open_to_all: bool) -> Iterator[RenderableType]:
    """Where the server is, and at the first start how its owner signs in."""
    yield Text(f"Annotation server: {served.url} (Ctrl-C stops it)")
    if served.owner_password:
        yield Text(f"Sign in as {owner} with the password {served.owner_password}")
        yield _ONCE
    if open_to_all:
        yield (
            "note: other machines can reach it, and the line is not encrypted: use it in a network "
            "you trust, or behind a proxy with https"
        )


def password_summary(rater: Rater) -> Iterator[RenderableType]:
    """A new password."""
    yield Text(f"{printable(rater.name)} signs in with the password {rater.password}")
    yield _ONCE


def account_line(rater: Rater) -> Iterator[RenderableType]:
    """An account that was made, with its password, at once."""
    yield Text(f"account made: {printable(rater.name)}, password {rater.password}")


def pushed_summary(pushed: Pushed) -> Iterator[RenderableType]:
    """Who answers, where they begin, and which items are new."""
    rows = [(one.name, one.password or "(as before)", link) for one, link in pushed.raters]
    yield table("Raters", ["name", "password", "begins at"], rows)
    if any(one.password for one, _ in pushed.raters):
        yield _ONCE
    if pushed.spare > 0:
        yield (
            f"note: {pushed.min_raters} of {pushed.min_raters + pushed.spare} raters answer an "
            "item, and then nobody else is shown it; --min changes the number"
        )
    if pushed.changed:
        yield (
            f"note: the texts of {pushed.changed:,} items are others in the corpus now; raters go "
            "on seeing the ones they began with"
        )
    yield from _left_out(pushed.left_out)
    each = "one rater answers" if pushed.min_raters == 1 else f"{pushed.min_raters} raters answer"
    yield Text(
        f"Project {pushed.project.name}: {pushed.added:,} items added, {pushed.present:,} were "
        f"there; {each} each."
    )


def pulled_summary(pulled: Pulled) -> Iterator[RenderableType]:
    """What came from the server, and what was left there."""
    came = ", ".join(f"{number:,} {status}" for status, number in pulled.responses.items())
    yield Text(f"{came} responses to {pulled.items:,} items, {pulled.labels.height:,} labels read")
    if pulled.left:
        left = ", ".join(f"{number:,} {status}" for status, number in pulled.left.items())
        yield Text(f"left on the server: {left} (--all takes them as well)")
    for note in pulled.notes:
        yield Text(f"note: {printable(note)}")


def merged_summary(merged: Merged) -> Iterator[RenderableType]:
    """The agreement, and what came into the corpus."""
    if merged.agreement is not None:
        rows = [
            (
                one.question,
                one.items,
                one.raters,
                one.ratings,
                *(str(one.measures[name]) for name in _MEASURES),
            )
            for one in merged.agreement.questions
        ]
        columns = ["question", "items", "raters", "labels", *_MEASURES.values()]
        yield table("Agreement [95 % interval]", columns, rows, numbers=columns[1:4])
    for note in merged.notes:
        yield Text(f"note: {printable(note)}")
    yield Text(f"{merged.folder} is a new version, in {merged.seconds:.1f} s.")


def progress_summary(name: str, progress: ProjectProgress) -> Iterator[RenderableType]:
    """How far each rater is, and how many answers each question has."""
    columns = ["rater", "submitted", "drafts", "discarded", "pending", "last answer (UTC)"]
    rows = [
        (
            one.name,
            one.responses["submitted"],
            one.responses["draft"],
            one.responses["discarded"],
            one.pending,
            one.last.partition(".")[0].replace("T", " ") or "-",
        )
        for one in progress.raters
    ]
    yield table(f"Project {name}", columns, rows, numbers=columns[1:5])
    columns = ["question", "answers"]
    yield table("Questions", columns, list(progress.questions.items()), numbers=["answers"])
    share = progress.complete / progress.items if progress.items else 0
    yield Text(
        f"{progress.complete:,} of {progress.items:,} items ({share:.0%}) have the answers of "
        f"{progress.min_raters} raters."
    )
    for link in progress.links:
        yield Text(f"Raters begin at {link}")


def exported_summary(
    out: Path, items: int, left_out: Mapping[str, int]
) -> Iterator[RenderableType]:
    """Where the files for Label Studio are."""
    yield from _left_out(left_out)
    yield Text(
        f"{items:,} items for Label Studio are in {out}: paste config.xml into the labelling "
        "set-up of a new project, import tasks.json, and show raters guidelines.md."
    )


def _left_out(left_out: Mapping[str, int]) -> Iterator[RenderableType]:
    if left_out:
        reasons = ", ".join(f"{reason} {number:,}" for reason, number in left_out.items())
        yield f"note: rows that can't be asked about: {reasons}"
