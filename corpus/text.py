"""What every text must be before it can be stored."""

from __future__ import annotations

__all__ = ["encodable"]


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
