"""Joins the source texts back to a corpus in its ids form, from a file the user has."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl

from ...corpus.annotated import KEY
from ...corpus.manifest import Manifest
from ...corpus.opened import Opened, card_metadata, open_corpus, require_apart
from ...corpus.schema import REJECTED, Schema, features, schema_of
from ...corpus.store import ShardWriter, read_parquet
from ...errors import CorpusError, SourceError
from ...failpoints import failpoint
from .. import builder_forms
from ..engine.progress import Progress, Silent
from ..engine.step import Step
from ..samples import SAMPLE, sample_path
from ..sources import Source, open_source
from .cards import hydrated_body
from .declare import WITHHELD, IdsForm, hash_column
from .people import with_verdicts
from .texts import STAGE, Texts, find_texts
from .written import FormResult, Version, form_key, versions

__all__ = ["HYDRATED", "hydrate"]

#: Name of the form with the texts back.
HYDRATED = "hydrated"
_IDS = "ids"
#: Raised when the same folder and source would give another hydrated form.
VERSION = 2
_CARRIED = ("builder", "seed", "params", "varieties", "models")


def hydrate(
    folder: str | Path, *, source: str, out: str | Path, progress: Progress | None = None
) -> FormResult:
    """Makes the hydrated form: the full form's columns, with the texts from ``source``.

    A row whose text is missing, has changed or can't be read goes to ``rejected/``, with the
    reason. ``unreadable`` is a row of the source whose id can be read at least: where a cut or
    broken line doesn't give its id away, as in JSON lines and CSV, the text is ``missing``.
    What the ids form withheld stays null.

    Args:
        folder: A corpus in its ids form; it is only read.
        source: A file with the texts, of any shape that a builder reads; or `sample`.
        out: The new corpus folder.
        progress: Told of what is done.

    Raises:
        CorpusError: If ``folder`` is no corpus in its ids form, or was cleaned by another
            version of the cleaning step.
        SourceError: If the source can't be read, or no text of the corpus is in it.
    """
    folder, out = Path(folder), Path(out)
    opened = open_corpus(folder, form=_IDS)
    require_apart(folder, out, option="the ids form")
    form, schema = _declared(opened)
    step = _cleaning(opened, form)
    name = opened.manifest["builder"]["name"]
    opened_source = open_source(str(sample_path(name)) if source == SAMPLE else source)
    progress = progress or Silent()
    with versions(out, builder=name, form=HYDRATED, schema=schema) as version:
        columns = ["id", *map(hash_column, form.private)]
        wanted = pl.concat(
            [
                read_parquet([path], opened.schema).select(columns)
                for _, path in opened.files("data")
            ]
        )
        texts = find_texts(opened_source, wanted, step, form.private, progress)
        _require_some(texts, opened, opened_source)
        progress.phase("write the corpus", opened.all_rows)
        reasons, withheld = _write_data(opened, version, texts, form, progress)
        failpoint("form-data")
        for path, file in opened.files("rejected"):
            shutil.copyfile(file, version.target / path)
        manifest = _manifest(opened, opened_source, version, reasons, withheld)
        card = card_metadata(folder)
        body = hydrated_body(manifest, str(card.get("pretty_name", name)), version.data.schema)
        return version.finish(manifest, card=card, body=body)


def _declared(opened: Opened) -> tuple[IdsForm, Schema]:
    """The form as its builder declares it, and the full form's columns as the manifest has them."""
    form = builder_forms(str(opened.manifest["builder"].get("name"))).get(_IDS)
    try:
        schema = schema_of(opened.manifest["derived_from"]["columns"])
    except (KeyError, TypeError):
        schema = {}
    form = form and with_verdicts(form, opened)
    if form is None or not schema or dict(form.published(schema)) != dict(opened.schema):
        raise CorpusError(
            "the columns are not the ones that this isogloss gives an ids form",
            where=str(opened.folder / "manifest.json"),
            remedy=_same_version(opened),
        )
    return form, schema


