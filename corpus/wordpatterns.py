"""Regular expressions over words that people can read and write as data.

The lexicon and the rules keep their patterns in TOML, written the way the words are
written: ``{name}`` stands for one word of a named list, a space for white space within
a line, and ``'`` for a straight or a curly apostrophe. A compiled pattern begins and ends
at the edge of a word, and a hyphen or an apostrophe between letters is no edge.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..errors import RegistryError

__all__ = [
    "alternations",
    "compile_words",
    "entry_words",
    "in_lower_case",
    "literal_words",
    "straighten",
]

_LIST_NAME = re.compile(r"\{([a-z][a-z0-9_]*)\}")
# An apostrophe or a space in a character class would be expanded inside it.
_UNSAFE_CLASS = re.compile(r"(?<!\\)\[[^\]]*[' ][^\]]*\]")
# Not lower case, and yet the same as these where a pattern is without regard to case.
_IN_ANY_CASE = str.maketrans("\u0130\u0131\u017f", "iis")
_SPACE = r"(?:[^\S\r\n]+)"
_LEFT_EDGE = r"(?<!\w)(?<!\w['’-])"
_RIGHT_EDGE = r"(?!\w)(?!['’-]\w)"


def straighten(text: str) -> str:
    """Makes curly apostrophes straight; positions stay as they are.

    Example:
        >>> straighten("ain’t")
        "ain't"
    """
    return text.replace("’", "'")


def in_lower_case(text: str) -> str:
    """What a pattern in lower case is to be looked for in; positions stay as they are.

    A search with regard to case takes half the time of one without.

    Example:
        >>> in_lower_case("AIN’T HE \u0130LL")
        'ain’t he ill'
    """
    return text.lower() if text.isascii() else text.translate(_IN_ANY_CASE).lower()


def alternations(table: object, *, where: str) -> dict[str, str]:
    """Makes one regular expression of each named word list.

    Args:
        table: List name to its words; a word may refer to a list above its own.
        where: The file, for the error.

    Raises:
        RegistryError: A list is no list of strings, is empty, or refers to an unknown list.

    Example:
        >>> alternations({"we": ["we", "us"], "all": ["{we}", "they"]}, where="words.toml")
        {'we': '(?:we|us)', 'all': '(?:(?:we|us)|they)'}
    """
    if not isinstance(table, Mapping):
        raise RegistryError("the word lists are not a table", where=where)
    lists: dict[str, str] = {}
    for name, words in table.items():
        place = f"{where}: word list {name!r}"
        alternatives = [_with_lists(word, lists, place) for word in entry_words(words, place)]
        if not alternatives:
            raise RegistryError("the list is empty", where=place)
        lists[name] = f"(?:{'|'.join(alternatives)})"
    return lists


def entry_words(value: object, where: str) -> tuple[str, ...]:
    """Checks that a value from a data file is a list of strings, and returns it.

    Raises:
        RegistryError: It is anything else, or one of the strings is empty.
    """
    if not isinstance(value, list) or not all(isinstance(word, str) and word for word in value):
        raise RegistryError("not a list of words", where=where)
    return tuple(value)


def compile_words(
    pattern: str,
    lists: Mapping[str, str],
    *,
    where: str,
    edges: bool = True,
    any_case: bool = True,
) -> re.Pattern[str]:
    """Compiles a pattern written as data, without regard to case.

    Args:
        pattern: The pattern in the notation of this module.
        lists: What :func:`alternations` returned.
        where: The file and the entry, for the error.
        edges: Whether the pattern must begin and end at the edge of a word.
        any_case: Whether it is for a text as it is; else it is for what :func:`in_lower_case`
            makes of the text, and finds the same.

    Raises:
        RegistryError: An unknown list is named, or the expression does not compile; a pattern
            for lower case has a capital.

    Example:
        >>> completive = compile_words("i'd done {past}", {"past": "(?:told|ate)"}, where="example")
        >>> completive.search("I’d done  told you").group()
        'I’d done  told'
        >>> completive.search("I'd done toldest") is None
        True
    """
    if unsafe := _UNSAFE_CLASS.search(pattern):
        raise RegistryError(
            f"an apostrophe or a space stands inside the class {unsafe.group()}", where=where
        )
    body = _with_lists(pattern, lists, where).replace("'", "['’]").replace(" ", _SPACE)
    if edges:
        body = f"{_LEFT_EDGE}(?:{body}){_RIGHT_EDGE}"
    try:
        if any_case:
            return re.compile(body, re.IGNORECASE)
        literal = re.sub(r"\\.|\(\?P[<=]\w+[>)]", "", body)
        if capitals := [letter for letter in literal if letter.isupper()]:
            raise RegistryError(f"{capitals[0]!r} is no lower case", where=where)
        return re.compile(body)
    except re.error as error:
        raise RegistryError(
            f"the regular expression does not compile ({error})", where=where
        ) from None


def literal_words(pattern: str, lists: Mapping[str, str], *, where: str) -> list[str]:
    """The words of a list that has no patterns and no phrases.

    Args:
        pattern: The list's name in braces.
        lists: What :func:`alternations` returned.
        where: The file and the entry, for the error.

    Raises:
        RegistryError: There is no such list, or it has something else than words.

    Example:
        >>> lists = alternations({"we": ["we", "us"], "all": ["{we}", "they"]}, where="words.toml")
        >>> literal_words("{all}", lists, where="example")
        ['we', 'us', 'they']
    """
    words = re.sub(r"\(\?:|\)", "", _with_lists(pattern, lists, where)).split("|")
    if not all(re.fullmatch(r"\w[\w']*", word) for word in words):
        raise RegistryError(f"{pattern} has more than words", where=where)
    return words


def _with_lists(pattern: str, lists: Mapping[str, str], where: str) -> str:
    def words_of(name: re.Match[str]) -> str:
        if name[1] not in lists:
            raise RegistryError(f"no word list above it is called {name[1]!r}", where=where)
        return lists[name[1]]

    return _LIST_NAME.sub(words_of, pattern)
