"""What a person reads at the end of a command.

A command imports only what it needs itself: what another one shows is imported there.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from .console import table
from .corpus.varieties import varieties
from .errors import JournalError, printable

if TYPE_CHECKING:
    from .builders import BuildResult
    from .builders.forms import FormResult
    from .corpus.journal_rescue import Rescued
    from .evaluation import Result
    from .evaluation.report import Run
    from .validation.quality import Quality

__all__ = [
    "build_summary",
    "dry_run_summary",
    "evaluation_summary",
    "form_summary",
    "quality_summary",
    "report_summary",
    "varieties_table",
    "variety_details",
]


def build_summary(result: BuildResult) -> Iterator[RenderableType]:
    """Tables of stages and splits, three triplets, and how to load the corpus."""
    from .builders.engine.failures import failure_line

    manifest = result.manifest
    counts = manifest["counts"]
    rows = [
        (
            stage["name"],
            stage["in"],
            stage["in"] - stage["kept"],
            stage["kept"],
            ", ".join(f"{reason} {count:,}" for reason, count in stage["rejected"].items()),
        )
        for stage in manifest["stages"]
    ]
    names = ["stage", "rows in", "rejected", "kept", "reasons"]
    yield table("Stages", names, rows, numbers=names[1:4])
    splits = list(manifest["splits"]["rows"].items())
    yield table("Splits", ["split", "rows"], splits, numbers=["rows"])
    for row in result.examples:
        yield Text(f"{row['id']} ({row['split']})", style="bold")
        for column in [name for name in row if name not in ("id", "split")]:
            yield Text(f"  {column:<9}{printable(row[column])}")
    notes = [source["note"] for source in manifest["sources"] if source["note"]]
    notes += [model["note"] for model in manifest["models"].values() if model.get("note")]
    yield ""
    for note in notes:
        yield f"note: {note}"
    state = "was built before and is up to date" if result.up_to_date else "is built"
    lost = sum(counts["rejected"].values())
    yield (
        f"{result.folder} {state}: {counts['read']:,} rows read = {counts['kept']:,} kept + "
        f"{lost:,} rejected, in {result.seconds:.1f} s. Load it:\n"
    )
    first = next((name for name, count in splits if count), "rest")
    yield Text(
        "  from datasets import load_dataset\n"
        f"  corpus = load_dataset({json.dumps(str(result.folder))})\n"
        f'  print(corpus["{first}"][0])'
    )
    if failed := failure_line(manifest):
        yield f"\n{failed}"


def form_summary(result: FormResult) -> Iterator[RenderableType]:
    """What a form has, what it withholds, and what hydration could not find."""
    manifest = result.manifest
    counts, last = manifest["counts"], manifest["stages"][-1]
    if last["name"] == "hydrate":
        rows = [("found", last["kept"]), *last["rejected"].items()]
        yield table("Texts", ["text", "rows"], rows, numbers=["rows"])
    columns = ["column", "rows", "withheld"]
    withheld = [
        (column, counts["kept"], found["rows"])
        for column, found in manifest["release"]["withheld"].items()
    ]
    yield table("Withheld", columns, withheld, numbers=columns[1:])
    yield Text(
        f"{result.folder} is made: {counts['kept']:,} rows in the {manifest['form']} form, in "
        f"{result.seconds:.1f} s. Values that are withheld are null."
    )


def quality_summary(quality: Quality, folder: Path) -> Iterator[RenderableType]:
    """A line for each check, what a reader must know of the source, and where the report is."""
    from .validation.quality.page import is_gate, shown_held, shown_value, worst_first

    silent = [c for c in quality.checks if is_gate(c) and c.verdict == "pass" and not c.value.value]
    rows = [
        (
            check.verdict,
            check.title,
            shown_value(check),
            check.value.n,
            check.limits,
            shown_held(check),
            check.note,
        )
        for check in worst_first(quality.checks)
        if check not in silent
    ]
    columns = ["verdict", "check", "value", "n", "limits", "held against them", "note"]
    yield table("Checks", columns, rows, numbers=["value", "n"])
    if silent:
        codes = ", ".join(check.id.removeprefix("gate.") for check in silent)
        yield f"{len(silent)} gates caught nothing: {codes}"
    for gate, found in quality.examples.items():
        yield Text(f"{gate}: {printable(found[0].id)}: {printable(found[0].detail)}")
    for note in quality.pairs.notes:
        yield Text(f"note: {printable(note)}")
    counts = Counter(check.verdict for check in quality.checks)
    yield (
        f"{quality.pairs.frame.height:,} pairs; checks: {counts['fail']} fail, {counts['look']} "
        f"want a look, {counts['pass']} pass. Open {folder / 'quality.html'}"
    )


def evaluation_summary(results: Sequence[Result], out: Path) -> Iterator[RenderableType]:
    """The main numbers of each model and task, what was left out, and where the rest is."""
    rows = [
        (result.model, result.task.name, metric.name, metric.of, str(metric.estimate), metric.unit)
        for result in results
        for metric in result.headline
    ]
    columns = ["model", "task", "metric", "of", "value [95 % interval]", "unit"]
    yield table("Results", columns, rows)
    for result in results:
        left = ", ".join(f"{why} {count:,}" for why, count in result.measured.excluded.items())
        notes = "".join(
            f"; {name.replace('_', ' ')} {count:,}"
            for name, count in result.measured.notes.items()
            if count
        )
        yield (
            f"{result.model}, {result.task.name}: {result.measured.items.height:,} of "
            f"{result.rows:,} rows measured" + (f" ({left})" if left else "") + notes
        )
    yield f"All numbers and items are in {out / 'results'}."


def report_summary(runs: Sequence[Run], files: Sequence[Path]) -> Iterator[RenderableType]:
    """What is missing in a report, and where it is."""
    from .evaluation.report import sections_of

    sections = sections_of(runs)
    if len(sections) > 1:
        yield f"note: the runs are of {len(sections)} different sets of rows, which are kept apart"
    for section in sections:
        for line in section.missing:
            yield f"note: {printable(line)}"
    yield f"{files[0]} and {len(files) - 1} files of figures and tables are written."


def dry_run_summary(found: dict[str, Any]) -> Iterator[RenderableType]:
    """What a build would do."""
    rows = [(*key.split("/", 1), count) for key, count in found["rejected"].items()]
    yield table("Would be rejected", ["stage", "reason", "rows"], rows, numbers=["rows"])
    yield (
        f"{found['read']:,} rows read, {found['selected']:,} of them for the models: "
        f"{found['estimate']}. Nothing was written."
    )


def journal_summary(folder: Path, *, export: Path | None, save: bool) -> Iterator[RenderableType]:
    """What stands in a folder's journal; exports or rescues it first if asked."""
    from .corpus.folder import WORK
    from .corpus.journal import FILE_NAME, Journal
    from .corpus.journal_export import check_target
    from .corpus.journal_export import export as export_journal
    from .corpus.journal_rescue import rescue

    path = next(
        (path for path in (folder / WORK / FILE_NAME, folder / FILE_NAME) if path.is_file()), None
    )
    if path is None:
        raise JournalError(
            "there is no journal", where=str(folder), remedy="name the folder given as --out"
        )
    if export:
        check_target(export)
    if save:
        yield _rescue_line(rescue(path))
    with Journal(path) as journal:
        found, spent, unpriced = journal.summary(), journal.spent(), sum(journal.unpriced())
    written = export_journal(path, export) if export else 0
    rows = [(*key, *values[:3], _money(values[3])) for key, values in found.answers.items()]
    columns = ["model", "asked for", "answers", "tokens read", "tokens written", "cost"]
    yield table("Answers", columns, rows, numbers=columns[2:])
    failures = [
        (*key, count, *found.failed_spend[key][:2], _money(found.failed_spend[key][2]))
        for key, count in found.failures.items()
    ]
    columns = ["model", "asked for", "reason", "requests", *columns[3:]]
    yield table("Failures", columns, failures, numbers=columns[3:])
    if export:
        yield f"{written:,} answers written to {export}"
    yield f"spent in all: {spent[1]:,} tokens, {_money(spent[0])}" + (
        f" without {unpriced:,} tokens whose price was not known" if unpriced else ""
    )


