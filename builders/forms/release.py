"""Makes the ids form of a built corpus: no source text, and no model is asked.

Everything goes through an allow list: columns by their declaration and type, rejected rows
without detail and text, and of the manifest the keys that are named here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq

from ...corpus.annotated import KEY
from ...corpus.manifest import Manifest
from ...corpus.opened import FULL, Opened, card_metadata, open_corpus, require_apart
from ...corpus.readme import text_sha256
from ...corpus.schema import REJECTED, features
from ...corpus.store import ShardWriter, read_parquet
from ...errors import CorpusError, OptionError
from ...failpoints import failpoint
from .. import builder_forms
from ..engine.progress import Progress, Silent
from . import similarity
from .cards import ids_body
from .declare import CODE, WITHHELD, IdsForm, hash_column
from .people import names_in, published_annotation, with_verdicts, without_kept
from .written import FormResult, Version, form_key, versions

__all__ = ["release"]

#: Raised when the same corpus would give another ids form.
VERSION = 1
#: Keys of the full form's manifest that go out as they are. What a later version of the
#: manifest adds stays behind until it is named here.
_CARRIED = ("builder", "seed", "params", "varieties", "models", "counts")
_STAGE_KEYS = ("name", "in", "kept", "rejected", "version", "params")
_SOURCE_KEYS = ("name", "shape", "bytes", "sha256", "note")
_SPLIT_KEYS = ("drawn_from_rows", "rows", "assignments")
#: Keys that the form writes anew.
_OWN = (
    *("format_version", "isogloss_version", "build_key", "form"),
    *("columns", "files", "packages", "card"),
)
_REJECTED_CODES = ("stage", "reason")


def release(
    name: str,
    *,
    form: str,
    full: str | Path,
    out: str | Path,
    progress: Progress | None = None,
) -> FormResult:
    """Makes a form of a corpus that was built before.

    Args:
        name: The builder.
        form: The form wanted.
        full: The corpus folder, in its full form; it is only read.
        out: The new corpus folder.
        progress: Told of the rows done.

    Raises:
        OptionError: If the builder has no such form.
        CorpusError: If ``full`` is no corpus of this builder in its full form, or has a
            value in a column of codes that could be a text.
        InternalError: If the corpus has a column that can hold text and is not declared.
    """
    forms = builder_forms(name)
    if form not in forms:
        whole = "a build makes the full form; " if form == FULL else ""
        raise OptionError(
            f"{whole}the builder {name} has no form to be made from it but {', '.join(forms)}"
            if forms
            else f"{whole}the builder {name} has no other form",
            where=f"--form {form}",
            remedy="leave out --form and --from, or name a form that there is",
        )
    full, out = Path(full), Path(out)
    opened = open_corpus(full, form=FULL)
    found = opened.manifest["builder"].get("name")
    if found != name:
        raise CorpusError(
            f"the corpus is by the builder {found!r}, not {name!r}",
            where=str(full),
            remedy=f"use build-corpus {found}" if isinstance(found, str) else "",
        )
    require_apart(full, out, option="--from")
    declared = with_verdicts(forms[form], opened)
    opened = without_kept(opened, declared)
    schema = declared.published(opened.schema)
    progress = progress or Silent()
    with versions(out, builder=name, form=form, schema=schema) as version:
        progress.phase(f"make the form {form}", opened.all_rows)
        sources = _sources(opened, declared)
        withheld = {column: Counter[str]() for column in declared.derived}
        done = 0
        for path, rows in _data(opened):
            version.data.write(path, _without_texts(rows, declared, withheld, opened, sources))
            done += rows.height
            progress.advance(done, done)
        failpoint("form-data")
        for count in _write_rejected(opened, version):
            done += count
            progress.advance(done, done)
        manifest = _manifest(opened, form, declared, withheld)
        card = card_metadata(full)
        body = ids_body(manifest, str(card.get("pretty_name", name)), version.data.schema)
        return version.finish(manifest, card=card, body=body)


def _data(opened: Opened) -> Iterator[tuple[str, pl.DataFrame]]:
    for path, file in opened.files("data"):
        yield path, read_parquet([file], opened.schema)


def _sources(opened: Opened, form: IdsForm) -> frozenset[str]:
    """Hashes of all private texts, folded: a derived text of one row may be another's tweet."""
    return frozenset(
        text_sha256(similarity.folded(text))
        for _, rows in _data(opened)
        for column in form.private
        for text in rows[column].drop_nulls()
    )


