"""Cuts a stream of bytes into chunks of whole lines: at line feeds and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np
import polars as pl
import pyarrow as pa

from .refused import Refused
from .stream import Stream

__all__ = ["LineChunk", "decode", "line_chunks"]

Offsets = np.ndarray[tuple[int], np.dtype[np.int64]]

_NEWLINE = 10
_READ_BYTES = 16 << 20
#: A chunk of long lines is cut when it has so many bytes.
_MOST_BYTES = 32 << 20
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class LineChunk:
    r"""Consecutive lines without their ends.

    Attributes:
        data: The bytes, lines and their ends.
        ends: Offset of each line's ``\n``, shape (lines,).
        first: Number of the first line, from 1.
        consumed: Compressed bytes of the source read so far.
    """

    data: bytes
    ends: Offsets
    first: int
    consumed: int


def line_chunks(stream: Stream, rows: int) -> Iterator[LineChunk]:
    r"""Yields chunks of ``rows`` lines, fewer where lines are long and in the last one.

    A last line without ``\n`` counts; nothing after a last ``\n`` does not.
    """
    pieces = [_after_bom(stream)]
    ends = [_ends(pieces[0])]
    size, first = len(pieces[0]), 1
    while True:
        read = stream.file.read(_READ_BYTES)
        at_end = not read
        if at_end and size and not (pieces[-1] or pieces[-2]).endswith(b"\n"):
            read = b"\n"
        pieces.append(read)
        ends.append(_ends(read) + size)
        size += len(read)
        waiting = sum(map(len, ends))
        if not at_end and waiting < rows and (size < _MOST_BYTES or not waiting):
            continue
        data, known = b"".join(pieces), np.concatenate(ends)
        start = taken = 0
        while taken < waiting and (
            at_end or waiting - taken >= rows or size - start >= _MOST_BYTES
        ):
            part = known[taken : taken + rows]
            stop = int(part[-1]) + 1
            yield LineChunk(data[start:stop], part - start, first, stream.consumed())
            start, taken, first = stop, taken + len(part), first + len(part)
        pieces, ends = [data[start:]], [known[taken:] - start]
        size -= start
        if at_end:
            return


def _ends(data: bytes) -> Offsets:
    return np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == _NEWLINE)


def _after_bom(stream: Stream) -> bytes:
    start = b""
    while len(start) < len(_BOM) and (more := stream.file.read(len(_BOM) - len(start))):
        start += more
    return start.removeprefix(_BOM)


def decode(chunk: LineChunk) -> tuple[pl.DataFrame, list[Refused]]:
    """The chunk's lines as text: columns ``position`` and ``line``; and what isn't UTF-8."""
    count = len(chunk.ends)
    bad = dict(_not_utf8(chunk))
    offsets = np.zeros(count + 1, dtype=np.int64)
    offsets[1:] = chunk.ends + 1
    array = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), count, [None, pa.py_buffer(offsets), pa.py_buffer(chunk.data)]
    )
    positions = np.arange(chunk.first, chunk.first + count)
    refused = []
    if bad:
        for line, detail in bad.items():
            shown = array[line].as_py().rstrip(b"\r\n").decode(errors="backslashreplace")
            refused.append(Refused(chunk.first + line, "not_utf8", detail, shown))
        good = np.ones(count, dtype=bool)
        good[list(bad)] = False
        array, positions = array.filter(pa.array(good)), positions[good]
    lines = cast(pl.Series, pl.from_arrow(array.cast(pa.large_string())))
    return pl.DataFrame({"position": positions, "line": lines.str.strip_chars_end("\r\n")}), refused


def _not_utf8(chunk: LineChunk) -> Iterator[tuple[int, str]]:
    """Lines (from 0) that are not UTF-8, each with what is wrong."""
    view = memoryview(chunk.data)
    start = 0
    while start < len(view):
        try:
            str(view[start:], "utf-8")
        except UnicodeDecodeError as error:
            at = start + error.start
            line = int(np.searchsorted(chunk.ends, at))
            column = at - (int(chunk.ends[line - 1]) + 1 if line else 0) + 1
            yield line, f"byte 0x{view[at]:02x} at {column} is not UTF-8"
            start = int(chunk.ends[line]) + 1
        else:
            return
