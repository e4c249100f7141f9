"""What is remembered of words: never more than a bounded number of them."""

from __future__ import annotations

import pytest
from isogloss.corpus import remembered
from isogloss.corpus.remembered import Remembered


def test_a_word_is_asked_about_once() -> None:
    asked: list[str] = []

    def upper(word: str) -> str:
        asked.append(word)
        return word.upper()

    table = Remembered(upper)
    assert (
        list(map(table.__getitem__, "we was we was late".split())) == "WE WAS WE WAS LATE".split()
    )
    assert asked == ["we", "was", "late"]


def test_long_words_are_not_kept() -> None:
    table = Remembered(len)
    assert table["a" * 10_000] == 10_000
    assert not table


def test_a_full_table_starts_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "_MOST", 3)
    table = Remembered(len)
    assert [table[word] for word in ("a", "bb", "ccc", "dddd", "a")] == [1, 2, 3, 4, 1]
    assert dict(table) == {"dddd": 4, "a": 1}
