r"""A toy language model, so that a test knows what a server must answer.

A token is a word with the space before it, a sign, or a byte of a character outside ASCII; the
words of ``GLUED`` are one token each, across the space inside. A token's log-probability depends
on every byte before it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Any

GLUED = ("a lot", "going to")
_TOKEN = re.compile(
    rb" ?(?:a lot|going to)|[ ]?[A-Za-z\x27]+|[\x80-\xff]|[ ]?[\x80-\xff]|.", re.DOTALL
)
#: Ways to print a token, after servers that do so.
STYLES = ("replace", "bytes", "late", "latin-1", "ignore", "bare")


def tokenized(text: str) -> list[bytes]:
    """The tokens of a text; together they are its bytes."""
    return _TOKEN.findall(text.encode())


def logprob(before: bytes, token: bytes) -> float:
    """Log-probability of a token, given everything before it."""
    digest = hashlib.sha256(before + b"|" + token).digest()
    return -(1 + int.from_bytes(digest[:2], "big")) / 4096


def logprobs(text: str) -> list[float]:
    """Log-probabilities of all tokens of a text."""
    found, before = [], b""
    for token in tokenized(text):
        found.append(logprob(before, token))
        before += token
    return found


def likeliest(text: str, count: int) -> list[tuple[str, float]]:
    """The likeliest tokens behind a text, among letters with and without a space."""
    letters = [space + letter for space in ("", " ") for letter in "ABCDEFGHIJKL"]
    found = [(letter, logprob(text.encode(), letter.encode())) for letter in letters]
    return sorted(found, key=lambda entry: -entry[1])[:count]


def printed(tokens: Sequence[bytes], style: str) -> list[str]:
    """The tokens as a server prints them."""
    if style in ("replace", "ignore"):
        return [token.decode(errors=style) for token in tokens]
    if style == "bare":  # as decoders of sentencepiece do, one token at a time
        return [token.decode(errors="replace").removeprefix(" ") for token in tokens]
    if style == "late":  # a character is printed with its last byte
        return list(_late(tokens))
    return [_whole(token) or _escaped(token, style) for token in tokens]


def _late(tokens: Sequence[bytes]) -> Any:
    kept = b""
    for token in tokens:
        kept += token
        text = _whole(kept)
        kept = kept if text is None else b""
        yield text or ""


def _whole(token: bytes) -> str | None:
    try:
        return token.decode()
    except UnicodeDecodeError:
        return None


def _escaped(token: bytes, style: str) -> str:
    if style == "bytes":
        return "bytes:" + "".join(f"\\x{byte:02x}" for byte in token)
    return token.decode("latin-1")


def echoed(prompt: str, *, style: str = "replace", begin: str = "", end: str = " then") -> Any:
    """What a completions endpoint gives for a prompt that it echoes: its ``logprobs``.

    Args:
        prompt: The prompt.
        style: One of ``STYLES``.
        begin: The token that every text begins with, if any.
        end: The token written behind it, if any.
    """
    tokens = tokenized(prompt) + ([end.encode()] if end else [])
    shown = [begin] * bool(begin) + printed(tokens, style)
    values: list[float | None] = [*([None] * bool(begin)), *logprobs(prompt + end)]
    values[0] = None
    lengths = [len(token) for token in shown]
    offsets = [sum(lengths[:at]) for at in range(len(lengths))]
    return {"tokens": shown, "token_logprobs": values, "text_offset": offsets,
            "top_logprobs": [None] * len(shown)}  # fmt: skip
