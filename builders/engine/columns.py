"""What the columns of a card mean, where their names don't say it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

__all__ = ["columns_section"]

_NEAR = (
    "the mean of the cosine of their sentence vectors, each side centred over a block of rows, "
    "and of the share of characters that they have in common, in order. 1 for equal texts, "
    "around 0.2 for unlike ones. Null: built without an encoder, or a text that it can't read "
    "whole"
)
_MEANINGS = {
    "similarity": f"how near `dialect` and `standard` are: {_NEAR}",
    "back_similarity": "the same of `standard` and `back`",
    "bertscore": "BERTScore F1 of `back` against `dialect`, neither weighted nor rescaled; of a "
    "text beyond the model's limit, of its beginning. Null: built without its model",
    "withheld": "names the columns whose text is held back in this row, since it would give the "
    "source's text away. There a null says that a text exists and isn't here; an empty list says "
    "that nothing is held back",
}


def columns_section(names: Iterable[str]) -> Iterator[str]:
    r"""The lines of a section about those columns that need one; none if no column does.

    Example:
        >>> print(*columns_section(["id", "back_similarity"]), sep="\n")
        ## Columns
        <BLANKLINE>
        - `back_similarity`: the same of `standard` and `back`.
        <BLANKLINE>
    """
    lines = [f"- `{name}`: {_MEANINGS[name]}." for name in names if name in _MEANINGS]
    if lines:
        yield from ("## Columns", "", *lines, "")
