"""Which form of *be*, *have* or *do* agrees with the subject before it.

The subject is looked for from the verb leftwards, without a parser: relative clauses,
prepositional phrases and lists are stepped over by their function words. Long or nested
noun phrases can be taken for the wrong number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from ..corpus.wordpatterns import straighten

__all__ = ["WORD_LISTS", "EnglishAgreement", "Number"]

WORD_LISTS = (
    "singular",
    "plural",
    "numerals",
    "plural_nouns",
    "singular_in_s",
    "determiners",
    "predeterminers",
    "prepositions",
    "openers",
    "finite",
    "speech_verbs",
    "floating",
)
"""The lists of function words that a subject is found by; ``rules_aae.toml`` holds them."""

Number = Literal["first", "singular", "plural"]

_TOKEN = re.compile(r"[\w'-]+|[^\w\s]")
_CLAUSE_MARK = re.compile(r"[.!?;:()\"“”…\n]")
_TITLE_FOLLOWS = re.compile(r"\s*(?:an?|one|the(?! ones))\b", re.IGNORECASE)
_NP_LOOKAHEAD = 4
_RELATIVES = ("that", "who", "which")


class EnglishAgreement:
    """Decides the number of a subject by lists of function words.

    Args:
        forms: Auxiliary to its forms by number, for example *be* to *am*, *is*, *are*.
        words: The lists that :data:`WORD_LISTS` names.
    """

    def __init__(
        self, forms: Mapping[str, Mapping[Number, str]], words: Mapping[str, frozenset[str]]
    ) -> None:
        self._forms = forms
        self._words = words
        self._determiners = words["determiners"]

    def agree(self, auxiliary: str, before: str, after: str = "") -> str:
        """The form of an auxiliary between the texts ``before`` and ``after``."""
        return self._forms[auxiliary][self.number(before, after)]

    def number(self, before: str, after: str = "") -> Number:
        """The number of the subject that ``before`` ends with.

        Args:
            before: The text up to the verb.
            after: The text behind it; it decides after *there*, and for titles of works.
        """
        tokens = _TOKEN.findall(_CLAUSE_MARK.split(straighten(before))[-1])
        while tokens and tokens[-1].lower() in self._words["floating"]:
            if tokens.pop().lower() in ("all", "both"):
                return "plural"
        if not tokens:
            return "singular"
        if (last := tokens[-1].lower()) == "there":
            return self._number_after_there(after)
        relative = last in _RELATIVES and len(tokens) > 1
        if not (relative or self._ends_with_pair(tokens)) and (
            number := self._number_of_pronoun(last)
        ):
            return number
        subject = self._subject(tokens)
        if not subject:
            return "singular"
        if "and" in subject:
            return "plural"
        if number := self._number_of_pronoun(subject[-1].lower()):
            return number
        return self._number_of_phrase(subject[self._start(subject) :], after)

    def _ends_with_pair(self, tokens: list[str]) -> bool:
        """Whether the clause is no more than *you and I* or *my aunt and she*."""
        if tokens[-2:-1] != ["and"]:
            return False
        return len(tokens) == 3 or (len(tokens) == 4 and tokens[0].lower() in self._determiners)

    def _number_of_pronoun(self, word: str) -> Number | None:
        if word == "i":
            return "first"
        if word in self._words["singular"]:
            return "singular"
        return "plural" if word in self._words["plural"] else None

    def _number_of_phrase(self, subject: list[str], after: str) -> Number:
        first = subject[0].lower()
        if first in self._words["singular"]:
            return "singular"
        counted = first in self._words["numerals"] or (first.isdecimal() and first != "1")
        if first in self._words["plural"] or (counted and len(subject) > 1):
            return "plural"
        capitals = [word[0].isupper() for word in subject if word.lower() not in self._determiners]
        name = len(capitals) == len(subject) > 1 and all(capitals)
        if name or (sum(capitals) > 1 and _TITLE_FOLLOWS.match(after)):
            return "singular"
        return "plural" if self.is_plural(self._head(subject)) else "singular"

    def is_plural(self, noun: str) -> bool:
        """Whether a noun looks plural."""
        low = noun.lower()
        if low in self._words["plural_nouns"]:
            return True
        if low in self._words["singular_in_s"] or len(low) < 3 or noun.isupper():
            return False
        return low.endswith("s") and not low.endswith(("ss", "us", "is", "'s"))

    def _number_after_there(self, after: str) -> Number:
        words = _TOKEN.findall(straighten(after).lower())[:_NP_LOOKAHEAD]
        if words[:1] in (["a"], ["an"], ["one"], ["another"]) and words[1:2] != ["lot"]:
            return "singular"
        return "plural" if any(self.is_plural(word) for word in words) else "singular"

    def _subject(self, tokens: list[str]) -> list[str]:
        """The last noun phrase of a clause."""
        if tokens[-1].lower() in ("and", "but"):
            # A second predicate: its subject opens the clause.
            opening = [word for word in tokens if word.lower() not in self._words["openers"]]
            return opening[: 2 if opening[:1] and opening[0].lower() in self._determiners else 1]
        if tokens[-1] == ",":
            # Closes an apposition: the subject stands before it.
            tokens = tokens[: tokens.index(",")]
        elif "," in tokens and "and" not in tokens[-3:-1]:
            tokens = tokens[len(tokens) - tokens[::-1].index(",") :]
        if tokens and tokens[0].lower() in ("and", "but"):
            tokens = tokens[1:]
        for at in range(len(tokens) - 1, -1, -1):
            word = tokens[at].lower()
            if at and word in _RELATIVES:
                complement = tokens[at - 1].lower() in self._words["speech_verbs"]
                return tokens[at + 1 :] if complement else self._subject(tokens[:at])
            if word in self._words["openers"] and at < len(tokens) - 1:
                return self._last_clause(tokens[at + 1 :])
        return self._last_clause(tokens)

    def _last_clause(self, tokens: list[str]) -> list[str]:
        """Cuts at an *and* that joins clauses, not noun phrases."""
        if "and" in tokens:
            at = len(tokens) - 1 - tokens[::-1].index("and")
            finite = self._words["finite"]
            if any(word.lower() in finite or word.endswith(("ed", "ing")) for word in tokens[:at]):
                return tokens[at + 1 :]
        return tokens

    def _start(self, subject: list[str]) -> int:
        """Where the last noun phrase begins: a bare name, or the outermost determiner."""
        *_, noun, last = ("", *subject)
        if last[0].isupper() and noun.islower() and self.is_plural(noun):
            # *how many books Ann*
            return len(subject) - 1
        inside = self._words["prepositions"] | self._words["predeterminers"]
        for at in range(len(subject) - 1, 0, -1):
            if subject[at].lower() in self._determiners and subject[at - 1].lower() not in inside:
                return at
        return 0

    def _head(self, subject: list[str]) -> str:
        """The noun before the first preposition."""
        words = [word.lower() for word in subject]
        for at in range(1, len(words)):
            if words[at] in self._words["prepositions"]:
                # *people born in Ohio*: the participle is no noun either
                participle = at > 1 and words[at - 1] in self._words["finite"]
                return subject[at - 2 if participle else at - 1]
        return subject[-1]
