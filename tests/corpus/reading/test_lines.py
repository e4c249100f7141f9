"""Lines: cut by line feeds alone, none lost, and what is not UTF-8 told apart from the rest."""

from __future__ import annotations

import io
from typing import BinaryIO, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isogloss.corpus.reading import Refused
from isogloss.corpus.reading.lines import LineChunk, decode, line_chunks
from isogloss.corpus.reading.stream import Stream

BOM = b"\xef\xbb\xbf"
ENDS = [b"\n", b"\r\n", b"\n\n", b"\r", b"\x0b\x0c\x1c", "\u2028\x85".encode()]
BAD = [b"\xff", b"\xe2\x82", b"\xed\xa0\x80"]
pieces = st.sampled_from([*ENDS, *BAD, BOM, b"\t", b"\x00", b"she been ready", "café ".encode()])
sources = st.lists(pieces, max_size=14).map(b"".join)


class Sips:
    """A file that gives at most ``size`` bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        self._file = io.BytesIO(data)
        self._size = size

    def read(self, size: int) -> bytes:
        return self._file.read(min(size, self._size))


def chunks(data: bytes, rows: int, sip: int = 1 << 20) -> list[LineChunk]:
    file = cast(BinaryIO, Sips(data, sip))
    return list(line_chunks(Stream(file, "tweets", lambda: 0), rows))


@settings(max_examples=200, deadline=None)
@given(data=sources, rows=st.integers(1, 5), sip=st.integers(1, 9))
def test_chunks_put_together_are_the_source(data: bytes, rows: int, sip: int) -> None:
    found = chunks(data, rows, sip)
    text = data.removeprefix(BOM)
    ended = text if text.endswith(b"\n") or not text else text + b"\n"
    assert b"".join(chunk.data for chunk in found) == ended
    lines = ended.split(b"\n")[:-1]
    assert [len(chunk.ends) for chunk in found[:-1]] == [rows] * (len(found) - 1)
    cut: list[bytes] = []
    for chunk in found:
        assert chunk.first == len(cut) + 1
        start = 0
        for end in chunk.ends.tolist():
            assert chunk.data[end : end + 1] == b"\n"
            cut.append(chunk.data[start:end])
            start = end + 1
        assert start == len(chunk.data)
    assert cut == lines


@settings(max_examples=200, deadline=None)
@given(data=sources, rows=st.integers(1, 5))
def test_each_line_is_text_or_refused_with_its_place(data: bytes, rows: int) -> None:
    good: dict[int, str] = {}
    bad: dict[int, Refused] = {}
    for chunk in chunks(data, rows):
        frame, refused = decode(chunk)
        good |= dict(frame.iter_rows())
        bad |= {row.position: row for row in refused}
        assert {row.reason for row in refused} <= {"not_utf8"}
    text = data.removeprefix(BOM)
    lines = text.split(b"\n")
    lines = lines[:-1] if lines[-1] == b"" else lines
    assert sorted([*good, *bad]) == list(range(1, len(lines) + 1))
    for position, line in enumerate(lines, start=1):
        try:
            expected = line.decode()
        except UnicodeDecodeError as error:
            place = f"byte 0x{line[error.start]:02x} at {error.start + 1} "
            assert bad[position].detail.startswith(place)
            assert bad[position].text == line.rstrip(b"\r").decode(errors="backslashreplace")
        else:
            assert good[position] == expected.rstrip("\r")


@pytest.mark.parametrize("rows", [1, 2, 3, 7])
@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_the_last_line_counts_with_and_without_its_end(rows: int, end: bytes) -> None:
    found = chunks(BOM + b"one\r\ntwo\nthree" + end, rows)
    texts = [text for chunk in found for text in decode(chunk)[0]["line"]]
    assert texts == ["one", "two", "three"]


@pytest.mark.parametrize("data", [b"", BOM])
def test_nothing_gives_no_chunk(data: bytes) -> None:
    assert chunks(data, 3) == []


def test_chunks_tell_how_much_was_read() -> None:
    file = io.BytesIO(b"one\ntwo\n")
    found = list(line_chunks(Stream(file, "tweets", file.tell), 1))
    assert [chunk.consumed for chunk in found] == [8, 8]
