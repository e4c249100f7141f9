"""What every text must be before it can be stored."""

from __future__ import annotations

import re

__all__ = ["encodable", "plain"]

#: Control signs but tabs and ends of lines, and signs that turn the direction of what follows.
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]")


def encodable(text: str) -> bool:
    r"""Whether a text can be written as UTF-8: half of a surrogate pair can't.

    Example:
        >>> encodable("naïve 😀"), encodable("\ud83d")
        (True, False)
    """
    if text.isascii():  # known without looking at it
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def plain(text: str) -> str:
    r"""A text that can be shown and stored: without control signs and halves of surrogate pairs.

    Example:
        >>> plain("a\x1b[31mb\r\nc \ud83d")
        'a[31mb\nc ?'
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNSEEN.sub("", text).encode("utf-8", "replace").decode()
