"""The ``rules:`` baseline: African American English to Standard American English and back.

African American English is a language variety with a grammar of its own. The rules, which are
data in ``rules_aae.toml``, map its constructions onto those of the standard and the other way
round. They know words, not structure: this is a small baseline for demonstrations and tests,
and a text made by it must be marked as such wherever it is shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, partial
from importlib import resources

from ..errors import ModelError
from .rules_format import Piece, Rule, RuleData, read_rules
from .rules_forms import FORMS, Slot

__all__ = ["RulesTranslator"]

_DATA = "rules_aae.toml"
# Addresses, mentions and hashtags are names, whatever words they hold.
_UNTOUCHED = re.compile(
    r"((?:https?://|www\.)\S+|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+|[@#]\w+"
    r"|(?<![\w.])\w+(?:\.\w+)+/\S*)"
)
# Enough to find a subject and a governing verb, and no more, so that time stays linear.
_CONTEXT_WIDTH = 200


class RulesTranslator:
    """A deterministic translator between African American and Standard American English.

    A small baseline of hand-written rules for demonstrations and tests: no model, no network,
    no randomness. Most sentences keep constructions that the rules don't know; meaning that
    only context decides (the stress of *BIN*, *had* + participle) is not recovered.

    Attributes:
        name: ``"rules"``.
        version: Of the rules; it changes whenever an output can change.

    Example:
        >>> rules = RulesTranslator()
        >>> dialect, standard = "african-american-english", "standard-american-english"
        >>> rules.translate(["She be working late, and we ain't got no milk."],
        ...                 source=dialect, target=standard)
        ["She works late, and we don't have any milk."]
        >>> rules.translate(["We're about to eat. He doesn't want any cake."],
        ...                 source=standard, target=dialect)
        ["We finna eat. He don't want no cake."]
    """

    name = "rules"

    def __init__(self) -> None:
        data = _data()
        self.version: int = data.version
        self._agreement = data.agreement
        self._verbs = data.verbs
        self._rules = {
            (data.dialect, data.standard): data.to_standard,
            (data.standard, data.dialect): data.to_dialect,
        }

    def translate(self, texts: Sequence[str], *, source: str, target: str) -> list[str]:
        """Translates each text by itself.

        Args:
            texts: Any texts.
            source: Id of the variety they are in.
            target: Id of the other variety.

        Returns:
            As many texts, in order. Addresses, mentions, hashtags and digits stay as they are.

        Raises:
            ModelError: There are no rules for the pair.
        """
        rules = self._rules.get((source, target))
        if rules is None:
            pairs = " or ".join(" to ".join(pair) for pair in self._rules)
            raise ModelError(
                f"there are no rules from {source!r} to {target!r}",
                where="rules:",
                remedy=f"use {pairs}",
            )
        return [self._translated(text, rules) for text in texts]

    def _translated(self, text: str, rules: Sequence[Rule]) -> str:
        # A lone surrogate can't be written to any file.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        parts = _UNTOUCHED.split(text)
        for at in range(0, len(parts), 2):
            for rule in rules:
                parts[at] = rule.pattern.sub(partial(self._replaced, rule), parts[at])
        return "".join(parts)

    def _replaced(self, rule: Rule, found: re.Match[str]) -> str:
        before = found.string[max(0, found.start() - _CONTEXT_WIDTH) : found.start()]
        if rule.not_after and rule.not_after.search(before):
            return found.group()
        words = [self._filled(piece, found, before) for piece in rule.replacement]
        known = [word for word in words if word is not None]
        if len(known) < len(words):
            return found.group()
        return _dressed("".join(known), found.group())

    def _filled(self, piece: Piece, found: re.Match[str], before: str) -> str | None:
        if not piece.group and not piece.function:
            return piece.text
        groups = found.groupdict(default="")
        word = groups.get(piece.group, piece.group)
        if not piece.function:
            return word
        subject_end = found.start()
        if groups.get("subject"):
            subject_end = found.end("adverb" if groups.get("adverb") else "subject")
        left = before + found.string[found.start() : subject_end]
        if piece.group:
            return FORMS[piece.function](Slot(word, left, self._verbs, self._agreement))
        right = found.string[found.end() : found.end() + _CONTEXT_WIDTH]
        return self._agreement.agree(piece.function, left, right)


def _dressed(new: str, old: str) -> str:
    """Gives a replacement the apostrophes and the capitals of what it replaces."""
    if "’" in old:
        new = new.replace("'", "’")
    if old.isupper() and sum(map(str.isalpha, old)) > 1:
        return new.upper()
    if (first := re.search(r"\w", old)) and first[0].isupper():
        return re.sub(r"\w", lambda letter: letter[0].upper(), new, count=1)
    return new


@cache
def _data() -> RuleData:
    return read_rules(
        resources.files(__package__).joinpath(_DATA).read_text(encoding="utf-8"), where=_DATA
    )
