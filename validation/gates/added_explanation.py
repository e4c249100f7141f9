"""The model says something about its answer, or gives more than one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...models.phrases import Phrases, plain
from ._quote import quoted
from .column import Column
from .gate import Context, Gate, Hints, Row, Text, lowered, tokens_of

__all__ = ["GATE", "check", "hints", "rows"]

#: How much of each end is read.
_REACH = 1_000
_WORDS = r"(?:\W+\w+){0,%d}?\W+"
#: What stands before a colon is an introduction if it has one of these words, or begins with
#: one that consents.
_INTRODUCTION = re.compile(
    r"(?:[^:\n]{0,90}?\b(?:standard\w*|english|german|deutsch\w*|hochdeutsch\w*|"
    r"schriftdeutsch\w*|translat\w+|render\w*|version|re-?writ\w+|rephras\w+|paraphras\w+|"
    r"reword\w+|sentence|text|tweet|message|answer|output|result|response|sae|"
    r"übersetz\w*|übertrag\w*|wiedergabe|satz|fassung|variante|umformulier\w*|antwort|ergebnis|"
    r"ausgabe|lautet)"
    r"|\W*(?:\w+\W+){0,2}?(?:here(?:'s)?|sure|certainly|of course|gladly|hier|gerne?|natürlich|"
    r"selbstverständlich))\b[^:\n]{0,90}?:(?!\w)"
)
#: A colon behind a word; neither in a time nor in an address, nor a smile's eyes.
_COLON = re.compile(r"\w[\"”»’')]?\s?:(?=[^\W\d]|\s|$|[\"“„»'])")
#: *Sure thing!*, before an answer to a source that begins with no such word.
_CONSENT = re.compile(
    r"\W*(?:sure(?: thing)?|certainly|of course|absolutely|gladly|got it|no problem|understood|"
    r"klar|gerne?|natürlich|selbstverständlich|alles klar|kein problem|verstanden)\s?[!.:]\s*\S"
)
_SHORT_START = re.compile(r"\W*\w+(?:[^\w!.,]+\w+)?\s?[!.,:]")
_NOTES = Phrases(
    [
        # "Note: …"
        (
            "note notes explanation disclaimer nb context hinweis hinweise anmerkung anmerkungen "
            "erklärung erläuterung erläuterungen bemerkung",
            r"\b(?:notes?|explanation|disclaimer|nb|context|hinweise?|anmerkung(?:en)?|erklärung|"
            r"erläuterung(?:en)?|bemerkung)\b(?: \w+){0,3} ?(?:\([^()]{1,40}\) ?)?:"
            r"|\bnote that\b",
        ),
        # "I have kept the tone of the original"
        (
            "translated rewritten rephrased kept rendered replaced changed interpreted preserved "
            "converted standardized standardised adjusted corrected paraphrased reworded",
            r"\bi(?:'ve| have)? (?:\w+ )?(?:translated|rewritten|rephrased|kept|rendered|replaced|"
            r"changed|interpreted|preserved|converted|standardi[sz]ed|adjusted|corrected|"
            rf"paraphrased|reworded)\b{_WORDS % 8}(?:translat\w+|meaning|text|sentence|tone|"
            r"wording|phrase|standard|original|slang|dialect|grammar|tense|expression)\b",
        ),
        # "Let me know if you need anything else", "Hope this helps"
        (
            "know lmk",
            r"\b(?:let me know|lmk) if (?:you|u|ya)\b(?: \w+){0,4}? (?:any|anything|another|"
            r"more|further|other|changes|questions|adjust\w*|translat\w+)\b",
        ),
        ("helps", r"\bhope (?:this|that|it) helps\b"),
        (
            "like want",
            r"\b(?:would you like|do you want|if you(?:'d| would)? (?:like|want)) me to"
            r" (?:\w+ )?(?:translat|rewrit|rephras|explain|adjust|provide|try)",
            "translat rewrit rephras explain adjust provide try",
        ),
        # "In standard English, one would say …"
        (
            "standard standarddeutschen hochdeutschen",
            r"\b(?:in standard (?:american )?(?:english|german)|im (?:standard|hoch)deutschen)\b",
        ),
        # "Ich habe den Satz wörtlich übersetzt"
        (
            "übersetzt übertragen wiedergegeben ersetzt beibehalten angepasst interpretiert "
            "umformuliert belassen umgeschrieben",
            rf"\b(?:habe ich|ich habe|wurden?)\b{_WORDS % 10}(?:übersetzt|übertragen|"
            r"wiedergegeben|ersetzt|beibehalten|angepasst|interpretiert|umformuliert|belassen|"
            r"umgeschrieben)\b",
        ),
        # "Lassen Sie mich wissen, ob …", "Ich hoffe, das hilft"
        (
            "wissen bescheid hilft",
            r"\b(?:lass(?:en sie)? mich wissen|gib (?:mir )?bescheid|geben sie (?:mir )?bescheid)"
            r"(?:,? (?:wenn|falls|ob)\b(?: \w+){0,5}? (?:weitere\w*|andere\w*|noch|fragen|mehr|"
            r"änderungen|etwas)\b)|\bich hoffe,? (?:das|dies) hilft\b",
        ),
    ]
)
#: What articles say of words, too; in a note it makes the text longer than its source.
_GLOSSES = Phrases(
    [
        # "The phrase is slang for …"
        (
            "means mean refers conveys translates keeps preserves retains slang",
            r"\b(?:translation|phrase|sentence|expression|word|term|original|slang)\b"
            rf"{_WORDS % 6}(?:means?|refers to|is slang|conveys|translates|keeps|preserves|"
            r"retains)\b",
        ),
        # "Der Ausdruck bedeutet …"
        (
            "bedeutet heißt heisst meint entspricht steht bleibt behält viel",
            r"\b(?:ausdruck|wort|satz|begriff|original|dialekt|übersetzung|wendung)\b"
            rf"{_WORDS % 6}(?:bedeutet|hei(?:ß|ss)t|meint|entspricht|steht für|bleibt|behält)\b"
            r"|\bso viel wie\b",
        ),
    ]
)
_LONGER_BY = 8
#: Words in brackets; a smile has none.
_BRACKETS = re.compile(r"[(\[]\s?\w[^()\[\]\s]{0,40}[ :][^()\[\]]{1,400}[)\]]")
_OTHERS = Phrases(
    [
        # "Option 1: …"
        (
            "option version variante alternative möglichkeit vorschlag translation übersetzung",
            r"\b(?:option|version|variante|alternative|möglichkeit|vorschlag|translation|"
            r"übersetzung) ?(?:[12ab]|eins|one)\b ?[:.)]",
        ),
        # "Alternatively, …"
        (
            "alternatively alternativ alternative another andere more formal",
            r"\b(?:alternatively|alternativ(?:e|en)?|another (?:option|version|way)(?: \w+){0,3}|"
            r"a more (?:formal|literal|natural|casual)(?: \w+)?|or more (?:formally|literally)|"
            r"eine andere (?:möglichkeit|variante|fassung|übersetzung)(?: \w+){0,3})[:,]",
            "alternativ option version way formal literal natural casual möglichkeit variante "
            "fassung übersetzung",
        ),
        (
            "or oder",
            r"[\"”»“']\s*(?:or|oder)\s*[\"“„«']|(?:^|[.!?\n(])\s?(?:or|oder)\b[^.!?:]{0,30}:",
        ),
    ]
)
_OPENING, _CLOSING = "\"“„«‹»'‘‚", "\"”“»›«'’"
_FIRST, _SECOND = re.compile(r"(?:^|\s)\(?1[.):] "), re.compile(r"\s\(?2[.):] ")
#: Two answers have more words than one, most of them twice.
_LONGER, _SHARED, _FEWEST_WORDS = 1.5, 0.6, 3


def check(row: Row, context: Context) -> str | None:  # noqa: ARG001
    """Catches introductions, notes, several answers, and quotes round the answer.

    What the source has of the same kind, the target may have, and so many colons.

    Example:
        >>> pair = Context("african-american-english", "standard-american-english")
        >>> check(Row.of('"Move" he said "fr"', '"Move," he said, "for real"'), pair)
        >>> check(Row.of("She finna go", "Here is the translation: She is about to go"), pair)
        "an introduction: 'here is the translation:'"
        >>> check(Row.of("She finna go", '"She is about to go"'), pair)
        'quotes round the answer'
        >>> check(Row.of("She finna go", "She will go / She will go soon"), pair)
        'several answers: much is said twice'
    """
    source, target = row.source, row.target
    if _is_quoted(target.raw) and not _is_quoted(source.raw):
        return "quotes round the answer"
    is_longer = len(target.raw) >= len(source.raw) + _LONGER_BY
    for kind, find in _KINDS.items():
        found = find(target) if is_longer or kind not in _LENGTHENING else None
        if found is None or find(source) is not None:
            continue
        if find is not _introduction or _colons(source) < _colons(target):
            return f"{kind}: {quoted(found[0])}"
    consent = _CONSENT.match(target.lowered)
    if consent is not None and not _SHORT_START.match(source.lowered):
        return f"an introduction: {quoted(consent[0])}"
    if _is_double(target.tokens, than=source.tokens):
        return "several answers: much is said twice"
    return None


def _introduction(text: Text) -> re.Match[str] | None:
    return _INTRODUCTION.match(text.lowered) if ":" in text.raw else None


def _colons(text: Text) -> int:
    return len(_COLON.findall(_ends(text))) if ":" in text.raw else 0


def _note(text: Text) -> re.Match[str] | None:
    return _NOTES.search(_ends(text), text.vocabulary)


def _gloss(text: Text) -> re.Match[str] | None:
    gloss = _GLOSSES.search(_ends(text), text.vocabulary)
    may_be_in_brackets = "(" in text.raw or "[" in text.raw
    return gloss or (_BRACKETS.search(_ends(text)) if may_be_in_brackets else None)


def _other(text: Text) -> re.Match[str] | None:
    return _OTHERS.search(_ends(text), text.vocabulary)


def _numbered(text: Text) -> re.Match[str] | None:
    first = _FIRST.search(text.lowered) if "1" in text.raw else None
    return None if first is None else _SECOND.search(text.lowered, first.end())


_KINDS: dict[str, Callable[[Text], re.Match[str] | None]] = {
    "an introduction": _introduction,
    "a note": _note,
    "an explanation": _gloss,
    "another answer": _other,
    "a numbered list": _numbered,
}
_LENGTHENING = {"an explanation"}


def _ends(text: Text) -> str:
    return text.lowered if len(text.raw) <= _REACH else plain(text.raw, reach=_REACH)


def _is_quoted(raw: str) -> bool:
    text = raw.strip().rstrip(".")
    return len(text) > 2 and text[0] in _OPENING and text[-1] in _CLOSING


def _is_double(words: Sequence[str], *, than: Sequence[str]) -> bool:
    """Whether the second half says what the first does, and the source is shorter."""
    middle = len(words) // 2
    if middle < _FEWEST_WORDS or len(words) < _LONGER * len(than):
        return False
    first, second = set(words[:middle]), set(words[middle:])
    return len(first & second) >= _SHARED * max(len(first), len(second))


_TURNS = (_NOTES, _GLOSSES, _OTHERS)
_ITEM = re.compile(r"\(?1[.):]")
_LAST = r"(?:sure|thing|certainly|course|absolutely|gladly|it|problem|understood|klar|gerne?|"
_LAST += r"natürlich|selbstverständlich|verstanden)"
_CONSENTED, _CONSENTING = re.compile(rf"{_LAST}[!.:]"), re.compile(rf"{_LAST}\Z")
#: Beside the turns of phrase: quotes that open and close, a consent's last word and its mark.
_PAIRED = 2 + sum(map(len, _TURNS))


def hints(source_variety: str, target_variety: str) -> Hints:  # noqa: ARG001
    """The target must have a sign or a word that what is looked for can't do without."""
    return Hints(target=_hints_of, paired=_PAIRED)


def rows(source: Column, target: Column, context: Context) -> NDArray[np.bool_]:  # noqa: ARG001
    """The target may say everything twice."""
    asked: NDArray[np.bool_] = target.tokens >= np.maximum(
        2 * _FEWEST_WORDS, _LONGER * source.tokens
    )
    return asked


def _hints_of(word: str) -> int:
    if not word:
        return 0
    text = lowered(word)
    alone = any(sign in text for sign in ":([") or _ITEM.fullmatch(text) or _CONSENTED.search(text)
    firsts = (text[0] in _OPENING) | (_CONSENTING.search(text) is not None) << 1
    seconds = text.rstrip(".").endswith(tuple(_CLOSING)) | (text[0] in "!.:") << 1
    shift = 2
    for turns in _TURNS:
        hints = turns.hints(text, tokens_of[word])
        firsts |= (hints & ~(-1 << len(turns))) << shift
        seconds |= hints >> len(turns) << shift
        shift += len(turns)
    return bool(alone) | firsts << 1 | seconds << 1 + _PAIRED


GATE = Gate("added_explanation", version=2, rank=20, check=check, hints=hints, rows=rows)
