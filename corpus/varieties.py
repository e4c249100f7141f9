"""The varieties Isogloss knows, found by id or by the names other people's files use.

A variety is a row of ``varieties.toml``, never code. Third parties add theirs with an
entry point of the group ``isogloss.varieties`` that names either the TOML text itself (a
``str``) or the file it stands in (a :class:`pathlib.Path`, or what
:func:`importlib.resources.files` gives), in the layout of ``varieties.toml``.
"""

from __future__ import annotations

import difflib
import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from typing import Any

from ..errors import RegistryError

__all__ = ["Variety", "VarietyRegistry", "varieties"]


@dataclass(frozen=True, slots=True)
class Variety:
    """One variety of a language; every string is NFC."""

    id: str  # ours, kebab-case
    name: str  # in English, for people
    glottocode: str  # empty where Glottolog has none for this very variety
    bcp47: str  # language tag by RFC 5646, private use allowed
    iso639_3: str  # of the language that the variety belongs to
    script: str  # ISO 15924
    cluster: str  # the varieties it is compared with
    standard: bool  # whether it represents its cluster
    nllb: str | None = None  # NLLB-200's code
    multivalue: str | None = None  # Multi-VALUE's dialect class
    murre: str | None = None  # Murre's dialect name
    wikipedia: str | None = None  # code of the dialect's own edition
    asr: bool = False  # whether it is made from transcribed recordings
    aliases: tuple[str, ...] = ()  # names that other people's files use


