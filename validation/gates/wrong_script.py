"""The target is not written in its variety's script."""

from __future__ import annotations

import unicodedata
from functools import cache

from ...corpus.varieties import varieties
from ._quote import quoted
from .gate import Context, Gate, Hints, Row

__all__ = ["GATE", "check", "hints"]

#: Scripts by ISO 15924, as the names of their letters begin in Unicode.
_OWN = {
    "Latn": {"LATIN"},
    "Arab": {"ARABIC"},
    "Beng": {"BENGALI"},
    "Hans": {"CJK"},
    "Hant": {"CJK", "BOPOMOFO"},
    "Cyrl": {"CYRILLIC"},
    "Grek": {"GREEK"},
    "Hebr": {"HEBREW"},
    "Deva": {"DEVANAGARI"},
}
#: What else a model strays into. Other letters (mathematical, modifiers) belong to no script.
_MORE = {"HIRAGANA", "KATAKANA", "HANGUL", "THAI", "ARMENIAN", "GEORGIAN", "TAMIL", "TELUGU"}
_SCRIPTS = _MORE.union(*_OWN.values())
_ASCII = frozenset(map(chr, range(128)))
#: As much of a long text as tells which script it is in.
_ENOUGH = 2_000


def check(row: Row, context: Context) -> str | None:
    r"""Catches letters of another script, unless the source has the same letters.

    Names in brackets keep the script that they have in the source. Latin letters may stand in
    a text of any script (names, addresses) as long as they are not most of it.

    Example:
        >>> pair = Context("bavarian", "standard-german")
        >>> check(Row.of("Kiew (Київ) is groß", "Kiew (Київ) ist groß"), pair)
        >>> check(Row.of("Des is a Haus", "Das ist ein H\u0430us"), pair)
        "letters of another script: '\\u0430'"
    """
    source, target = row.source.raw, row.target.raw
    own = _own(context.target_variety)
    new = _strange(target, own) if own else set()
    if new.difference(source):
        return f"letters of another script: {quoted(''.join(sorted(new.difference(source))))}"
    if own and "LATIN" not in own and _is_foreign(target, own) and not _is_foreign(source, own):
        return f"few letters of the script {varieties()[context.target_variety].script}"
    return None


def _strange(text: str, own: set[str]) -> set[str]:
    if text.isascii():
        return set()
    strange = _SCRIPTS - own - {"LATIN"}
    return {letter for letter in set(text) - _ASCII if _script(letter) in strange}


def _is_foreign(text: str, own: set[str]) -> bool:
    scripts = [_script(letter) for letter in text[:_ENOUGH] if letter.isalpha()]
    return 2 * sum(script in own for script in scripts) < len(scripts)


@cache
def _own(variety: str) -> set[str]:
    return _OWN.get(varieties()[variety].script, set())


@cache
def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0] if letter.isalpha() else ""


def hints(source_variety: str, target_variety: str) -> Hints:  # noqa: ARG001
    """The target must have a letter of another script, or be in one that isn't Latin."""
    own = _own(target_variety)
    if own and "LATIN" not in own:
        return Hints(target=bool)
    return Hints(target=lambda word: bool(own and _strange(word, own)))


GATE = Gate("wrong_script", version=1, rank=40, check=check, hints=hints)
