"""Labels that may not mean what they are counted as; they are told, and never changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["odd_labels"]

#: What people and programs write where there is no value. Some of it can be meant ("none").
_LOOK_MISSING = frozenset("#n/a n/a n.a. na <na> nil none null missing - -- – — .".split())
#: So much of a label is shown, and so many of the labels: raters may write what they like.
_SHOWN, _MOST = 40, 10


def odd_labels(counts: Mapping[str, int]) -> list[str]:
    """Warns of labels that look like missing ratings, and of one label in several spellings.

    Args:
        counts: Ratings by label.

    Example:
        >>> for warning in odd_labels({"yes": 17, "YES": 3, "n/a": 2}):
        ...     print(warning)
        labels that look like missing ratings, but count: 'n/a' (2); leave them empty if they are
        labels that differ only by case or spaces, but count as different: 'YES' (3), 'yes' (17)
    """
    spellings: dict[str, list[str]] = {}
    for label in sorted(counts):
        spellings.setdefault("".join(label.casefold().split()), []).append(label)
    missing = [label for plain, ours in spellings.items() if plain in _LOOK_MISSING
               for label in ours]  # fmt: skip
    several = [ours for ours in spellings.values() if len(ours) > 1]
    warnings = []
    if missing:
        warnings.append(
            "labels that look like missing ratings, but count: "
            f"{_with_counts(missing, counts)}; leave them empty if they are"
        )
    if several:
        groups = [_with_counts(ours, counts) for ours in several]
        warnings.append(
            "labels that differ only by case or spaces, but count as different: "
            f"{_some(groups, '; ')}"
        )
    return warnings


def _with_counts(labels: Sequence[str], counts: Mapping[str, int]) -> str:
    return _some([f"{label[:_SHOWN]!r} ({counts[label]:,})" for label in labels], ", ")


def _some(parts: Sequence[str], between: str) -> str:
    more = [f"{len(parts) - _MOST:,} more"] if len(parts) > _MOST else []
    return between.join([*parts[:_MOST], *more])
