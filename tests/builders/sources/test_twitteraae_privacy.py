"""TwitterAAE: what is rejected, however it is damaged, tells nobody who wrote, when or where."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator

import polars as pl
import pytest
from isogloss.builders.sources.twitteraae import read_twitteraae
from isogloss.corpus.reading.stream import Stream

TWEET, TIME, USER = "345678901234567890", "Fri Mar 15 10:21:43 +0000 2013", "90210777"
PLACE, BLOCK = "[-73.9857, 40.7484]", "360610076001"
TEXT = '"She be cooking greens for the whole block \\u2764 caf\u00e9"'
LINE = f'{TWEET}\t"{TIME}"\t"{USER}"\t{PLACE}\t"{BLOCK}"\t{TEXT}\t0.9\t0.05\t0\t0'.encode()


def read(data: bytes) -> tuple[pl.DataFrame, pl.DataFrame]:
    stream = Stream(io.BytesIO(data), "tweets.tsv", lambda: 0)
    chunk = next(read_twitteraae(stream, 10_000))
    return chunk.rows, chunk.rejected


def between(line: bytes, more: bytes) -> Iterator[bytes]:
    return (line[:at] + more + line[at:] for at in range(len(line) + 1))


DAMAGES: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "cut at its end": lambda line: (line[:at] for at in range(1, len(line))),
    "cut at its start": lambda line: (line[at:] for at in range(1, len(line))),
    "cut in the middle": lambda line: (line[:at] + line[at + 25 :] for at in range(len(line))),
    "a field too many": lambda line: between(line, b"\t"),
    "a byte too many": lambda line: between(line, b"\xff"),
    "a bad byte": lambda line: (line[:at] + b"\xe9" + line[at + 1 :] for at in range(len(line))),
    "two lines run together": lambda line: (line[:at] + line for at in range(1, len(line))),
    "spaces for tabs": lambda line: iter([line.replace(b"\t", b" "), line.replace(b"\t", b"")]),
    "fields shifted left": lambda line: (
        b"\t".join([*line.split(b"\t")[n:], *[b"0"] * n]) for n in range(1, 6)
    ),
    "fields shifted right": lambda line: (
        b"\t".join([*[b"7"] * n, *line.split(b"\t")[: 10 - n]]) for n in range(1, 6)
    ),
}
PERSONAL = [USER, BLOCK, TIME, *PLACE.strip("[]").split(", ")]
#: Four signs in a row of any of them are a leak.
TRACES = {
    trace
    for value in PERSONAL
    for at in range(len(value) - 3)
    if " " not in (trace := value[at : at + 4])[::3]  # " 15 " may be a column
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_rejected_line_tells_nobody_who_when_or_where(damage: str) -> None:
    kept, rejected = read(b"\n".join(DAMAGES[damage](LINE)))
    assert rejected.height > kept.height
    leaks = [
        (found, row["reason"], row["detail"], row["text"])
        for row in rejected.iter_rows(named=True)
        for said in [f"{row['id']} {row['detail']} {row['text']}".replace(TWEET, "")]
        if (found := sorted(trace for trace in TRACES if trace in said))
    ]
    assert not leaks, f"{len(leaks)} of {rejected.height} rejections leak, for example {leaks[0]}"


@pytest.mark.parametrize(
    "line",
    [
        LINE.replace(b"greens", b"gr\xe9ens"),
        LINE.replace(b"\t0.9\t", b"\thigh\t"),
        LINE.replace(b"\\u2764", b"\\ud83d"),
        LINE + b"\t0",
        LINE.rpartition(b"\t")[0],
    ],
    ids=["bytes", "number", "surrogate", "long", "short"],
)
def test_a_rejected_line_shows_the_text_that_offended(line: bytes) -> None:
    rejected = read(line)[1]
    assert "for the whole block" in rejected["text"].item()
