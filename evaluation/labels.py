"""Reads a sentiment label out of a model's answer, however it is dressed up.

What can't be read for certain is no label: a wrong one would count as an opinion that the model
never had.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any
from unicodedata import normalize

__all__ = ["LABELS", "parse_label"]

LABELS = ("negative", "neutral", "positive")
"""The labels, in this order."""
_WORDS: Mapping[str, str] = {
    "positive": r"positiv(?:e[nrsm]?|ely|ity)?",
    "negative": r"negativ(?:e[nrsm]?|ely|ity)?",
    "neutral": r"neutral(?:e[nrsm]?|ly|ity)?",
}
#: What stands for a label where nothing else is said.
_SHORT: Mapping[str, str] = {
    "pos": "positive", "neg": "negative", "neu": "neutral", "neut": "neutral",
    "neither": "neutral", "weder noch": "neutral",
}  # fmt: skip
#: A word that belongs to a longer one (non-negative) is none.
_LABEL = re.compile(
    "|".join(rf"(?P<{label}>(?<![\w-]){word}(?![\w-]))" for label, word in _WORDS.items())
)
#: Both ends ruled out: what is between them is meant.
_NEITHER = re.compile(
    rf"(?:neither|weder|not|nicht) (?:\w+ )?(?:{_WORDS['positive']}|{_WORDS['negative']}),? "
    rf"(?:nor|or|noch|oder) (?:\w+ )?(?:{_WORDS['positive']}|{_WORDS['negative']})"
)
_NEGATED = re.compile(
    r"(?:\b(?:not|isn't|is n't|aren't|nicht|kein\w*|no|never|nie|rather than|instead of|statt|"
    r"without)\b(?: (?:a|an|the|really|very|so|too|that|clearly|at all|sehr|wirklich|eine?n?|"
    r"any))*) $"
)
#: Behind one of these stands the answer itself.
_MARKED = re.compile(
    r"\b(?:answer|label|sentiment|classification|verdict|rating|polarity|antwort|stimmung|"
    r"bewertung|einstufung)\b(?: of (?:this|the) (?:text|sentence|tweet))?"
    r"(?: (?:is|would be|ist|lautet|=))?\s*[:=]?\s*(?:(?:clearly|mostly|rather|eher|a|as) )*$"
)
#: Doubt in the whole answer.
_UNSURE = re.compile(
    r"\b(?:can(?:'t|not)|could(?:n't| not)|unable|unclear|impossible|depends|hard to|difficult to|"
    r"mixed|both|kann (?:\w+ ){0,3}nicht|unklar|sowohl|gemischt)\b"
)
_SENTENCES = re.compile(r"[.!?;\n]+(?=\s|$)|\n+")
_DRESS = re.compile(r"[*_`#>\"“”„«»‘\[\](){}]+|(?<!\w)'|'(?!\w)")
_FENCE = re.compile(r"```(?:\w+)?|<think>.*?</think>", re.DOTALL)


def parse_label(answer: str) -> str | None:
    """The label that an answer gives; None if it gives none, or none for certain.

    Args:
        answer: What a model wrote when it was asked for positive, negative or neutral.

    Example:
        >>> [parse_label(said) for said in ("**Positive**", '{"sentiment": "negative"}')]
        ['positive', 'negative']
        >>> [parse_label(said) for said in ("Weder positiv noch negativ.", "positive or negative")]
        ['neutral', None]
    """
    plain = _FENCE.sub(" ", normalize("NFKC", answer)).replace("’", "'").casefold().strip()
    found = _of_json(plain)
    if found is not None:
        plain = found
    plain = _plain(plain)
    whole = plain.strip(" .!,:-")
    if whole in _SHORT:
        return _SHORT[whole]
    if _NEITHER.search(plain):
        return None if "neutral" in _named(_NEITHER.sub(" ", plain)) - {"neutral"} else "neutral"
    marked = {label for label, before in _mentions(plain) if _MARKED.search(before)}
    if len(marked) == 1:
        return marked.pop()
    if marked or _UNSURE.search(plain):
        return None
    for sentence in _SENTENCES.split(plain):
        labels = _named(sentence)
        if labels:
            return labels.pop() if len(labels) == 1 else None
    return None


def _plain(text: str) -> str:
    """Without the signs of Markdown, and with single spaces within a line."""
    lines = (" ".join(_DRESS.sub(" ", line).split()) for line in text.splitlines())
    return "\n".join(line.replace(" .", ".").replace(" ,", ",") for line in lines if line)


def _named(text: str) -> set[str]:
    """The labels that a text names and doesn't rule out."""
    return {label for label, before in _mentions(text) if not _NEGATED.search(before)}


def _mentions(text: str) -> Iterator[tuple[str, str]]:
    """Each label that is named, with the part of its line before it."""
    for found in _LABEL.finditer(text):
        start = text.rfind("\n", 0, found.start()) + 1
        yield str(found.lastgroup), text[start : found.start()]


def _of_json(text: str) -> str | None:
    """The one text in a JSON object or list, or a JSON string; None if it is no JSON."""
    start, end = text.find("{"), text.rfind("}")
    for part in (text, text[start : end + 1] if 0 <= start < end else ""):
        try:
            value: Any = json.loads(part)
        except (ValueError, RecursionError):
            continue
        return _text_of(value)
    return None


def _text_of(value: Any) -> str:
    """The text of a JSON value where it has just one; what explains it isn't looked at."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        keys = ("sentiment", "label", "answer", "classification", "stimmung", "antwort")
        known = [value[key] for key in keys if key in value]
        return _text_of(known[0] if known else list(value.values()))
    if isinstance(value, list):
        return " and ".join(map(_text_of, value))
    return ""
