"""Dialect features that leave nothing behind to find, seen beside the standard text."""

from __future__ import annotations

import re

from rapidfuzz.distance import Levenshtein

__all__ = ["leaves_out"]

_WORD = re.compile(r"'(?:s|re|ve)\b|\w+(?:'(?!(?:s|re|ve)\b)\w+)*")
# Written out and contracted are the same; so is what only the grammar could tell apart.
_SHORT = {"is": "'s", "has": "'s", "are": "'re", "have": "'ve"}
_AUXILIARIES = frozenset(_SHORT.values())
_ENDINGS = ("es", "s")
# Comparing takes time and memory by the product of both lengths.
_MOST_WORDS = 1000


def leaves_out(text: str, standard: str) -> bool:
    """Whether an English text lacks an auxiliary or an ending in -s that its standard has.

    Zero copula (eWAVE 174, 176-178), the verb without -s (170), the possessive and the plural
    without it (77, 57): the commonest features of African American English. No pattern finds
    them in a text alone, but word by word beside the standard they show.

    Args:
        text: A dialect text.
        standard: The same in the standard. Of texts beyond a thousand words nothing is said.

    Example:
        >>> leaves_out("All cats painters", "All cats are painters")
        True
        >>> leaves_out("She walk to her sister house", "She walks to her sister's house")
        True
        >>> leaves_out("All those cats paint a lot", "All cats are painters")
        False
    """
    ours, theirs = _words(text), _words(standard)
    if max(len(ours), len(theirs)) > _MOST_WORDS:
        return False
    for step in Levenshtein.opcodes(theirs, ours):
        gone = theirs[step.src_start : step.src_end]
        written = ours[step.dest_start : step.dest_end]
        if step.tag == "replace" and any(map(_shortened, gone, written)):
            return True
        # Not where it only moved, as in a question.
        fewer = [word for word in gone if ours.count(word) < theirs.count(word)]
        if step.tag == "delete" and len(gone) == 1 and fewer and gone[0] in _AUXILIARIES:
            return True
    return False


def _words(text: str) -> list[str]:
    found = _WORD.findall(text.lower().replace("’", "'"))
    return [_SHORT.get(word, word) for word in found]


def _shortened(standard: str, written: str) -> bool:
    return any(standard == written + ending for ending in _ENDINGS)
