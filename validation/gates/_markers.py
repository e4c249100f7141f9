"""A variety's lexicon, for the gates that look for dialect grammar."""

from __future__ import annotations

from functools import cache

from ...corpus.lexicon import Lexicon, lexicon
from ...corpus.varieties import varieties
from ...errors import RegistryError

__all__ = ["lexicon_of", "no_lexicon"]


@cache
def lexicon_of(variety: str) -> Lexicon | None:
    """The lexicon of a variety; None for one that has none.

    Example:
        >>> lexicon_of("african-american-english").variety, lexicon_of("bernese")
        ('african-american-english', None)
    """
    try:
        return lexicon(variety)
    except RegistryError:
        return None


def no_lexicon(variety: str) -> str | None:
    """Says that a variety has no lexicon; None for one that has.

    Example:
        >>> no_lexicon("bernese")
        'there is no lexicon of Bernese'
    """
    found = lexicon_of(variety)
    return None if found else f"there is no lexicon of {varieties()[variety].name}"
