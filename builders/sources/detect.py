"""Finds out what a source is by its shape, and reads it in chunks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...corpus.hashing import file_sha256
from ...corpus.reading import Stream, is_parquet, open_stream, resolve_source
from ...errors import SourceError
from .chunk import CHUNK_ROWS, Chunk
from .records import read_csv, read_jsonl, read_parquet_rows
from .twitteraae import FULL_FIELDS, LIMITED_FIELDS, read_twitteraae

__all__ = ["Source", "open_source"]

_SHAPES = (
    "TwitterAAE (10 tab-separated fields), or JSON lines, CSV or Parquet with columns id and text"
)


@dataclass(frozen=True, slots=True)
class Source:
    """A source file whose shape is known.

    Attributes:
        path: The file.
        member: Member of the archive, where the file is a zip.
        name: Name for messages and the manifest, without a folder.
        shape: ``twitteraae``, ``jsonl``, ``csv`` or ``parquet``.
        delimiter: Between the fields of a ``csv``.
        size: Bytes of the file.
        sha256: Of the file as it lies there, compressed or not.
    """

    path: Path
    member: str | None
    name: str
    shape: str
    delimiter: str
    size: int
    sha256: str

    def chunks(self, rows: int = CHUNK_ROWS) -> Iterator[Chunk]:
        """Reads the source from the start, ``rows`` source rows at a time."""
        if self.shape == "parquet":
            yield from read_parquet_rows(self.path, rows)
            return
        with open_stream(self.path, self.member) as stream:
            if self.shape == "twitteraae":
                yield from read_twitteraae(stream, rows)
            elif self.shape == "jsonl":
                yield from read_jsonl(stream, rows)
            else:
                yield from read_csv(stream, rows, self.delimiter)


def open_source(source: str) -> Source:
    """Looks at a source and says what it is.

    Args:
        source: ``FILE``, or ``FILE.zip::MEMBER``.

    Raises:
        SourceError: If it is missing, empty, damaged, or of no known shape.
    """
    path, member = resolve_source(source)
    size = path.stat().st_size
    if is_parquet(path, member):
        return Source(path, None, path.name, "parquet", "", size, file_sha256(path))
    with open_stream(path, member) as stream:
        name = stream.name
        shape, delimiter = _shape(stream)
    return Source(path, member, name, shape, delimiter, size, file_sha256(path))


def _shape(stream: Stream) -> tuple[str, str]:
    lines = []
    for _ in range(20):
        line = stream.file.readline(1 << 24)
        lines.append(line)
        if not line.endswith(b"\n"):
            break
    head = [line.removeprefix(b"\xef\xbb\xbf").strip(b"\r\n") for line in lines]
    filled = [line for line in head if line.strip()]
    if not filled:
        raise SourceError(
            "there is nothing but empty lines in it", where=stream.name, remedy=f"give {_SHAPES}"
        )
    first = filled[0]
    if first.lstrip().startswith(b"{"):
        return "jsonl", ""
    counts = [line.count(b"\t") + 1 for line in filled]
    if _columns(first, b"\t") >= {b"id", b"text"}:
        return "csv", "\t"
    if any(_looks_full(line) for line in filled):
        return "twitteraae", "\t"
    if max(counts, key=counts.count) == LIMITED_FIELDS and first.split(b"\t")[0].isdigit():
        raise SourceError(
            "this is TwitterAAE's limited file: ids and posteriors, no text",
            where=stream.name,
            remedy="fetch the texts by id, and give a JSON lines or CSV file with the columns "
            "id, text, author and posterior",
        )
    for delimiter in (b",", b";"):
        names = _columns(first, delimiter)
        if names & {b"id", b"text"}:
            return "csv", delimiter.decode()
    raise SourceError(
        f"the shape of the file is not known; its first line has {counts[0]} tab-separated fields",
        where=stream.name,
        remedy=f"give {_SHAPES}",
    )


def _columns(line: bytes, delimiter: bytes) -> set[bytes]:
    return {name.strip().strip(b'"') for name in line.split(delimiter)}


def _looks_full(line: bytes) -> bool:
    fields = line.split(b"\t")
    return len(fields) == FULL_FIELDS and fields[5].startswith(b'"')
