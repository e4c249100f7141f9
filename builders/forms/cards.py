"""The cards of forms: what a reader of the folder must know of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ... import __version__
from ...corpus.annotated import KEY
from ...corpus.annotated_card import annotated_section, with_section
from ...corpus.manifest import Manifest
from ...corpus.readme import markdown_text
from ...corpus.varieties import varieties
from ..engine.columns import columns_section
from .declare import WITHHELD, hash_column

__all__ = ["hydrated_body", "ids_body"]

_REASONS = {"similar": "similar", "quotes": "quoting", "another_source": "another row's"}


def ids_body(manifest: Manifest, title: str, columns: Iterable[str]) -> str:
    """The card of a corpus in its ids form, with these columns."""
    release = manifest["release"]
    private, derived = release["private"], release["derived"]
    limits = release["similarity"]
    lines = [
        f"# {markdown_text(title)}, ids form",
        "",
        _what(manifest),
        f"The source texts themselves ({_columns(private)}) are **not in this folder**: each row "
        "has the id under which its text was published, a SHA-256 of the text as it was "
        "cleaned, and what was made from it.",
        "",
        *_notes(manifest),
        "## Withheld",
        "",
        f"A text that was made from a source text is withheld where it is that text over again: "
        f"at a similarity of {limits['threshold']} or more, or with {limits['run_words']} words of "
        f"it in a row. So is one that has the very words of another row's source text. Such a "
        f"value is null, and `{WITHHELD}` names its column.",
        "",
        *_withheld(manifest, reasons=_REASONS),
        "",
        *_rows(manifest),
        "",
        *columns_section(columns),
        "## Get the texts back",
        "",
        "With a file that has the texts by their ids, for TwitterAAE its full file:",
        "",
        "```sh",
        "isogloss hydrate path/to/this/folder --source FILE --out hydrated",
        "```",
        "",
        f"Each text is cleaned as it was here and checked against "
        f"{_columns(map(hash_column, private))}. What is missing or has changed since is listed; "
        f"what is withheld of {_columns(derived)} stays null. The hydrated folder has people's "
        "words in it: keep it to yourself.",
        "",
        "## What to know",
        "",
        "- A hash gives no text away, but it confirms a guess: who tries many texts can find a "
        "short one, or one that differs little from a text here that was made from it.",
        "- A source text that its author has deleted can't be hydrated from the network, and "
        "should not be looked for elsewhere.",
        "- `author` numbers the authors within this corpus and is no id.",
        "",
        *_load(manifest),
        *_origin(manifest),
    ]
    return with_section("\n".join(lines), annotated_section(manifest.get(KEY, {})))


def hydrated_body(manifest: Manifest, title: str, columns: Iterable[str]) -> str:
    """The card of a corpus whose texts were joined back, with these columns."""
    reasons = manifest["stages"][-1]["rejected"]
    lost = ", ".join(f"{reason} {rows:,}" for reason, rows in reasons.items()) or "none"
    lines = [
        f"# {markdown_text(title)}, hydrated",
        "",
        _what(manifest),
        "> **Note.** This folder has people's words in it. It was made from a release without "
        "them: keep it to yourself, and pass on that release instead.",
        "",
        *_notes(manifest),
        f"The texts were joined back by their ids from {markdown_text(_source(manifest))} and "
        f"checked against their hashes. Rows without their text: {lost}; they stand in "
        "`rejected/hydrate-*.parquet` with the reason.",
        "",
        "What the release withheld can't be got back and is null:",
        "",
        *_withheld(manifest, reasons={}),
        "",
        *_rows(manifest),
        "",
        *columns_section(columns),
        *_load(manifest),
        *_origin(manifest),
    ]
    return with_section("\n".join(lines), annotated_section(manifest.get(KEY, {})))


def _what(manifest: Manifest) -> str:
    dialect, standard = (varieties()[name].name for name in manifest["varieties"].values())
    return (
        f"{manifest['counts']['kept']:,} texts in {dialect} with their counterparts in "
        f"{standard}.\n"
    )


def _notes(manifest: Manifest) -> Iterator[str]:
    for entry in (*manifest["sources"], *manifest["models"].values()):
        if entry.get("note"):
            yield f"> **Note.** {entry['note']}\n"


def _withheld(manifest: Manifest, *, reasons: Mapping[str, str]) -> Iterator[str]:
    """Rows by column: how many are withheld, and of these how many for each reason."""
    kept = manifest["counts"]["kept"]
    yield "".join(f"| {head} " for head in ("column", "rows", "withheld", *reasons.values())) + "|"
    yield "|---|" + "---:|" * (2 + len(reasons))
    for column, counts in manifest["release"]["withheld"].items():
        numbers = [kept, counts["rows"], *(counts.get(reason, 0) for reason in reasons)]
        yield f"| `{column}` | " + " | ".join(f"{number:,}" for number in numbers) + " |"


def _rows(manifest: Manifest) -> Iterator[str]:
    counts = manifest["counts"]
    yield from ("## Rows", "", "| split | rows |", "|---|---:|")
    for name, rows in manifest["splits"]["rows"].items():
        yield f"| {name} | {rows:,} |"
    reasons = ", ".join(f"{reason} {n:,}" for reason, n in counts["rejected"].items())
    yield ""
    yield (
        f"{counts['read']:,} rows read = {counts['kept']:,} kept + "
        f"{sum(counts['rejected'].values()):,} rejected ({reasons or 'none'}). Every rejected row "
        "stands in `rejected/` with its position, id, stage and reason; its text was not published."
    )


def _load(manifest: Manifest) -> Iterator[str]:
    rows = manifest["splits"]["rows"]
    first = next((name for name, count in rows.items() if count), "rest")
    yield from ("## Load it", "", "```python", "from datasets import load_dataset")
    yield 'corpus = load_dataset("path/to/this/folder")'
    yield from (f'print(corpus["{first}"][0])', "```", "")


def _origin(manifest: Manifest) -> Iterator[str]:
    origin, source = manifest["derived_from"], manifest["sources"][0]
    yield from ("## How it was made", "")
    yield (
        f"With isogloss {__version__} from the {origin['form']} form (SHA-256 of "
        f"its manifest `{origin['manifest_sha256'][:16]}…`), which the builder "
        f"`{manifest['builder']['name']}` made from {markdown_text(source['name'])} (SHA-256 "
        f"`{source['sha256'][:16]}…`). `manifest.json` has every setting, version and hash."
    )
    for role, model in manifest["models"].items():
        described = ", ".join(f"{key} {value}" for key, value in model.items() if key != "note")
        yield f"- {role}: {described}"


def _source(manifest: Manifest) -> str:
    return str(manifest["sources"][-1]["name"])


def _columns(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
