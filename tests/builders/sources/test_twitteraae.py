"""TwitterAAE: every line is read, or refused, as a slow plain reader would."""

from __future__ import annotations

import io
import json
import re

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from isogloss.builders.sources.chunk import SOURCE_ROWS
from isogloss.builders.sources.twitteraae import read_twitteraae
from isogloss.corpus.reading.stream import Stream
from isogloss.corpus.schema import REJECTED
from isogloss.errors import SourceError

TWEET = "345678901234567890"
TEXT = '"She be cooking greens \\u2764 caf\u00e9"'
LINE = f'{TWEET}\t"when"\t"7"\t[0, 0]\t"0"\t{TEXT}\t0.9\t0.05\t0\t0'.encode()


def read(data: bytes, rows: int = 1000) -> tuple[pl.DataFrame, pl.DataFrame]:
    stream = Stream(io.BytesIO(data), "tweets.tsv", lambda: 0)
    chunks = list(read_twitteraae(stream, rows))
    empty = [pl.DataFrame(schema=dict(schema)) for schema in (SOURCE_ROWS, REJECTED)]
    return (
        pl.concat([empty[0], *(chunk.rows for chunk in chunks)]),
        pl.concat([empty[1], *(chunk.rejected for chunk in chunks)]),
    )


def json_text(field: str) -> str | None:
    try:
        value = json.loads(field)
    except ValueError:
        return None
    return value if isinstance(value, str) else None


def oracle(line: bytes) -> tuple[str, str, str, float] | str:
    """Id, text, author and posterior of a line; or the reason why it can't be read."""
    try:
        fields = line.decode().rstrip("\r\n").split("\t")
    except UnicodeDecodeError:
        return "not_utf8"
    if len(fields) != 10:
        return "field_count" if "".join(fields).strip() else "blank_line"
    if not re.fullmatch("[0-9]+", fields[0]):
        return "invalid_id"
    author, text = json_text(fields[2]), json_text(fields[5])
    if author is None or text is None:
        return "invalid_json"
    if any("\ud800" <= sign <= "\udfff" for sign in author + text):
        return "lone_surrogate"
    try:
        number = float(fields[6])
    except ValueError:
        return "invalid_number"
    # float() takes spaces around a number, which no writer of this file ever put there.
    return (fields[0], text, author, number) if fields[6].strip() == fields[6] else "invalid_number"


FRAGMENTS = ['"x\\"', '"', '","a\\n"', '"a","b\\n"', '"a\\tb"', "[1]", "12", "", '"\\ud83d"']
FRAGMENTS += ['"\\ud83d\\ude00"', '"\\uDE00"', ' "a" ', '"a\x01"', '"\\x"', '"\\\\ud83d"', "null"]
json_fields = (
    st.builds(json.dumps, st.text(max_size=8), ensure_ascii=st.booleans())
    | st.sampled_from(FRAGMENTS)
    | st.text('"\\,n[]{}u', max_size=8)
).filter(lambda field: "\t" not in field and "\n" not in field)
encoded = st.builds(
    lambda tweet, user, text, posterior: "\t".join(
        [tweet, '"when"', user, "[0, 0]", '"0"', text, posterior, "0", "0", "0"]
    ).encode(),
    st.sampled_from(["1", TWEET, "", "x1", "-5", '"7"']),
    json_fields,
    json_fields,
    st.sampled_from(["0.9", "1", "9.5e-05", "nan", "", "high", "0.9.1"]),
)
bytes_ = st.sampled_from([b"\xff", b"\t", b"\r", "\u2028".encode(), b" ", b"\xc3"])
damaged = st.builds(
    lambda line, at, more: line[:at] + more + line[at:], encoded, st.integers(0, 60), bytes_
)
cut = st.builds(lambda line, at: line[:at], encoded, st.integers(0, 60))


def lines_of(*texts: str) -> list[bytes]:
    return [f'1\t""\t"2"\t[]\t""\t{text}\t1\t0\t0\t0'.encode() for text in texts]


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(lines=st.lists(encoded | damaged | cut, max_size=8), rows=st.integers(1, 9))
@example(lines_of('"x\\"', '","a\\n"'), 9)  # neither is JSON, both together are two strings
@example(lines_of('"x\\"', '"', '"a","b\\n"'), 9)
def test_lines_are_read_as_a_plain_reader_would(lines: list[bytes], rows: int) -> None:
    kept, rejected = read(b"".join(line + b"\n" for line in lines), rows)
    expected = [oracle(line) for line in lines]
    assert [str(row) for row in kept.rows()] == [
        str((position, *row))
        for position, row in enumerate(map(_in_order, expected), start=1)
        if row is not None
    ]
    assert rejected.select("position", "reason").rows() == [
        (position, reason)
        for position, reason in enumerate(expected, start=1)
        if isinstance(reason, str)
    ]


def _in_order(row: tuple[str, str, str, float] | str) -> tuple[str, str, str, float] | None:
    return None if isinstance(row, str) else row


def test_a_good_line_keeps_its_id_text_author_and_posterior() -> None:
    for end in (b"", b"\n", b"\r\n"):
        assert read(LINE + end)[0].rows() == [(1, TWEET, json.loads(TEXT), "7", 0.9)]


def test_a_rounded_id_stops_the_reading() -> None:
    with pytest.raises(SourceError, match=r"tweets\.tsv, row 2: .*3\.4E\+17"):
        read(LINE + b"\n" + LINE.replace(TWEET.encode(), b"3.4E+17"))


def test_a_text_nested_without_end_is_one_bad_row() -> None:
    kept, rejected = read(LINE + b"\n" + LINE.replace(TEXT.encode(), b"[" * 200_000))
    assert (kept.height, rejected["reason"].to_list()) == (1, ["invalid_json"])
