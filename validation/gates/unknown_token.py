"""The model's own signs are left over where a character should be."""

from __future__ import annotations

import re

from ._quote import quoted
from .gate import Context, Gate, Row

__all__ = ["GATE", "check"]

_SIGN = re.compile(
    r"\ufffd"  # the replacement character
    r"|\u2047"  # what SentencePiece decodes <unk> to
    r"|[\ud800-\udfff]"  # half a character: no file can hold it
    r"|</?s>|<\|[^<>|]{1,40}\|>|</?(?:unk|pad|bos|eos|mask|start_of_turn|end_of_turn)>"
    r"|<extra_id_\d{1,3}>|\[/?(?:unk|pad|cls|sep|mask|inst)\]",
    re.IGNORECASE,
)


def check(row: Row, context: Context) -> str | None:  # noqa: ARG001
    """Catches a sign for an unknown character, or of the model's own, that the source lacks.

    Example:
        >>> pair = Context("bernese", "standard-german")
        >>> check(Row.of("Mir gö is Chäsloch", "Wir gehen ins Käseloch"), pair)
        >>> check(Row.of("Mir gö is Chäsloch", "Wir gehen ins K<unk>seloch"), pair)
        "the source has no '<unk>'"
    """
    target = row.target.raw
    # All signs but the first three kinds are ASCII, and begin with a bracket.
    if target.isascii() and "<" not in target and "[" not in target:
        return None
    sign = _SIGN.search(target)
    if sign is None or sign[0] in row.source.raw:
        return None
    return f"the source has no {quoted(sign[0])}"


GATE = Gate("unknown_token", version=1, rank=30, check=check)
