"""The card a build leaves in the corpus folder: what is in it, and what it is not."""

from __future__ import annotations

from typing import Any

from ...corpus.manifest import Manifest
from ...corpus.readme import markdown_text
from ...corpus.varieties import varieties
from .columns import columns_section
from .pipeline import Pipeline

__all__ = ["card_body", "card_metadata"]

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def card_metadata(manifest: Manifest, pipeline: Pipeline) -> dict[str, Any]:
    """Front matter beside configs and features: languages and size."""
    both = [varieties()[pipeline.variety], varieties()[pipeline.standard]]
    kept = manifest["counts"]["kept"]
    size = next((name for bound, name in _SIZES if kept < bound), "1M<n<10M")
    return {
        "pretty_name": pipeline.title,
        "language": list(dict.fromkeys(variety.bcp47.split("-")[0] for variety in both)),
        "language_details": ", ".join(variety.bcp47 for variety in both),
        "size_categories": [size],
        "tags": ["dialect", "parallel-corpus", *(v.glottocode for v in both if v.glottocode)],
    }


def card_body(manifest: Manifest, pipeline: Pipeline) -> str:
    """The card's text: notes first, then counts, then how to load it."""
    dialect, standard = varieties()[pipeline.variety], varieties()[pipeline.standard]
    counts, source = manifest["counts"], manifest["sources"][0]
    lines = [f"# {pipeline.title}", ""]
    lines += [
        f"{counts['kept']:,} texts in {dialect.name} with their counterparts in {standard.name}.",
        "",
    ]
    notes = [*([pipeline.source_note] if pipeline.source_note else []), *pipeline.notes]
    lines += [f"> **Note.** {note}\n" for note in notes]
    lines += ["## Rows", "", "| split | rows |", "|---|---:|"]
    lines += [f"| {name} | {rows:,} |" for name, rows in manifest["splits"]["rows"].items()]
    lines += ["", "| stage | rows in | rejected | kept | reasons |", "|---|---:|---:|---:|---|"]
    for stage in manifest["stages"]:
        reasons = ", ".join(f"{reason} {n:,}" for reason, n in stage["rejected"].items())
        lost = stage["in"] - stage["kept"]
        lines.append(
            f"| {stage['name']} | {stage['in']:,} | {lost:,} | {stage['kept']:,} | {reasons} |"
        )
    lines += [
        "",
        f"{counts['read']:,} rows read = {counts['kept']:,} kept + "
        f"{sum(counts['rejected'].values()):,} rejected. "
        "Every rejected row stands in `rejected/` with its position, stage and reason.",
        "",
        *columns_section(pipeline.columns),
        "## Load it",
        "",
        "```python",
        "from datasets import load_dataset",
        'corpus = load_dataset("path/to/this/folder")',
        f'print(corpus["{_first_split(manifest)}"][0])',
        "```",
        "",
        "## How it was made",
        "",
        f"With isogloss {manifest['isogloss_version']}, builder `{pipeline.name}`, from "
        f"{markdown_text(source['name'])} (SHA-256 `{source['sha256'][:16]}…`). "
        "`manifest.json` has every setting, version and hash.",
    ]
    for role, model in manifest["models"].items():
        described = ", ".join(
            f"{key} {_short(value)}" for key, value in model.items() if key != "note"
        )
        lines.append(f"- {role}: {described}")
    return "\n".join(lines) + "\n"


def _first_split(manifest: Manifest) -> str:
    rows: dict[str, int] = manifest["splits"]["rows"]
    return next((name for name, count in rows.items() if count), "rest")


def _short(value: Any) -> Any:
    """A part of a model by its name alone; the manifest has the rest."""
    if isinstance(value, dict):
        return value.get("aligner") or value.get("model")
    return value
