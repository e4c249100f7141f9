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
#: What is called so without being a feeling, grammar first of all.
_TERMS = re.compile(
    r"\b(?:(?:double|multiple|doppelte|false|true) (?:positiv|negativ)\w*|doppelte verneinung|"
    r"(?:positiv|negativ)\w* (?:concord|form|inversion|particle|marker|test|ion|number)\w*|"
    r"test\w* (?:positiv|negativ)\w*|positiv\w* or negativ\w* test)\b"
)
#: A share or a yes and no for one of several labels.
_SCORED = re.compile(
    rf"(?:{'|'.join(_WORDS.values())})\s*[:=]\s*(?:-?[\d.]|(?:no|nein|false|yes|ja|true)\b)"
)
#: Both ends ruled out: what is between them is meant.
_ENDS = rf"(?:{_WORDS['positive']}|{_WORDS['negative']})"
_NEITHER = re.compile(
    rf"(?:\bneither|\bweder|\bnot|n't|\bnicht) (?:\w+ )?{_ENDS},? (?:nor|or|noch|oder) "
    rf"(?:\w+ )?{_ENDS}"
)
#: It turns whatever follows in its clause, or leaves it open.
_TURNS = re.compile(
    r"\b(?:no|not|never|none|nothing|neither|nor|without|hardly|barely|scarcely|rather than|"
    r"instead of|far from|anything but|lacks?|lacking|devoid|absence|absent|opposite|less|free of|"
    r"nicht|kein\w*|nie|niemals|kaum|wenig\w*|weder|noch|ohne|statt|alles andere|gegenteil|rede)\b|"
    r"n't\b|\bcannot\b"
)
_CLAUSE = re.compile(
    r"[.!?;:,\n]|(?<!anything )\b(?:but|sondern|aber|rather(?! than)|instead(?! of))\b"
)
#: Behind a label it turns that: *positiv ist das nicht*.
_TURNS_BACK = re.compile(r"^[^.!?;:,\n]*\b(?:nicht|keine rede|kaum|is not|isn't|not so)\b")
#: Behind one of these stands the answer itself.
_MARKED = re.compile(
    r"\b(?:answer|label|sentiment|classification|verdict|polarity|antwort|stimmung|einstufung|"
    r"overall)\b(?: of (?:this|the) (?:text|sentence|tweet))?"
    r"(?: (?:is|would be|ist|lautet|=))?\s*[:=]?\s*(?:(?:clearly|mostly|rather|eher|a|as) )*$"
)
#: Doubt, a refusal, or the question over again.
_UNSURE = re.compile(
    r"\b(?:can(?:'t|not)|unable|unclear|impossible|depends|mixed|both|sorry|as an ai|"
    r"(?:hard|difficult) to (?:say|tell|determine|judge)|unsure|"
    r"not (?:\w+ )?(?:sure|certain|clear)|"
    r"(?:don't|do not|doesn't|won't|will not|wouldn't) (?:know|think|say|rate|believe|have enough)|"
    r"(?:could|might|may|would have to|have to|whether|if)|please provide|on the one hand|"
    r"kann (?:\w+ ){0,3}nicht|wei(?:ß|ss) (?:\w+ )?nicht|würde nicht|unklar|sowohl|gemischt|"
    r"vielleicht|ob|könnte|einerseits)\b"
)
_DRESS = re.compile(r"[*_`#>\"“”„«»‘\[\](){}]+|(?<!\w)'|'(?!\w)")
_FENCE = re.compile(r"```(?:\w+)?|<think>.*?(?:</think>|$)", re.DOTALL)
_KEYS = ("sentiment", "label", "answer", "classification", "stimmung", "antwort")