def _without_texts(
    rows: pl.DataFrame,
    form: IdsForm,
    withheld: Mapping[str, Counter[str]],
    opened: Opened,
    sources: Collection[str],
) -> pl.DataFrame:
    """The rows with hashes for their private texts and without derived texts too near to them."""
    for column in form.coded(opened.schema):
        _require_codes(rows[column], f"data/, column {column}", opened)
    private = [rows[column].to_list() for column in form.private]
    names: list[list[str]] = [[] for _ in range(rows.height)]
    published = []
    for column in form.derived:
        texts: list[str | None] = []
        for at, text in enumerate(rows[column]):
            reason = text and _reason([values[at] for values in private], text)
            if text and not reason and text_sha256(similarity.folded(text)) in sources:
                reason = "another_source"
            if reason:
                withheld[column][reason] += 1
                names[at].append(column)
            texts.append(None if reason else text)
        published.append(pl.Series(column, texts, dtype=pl.String))
    hashes = [
        pl.Series(hash_column(column), list(map(text_sha256, values)), dtype=pl.String)
        for column, values in zip(form.private, private, strict=True)
    ]
    return rows.drop(form.private).with_columns(
        *published, *hashes, pl.Series(WITHHELD, names, dtype=pl.List(pl.String))
    )


def _reason(tweets: list[str | None], text: str) -> str | None:
    found = (similarity.reason_to_withhold(tweet, text) for tweet in tweets if tweet)
    return next((reason for reason in found if reason), None)


def _write_rejected(opened: Opened, version: Version) -> Iterator[int]:
    """Rejected rows keep position, id and reason; a detail may quote a text, so none does."""
    nothing = pl.lit(None, dtype=pl.String)
    code = pl.col("id").str.contains(CODE)
    writers: dict[str, ShardWriter] = {}
    for path, file in opened.files("rejected"):
        stage = Path(path).name.rpartition("-")[0]
        if stage not in writers:
            writers[stage] = ShardWriter(version.target / "rejected", stage, REJECTED)
        for batch in pq.ParquetFile(file).iter_batches():
            rows = pl.DataFrame(pl.from_arrow(batch), schema=dict(REJECTED))
            for column in _REJECTED_CODES:
                _require_codes(rows[column], f"{path}, column {column}", opened)
            shown = pl.when(code).then("id").otherwise(nothing).alias("id")
            writers[stage].write(
                rows.with_columns(shown, nothing.alias("detail"), nothing.alias("text"))
            )
            yield rows.height
    for writer in writers.values():
        writer.close()


def _require_codes(values: pl.Series, where: str, opened: Opened) -> None:
    flat = values.explode() if isinstance(values.dtype, pl.List) else values
    if not flat.drop_nulls().str.contains(CODE).all():
        raise CorpusError(
            "a value there is no code, and may be a text: it can't be published",
            where=f"{opened.folder}, {where}",
            remedy="build the corpus with ids and codes of one word",
        )


def _manifest(
    opened: Opened, form: str, declared: IdsForm, withheld: Mapping[str, Counter[str]]
) -> Manifest:
    full = opened.manifest
    settings = {
        "version": VERSION,
        "private": list(declared.private),
        "derived": list(declared.derived),
        "similarity": {
            "version": similarity.VERSION,
            "threshold": similarity.THRESHOLD,
            "run_words": similarity.RUN_WORDS,
        },
    }
    origin = {
        "form": FULL,
        "manifest_sha256": opened.manifest_sha256,
        "build_key": full["build_key"],
        "isogloss_version": full.get("isogloss_version"),
        "columns": features(opened.schema),
        "left_out": sorted(set(full) - {*_CARRIED, *_OWN, "stages", "sources", "splits", KEY}),
    }
    manifest = {
        "form": form,
        "derived_from": origin,
        "build_key": form_key(origin, settings),
        **{key: full[key] for key in _CARRIED},
        "sources": [_picked(source, _SOURCE_KEYS) for source in full["sources"]],
        "stages": [_picked(stage, _STAGE_KEYS) for stage in full["stages"]],
        "splits": _picked(full["splits"], _SPLIT_KEYS),
        **published_annotation(opened),
        "release": {
            **settings,
            "withheld": {
                column: {"rows": counts.total(), **dict(sorted(counts.items()))}
                for column, counts in withheld.items()
            },
        },
    }
    keys = [key for stage in manifest["stages"] for key in stage["rejected"]]
    ids = [row for rows in manifest["splits"]["assignments"].values() for row in rows]
    asked = names_in(manifest.get(KEY, {}))
    named = pl.Series([*keys, *ids, *full["counts"]["rejected"], *asked], dtype=pl.String)
    _require_codes(named, "manifest.json", opened)
    return manifest


def _picked(entry: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: entry[key] for key in keys if key in entry}
