"""Reads the records of a SQLite file page by page, whatever has become of its b-trees.

SQLite finds a row by way of page 1 (the schema), the table's root and the pages between. Here
every page is looked at: what has the form of a table's leaf gives its records, wherever it
stands, also in the write-ahead log and behind a damaged part of that. Pages, cells, overflow
chains and records are as in https://www.sqlite.org/fileformat2.html (sections 1.6, 2.1, 4).
Nothing is vouched for: a record may be stale, or noise that looks like one. Who takes rows from
here checks each of them.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

__all__ = ["MAGIC", "Record", "Value", "records"]

Value = bytes | str | int | float | None
#: Row number, values. What belongs to ``INTEGER PRIMARY KEY`` is None: it is the row number.
Record = tuple[int, tuple[Value, ...]]

MAGIC = b"SQLite format 3\0"
_WAL_MAGIC = (0x377F0682, 0x377F0683)
#: What SQLite has given to new files since 2016.
_USUAL_PAGE = 4096
_LEAST_PAGE, _MOST_PAGE = 512, 65536
_WAL_HEADER, _FRAME_HEADER = 32, 24
_TABLE_LEAF = 0x0D
_LEAF_HEADER = 8
#: Bytes of a whole number, by its serial type.
_INTEGER_BYTES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_FLOAT, _ZERO, _ONE, _BLOB = 7, 8, 9, 12
_DAMAGED = (IndexError, ValueError, struct.error)


def records(path: Path, *, log: bool) -> Iterator[Record]:
    """Every record in a table's leaf of the file, in the order of the pages.

    Args:
        path: The file; what lies behind a cut is missing, nothing else.
        log: Read the frames of its write-ahead log too, whether committed or not.
    """
    with ExitStack() as stack:
        main = stack.enter_context(path.open("rb"))
        wal_path = path.with_name(f"{path.name}-wal")
        wal = stack.enter_context(wal_path.open("rb")) if log and wal_path.is_file() else None
        yield from _File(main, wal).records()


class _File:
    """The pages of a file; where its log holds a page too, the log's last version is meant."""

    def __init__(self, main: BinaryIO, wal: BinaryIO | None) -> None:
        self._main, self._wal = main, wal
        self._bytes = _length(main) + (_length(wal) if wal else 0)
        self._page_bytes = _page_bytes(main, wal)
        self._frames = list(_frames(wal, self._page_bytes)) if wal else []
        self._latest: dict[int, int] = {}
        for number, salts, at in self._frames:
            # Behind the frames of now may lie those of the time before the log began anew.
            if number not in self._latest or salts == self._frames[0][1]:
                self._latest[number] = at

    def records(self) -> Iterator[Record]:
        """All records of the file and its log, as they lie there; not all of them are sound."""
        for at in range(0, _length(self._main), self._page_bytes):
            yield from self._leaf(_read(self._main, at, self._page_bytes))
        if self._wal:
            for *_, at in self._frames:
                yield from self._leaf(_read(self._wal, at, self._page_bytes))

    def _leaf(self, page: bytes) -> Iterator[Record]:
        """The records of a page, if it is a table's leaf; each cell stands for itself."""
        if len(page) < _LEAF_HEADER or page[0] != _TABLE_LEAF:
            return
        cells = int.from_bytes(page[3:5], "big")
        for pointer in range(_LEAF_HEADER, min(_LEAF_HEADER + 2 * cells, len(page) - 1), 2):
            try:
                yield self._cell(page, int.from_bytes(page[pointer : pointer + 2], "big"))
            except _DAMAGED:
                continue

    def _cell(self, page: bytes, at: int) -> Record:
        length, at = _varint(page, at)
        number, at = _varint(page, at)
        if length > self._bytes:
            raise ValueError("a cell is longer than the file")
        here = _local_bytes(length, self._page_bytes)
        payload = bytearray(page[at : at + here])
        if here < length:
            (following,) = struct.unpack_from(">I", page, at + here)
            self._add_overflow(payload, following, length)
        return number, tuple(_values(bytes(payload)))

    def _add_overflow(self, payload: bytearray, following: int, length: int) -> None:
        seen = set()
        while len(payload) < length:
            if following == 0 or following in seen:
                raise ValueError("an overflow chain ends too soon, or never")
            seen.add(following)
            page = self._page(following)
            payload += page[4 : 4 + length - len(payload)]
            (following,) = struct.unpack_from(">I", page)

    def _page(self, number: int) -> bytes:
        if number * self._page_bytes > self._bytes + self._page_bytes:
            raise ValueError("a page lies behind the end of the file")
        if self._wal and number in self._latest:
            return _read(self._wal, self._latest[number], self._page_bytes)
        return _read(self._main, (number - 1) * self._page_bytes, self._page_bytes)


def _length(file: BinaryIO) -> int:
    return file.seek(0, os.SEEK_END)


def _read(file: BinaryIO, at: int, count: int) -> bytes:
    file.seek(at)
    return file.read(count)


def _page_bytes(main: BinaryIO, wal: BinaryIO | None) -> int:
    """The size of a page as either header has it; the usual one where neither can be read."""
    head = _read(main, 0, 18)
    found = 0
    if head.startswith(MAGIC) and len(head) == 18:
        found = int.from_bytes(head[16:18], "big")
        found = _MOST_PAGE if found == 1 else found
    elif wal and len(head := _read(wal, 0, 12)) == 12:
        magic, _, size = struct.unpack(">III", head)
        found = size if magic in _WAL_MAGIC else 0
    valid = _LEAST_PAGE <= found <= _MOST_PAGE and found & (found - 1) == 0
    return found if valid else _USUAL_PAGE


def _frames(wal: BinaryIO, page_bytes: int) -> Iterator[tuple[int, bytes, int]]:
    """Page number, salts, and where the page begins, of each frame of a write-ahead log."""
    step = _FRAME_HEADER + page_bytes
    for at in range(_WAL_HEADER, _length(wal) - step + 1, step):
        head = _read(wal, at, 16)
        yield int.from_bytes(head[:4], "big"), head[8:16], at + _FRAME_HEADER


def _local_bytes(length: int, page_bytes: int) -> int:
    """How much of a record stands in its leaf; the rest is in the overflow chain."""
    most = page_bytes - 35
    if length <= most:
        return length
    least = (page_bytes - 12) * 32 // 255 - 23
    wanted = least + (length - least) % (page_bytes - 4)
    return wanted if wanted <= most else least


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where it ends."""
    value = 0
    for index in range(at, at + 8):
        value = value << 7 | data[index] & 0x7F
        if data[index] < 0x80:
            return value, index + 1
    return value << 8 | data[at + 8], at + 9


def _values(payload: bytes) -> Iterator[Value]:
    """The values of a record.

    Raises:
        ValueError: If it isn't one.
    """
    end, at = _varint(payload, 0)
    kinds = []
    while at < end:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    for kind in kinds:
        size = 8 if kind == _FLOAT else _INTEGER_BYTES.get(kind, max(0, kind - _BLOB) // 2)
        data = payload[at : at + size]
        at += size
        if kind in _INTEGER_BYTES:
            yield int.from_bytes(data, "big", signed=True)
        elif kind == _FLOAT:
            yield float(struct.unpack(">d", data)[0])
        elif kind in (_ZERO, _ONE):
            yield kind - _ZERO
        elif kind >= _BLOB:
            yield data if kind % 2 == 0 else data.decode()
        elif kind == 0:
            yield None
        else:
            raise ValueError("no kind of value has this number")
    if at != len(payload):
        raise ValueError("a record is longer or shorter than its header says")
