"""Markdown, HTML, JSON or a code fence that the source hasn't."""

from __future__ import annotations

import re

from ._quote import quoted
from .gate import Context, Gate, Hints, Row

__all__ = ["GATE", "check", "hints"]

#: No markup is without one of these, or one before an item of a list.
_SIGN = re.compile(r"[*_`#<>\[&|{~•]")
_ITEM = ("-", "+")
#: A censored word (*d\*\*n*), a heart (*<3*) and a hashtag are none of these.
_KINDS = {
    "a code fence": r"```|~~~",
    "code": r"`[^`\n]{1,300}`",
    "bold": r"(?<![\w*])\*\*(?=\S)[^*\n]{1,300}(?<=\S)\*\*(?![\w*])"
    r"|(?<!\w)__(?=\w)[^_\n]{1,300}(?<=[\w.!?])__(?!\w)",
    "italics": r"(?<![\w*])\*(?=\w)[^*\n]{1,300}(?<=[\w.!?])\*(?![\w*])"
    r"|(?<!\w)_(?=[^\W_])[^_\n]{1,300}(?<=[\w.!?])(?<!_)_(?!\w)",
    "struck text": r"~~(?=\S)[^~\n]{1,300}~~",
    "a heading": r"^#{1,6} +\S",
    "a list": r"^\s*[-+*•] +\S",
    "a quotation": r"^> *\S",
    "a table": r"^\|[^|\n]{0,300}\|",
    "a link": r"\[[^\[\]\n]{1,300}\]\([^()\s]{1,300}\)",
    "HTML": r"</?[a-z][a-z0-9]{0,15}(?:\s[^<>]{0,300})?/?>|<!--",
    "an HTML entity": r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,7}|#x[0-9a-f]{1,6});",
    "JSON": r"\{(?:[^{}]{0,300},)?\s{0,5}\"[a-z_]{1,30}\"\s{0,5}:",
}
_MARKUP = {
    kind: re.compile(pattern, re.IGNORECASE | re.MULTILINE) for kind, pattern in _KINDS.items()
}


def check(row: Row, context: Context) -> str | None:  # noqa: ARG001
    """Catches markup of a kind that the source doesn't use.

    Example:
        >>> pair = Context("african-american-english", "standard-american-english")
        >>> check(Row.of("*sighs* they be late <3", "*sighs* they are always late <3"), pair)
        >>> check(Row.of("They be late", "They are **always** late"), pair)
        "bold, which the source hasn't: '**always**'"
    """
    target = row.target.raw
    for kind, pattern in _MARKUP.items():
        found = pattern.search(target)
        if found is not None and pattern.search(row.source.raw) is None:
            return f"{kind}, which the source hasn't: {quoted(found[0])}"
    return None


def hints(source_variety: str, target_variety: str) -> Hints:  # noqa: ARG001
    """Markup has its signs."""
    return Hints(target=lambda word: _SIGN.search(word) is not None or word in _ITEM)


GATE = Gate("markup", version=2, rank=50, check=check, hints=hints)
