r"""TwitterAAE as it lies on the disk: ten tab-separated fields, no header, no quoting.

The fields are: tweet id, time, user id, ``[lon, lat]``, census block group, text (the
last five as JSON), then the posteriors P(African American), P(Hispanic), P(Other),
P(White). Blodgett, Green & O'Connor (2016), *Demographic dialectal variation in
social media*.

Of these the tweet id, the text, the first posterior and the user id go on; the user
id becomes an ordinal before anything is written. Time and place are never decoded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from ...corpus.reading import Refused, Stream, decode, line_chunks
from ...corpus.text import encodable
from .chunk import SOURCE_ROWS, Chunk, rejected_frame, row_id, text_only

__all__ = ["FULL_FIELDS", "LIMITED_FIELDS", "read_twitteraae"]

FULL_FIELDS = 10
LIMITED_FIELDS = 6
_ID, _USER, _TEXT, _POSTERIOR = 0, 2, 5, 6

_SIMPLE_JSON = r'^"[^"\\\x00-\x1f]*"$'
_JSON_STRING = r'^[ \r]*"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"[ \r]*$'
_SURROGATE_ESCAPE = r"(?i)\\ud[89a-f][0-9a-f]{2}"


def read_twitteraae(stream: Stream, rows: int) -> Iterator[Chunk]:
    """Reads the full file in chunks of ``rows`` lines.

    Yields:
        Chunks whose ``author`` is the raw user id: a column for grouping, which no
        builder writes out.
    """
    for chunk in line_chunks(stream, rows):
        frame, refused = decode(chunk)
        refused = [replace(row, text=text_only(row.text.split("\t"))) for row in refused]
        frame, more = _parse(frame, stream.name)
        yield Chunk(frame, rejected_frame(refused + more, stage="read"), chunk.consumed)


def _parse(lines: pl.DataFrame, source: str) -> tuple[pl.DataFrame, list[Refused]]:
    whole = lines["line"].str.count_matches("\t", literal=True) == FULL_FIELDS - 1
    refused = [_wrong_fields(*row) for row in lines.filter(~whole).iter_rows()]
    good = lines.filter(whole)
    fields = good["line"].str.split_exact("\t", FULL_FIELDS - 1).struct.unnest()
    ids, users, texts, posteriors = (
        fields[f"field_{index}"] for index in (_ID, _USER, _TEXT, _POSTERIOR)
    )
    parsed = pl.DataFrame(
        {
            "position": good["position"],
            "id": ids,
            "text": _json_strings(texts),
            "author": _json_strings(users),
            "posterior": posteriors.cast(pl.Float64, strict=False),
        },
        schema=dict(SOURCE_ROWS),
    )
    fine = ids.str.contains(r"^[0-9]+$") & parsed["text"].is_not_null()
    posterior = parsed["posterior"]
    in_range = posterior.is_nan() | posterior.is_between(0.0, 1.0)
    fine &= parsed["author"].is_not_null() & in_range.fill_null(False)
    for position, line in good.filter(~fine).iter_rows():
        refused.append(_unreadable(position, line.split("\t"), source=source))
    return parsed.filter(fine), refused


def _json_strings(values: pl.Series) -> pl.Series:
    """Decodes a column of JSON strings; null where one isn't, or has a lone surrogate.

    polars' own ``json_decode`` turns a lone surrogate into NUL and fails a whole
    column for one bad row, hence Python's decoder for the strings with escapes. All of
    them go through it in one call: each has been seen to be one JSON string before.
    """
    simple = values.str.contains(_SIMPLE_JSON)
    plain = values.str.slice(1, values.str.len_chars() - 2)
    if simple.all():
        return plain
    escaped = values.filter(~simple)
    sound = escaped.str.contains(_JSON_STRING)
    decoded = iter(json.loads(f"[{','.join(escaped.filter(sound))}]"))
    surrogates = escaped.str.contains(_SURROGATE_ESCAPE)
    texts = [
        (_whole(next(decoded)) if check else next(decoded)) if fine else None
        for fine, check in zip(sound, surrogates, strict=True)
    ]
    return plain.scatter(simple.not_().arg_true(), pl.Series(texts, dtype=pl.String))


def _whole(text: str) -> str | None:
    """The text, or None where it holds half of a surrogate pair."""
    return text if encodable(text) else None


def _unreadable(position: int, fields: list[str], *, source: str) -> Refused:
    """Says which field of a line with ten fields can't be read."""
    tweet, user, text = (fields[index] for index in (_ID, _USER, _TEXT))
    shown = text_only(fields)
    if not re.fullmatch(r"[0-9]+", tweet):
        row_id(tweet, position=position, source=source)
        return Refused(position, "invalid_id", "field 1 is not a tweet id", shown)
    for number, field in ((_USER + 1, user), (_TEXT + 1, text)):
        if re.fullmatch(_JSON_STRING[1:-1], field) is None:
            detail = f"field {number} is not a JSON string"
            return Refused(position, "invalid_json", detail, shown, tweet)
    if None in (_whole(json.loads(user)), _whole(json.loads(text))):
        return Refused(position, "lone_surrogate", "half of a surrogate pair", text, tweet)
    detail = f"field {_POSTERIOR + 1} is not a number from 0 to 1"
    return Refused(position, "invalid_number", detail, shown, tweet)


def _wrong_fields(position: int, line: str) -> Refused:
    if not line.strip():
        return Refused(position, "blank_line", "", "")
    fields = line.split("\t")
    plural = "" if len(fields) == 1 else "s"
    detail = f"{len(fields)} field{plural} where TwitterAAE has {FULL_FIELDS}"
    # A first field that a tab ends is whole, whatever the line has lost behind it.
    tweet = fields[_ID] if len(fields) > 1 and re.fullmatch(r"[0-9]+", fields[_ID]) else None
    return Refused(position, "field_count", detail, text_only(fields), tweet)
