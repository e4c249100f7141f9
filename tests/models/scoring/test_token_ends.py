"""Where tokens end within a continuation: for every tokenizer, server and journal."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from isogloss.models.scoring import Score, Scored, ScoreRequest
from isogloss.models.scoring.boundary import encode
from isogloss.models.scoring.openai_scorer import _ends
from isogloss.tests.models.scoring.test_boundary import SPLITS, Split
from isogloss.tests.models.scoring.tiny_tokenizers import (
    KINDS,
    straddling_tokenizer,
    tiny_tokenizer,
)


@settings(max_examples=20)
@given(split=SPLITS)
def test_every_token_ends_in_its_continuation_and_in_order(split: Split) -> None:
    for kind in KINDS:
        found = encode(tiny_tokenizer(kind), ScoreRequest(*split))
        assert len(found.ends) == len(found.continuations)
        for ids, ends, text in zip(found.continuations, found.ends, found.texts, strict=True):
            assert len(ends) == len(ids)
            assert list(ends) == sorted(ends)
            assert 0 <= ends[0] <= ends[-1] <= len(text)


@pytest.mark.parametrize("kind", ["gpt2", "qwen"])
def test_pieces_between_ends_are_the_tokens(kind: str) -> None:
    tokenizer = tiny_tokenizer(kind)
    found = encode(tokenizer, ScoreRequest("We was so", (" late, for sure",)))
    (ids,), (ends,), (text,) = found.continuations, found.ends, found.texts
    begins = [0, *ends[:-1]]
    pieces = [text[begin:end] for begin, end in zip(begins, ends, strict=True)]
    assert "".join(pieces) == text
    for piece, token in zip(pieces, ids, strict=True):
        assert piece.strip() == tokenizer.decode([token]).strip()


def test_a_token_across_the_boundary_ends_in_the_continuation() -> None:
    tokenizer = straddling_tokenizer()
    found = encode(tokenizer, ScoreRequest("so a", (" lot", " bit")))
    for ends, text in zip(found.ends, found.texts, strict=True):
        assert all(0 <= end <= len(text) for end in ends)


@pytest.mark.parametrize(
    ("text", "begin", "spans", "ends"),
    [
        (" late", 3, [(3, 6), (6, 8)], (3, 5)),
        (" läte", 3, [(3, 5), (5, 7), (7, 9)], (2, 3, 5)),
        ("😊!", 0, [(0, 2), (2, 4), (4, 5)], (0, 1, 2)),  # a character in two tokens
        (" late", 3, [(2, 5), (5, 8)], (2, 5)),  # the first begins in the context
    ],
)
def test_bytes_of_a_server_are_characters(
    text: str, begin: int, spans: list[tuple[int, int]], ends: tuple[int, ...]
) -> None:
    assert _ends(text, begin, spans) == ends


def test_journals_keep_ends_and_older_ones_have_none() -> None:
    score = Score((Scored((-1.0, -2.0), 5, 5, (3, 5)), Scored((-1.0,), 2, 2)), 4)
    assert Score.from_json(score.to_json()) == score
    older = score.to_json()
    for one in older["scored"]:
        one.pop("ends", None)
    assert [one.ends for one in Score.from_json(older).scored] == [(), ()]
