"""The words that say how somebody feels about something; the list is ``sentiment_words.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from typing import Any

from ..corpus.hashing import json_sha256
from ..errors import ModelError

__all__ = ["NOTHING", "Entry", "WordList", "word_list"]

_STRENGTHS = {"mild": 1.0, "plain": 2.0, "strong": 3.0}
_SIGN = 2.0
#: They end a clause.
_MARKS = tuple('.,;:!?…()\n"“”„«»–—|')
_FACTORS = {"stronger": 1.5, "weaker": 0.5}
#: No beginning is longer.
_LONGEST = 20
_STRETCHED = re.compile(r"(.)\1{2,}")


@dataclass(frozen=True, slots=True)
class Entry:
    """What the list says of a word, a phrase or a sign.

    Attributes:
        value: -3 to 3.
        factor: Of the word after it.
        factor_before: Of the word before it.
        negates: Turns what follows.
        late: Turns what stands before, if there is nothing to turn behind.
        breaks: Ends a clause; a value counts for itself.
        fixed: Has a negator inside, so that another one is no second negation.
    """

    value: float = 0.0
    factor: float = 1.0
    factor_before: float = 1.0
    negates: bool = False
    late: bool = False
    breaks: bool = False
    fixed: bool = False


NOTHING = Entry()


@dataclass(frozen=True, slots=True)
class WordList:
    """The list of one language.

    Attributes:
        language: A cluster of varieties.
        revision: Hash of the whole file.
        entries: By word, or by the words of a phrase with a space between.
        beginnings: Entries for words with any ending.
        signs: Emoji, emoticons and punctuation marks.
        phrases: By the first two words, the number of words in the longest phrase.
        known: Every word that stands in an entry.
    """

    language: str
    revision: str
    entries: dict[str, Entry] = field(default_factory=dict)
    beginnings: dict[str, Entry] = field(default_factory=dict)
    signs: dict[str, Entry] = field(default_factory=dict)
    phrases: dict[tuple[str, str], int] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)

    def add(self, listed: str, **said: Any) -> None:
        """Adds what is said of a word as it stands in the file; it may be in several lists."""
        words = listed.casefold().split("_")
        table = self.beginnings if listed.endswith("*") else self.entries
        key = " ".join(words).removesuffix("*")
        table[key] = replace(table.get(key, NOTHING), **said)
        if table is self.entries:
            self.known.update(words)
            if len(words) > 1:
                pair = words[0], words[1]
                self.phrases[pair] = max(self.phrases.get(pair, 0), len(words))

    def find(self, word: str) -> tuple[str, Entry]:
        """A word in the list's spelling, and what the list says of it by itself.

        Args:
            word: In lower case, or a sign.
        """
        if word in self.signs:
            return word, self.signs[word]
        for spelling in self._spellings(word):
            entry = self.entries.get(spelling) or self.begun(spelling)
            if entry is not None or spelling in self.known:
                return spelling, entry or NOTHING
        return word, NOTHING

    def begun(self, word: str) -> Entry | None:
        """What the list says of a word with any ending."""
        parts = (word[:length] for length in range(min(len(word), _LONGEST), 2, -1))
        return next((self.beginnings[part] for part in parts if part in self.beginnings), None)

    def _spellings(self, word: str) -> Iterator[str]:
        forms = [word]
        if _STRETCHED.search(word):
            forms += [_STRETCHED.sub(r"\1\1", word), _STRETCHED.sub(r"\1", word)]
        for form in forms:
            yield form
            if self.language == "english" and form.endswith("in"):
                yield form + "g"


@cache
def word_list(language: str) -> WordList:
    """The list for a cluster of varieties, such as ``english``.

    Raises:
        ModelError: If there is none.

    Example:
        >>> word_list("english").find("lovinnn")[0], word_list("german").find("schee")[1].value
        ('loving', 2.0)
    """
    source = resources.files(__package__).joinpath("sentiment_words.toml")
    data: dict[str, Any] = tomllib.loads(source.read_text(encoding="utf-8"))
    languages = [name for name in data if name not in ("version", "signs")]
    if language not in languages:
        raise ModelError(
            f"there is no word list for {language!r}",
            where=f"words:{language}",
            remedy=f"write {' or '.join(f'words:{name}' for name in languages)}",
        )
    found = WordList(language, f"list-{json_sha256(data)[:16]}")
    for side, sign in (("positive", 1), ("negative", -1)):
        entry = Entry(value=sign * _SIGN, breaks=True)
        found.signs.update(dict.fromkeys(data["signs"][side].split(), entry))
    found.signs.update(dict.fromkeys(_MARKS, Entry(breaks=True)))
    _fill(found, data[language])
    return found


def _fill(found: WordList, lists: Mapping[str, Any]) -> None:
    for listed in lists["neutral"].split():
        found.add(listed)
    for side, sign in (("positive", 1), ("negative", -1)):
        for name, strength in _STRENGTHS.items():
            for listed in lists[side][name].split():
                found.add(listed, value=sign * strength)
    for name, factor in _FACTORS.items():
        for listed in lists[name].split():
            found.add(listed, factor=factor)
    for listed in lists["stronger_after"].split():
        found.add(listed, factor_before=_FACTORS["stronger"])
    for name in ("negators", "late_negators"):
        for listed in lists[name].split():
            found.add(listed, negates=True, late=name == "late_negators")
    for listed in lists["breaks"].split():
        found.add(listed, breaks=True)
    for key, entry in found.entries.items():
        negators = (found.entries.get(word, NOTHING).negates for word in key.split())
        if " " in key and any(negators):
            found.entries[key] = replace(entry, fixed=True)
        elif not entry.value and (begun := found.begun(key)):
            found.entries[key] = replace(entry, value=begun.value)
