"""Reads translation memories (TMX 1.4b): one row per translation unit, one column per language."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...corpus.reading import Stream
from ...errors import SourceError

__all__ = ["Unit", "read_tmx"]

_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


@dataclass(frozen=True, slots=True)
class Unit:
    """A translation unit.

    Attributes:
        position: Its number in the file, from 1.
        id: Its ``tuid``, or None.
        texts: Its first segment in each language, by the language code in lower case.
    """

    position: int
    id: str | None
    texts: Mapping[str, str]


def read_tmx(stream: Stream, *, needed: tuple[str, ...]) -> Iterator[Unit]:
    """Yields the units of a TMX file, streamed; inline tags are taken out of the segments.

    Args:
        stream: The file.
        needed: Language codes that must be somewhere in it; case doesn't matter.

    Raises:
        SourceError: If it is no well-formed TMX, or has no unit in one of the languages.
    """
    languages: Counter[str] = Counter()
    number = 0
    try:
        # External entities are never fetched, and expat stops internal ones that grow.
        for _, element in ElementTree.iterparse(stream.file, events=("end",)):  # noqa: S314
            if _local(element.tag) != "tu":
                continue
            number += 1
            texts = _texts(element)
            languages.update(texts.keys())
            yield Unit(number, element.get("tuid"), texts)
            element.clear()
    except ElementTree.ParseError as error:
        raise SourceError(
            f"the TMX is not well-formed ({error})", where=stream.name, remedy="export it again"
        ) from error
    missing = [name for name in needed if not languages[name.lower()]]
    if missing:
        found = ", ".join(code for code, _ in languages.most_common(12))
        raise SourceError(
            f"no translation unit has the language {missing[0]!r}",
            where=stream.name,
            remedy=f"it has {found}" if found else "it has no translation units at all",
        )


def _texts(unit: ElementTree.Element) -> dict[str, str]:
    texts: dict[str, str] = {}
    for variant in unit:
        if _local(variant.tag) != "tuv":
            continue
        code = (variant.get(_XML_LANG) or variant.get("lang") or "").lower()
        segment = next((part for part in variant if _local(part.tag) == "seg"), None)
        if code and segment is not None:
            texts.setdefault(code, " ".join("".join(segment.itertext()).split()))
    return texts


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]
