"""What two outputs must have in common to count as the same."""

from __future__ import annotations

import unicodedata

__all__ = ["key_parts", "output_key"]


class _WordCharacters(dict[int, int | str]):
    """A table for ``str.translate`` that keeps letters, marks and digits; filled as needed."""

    def __missing__(self, point: int) -> int | str:
        kept = unicodedata.category(chr(point))[0] in "LMN"
        self[point] = point if kept else " "
        return self[point]


_WORD_CHARACTERS = _WordCharacters()


def key_parts(text: str) -> list[str]:
    """The words of :func:`output_key`; those of a text are those of its parts."""
    return text.casefold().translate(_WORD_CHARACTERS).split()


def output_key(text: str) -> str:
    """What two outputs must have in common to count as the same.

    That is everything but case, white space and punctuation; a text without any word is its
    own key.

    Example:
        >>> output_key("He's  HERE!"), output_key("he s here"), output_key(" ?! ")
        ('he s here', 'he s here', '?!')
    """
    return " ".join(key_parts(text)) or text.strip()
