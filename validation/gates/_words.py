"""The standard varieties' frequent words: data, in ``words.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources

from ...corpus.varieties import varieties

__all__ = ["Words", "words_of"]


@dataclass(frozen=True)
class Words:
    """The frequent words of a cluster's standard variety; ``words.toml`` says what each is."""

    function: frozenset[str] = frozenset()
    never_first: frozenset[str] = frozenset()
    never_last: frozenset[str] = frozenset()
    seldom_first: frozenset[str] = frozenset()
    seldom_last: frozenset[str] = frozenset()
    legal: frozenset[str] = frozenset()

    @cached_property
    def starts(self) -> tuple[str, ...]:
        """What a glued word may start with."""
        return (*self.never_first, *self.seldom_first)

    @cached_property
    def ends(self) -> tuple[str, ...]:
        """What a glued word may end with."""
        return (*self.never_last, *self.seldom_last)


@cache
def words_of(variety: str) -> Words:
    """The words of a variety's cluster; none where the file has none for it."""
    source = resources.files(__package__).joinpath("words.toml").read_text(encoding="utf-8")
    lists = tomllib.loads(source).get(varieties()[variety].cluster, {})
    return Words(**{name: frozenset(text.split()) for name, text in lists.items()})
