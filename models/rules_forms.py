"""The forms that a rule's replacement can ask for, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .english_agreement import EnglishAgreement
from .english_verbs import EnglishVerbs

__all__ = ["FORMS", "Slot"]

_NEGATED = {
    "any": "no",
    "anybody": "nobody",
    "anyone": "nobody",
    "anything": "nothing",
    "anywhere": "nowhere",
    "can": "can't",
    "could": "couldn't",
    "will": "won't",
    "would": "wouldn't",
}


@dataclass(frozen=True, slots=True)
class Slot:
    """A word to be put into a form, with the text up to its subject's end."""

    word: str
    left: str
    verbs: EnglishVerbs
    agreement: EnglishAgreement

    @property
    def low(self) -> str:
        """The word in small letters."""
        return self.word.lower()

    @property
    def base(self) -> str | None:
        """The base form, if the word is a form of a known verb."""
        return self.verbs.base(self.low)

    @property
    def bare(self) -> str | None:
        """The word, if it is a base form."""
        return self.low if self.base == self.low else None


def _present(slot: Slot) -> str | None:
    if slot.base and slot.agreement.number(slot.left) == "singular":
        return slot.verbs.third(slot.base)
    return slot.base


def _in(slot: Slot) -> str | None:
    form = slot.verbs.ing(slot.base) if slot.base else slot.low
    if not form:
        return form
    return f"{form[:-1]}'" if form.endswith("ing") else None


def _article(slot: Slot) -> str:
    if slot.agreement.is_plural(slot.word.split()[-1]):
        return slot.word
    return f"{'an' if slot.low[0] in 'aeiou' else 'a'} {slot.word}"


# A form is None where the word is not known; the rule then leaves the text as it is.
FORMS: Mapping[str, Callable[[Slot], str | None]] = {
    "third": lambda slot: slot.verbs.third(slot.low),
    "base": lambda slot: slot.base,
    "past": lambda slot: slot.verbs.past(slot.low),
    "participle": lambda slot: slot.verbs.participle(slot.low),
    "bare": lambda slot: slot.bare,
    "past_of_base": lambda slot: slot.verbs.past(slot.bare) if slot.bare else None,
    "present": _present,
    "in": _in,
    "plural": lambda slot: {"is": "are", "was": "were"}.get(slot.low),
    "article": _article,
    "negated": lambda slot: _NEGATED.get(slot.low, slot.low),
    "kept": lambda slot: "always " if slot.low == "always" else "",
    "after": lambda slot: f" {slot.word.rstrip()}" if slot.word else "",
    "lower": lambda slot: slot.low,
}