def _rescue_line(found: Rescued) -> str:
    if found.aside is None:
        return f"the journal is sound ({found.answers:,} answers): nothing was changed"
    lost = f"at least {found.lost:,} answers are" if found.lost else "no answer is known to be"
    line = (
        f"saved {found.answers:,} answers and {found.failures:,} failures, {lost} lost; the "
        f"damaged file is now {found.aside}"
    )
    if not found.spent_known:
        line += "; what was spent in all could not be read: the sum of what is saved is the least"
    return line


def _money(amount: float | None) -> str:
    return "not known" if amount is None else f"{amount:,.4f}"


def varieties_table(cluster: str | None) -> RenderableType:
    """The registry, or one cluster of it."""
    registry = varieties()
    chosen = registry.cluster(cluster) if cluster else tuple(registry)
    rows = [
        (v.id, v.name, v.cluster, "yes" if v.standard else "", v.bcp47, v.glottocode, _made_by(v))
        for v in chosen
    ]
    columns = ["id", "name", "cluster", "standard", "BCP-47", "Glottocode", "made by"]
    return table(f"{len(rows)} varieties", columns, rows)


def variety_details(name: str) -> RenderableType:
    """One variety, field by field."""
    variety = varieties().find(name)
    rows = [
        ("name", variety.name),
        ("cluster", variety.cluster + (" (its standard)" if variety.standard else "")),
        ("BCP-47", variety.bcp47),
        ("ISO 639-3", variety.iso639_3),
        ("Glottocode", variety.glottocode or "none for this variety"),
        ("script", variety.script),
        ("made by", _made_by(variety) or "people only"),
        ("aliases", ", ".join(variety.aliases)),
    ]
    return table(variety.id, ["field", "value"], rows)


def _made_by(variety: Any) -> str:
    ways = ("nllb", "multivalue", "murre", "wikipedia")
    made = [f"{way} {getattr(variety, way)}" for way in ways if getattr(variety, way)]
    return ", ".join(made + (["asr"] if variety.asr else []))