def _cleaning(opened: Opened, form: IdsForm) -> Step:
    """The step that cleaned the texts, with the parameters that the manifest has."""
    entries = [entry for entry in opened.manifest["stages"] if entry["name"] == form.stage]
    try:
        step = form.clean(**entries[0]["params"])
        same = entries[0]["version"] == step.version
    except (IndexError, KeyError, TypeError):
        same = False
    if not same:
        raise CorpusError(
            f"the texts were cleaned by another version of the step {form.stage}, so none would "
            "be recognised",
            where=str(opened.folder / "manifest.json"),
            remedy=_same_version(opened),
        )
    return step


def _same_version(opened: Opened) -> str:
    return f"hydrate with isogloss {opened.manifest.get('isogloss_version')}, which made it"


def _require_some(texts: Texts, opened: Opened, source: Source) -> None:
    if texts.found.height:
        return
    made_from = opened.manifest["sources"][0]
    what = f"none of the {opened.rows:,} ids of the corpus is in its {texts.read:,} rows"
    if texts.changed or texts.unreadable:
        what = (
            f"{len(texts.changed):,} ids of the corpus are in it, but no text is the one that the "
            "corpus was made from"
        )
    raise SourceError(
        what,
        where=source.name,
        remedy=f"give the file that the corpus was made from: {made_from['name']}, "
        f"SHA-256 {made_from['sha256']}",
    )


def _write_data(
    opened: Opened, version: Version, texts: Texts, form: IdsForm, progress: Progress
) -> tuple[Counter[str], Counter[str]]:
    """Writes the rows that have their text, and the others as rejections.

    Returns:
        Rows without their text by reason, and rows with a value withheld by column.
    """
    lost = ShardWriter(version.target / "rejected", STAGE, REJECTED)
    reasons, withheld = Counter[str](), Counter[str]()
    done = 0
    for name, path in opened.files("data"):
        rows = read_parquet([path], opened.schema).join(
            texts.found, on="id", how="left", maintain_order="left"
        )
        whole = rows[form.private[0]].is_not_null()
        rejected = texts.rejections(rows.filter(~whole)["id"])
        reasons.update(rejected["reason"])
        lost.write(rejected)
        rows = rows.filter(whole)
        withheld.update(rows[WITHHELD].explode().drop_nulls())
        version.data.write(name, rows.select(list(version.data.schema)))
        done += whole.len()
        progress.advance(done, done)
    lost.close()
    return reasons, withheld


def _manifest(
    opened: Opened,
    source: Source,
    version: Version,
    reasons: Counter[str],
    withheld: Counter[str],
) -> Manifest:
    ids = opened.manifest
    origin = {
        "form": _IDS,
        "manifest_sha256": opened.manifest_sha256,
        "build_key": ids["build_key"],
        "isogloss_version": ids.get("isogloss_version"),
        "columns": features(opened.schema),
    }
    from_file: dict[str, Any] = {
        "name": source.name,
        "shape": source.shape,
        "bytes": source.size,
        "sha256": source.sha256,
        "note": "",
    }
    rejected = dict(sorted(reasons.items()))
    counts, splits = ids["counts"], ids["splits"]
    kept = opened.rows - reasons.total()
    written = {name: split.rows for name, split in version.data.splits.items()}
    derived = ids["release"]["derived"]
    return {
        "form": HYDRATED,
        "derived_from": origin,
        "build_key": form_key(origin, {"version": VERSION, "source": source.sha256}),
        **{key: ids[key] for key in _CARRIED},
        **({KEY: ids[KEY]} if KEY in ids else {}),
        "sources": [*ids["sources"], from_file],
        "counts": {
            "read": counts["read"],
            "kept": kept,
            "rejected": dict(sorted((Counter(counts["rejected"]) + reasons).items())),
        },
        "stages": [
            *ids["stages"],
            {"name": STAGE, "in": opened.rows, "kept": kept, "rejected": rejected},
        ],
        "splits": {**splits, "rows": {name: written.get(name, 0) for name in splits["rows"]}},
        "release": {
            **ids["release"],
            "withheld": {column: {"rows": withheld[column]} for column in derived},
        },
    }
