"""Tells what a text file is from its first line."""

from __future__ import annotations

from typing import Literal

from ...corpus.reading import Stream
from ...errors import SourceError

__all__ = ["text_shape"]

#: A first line may be so long.
_MOST_BYTES = 1 << 24


def text_shape(stream: Stream) -> tuple[Literal["csv", "jsonl", "tmx"], str]:
    """What a text file is, and the delimiter of a table.

    Args:
        stream: At its start; must be opened again to be read.

    Raises:
        SourceError: If there is no line with two columns at its start.
    """
    first = b""
    while not first.strip():
        line = stream.file.readline(_MOST_BYTES)
        if not line:
            raise SourceError(
                "there is nothing but empty lines in it",
                where=stream.name,
                remedy="give a file with rows in it",
            )
        first = line.removeprefix(b"\xef\xbb\xbf")
    start = first.lstrip()
    if start.startswith(b"<"):
        return "tmx", ""
    if start.startswith(b"{"):
        return "jsonl", ""
    if start.startswith(b"["):
        raise SourceError(
            "this is one JSON array",
            where=stream.name,
            remedy="write one object per line (jq -c '.[]' does it)",
        )
    # Names of columns may have commas; none has a tab.
    delimiter = b"\t" if b"\t" in first else max((b",", b";"), key=first.count)
    if not first.count(delimiter):
        raise SourceError(
            "the first line has one column only",
            where=stream.name,
            remedy="give JSON lines, CSV, or tab-separated, with a header line",
        )
    return "csv", delimiter.decode()
