"""The lexicon: where a text shows a variety's grammar on its surface.

Each pattern belongs to one class under two maps, ``paper`` (the localisation study this
project follows) and ``green2002`` (the chapters of Lisa Green, *African American English:
A Linguistic Introduction*, 2002). Patterns are data; ``lexicon_aae.toml`` says how they are
written, where each comes from, and what it is known to find wrongly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache, reduce
from importlib import resources
from itertools import chain
from operator import or_

import numpy as np
import polars as pl

from ..errors import OptionError, RegistryError
from .lexicon_format import CLASS_MAPS, CLASSES, ORTHOGRAPHY, Match, Pattern, read_lexicon
from .remembered import Remembered
from .wordpatterns import in_lower_case, straighten
from .words import WordBits, Words

__all__ = ["CLASSES", "CLASS_MAPS", "ORTHOGRAPHY", "Lexicon", "Match", "Pattern", "lexicon"]

# What separates words; an apostrophe within one doesn't.
_BETWEEN_WORDS = re.compile(r"[^\w']+|(?<!\w)'+|'+(?!\w)")
_REMEMBERED = 4_096
_REMEMBERED_LENGTH = 2_000
_FILES = {"african-american-english": "lexicon_aae.toml"}


class Lexicon:
    """The surface patterns of one variety.

    Example:
        >>> aae = lexicon()
        >>> [match.text for match in aae.find("She be cooking on Sundays and I’m finna eat.")]
        ['be', 'finna']
        >>> sorted(aae.classes("They ain't done nothing yet"))
        ['auxiliary', 'syntactic']
        >>> aae.marked("The well done steak will be done soon")
        False
    """

    def __init__(self, patterns: Iterable[Pattern], *, variety: str, version: int) -> None:
        self.patterns = tuple(patterns)
        self.variety = variety
        self.version = version
        self._by_id = {pattern.id: pattern for pattern in self.patterns}
        # Several readers of a corpus look at the same texts one after the other.
        self._remembered: dict[tuple[str, bool, bool], tuple[Match, ...]] = {}
        # What a text has for the patterns is a number: bits for the cues, above them for the
        # second cues. A pattern without second cues has them with the first.
        self._whole: dict[str, int] = {}  # by word
        self._parts: dict[str, int] = {}  # by what may be a part of a word
        width = len(self.patterns)
        for number, pattern in enumerate(self.patterns):
            second = 1 << width + number
            for cues, bits in (
                (pattern.cues, 1 << number | (0 if pattern.and_cues else second)),
                (pattern.and_cues, second),
            ):
                for cue in cues:
                    is_whole = cue[0] == cue[-1] == " "
                    table, key = (self._whole, cue[1:-1]) if is_whole else (self._parts, cue)
                    table[key] = table.get(key, 0) | bits
        self._has = Remembered(self._cues)
        counted = sum(1 << number for number in range(width) if self._is_counted(number))
        self._counted = counted | counted << width
        self._bits = WordBits(2 * width, self._has.__getitem__)
        self._by_bits = lru_cache(maxsize=_REMEMBERED)(self._patterns)

    @classmethod
    def from_toml(cls, source: str, *, where: str) -> Lexicon:
        """Makes a lexicon from a file's text.

        Args:
            source: The text, in the format that ``lexicon_aae.toml`` describes.
            where: The file's name, for errors.

        Raises:
            RegistryError: An entry is malformed; the message says which.
        """
        data = read_lexicon(source, where=where)
        return cls(data.patterns, variety=data.variety, version=data.version)

    def __getitem__(self, pattern_id: str) -> Pattern:
        return self._by_id[pattern_id]

    def find(
        self, text: str, *, candidates: bool = False, orthography: bool = False
    ) -> list[Match]:
        """Finds the marked constructions of a text.

        Args:
            text: Any text; apostrophes may be straight or curly.
            candidates: Also what a surface pattern cannot decide.
            orthography: Also spelling.

        Returns:
            Matches with character spans in ``text``, sorted by start. Different patterns may
            overlap: *ain't nobody* holds both ``aint`` and ``negative-inversion``.
        """
        found = self._remembered.get((text, candidates, orthography))
        if found is None:
            awake = self._awake(text, candidates=candidates, orthography=orthography)
            found = self._find(awake, text, candidates, orthography)
        return list(found)

    def find_all(self, texts: pl.Series, words: Words | None = None) -> list[Sequence[Match]]:
        """Finds what :meth:`find` does, in many texts: what their words bring is told at once.

        Args:
            texts: Any texts.
            words: Their words, where they are known already.

        Example:
            >>> texts = pl.Series(["We was there", "They were"])
            >>> [[match.text for match in found] for found in lexicon().find_all(texts)]
            [['was'], []]
        """
        bits = self._bits.of(Words.of(texts) if words is None else words)
        found: list[Sequence[Match]] = [()] * len(texts)
        some = np.flatnonzero(np.logical_or.reduce(bits != 0, axis=1))
        size = 8 * bits.shape[1]
        packed = bits[some].tobytes()
        for place, (at, text) in enumerate(zip(some.tolist(), texts.gather(some), strict=True)):
            has = int.from_bytes(packed[place * size : (place + 1) * size], "little")
            patterns = self._by_bits(has & has >> len(self.patterns), False, False)
            if patterns:
                found[at] = self._find(patterns, text)
        return found

    def _find(
        self,
        patterns: Iterable[Pattern],
        text: str,
        candidates: bool = False,
        orthography: bool = False,
    ) -> tuple[Match, ...]:
        lowered = in_lower_case(text)
        matches = [match for pattern in patterns for match in pattern.find(text, lowered)]
        matches.sort(key=lambda match: (match.start, match.end, match.pattern_id))
        found = tuple(matches)
        if len(text) <= _REMEMBERED_LENGTH:
            if len(self._remembered) >= _REMEMBERED:
                self._remembered.clear()
            self._remembered[text, candidates, orthography] = found
        return found

    def classes(self, text: str, map: str = "paper") -> set[str]:  # noqa: A002
        """Names the grammatical classes that the text shows.

        Args:
            text: Any text.
            map: Which class membership: ``"paper"`` or ``"green2002"``.

        Raises:
            OptionError: There is no such map.

        Example:
            >>> lexicon().classes("I'm finna go"), lexicon().classes("I'm finna go", "green2002")
            ({'auxiliary'}, {'preverbal'})
        """
        if map not in CLASS_MAPS:
            raise OptionError(
                f"no class map is called {map!r}",
                where="map",
                remedy=f"use {' or '.join(CLASS_MAPS)}",
            )
        return {
            pattern.class_under(map) for pattern in self._awake(text) if any(pattern.find(text))
        }

    def marked(self, text: str) -> bool:
        """Says whether the text shows any grammatical feature; stops at the first.

        Example:
            >>> lexicon().marked("We was there"), lexicon().marked("dat wit dis")
            (True, False)
        """
        return any(any(pattern.find(text)) for pattern in self._awake(text))

    def _awake(
        self, text: str, *, candidates: bool = False, orthography: bool = False
    ) -> Sequence[Pattern]:
        """The patterns whose cues the text has, in their order; the others find nothing."""
        has = reduce(or_, filter(None, map(self._has.__getitem__, text.split())), 0)
        return self._by_bits(has & has >> len(self.patterns), candidates, orthography)

    def cues(self, text: str) -> int:
        """What the words of a text without white space bring; no cue has any inside.

        Returns:
            A number's bits, two for each pattern: half of them for the cues, half of them for
            the second cues, in the same order. :meth:`find` may find something in a text if the
            text's words bring both for one pattern.
        """
        return self._has[text] & self._counted

    def _is_counted(self, number: int) -> bool:
        pattern = self.patterns[number]
        return not pattern.candidate and pattern.paper != ORTHOGRAPHY

    def _cues(self, text: str) -> int:
        plain = straighten(in_lower_case(text))
        plain = f" {_BETWEEN_WORDS.sub(' ', plain)} "
        whole = (self._whole.get(word, 0) for word in plain.split())
        parts = (bits for cue, bits in self._parts.items() if cue in plain)
        return reduce(or_, chain(whole, parts), 0)

    def _patterns(self, bits: int, candidates: bool, orthography: bool) -> tuple[Pattern, ...]:
        return tuple(
            pattern
            for number, pattern in enumerate(self.patterns)
            if bits >> number & 1
            and (candidates or not pattern.candidate)
            and (orthography or pattern.paper != ORTHOGRAPHY)
        )


def lexicon(variety: str = "african-american-english") -> Lexicon:
    """The lexicon that comes with Isogloss for a variety; read once.

    Raises:
        RegistryError: There is none for this variety.

    Example:
        >>> len({pattern.paper for pattern in lexicon().patterns})
        5
    """
    return _read(variety)


@cache
def _read(variety: str) -> Lexicon:
    if variety not in _FILES:
        raise RegistryError(
            f"there is no lexicon for {variety!r}", remedy=f"use {' or '.join(_FILES)}"
        )
    name = _FILES[variety]
    source = resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
    return Lexicon.from_toml(source, where=name)
