"""JSON lines: every line is kept or refused with a reason, and nobody's name in what is refused."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from isogloss.builders.sources.records import read_jsonl
from isogloss.corpus.reading.stream import Stream
from isogloss.errors import SourceError

Rows = list[tuple[Any, ...]]


def jsonl(*lines: str, rows: int = 100) -> tuple[Rows, Rows]:
    data = "\n".join(lines).encode()
    chunks = list(read_jsonl(Stream(io.BytesIO(data), "tweets.txt", lambda: 0), rows))
    kept = [row for chunk in chunks for row in chunk.rows.rows()]
    return kept, [row for chunk in chunks for row in chunk.rejected.rows()]


def reasons(rejected: Rows) -> list[tuple[int, str]]:
    return [(row[0], row[3]) for row in rejected]


GOOD = '{"id": 7, "text": "she been ready", "author": 12, "posterior": 0.9}'


@pytest.mark.parametrize("rows", [1, 2, 3, 100])
def test_positions_count_lines_whatever_the_size_of_chunks(rows: int) -> None:
    kept, rejected = jsonl(GOOD, "", GOOD, "{", GOOD, rows=rows)
    row = ("7", "she been ready", "12", 0.9)
    assert kept == [(1, *row), (3, *row), (5, *row)]
    assert reasons(rejected) == [(2, "blank_line"), (4, "invalid_json")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"id": "1", "text": "cut', "invalid_json"),
        ('{"id": "1", "text": ' + "[" * 100_000, "invalid_json"),
        ('["1", "text"]', "invalid_json"),
        ("null", "invalid_json"),
        ('{"text": "no id"}', "no_id"),
        ('{"id": " ", "text": "no id"}', "no_id"),
        ('{"id": "", "text": "\\ud83d"}', "no_id"),
        ('{"id": "1"}', "no_text"),
        ('{"id": "1", "text": "\\n"}', "no_text"),
        ('{"id": "1", "text": 5}', "no_text"),
        ('{"id": "1", "text": "half \\ud83d"}', "lone_surrogate"),
        ('{"id": "\\ud83d", "text": "half"}', "lone_surrogate"),
        ('{"id": "1", "text": "half", "author": "\\ud83d"}', "lone_surrogate"),
        ('{"id": "1", "text": "a", "posterior": "high"}', "invalid_number"),
        ('{"id": "1", "text": "a", "posterior": [1]}', "invalid_number"),
        ('{"id": "1", "text": "a", "posterior": 1' + "0" * 400 + "}", "invalid_number"),
    ],
    ids=lambda value: value[:60],
)
def test_a_bad_record_is_one_rejected_row(line: str, reason: str) -> None:
    kept, rejected = jsonl(GOOD, line, GOOD)
    assert [row[0] for row in kept] == [1, 3]
    assert reasons(rejected) == [(2, reason)]


ODD: list[Any] = [None, True, 5, -1, 10**400, "", " ", "a", "\n", "\ud83d", "\ud83d\ude00", [], {}]
odd = st.sampled_from(ODD) | st.text(max_size=3)
records = st.fixed_dictionaries(
    {"id": st.sampled_from([*["1"] * 9, *ODD]), "text": st.sampled_from([*["hey"] * 9, *ODD])},
    optional={"author": odd, "posterior": odd, "place": odd},
)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(more=st.lists(records | odd, max_size=5), rows=st.integers(1, 4))
def test_every_line_is_a_row_or_a_rejection(more: list[Any], rows: int) -> None:
    lines = [GOOD, *(json.dumps(value) for value in more)]
    try:
        kept, rejected = jsonl(*lines, rows=rows)
    except SourceError:
        reject()  # an id that looks rounded: the file as a whole is refused
    assert sorted(row[0] for row in [*kept, *rejected]) == list(range(1, len(lines) + 1))
    assert all(isinstance(row[1], str) and row[1] and row[2].strip() for row in kept)


@pytest.mark.parametrize("author", ["90210777", "sunny_gardener", "Rosa of the Garden Club"])
@pytest.mark.parametrize(
    "line",
    [
        '{"author": "AUTHOR", "id": "1", "text": "cut',
        '{"id": "1", "text": "extra bracket", "author": "AUTHOR"}}',
        '{"author": "AUTHOR", "text": "no id"}',
        '{"author": "AUTHOR", "id": "1", "text": "a", "posterior": "high"}',
    ],
)
def test_a_rejected_json_line_does_not_name_its_author(line: str, author: str) -> None:
    rejected = jsonl(GOOD, line.replace("AUTHOR", author))[1]
    assert len(rejected) == 1
    assert author not in str(rejected)


def test_columns_that_are_not_there_are_named() -> None:
    with pytest.raises(SourceError, match=r"no column 'id' and no column 'text'.*found: tweet"):
        jsonl('{"tweet": "1"}')
