"""Tokens are found again in the text, however a server prints them; never at a wrong place."""

from __future__ import annotations

from itertools import accumulate, pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from isogloss.models.scoring.alignment import spans
from isogloss.tests.stub.toy import STYLES, printed, tokenized

TEXTS = st.text(alphabet="ab \n,é😊ส\u3000\ufffd", max_size=24)


def true_spans(tokens: list[bytes]) -> list[tuple[int, int]]:
    return list(pairwise([0, *accumulate(map(len, tokens))]))


@given(TEXTS, st.sampled_from(STYLES), st.sampled_from(["", "<s>"]))
@example(" é", "late", "")
def test_no_token_is_taken_to_lie_where_it_does_not(text: str, style: str, begin: str) -> None:
    tokens = tokenized(text)
    shown = [begin] * bool(begin) + printed(tokens, style)
    found = spans(text, shown, special=True)
    assert found is not None
    if begin:
        assert found.pop(0) == (0, 0)
    for (start, to), (true_start, true_to) in zip(found, true_spans(tokens), strict=True):
        assert start <= true_start < true_to <= to


@given(TEXTS.filter(lambda text: "\ufffd" not in text))
def test_bytes_that_are_written_out_give_exact_places(text: str) -> None:
    tokens = tokenized(text)
    shown = ["bytes:" + "".join(f"\\x{byte:02x}" for byte in token) for token in tokens]
    assert spans(text, shown, special=False) == true_spans(tokens)


@given(st.text(alphabet="ab,😊", min_size=1, max_size=24), st.integers(min_value=0))
def test_a_token_of_whole_characters_that_is_missing_is_noticed(text: str, place: int) -> None:
    shown = printed(tokenized(text + "b"), "bytes")
    whole = [at for at, token in enumerate(shown) if token.isascii() and "\\" not in token]
    del shown[whole[place % len(whole)]]
    assert spans(text + "b", shown, special=False) is None


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("We was", ["we", " was"]),
        ("We was", ["We", " was", " late"]),
        ("We was", ["We"]),
        ("We was", ["<s>", "We", " was"]),
        ("We was", ["We", "  was"]),
        ("We 😊", ["We", " 😊", "😊"]),
        ("We", ["\ufffd", "We"]),
        ("We", []),
    ],
)
def test_other_tokens_than_the_texts_have_no_places(text: str, tokens: list[str]) -> None:
    assert spans(text, tokens, special=False) is None


def test_a_beginning_that_is_not_printed_has_no_width() -> None:
    assert spans("We was", ["", "We", " was"], special=True) == [(0, 0), (0, 2), (2, 6)]
    # Here it may be a part of the first character.
    assert spans("é", ["", "é"], special=True) == [(0, 2), (0, 2)]


def test_a_long_text_of_broken_characters_takes_no_time() -> None:
    text = "สวัสดีครับ" * 100
    assert spans(text, printed(tokenized(text), "replace"), special=False) is not None
    assert spans(text, [""] * 3_000, special=False) is None
