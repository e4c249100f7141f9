"""The model's own signs are left over where a character should be."""

from __future__ import annotations

import re

from ._quote import quoted
from .gate import Context, Gate, Hints, Row

__all__ = ["GATE", "check", "hints"]

_SIGN = re.compile(
    r"\ufffd"  # the replacement character
    r"|\u2047"  # what SentencePiece decodes <unk> to
    r"|[\ud800-\udfff]"  # half a character: no file can hold it
    r"|</?s>|<\|[^<>|]{1,40}\|>|</?(?:unk|pad|bos|eos|mask|start_of_turn|end_of_turn)>"
    r"|<extra_id_\d{1,3}>|\[/?(?:unk|pad|cls|sep|mask|inst)\]",
    re.IGNORECASE,
)
_CHARACTER = re.compile(r"[\ufffd\u2047\ud800-\udfff<\[]")


def check(row: Row, context: Context) -> str | None:  # noqa: ARG001
    """Catches a sign for an unknown character, or of the model's own, that the source lacks.

    Example:
        >>> pair = Context("bernese", "standard-german")
        >>> check(Row.of("Mir gö is Chäsloch", "Wir gehen ins Käseloch"), pair)
        >>> check(Row.of("Mir gö is Chäsloch", "Wir gehen ins K<unk>seloch"), pair)
        "the source has no '<unk>'"
    """
    sign = _SIGN.search(row.target.raw)
    if sign is None or sign[0] in row.source.raw:
        return None
    return f"the source has no {quoted(sign[0])}"


def hints(source_variety: str, target_variety: str) -> Hints:  # noqa: ARG001
    """Every sign has one of a few characters."""
    return Hints(target=lambda word: _CHARACTER.search(word) is not None)


GATE = Gate("unknown_token", version=1, rank=30, check=check, hints=hints)