@dataclass(frozen=True, slots=True)
class VarietyRegistry:
    """Varieties in a fixed order; immutable.

    Like an ``Enum`` class, it iterates over its members and looks them up by name.
    A name is an id, a ``name`` or an alias; case, Unicode form, and the choice between
    hyphen, underscore and space make no difference.

    Raises:
        RegistryError: Two varieties share a name, or a cluster has not exactly one standard.

    Example:
        >>> from isogloss.corpus.varieties import varieties
        >>> varieties()["als"].id
        'alemannic'
        >>> "acm-arab" in varieties()
        True
        >>> [variety.id for variety in varieties() if variety.asr]
        ['dhaka-bengali']
    """

    members: tuple[Variety, ...]
    _positions: Mapping[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_positions", _positions(self.members))
        for cluster in self.clusters:
            standards = [member.id for member in self.cluster(cluster) if member.standard]
            if len(standards) != 1:
                raise RegistryError(
                    f"cluster {cluster!r} has {len(standards)} standard varieties "
                    f"({', '.join(standards) or 'none'})",
                    remedy="set standard = true for exactly one variety of the cluster",
                )

    def __iter__(self) -> Iterator[Variety]:
        return iter(self.members)

    def __len__(self) -> int:
        return len(self.members)

    def __contains__(self, item: object) -> bool:
        return _key(item) in self._positions if isinstance(item, str) else item in self.members

    def __getitem__(self, name: str) -> Variety:
        return self.find(name)

    @property
    def clusters(self) -> tuple[str, ...]:
        """The clusters' names, in the order of their first member."""
        return tuple(dict.fromkeys(member.cluster for member in self.members))

    def find(self, name: str) -> Variety:
        """The variety that ``name`` means; ``registry[name]`` is the same.

        Raises:
            RegistryError: No variety has this name; the message suggests near ones.

        Example:
            >>> from isogloss.corpus.varieties import varieties
            >>> varieties().find("AfricanAmericanVernacular").name
            'African American English'
        """
        # Most callers have an id, which is its own key.
        position = self._positions.get(name)
        if position is None:
            position = self._positions.get(_key(name))
        if position is None:
            near = difflib.get_close_matches(_key(name), self._positions)
            raise _unknown("variety", name, (self.members[self._positions[k]].id for k in near))
        return self.members[position]

    def cluster(self, name: str) -> tuple[Variety, ...]:
        """The varieties of the cluster called ``name``.

        Raises:
            RegistryError: There is no such cluster; the message suggests near ones.

        Example:
            >>> from isogloss.corpus.varieties import varieties
            >>> [variety.id for variety in varieties().cluster("latvian")]
            ['latvian', 'latgalian']
        """
        found = tuple(member for member in self.members if member.cluster == _key(name))
        if not found:
            raise _unknown("cluster", name, difflib.get_close_matches(_key(name), self.clusters))
        return found

    def representative(self, cluster: str) -> Variety:
        """The standard variety of ``cluster``.

        Raises:
            RegistryError: There is no such cluster; the message suggests near ones.

        Example:
            >>> from isogloss.corpus.varieties import varieties
            >>> varieties().representative("english").name
            'Standard American English'
        """
        return next(member for member in self.cluster(cluster) if member.standard)


@cache
def varieties() -> VarietyRegistry:
    """All varieties: those shipped with Isogloss, then those of installed plug-ins.

    Raises:
        RegistryError: A plug-in can't be loaded, or its data is malformed; names the plug-in.

    Example:
        >>> from isogloss.corpus.varieties import varieties
        >>> varieties()["bar"].name
        'Bavarian'
    """
    shipped = files(__package__).joinpath("varieties.toml").read_text(encoding="utf-8")
    registry = _extended(VarietyRegistry(()), shipped, "varieties.toml")
    plugins = entry_points(group="isogloss.varieties")
    # Sorted, so that the registry does not depend on the order of installation.
    for plugin in sorted(plugins, key=lambda found: (found.name, found.value)):
        source = f"isogloss.varieties plug-in {plugin.name!r}"
        registry = _extended(registry, _plugin_text(plugin, source), source)
    return registry


def _plugin_text(plugin: EntryPoint, source: str) -> str:
    try:
        loaded = plugin.load()
        text: str = loaded if isinstance(loaded, str) else loaded.read_text(encoding="utf-8")
    except Exception as error:  # someone else's module may raise anything when imported
        raise RegistryError(
            f"it can't be read from {plugin.value} ({error!r})",
            where=source,
            remedy="have the entry point name TOML text, or the path of a TOML file",
        ) from error
    return text


def _extended(registry: VarietyRegistry, text: str, source: str) -> VarietyRegistry:
    """``registry`` and the varieties in ``text``; an error names ``source``."""
    try:
        return VarietyRegistry((*registry, *_parsed(text)))
    except RegistryError as error:
        where = f"{source}: {error.where}" if error.where else source
        raise RegistryError(error.what, where=where, remedy=error.remedy) from error


def _parsed(text: str) -> list[Variety]:
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RegistryError(f"it is not valid TOML ({error})", remedy="correct it") from error
    tables = document.pop("variety", None)
    if document:
        raise RegistryError(f"unknown key {min(document)!r}", remedy="keep to [[variety]] tables")
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise RegistryError("it has no [[variety]] tables", remedy="write one for each variety")
    return [_variety(table) for table in tables]


def _variety(table: dict[str, Any]) -> Variety:
    where = f"variety {table.get('id', '(without id)')!r}"
    known = {item.name: item.default is MISSING for item in fields(Variety)}
    for key in sorted(table.keys() - known.keys()):
        raise RegistryError(f"unknown key {key!r}", where=where, remedy=f"use {', '.join(known)}")
    for key, required in known.items():
        if required and key not in table:
            raise RegistryError(f"{key} is missing", where=where, remedy=f"write {key} = …")
    values: dict[str, Any] = {key: _value(key, value, where) for key, value in table.items()}
    return Variety(**values)


def _value(key: str, value: object, where: str) -> bool | str | tuple[str, ...]:
    """``value`` in NFC, once it is seen to be of the kind and shape that ``key`` asks for."""
    if key in ("standard", "asr"):
        if isinstance(value, bool):
            return value
        wanted = "true or false"
    elif key == "aliases":
        if isinstance(value, list) and all(isinstance(text, str) and text for text in value):
            return tuple(unicodedata.normalize("NFC", text) for text in value)
        wanted = "a list of names"
    else:
        fits, wanted = _SHAPES.get(key, (str.strip, "a text with something in it"))
        if isinstance(value, str) and fits(value):
            return unicodedata.normalize("NFC", value)
    raise RegistryError(f"{key} = {value!r} is not {wanted}", where=where, remedy=f"correct {key}")


# RFC 5646, section 2.1, without the grandfathered tags. ASCII, because IGNORECASE alone would
# let the long s and the Kelvin sign pass for letters.
_BCP47 = re.compile(
    r"""
      (?: [a-z]{2,3} (?:-[a-z]{3}){0,3} | [a-z]{4,8} )  # language, with extended languages
      (?: -[a-z]{4} )?                                  # script
      (?: -(?:[a-z]{2}|[0-9]{3}) )?                     # region
      (?P<variants> (?: -(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}) )* )
      (?P<extensions> (?: -[0-9a-wy-z](?:-[a-z0-9]{2,8})+ )* )
      (?: -x(?:-[a-z0-9]{1,8})+ )?                      # private use
    | x(?:-[a-z0-9]{1,8})+                              # private use from the start
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)


def _is_language_tag(tag: str) -> bool:
    match = _BCP47.fullmatch(tag)
    if match is None:
        return False
    variants = (match["variants"] or "").lower().split("-")[1:]
    singletons = re.findall("-(.)(?=-)", (match["extensions"] or "").lower())
    return all(len(set(subtags)) == len(subtags) for subtags in (variants, singletons))


_KEBAB = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*").fullmatch
_GLOTTOCODE = re.compile(r"(?:[a-z0-9]{4}[0-9]{4})?").fullmatch
_SHAPES: dict[str, tuple[Callable[[str], object], str]] = {
    "id": (_KEBAB, "lower-case ASCII words joined by hyphens"),
    "cluster": (_KEBAB, "lower-case ASCII words joined by hyphens"),
    "glottocode": (_GLOTTOCODE, "a Glottocode such as bava1246, nor empty"),
    "bcp47": (_is_language_tag, "a language tag by RFC 5646"),
    "iso639_3": (re.compile(r"[a-z]{3}").fullmatch, "three lower-case letters"),
    "script": (re.compile(r"[A-Z][a-z]{3}").fullmatch, "an ISO 15924 code such as Latn"),
}


def _positions(members: tuple[Variety, ...]) -> dict[str, int]:
    positions: dict[str, int] = {}
    for position, member in enumerate(members):
        for name in (member.id, member.name, *member.aliases):
            other = positions.setdefault(_key(name), position)
            if other != position:
                first, second = (f"{each.id} ({each.name})" for each in (members[other], member))
                raise RegistryError(
                    f"{name!r} means both {first} and {second}",
                    remedy="let each id, name and alias mean one variety",
                )
    return positions


def _key(name: str) -> str:
    folded = unicodedata.normalize("NFC", name).casefold()
    return unicodedata.normalize("NFC", folded).replace("_", "-").replace(" ", "-")


def _unknown(kind: str, name: str, near: Iterable[str]) -> RegistryError:
    ids = " or ".join(repr(found) for found in dict.fromkeys(near))
    hint = f" (did you mean {ids}?)" if ids else ""
    return RegistryError(
        f"no {kind} is called {name!r}{hint}", remedy="`isogloss varieties` lists all of them"
    )
