"""How a reason quotes a text."""

from __future__ import annotations

__all__ = ["quoted"]

_MOST = 40


def quoted(text: str) -> str:
    """A text in quotes, escaped, its end left out where it is long.

    Example:
        >>> quoted("a" * 100)
        "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…'"
    """
    return ascii(text) if len(text) <= _MOST else f"{ascii(text[:_MOST])[:-1]}…'"
