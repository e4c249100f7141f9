"""Remembers what a function says of words: texts differ, but the words in them come again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

__all__ = ["Remembered"]

_Found = TypeVar("_Found")
#: Some ten megabytes. The frequent words are soon known again when the table starts anew.
_MOST = 1 << 15
#: Longer ones are seldom words, and seldom come again.
_LONGEST = 40


class Remembered(dict[str, _Found]):
    """A table of what a function returns, filled as it is asked.

    Looking a word up costs less than any call; ``map(table.__getitem__, words)`` asks about all
    words of a text. The table is bounded in words and in their length.

    Args:
        function: What is remembered; it must say the same of the same word each time.

    Example:
        >>> lengths = Remembered(len)
        >>> lengths["seven"], dict(lengths)
        (5, {'seven': 5})
    """

    def __init__(self, function: Callable[[str], _Found]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, word: str) -> _Found:
        found = self._function(word)
        if len(word) <= _LONGEST:
            if len(self) >= _MOST:
                self.clear()
            self[word] = found
        return found