def parse_label(answer: str) -> str | None:
    """The label that an answer gives; None if it gives none, or none for certain.

    A label counts that stands alone in the first line, behind a word such as *answer* or
    *sentiment*, or as the only one of the whole answer; and nothing may turn it or cast doubt.

    Args:
        answer: What a model wrote when it was asked for positive, negative or neutral; it may
            have been cut off.

    Example:
        >>> [parse_label(said) for said in ("**Positive**", '{"sentiment": "negative"}')]
        ['positive', 'negative']
        >>> [parse_label(said) for said in ("Weder positiv noch negativ.", "positive or negative")]
        ['neutral', None]
        >>> [parse_label(said) for said in ("It is hardly positive.", "Positive: 0.1")]
        [None, None]
    """
    plain = _FENCE.sub(" ", normalize("NFKC", answer)).replace("’", "'").casefold().strip()
    found = _of_json(plain)
    plain = _TERMS.sub(" ", _plain(plain if found is None else found))
    whole = plain.strip(" .!,:-")
    if whole in _SHORT:
        return _SHORT[whole]
    first = _whole_label(re.split(r"[.!\n]", plain, maxsplit=1)[0])
    if first and not _is_list(plain):
        return first
    if _NEITHER.search(plain):
        left = {label for label, _ in _mentions(_NEITHER.sub(" ", plain))}
        return "neutral" if left <= {"neutral"} else None
    if "?" in plain or _UNSURE.search(plain) or _SCORED.search(plain):
        return None
    mentions = list(_mentions(plain))
    marked = [place for place, (_, before) in enumerate(mentions) if _MARKED.search(before)]
    if marked and _stands_alone(plain, mentions, marked):
        labels = {mentions[place][0] for place in marked}
        return labels.pop() if len(labels) == 1 else None
    kept = {label for label, before in mentions if not _turned(before)}
    # One that is called so here and turned there is neither.
    turned = {label for label, before in mentions if _turned(before)}
    return kept.pop() if len(kept) == 1 and not kept & turned else None


def _whole_label(text: str) -> str | None:
    """The label that a line is, with nothing beside it."""
    found = _LABEL.fullmatch(text.strip(" .!,-"))
    return str(found.lastgroup) if found else None


def _is_list(text: str) -> bool:
    """Whether every line begins with a label, as the options of the question may."""
    lines = [line for line in text.split("\n") if line]
    return len(lines) > 1 and all(_LABEL.match(line.lstrip(" -x")) for line in lines)


def _stands_alone(text: str, mentions: list[tuple[str, str]], marked: list[int]) -> bool:
    """Whether no marked label is the first of several to choose from."""
    spans = [found.span() for found in _LABEL.finditer(text)]
    for place in marked:
        if place + 1 < len(spans):
            between = text[spans[place][1] : spans[place + 1][0]]
            other = mentions[place][0] != mentions[place + 1][0]
            if other and re.fullmatch(r"(?:,|/|\||\s|\b(?:or|oder|and|und)\b)+", between):
                return False
    return True


def _turned(before: str) -> bool:
    """Whether something in the clause before a label turns it."""
    return bool(_TURNS.search(_CLAUSE.split(before)[-1]))


def _plain(text: str) -> str:
    """Without the signs of Markdown, and with single spaces within a line."""
    lines = (" ".join(_DRESS.sub(" ", line).split()) for line in text.splitlines())
    return "\n".join(line.replace(" .", ".").replace(" ,", ",") for line in lines if line)


def _mentions(text: str) -> Iterator[tuple[str, str]]:
    """Each label that is named, with the part of its line before it.

    What turns it from behind stands there too.
    """
    for found in _LABEL.finditer(text):
        start = text.rfind("\n", 0, found.start()) + 1
        behind = _TURNS_BACK.match(text[found.end() :])
        turns = behind is not None and not _LABEL.search(behind.group())
        yield str(found.lastgroup), text[start : found.start()] + ("nicht " if turns else "")


def _of_json(text: str) -> str | None:
    """The text of a JSON object, list or string; None if it is no JSON."""
    start, end = text.find("{"), text.rfind("}")
    for part in (text, text[start : end + 1] if 0 <= start < end else ""):
        try:
            return _text_of(json.loads(part))
        except (ValueError, RecursionError):
            continue
    return None


def _text_of(value: Any) -> str:
    """The text of a JSON value; what explains the label isn't looked at."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        known = [value[key] for key in _KEYS if key in value]
        return _text_of(known or list(value.values()))
    if isinstance(value, list):
        texts = dict.fromkeys(map(_text_of, value))
        return " and ".join(texts)
    return ""
