"""Whether a word may be the beginning of a longer one that was cut off."""

from __future__ import annotations

from .gate import Text

__all__ = ["ends_in_a_word", "is_cut", "is_inflected"]

#: What a word may lose and still be a word: *walking*, *walk*; *Wochen*, *Woche*.
_ENDINGS = {"es", "ed", "er", "en", "ing", "in", "in'", "'s", "ern", "ens", "est", "ly"}


def ends_in_a_word(text: Text) -> bool:
    """Whether no mark follows the last word.

    Example:
        >>> [ends_in_a_word(Text(text)) for text in ("We left", "We left.", "Gate 5", "")]
        [True, False, False, False]
    """
    return text.raw.rstrip()[-1:].isalpha() and bool(text.tokens)


def is_cut(word: str, kept: int) -> bool:
    """Whether a word's first ``kept`` letters are neither it uninflected nor drawn out.

    Example:
        >>> is_cut("restaurant", 6), is_cut("playing", 4), is_cut("yesss", 3)
        (True, False, False)
    """
    lost = word[kept:]
    drawn_out = set(lost) == {word[kept - 1]} or word[:kept].endswith(lost)
    return len(lost) > 1 and lost not in _ENDINGS and not drawn_out


def is_inflected(word: str, kept: int) -> bool:
    """Whether a word's first ``kept`` letters may be it without its ending.

    Example:
        >>> is_inflected("playing", 4), is_inflected("restaurant", 6)
        (True, False)
    """
    return word[kept:] in _ENDINGS
