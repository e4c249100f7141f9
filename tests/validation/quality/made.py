"""Small corpora, and files of every shape with the same pairs in them."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import zstandard
from isogloss.validation.quality import Columns, Models, Pairs, Quality, open_pairs, validate
from isogloss.validation.quality.pairs import Refusals

AAE, BERNESE, BAVARIAN = "african-american-english", "bernese", "bavarian"
#: Dialect and standard.
SENTENCES = [
    ("We was late, so she mad", "We were late, so she is mad"),
    ("Them boys ain't never been there", "Those boys have never been there"),
    ("He be working on Sundays", "He usually works on Sundays"),
    ("The store finna close", "The store is about to close"),
]
WORDS = Models(sentiment="words:")


def pairs_of(
    rows: Sequence[Mapping[str, Any] | tuple[str, ...]],
    *,
    variety: str = AAE,
    refused: Refusals | None = None,
) -> Pairs:
    """Pairs in memory; tuples are dialect, standard and the back-translation."""
    texts = ("dialect", "standard", "back")
    named = [
        dict(row) if isinstance(row, Mapping) else dict(zip(texts, row, strict=False))
        for row in rows
    ]
    records = [
        {"position": number, "id": f"r{number}", "variety": variety, **row}
        for number, row in enumerate(named, start=1)
    ]
    schema: dict[str, Any] = {"position": pl.Int64(), "id": pl.String(), "variety": pl.String()}
    found = list(records[0]) if records else ["dialect", "standard"]
    schema |= {name: pl.String() for name in texts if name in found}
    numbers = ("similarity", "back_similarity", "bertscore")
    schema |= {name: pl.Float64() for name in numbers if name in found}
    frame = pl.DataFrame(records, schema=schema)
    return Pairs(
        name="made",
        shape="csv",
        sha256="0" * 64,
        frame=frame,
        refused=refused or Refusals(),
        columns={name: name for name in texts if name in frame.columns},
    )


def measured(rows: Sequence[Any], *, variety: str = AAE, **options: Any) -> Quality:
    return validate(pairs_of(rows, variety=variety), **options)


def opened(
    path: Path,
    *,
    variety: Sequence[str] = (AAE,),
    variety_column: str | None = None,
    **columns: str | None,
) -> Pairs:
    named = Columns(**columns, variety=variety_column)
    return open_pairs(str(path), columns=named, variety=variety)


def tsv(*rows: Sequence[str], header: Sequence[str] = ("dialect", "standard")) -> bytes:
    return "".join("\t".join(row) + "\n" for row in (header, *rows)).encode()


def jsonl(*rows: Any) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def zipped(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("pairs.tsv", data)
    return file.getvalue()


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "plain": lambda data: data,
    "gzip": gzip.compress,
    "zip": zipped,
    "zstd": lambda data: zstandard.ZstdCompressor().compress(data),
}


def texts_in(folder: Path) -> Iterator[tuple[str, str]]:
    """Everything that can be read in any file of a report: its name, and a text."""
    for path in sorted(folder.iterdir()):
        data = path.read_bytes()
        yield path.name, data.decode(errors="replace")
        if path.suffix == ".json":
            yield path.name, json.dumps(json.loads(data), ensure_ascii=False)
        if path.suffix == ".html":
            yield path.name, text_of(data.decode())
        if path.suffix == ".parquet":
            for values in pq.read_table(path).columns:
                yield path.name, "\n".join(map(str, values.to_pylist()))


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self._hidden = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._hidden = tag if tag in ("script", "style") else ""

    def handle_endtag(self, tag: str) -> None:
        self._hidden = "" if tag == self._hidden else self._hidden

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.texts.append(data)


def read_html(page: str) -> tuple[list[tuple[str, dict[str, str | None]]], str]:
    """Every tag with its attributes, and the text as a browser would show it."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return reader.tags, "".join(reader.texts)


def text_of(page: str) -> str:
    return read_html(page)[1]
