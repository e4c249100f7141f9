r"""Where in a text the tokens lie that a server has cut it into.

Servers give tokens as text, and a token may be part of a character only. Such parts come as
replacement characters, as nothing, as ``bytes:\xe2``, or a character for each byte; the offsets
beside them count whatever was printed. So a token's place is worked out from the text itself:
every way in which the tokens can cover it is followed, and where several are left, a token is
taken to reach from its first possible start to its last possible end. A boundary within that
range then is a boundary inside a token, which shortens the context; it is never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise

__all__ = ["spans"]

_BYTES = re.compile(r"bytes:((?:\\x[0-9a-fA-F]{2})+)")
_UNKNOWN = "\ufffd"
#: Bytes of one incomplete character, at most; one may stand at each end of a token.
_PART = 3
#: With more places where a token may begin than this, nothing can be told.
_MOST_PLACES = 64


def spans(text: str, tokens: Sequence[str], *, special: bool) -> list[tuple[int, int]] | None:
    r"""Start and end of each token, in bytes of the text's UTF-8.

    Args:
        text: The text.
        tokens: The tokens as the server prints them.
        special: The first may be one that stands for no text, such as a beginning of text.

    Returns:
        The places, or None if the tokens can't be the text's.

    Example:
        >>> spans("so 😊", ["<s>", "so", " \ufffd", "\ufffd"], special=True)
        [(0, 0), (0, 2), (2, 6), (6, 7)]
        >>> spans("so 😊", ["so", "", " 😊"], special=False)
        [(0, 2), (2, 7), (2, 7)]
    """
    data = text.encode()
    if "".join(tokens) == text:
        ends = list(accumulate(len(token.encode()) for token in tokens))
        found = list(pairwise([0, *ends]))
    else:
        starts = _starts(data, tokens, special=special)
        if starts is None:
            return None
        found = [(min(here), max(behind)) for here, behind in pairwise(starts)]
    # A token of nothing is the beginning of a character that a later one completes; the first may
    # stand for no text, which is certain where the next one has no such character.
    end = len(data)
    for at in reversed(range(len(found))):
        start, to = found[at]
        if tokens[at]:
            end = to
        elif at or not (special and data[:end].isascii()):
            found[at] = (start, max(to, end))
    return found


def _starts(data: bytes, tokens: Sequence[str], *, special: bool) -> list[set[int]] | None:
    """Every place where each token can begin, and where the last can end; None if none can."""
    sizes = [_size(token) for token in tokens]
    if special:
        sizes[0] = (0, sizes[0][1])
    # How much the tokens from each on can cover, at least and at most.
    least = [*accumulate((size[0] for size in reversed(sizes)), initial=0)][::-1]
    most = [*accumulate((size[1] for size in reversed(sizes)), initial=0)][::-1]
    places = [{0}]
    steps: list[dict[int, set[int]]] = []
    for number, token in enumerate(tokens):
        step = {at: _ends(data, at, token) for at in places[-1]}
        if special and number == 0:
            step[0].add(0)
        steps.append(step)
        latest, earliest = len(data) - least[number + 1], len(data) - most[number + 1]
        ends = set().union(*step.values())
        places.append({end for end in ends if earliest <= end <= latest})
        if len(places[-1]) > _MOST_PLACES:
            return None
    places[-1] &= {len(data)}
    for at in reversed(range(len(tokens))):
        places[at] = {start for start in places[at] if steps[at][start] & places[at + 1]}
    return places if all(places) else None


def _size(token: str) -> tuple[int, int]:
    """Fewest and most bytes that a token can cover."""
    raw, unknown = len(token.encode(errors="surrogatepass")), token.count(_UNKNOWN)
    sizes = [raw - 2 * unknown, raw + 2 * _PART]
    if exact := _written_bytes(token):
        sizes.append(len(exact))
    return min(sizes), max(sizes) + 1


def _ends(data: bytes, at: int, token: str) -> set[int]:
    """Every place where a token that begins here can end."""
    found = _covered(data, at, token)
    if data[at : at + 1] == b" " and not token.startswith(" "):
        # Decoders of sentencepiece take the space away from the token that it belongs to.
        found |= _covered(data, at + 1, token)
    return found


def _covered(data: bytes, at: int, token: str) -> set[int]:
    raw, exact = token.encode(errors="surrogatepass"), _written_bytes(token)
    found = {at + len(said) for said in (raw, exact or raw) if data.startswith(said, at)}
    unknown = token.count(_UNKNOWN)
    shortest = at + len(raw) - 2 * unknown
    for end in range(shortest, min(len(data), shortest + 2 * unknown + 2 * _PART) + 1):
        part = data[at:end]
        if not part.isascii() and token in (
            part.decode(errors="replace"),
            part.decode(errors="ignore"),
        ):
            found.add(end)
    return found


def _written_bytes(token: str) -> bytes:
    """The bytes that a token's print stands for; nothing if it is plain text."""
    if escaped := _BYTES.fullmatch(token):
        return bytes.fromhex(escaped[1].replace("\\x", ""))
    if token.isascii() or max(token) > "\xff":
        return b""
    return token.encode("latin-1")
