"""Turns of phrase that are looked for in many texts and found in few."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from itertools import chain

__all__ = ["Phrases", "plain"]

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


class Phrases:
    r"""Several patterns, each behind the words one of which it can't do without.

    Whether a text has one of those words is quickly said, so that most texts never meet a
    regular expression.

    Args:
        phrases: Pairs of needed words, separated by spaces, and a pattern; all in lower case.
            Where common words are all that is needed, a third entry may name parts, separated
            by spaces, one of which stands in whatever the pattern matches; this saves time and
            changes nothing.

    Example:
        >>> greetings = Phrases([("morning evening", r"\bgood (?:morning|evening)\b")])
        >>> greetings.search("and a good evening to you")[0]
        'good evening'
        >>> greetings.search("this evening")
    """

    def __init__(self, phrases: Iterable[tuple[str, str] | tuple[str, str, str]]) -> None:
        self._phrases = tuple(
            (frozenset(words.split()), tuple(" ".join(parts).split()), re.compile(pattern))
            for words, pattern, *parts in phrases
        )
        self._needed = frozenset(chain.from_iterable(needed for needed, *_ in self._phrases))
        self._word_hints: dict[str, int] = {}
        self._part_hints: dict[str, int] = {}
        for number, (needed, parts, _) in enumerate(self._phrases):
            first, second = 1 << number, 1 << len(self._phrases) + number
            for word in needed:
                bits = first if parts else first | second
                self._word_hints[word] = self._word_hints.get(word, 0) | bits
            for part in parts:
                self._part_hints[part] = self._part_hints.get(part, 0) | second
        self._any_part = re.compile("|".join(map(re.escape, self._part_hints)) or r"(?!)")

    def __len__(self) -> int:
        """How many patterns there are."""
        return len(self._phrases)

    def hints(self, text: str, words: Iterable[str]) -> int:
        """What patterns need of which a part of a text has something.

        Args:
            text: The part, without white space, in lower case with straight apostrophes.
            words: Its words.

        Returns:
            A number's bits, those of a text being those of its parts: half of them for the
            needed words, half of them for the needed parts, in the same order. A text may match
            where both halves have one in common.
        """
        hints = 0
        for word in words:
            hints |= self._word_hints.get(word, 0)
        if self._any_part.search(text):
            for part, bits in self._part_hints.items():
                if part in text:
                    hints |= bits
        return hints

    def search(self, text: str, words: AbstractSet[str] | None = None) -> re.Match[str] | None:
        """The first pattern's first match.

        Args:
            text: What :func:`plain` returned.
            words: The words of the text, where they are known already.
        """
        words = frozenset(_WORD.findall(text)) if words is None else words
        if self._needed.isdisjoint(words):
            return None
        for needed, parts, pattern in self._phrases:
            if (
                not needed.isdisjoint(words)
                and (not parts or any(part in text for part in parts))
                and (found := pattern.search(text))
            ):
                return found
        return None


def plain(text: str, *, reach: int) -> str:
    """A text in lower case with straight apostrophes, and only the ends of a long one.

    Args:
        text: Any text.
        reach: How many characters of each end are looked at; what a model says about its
            answer stands there, and the bound keeps the search short.

    Example:
        >>> plain("Can’t", reach=1_000)
        "can't"
    """
    if len(text) > 2 * reach:
        text = f"{text[:reach]}\n{text[-reach:]}"
    return text.lower().replace("’", "'")
