"""Human pairs, half of them held out, and faults planted in those: what gates are measured on."""

# ruff: noqa: ARG001 - whatever is spoilt, and however, the functions have one signature

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from isogloss.benchmarks.gate_phrases import ALTERNATIVES, NOTES, PREAMBLES, REFUSALS
from isogloss.corpus.lexicon import lexicon
from isogloss.corpus.varieties import varieties
from isogloss.validation.gates import Context, Row, gates, thresholds

__all__ = [
    "CODES",
    "KINDS",
    "SEEN_IN_PART",
    "UNSEEN",
    "Fault",
    "Pair",
    "caught_by",
    "held_out",
    "human_pairs",
    "plant",
]

PER_KIND = 20
#: The gates measured here: those that look at the form of an answer.
CODES = (
    *("empty", "refusal", "added_explanation", "unknown_token", "wrong_script", "markup"),
    *("repetition", "truncated", "copy", "urls_mentions", "numbers", "glued_words"),
    "length_ratio",
)
#: What a text can't show, and what catches it instead.
UNSEEN = {"clean cut at a sentence end": "the finish reason"}
#: What a text shows in part only, and what catches more of it.
SEEN_IN_PART = {"cut in a word": "cut_word, which knows the corpus: bench_drift.py"}
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence in a dialect and in its standard, both written by people."""

    id: str
    variety: str
    standard_variety: str
    dialect: str
    standard: str

    def row(self, *, reverse: bool = False) -> Row:
        """Dialect to standard, or the other way."""
        sides = (self.standard, self.dialect) if reverse else (self.dialect, self.standard)
        return Row.of(*sides)


@dataclass(frozen=True, slots=True)
class Fault:
    """A pair whose standard side was spoilt."""

    kind: str
    pair: Pair
    target: str
    finish: str = "stop"


def human_pairs(shared: Path, name: str) -> list[Pair]:
    """The pairs of ``redial`` or ``xsid``."""
    if name == "redial":
        lines = (shared / "data/aae/redial_pairs.jsonl").read_text(encoding="utf-8").splitlines()
        standard = "standard-american-english"
    else:
        lines = (shared / "data/german/xsid_pairs.jsonl").read_text(encoding="utf-8").splitlines()
        standard = "standard-german"
    # xSID's gsw is Bernese.
    known = {"gsw": "bernese"}
    return [
        Pair(
            id=row["id"],
            variety=varieties()[known.get(code, code)].id,
            standard_variety=standard,
            dialect=row["dialect"],
            standard=row["standard"],
        )
        for row in map(json.loads, lines)
        for code in [row.get("variety", "aae")]
    ]


def held_out(pair_id: str) -> bool:
    """Whether a pair is for measuring only; all varieties of a sentence fall together."""
    return hashlib.sha256(f"gates:{pair_id}".encode()).digest()[0] % 2 == 1


def caught_by(row: Row, pair: Pair, *, finish: str = "stop", reverse: bool = False) -> list[str]:
    """The codes of the gates that catch a row."""
    sides = (pair.variety, pair.standard_variety)
    source, target = sides[::-1] if reverse else sides
    return [
        gate.code
        for gate in gates()
        if gate.code in CODES
        and gate.check(row, Context(source, target, thresholds(gate.code, *sides), finish=finish))
    ]


def plant(pairs: list[Pair]) -> list[Fault]:
    """Twenty faults of each kind, in held-out pairs; the same ones every time.

    A kind that no pair can carry (a changed number needs a number) is missing.
    """
    pool = [pair for pair in pairs if held_out(pair.id)]
    faults: list[Fault] = []
    for kind, spoil in KINDS.items():
        random = Random(f"gates:{kind}")
        planted: list[Fault] = []
        for pair in random.sample(pool, len(pool)):
            target = spoil(pair, random, len(planted))
            if target is not None:
                finish = "length" if kind == "finish length" else "stop"
                planted.append(Fault(kind, pair, target, finish))
            if len(planted) == PER_KIND:
                break
        faults += planted
    return faults


_QUOTES = ('"{}"', "“{}”", "'{}'", "„{}“", "«{}»", "‘{}’", "»{}«", '"{}".')
_LOOK_ALIKES = dict(zip("aeopcxyAEOPCKMTH", "аеорсхуАЕОРСКМТН", strict=True))
_ARABIC = ("مرحبا", "اليوم", "كتاب", "السلام عليكم")


def _of(phrases: Mapping[str, Sequence[str]], pair: Pair, n: int) -> str:
    own = phrases[varieties()[pair.variety].cluster]
    return own[n % len(own)]


def _refusal(pair: Pair, random: Random, n: int) -> str:
    return _of(REFUSALS, pair, n)


def _preamble(pair: Pair, random: Random, n: int) -> str:
    return _of(PREAMBLES, pair, n) + pair.standard


def _note(pair: Pair, random: Random, n: int) -> str:
    return pair.standard + _of(NOTES, pair, n)


def _quotes(pair: Pair, random: Random, n: int) -> str | None:
    if pair.standard[0] in "\"„“'" or pair.dialect[0] in "\"„“'":
        return None
    return _QUOTES[n % len(_QUOTES)].format(pair.standard)


def _alternatives(pair: Pair, random: Random, n: int) -> str:
    other = pair.standard[0].swapcase() + pair.standard[1:]
    return _of(ALTERNATIVES, pair, n).format(pair.standard, other)


def _wrap_word(pair: Pair, random: Random, before: str, after: str) -> str | None:
    words = [found for found in _WORD.finditer(pair.standard) if len(found[0]) > 2]
    if not words:
        return None
    word = random.choice(words)
    return f"{pair.standard[: word.start()]}{before}{word[0]}{after}{pair.standard[word.end() :]}"


def _markdown(pair: Pair, random: Random, n: int) -> str | None:
    wraps = (("**", "**"), ("*", "*"), ("_", "_"), ("`", "`"), ("[", "](https://example.org)"))
    if n % 7 < 5:
        return _wrap_word(pair, random, *wraps[n % 7])
    return ("# ", "- ")[n % 7 - 5] + pair.standard


def _code_fence(pair: Pair, random: Random, n: int) -> str:
    return f"```{('', 'text', 'plaintext')[n % 3]}\n{pair.standard}\n```"


def _html(pair: Pair, random: Random, n: int) -> str | None:
    wraps = (
        *(("<b>", "</b>"), ("<i>", "</i>"), ("", "<br>"), ("&quot;", "&quot;"), ("", "&nbsp;")),
        *(('<span class="x">', "</span>"), ("<ref name=a>", "</ref>")),
    )
    return _wrap_word(pair, random, *wraps[n % len(wraps)])


def _mid_word(pair: Pair, random: Random, n: int) -> str | None:
    """Cut inside a word of the second half: two letters are left at least, two are lost."""
    half = len(pair.standard) // 2
    words = [w for w in _WORD.finditer(pair.standard, half) if len(w[0]) > 4 and w.start() > half]
    if not words:
        return None
    word = random.choice(words)
    return pair.standard[: random.randrange(word.start() + 2, word.end() - 1)]


def _finish_length(pair: Pair, random: Random, n: int) -> str | None:
    words = pair.standard.split()
    return " ".join(words[: len(words) * 2 // 3]) if len(words) > 3 else None


def _copy(pair: Pair, random: Random, n: int) -> str | None:
    if pair.variety != "african-american-english" or not lexicon().marked(pair.dialect):
        return None
    return pair.dialect


def _short(pair: Pair, random: Random, n: int) -> str | None:
    return pair.standard.split()[0] + "." if len(pair.standard) > 45 else None


def _long(pair: Pair, random: Random, n: int) -> str:
    """The answer, and what sounds like two more sentences of a story."""
    more = {
        "english": "That was all they said there, and many people wondered for a long time why.",
        "german": "Mehr wurde dort nicht gesagt, und viele fragten sich noch lange, warum.",
    }[varieties()[pair.variety].cluster]
    return f"{pair.standard} {more} {pair.standard[::-1]}"


def _changed_number(pair: Pair, random: Random, n: int) -> str | None:
    digits = set(_NUMBER.findall(pair.dialect)) & set(_NUMBER.findall(pair.standard))
    if not digits:
        return None
    old = random.choice(sorted(digits))
    new = str(int(old) + random.choice((1, 2, 3, 10, 30)))
    return re.sub(rf"\b{old}\b", new, pair.standard) if new not in digits else None


def _inserted_number(pair: Pair, random: Random, n: int) -> str | None:
    words = pair.standard.split()
    place = random.randrange(1, len(words)) if len(words) > 1 else 0
    return " ".join([*words[:place], str(random.randrange(2, 100)), *words[place:]])


def _dropped_number(pair: Pair, random: Random, n: int) -> str | None:
    words = pair.standard.split()
    numbers = [word for word in words if _NUMBER.fullmatch(word)]
    if not numbers:
        return None
    words.remove(random.choice(numbers))
    return " ".join(words)


def _url(pair: Pair, random: Random, n: int) -> str:
    return (
        f"{pair.standard} {('https://example.org/a', 'www.example.com', 'http://ex.am/x')[n % 3]}"
    )


def _mention(pair: Pair, random: Random, n: int) -> str:
    return f"@{('kim_b', 'Sam', 'user')[n % 3]} {pair.standard}"


def _look_alike(pair: Pair, random: Random, n: int) -> str | None:
    places = [i for i, letter in enumerate(pair.standard) if letter in _LOOK_ALIKES]
    if not places:
        return None
    place = random.choice(places)
    letter = _LOOK_ALIKES[pair.standard[place]]
    return pair.standard[:place] + letter + pair.standard[place + 1 :]


def _arabic(pair: Pair, random: Random, n: int) -> str:
    words = pair.standard.split()
    words[random.randrange(len(words))] = _ARABIC[n % len(_ARABIC)]
    return " ".join(words)


def _unknown(pair: Pair, random: Random, n: int) -> str:
    place = random.randrange(len(pair.standard))
    sign = ("<unk>", "\ufffd", "[UNK]", " ⁇ ")[n % 4]
    return pair.standard[:place] + sign + pair.standard[place + 1 :]


def _loop(size: int) -> Callable[[Pair, Random, int], str | None]:
    def spoil(pair: Pair, random: Random, n: int) -> str | None:
        words = pair.standard.split()
        if len(words) < size:
            return None
        place = random.randrange(len(words) - size + 1)
        times = random.randrange(4, 9)
        return " ".join([*words[:place], *words[place : place + size] * times])

    return spoil


def _glued(pair: Pair, random: Random, n: int) -> str | None:
    joints = list(re.finditer(r"(?<=[^\W\d_]{2}) (?=[^\W\d_]{2})", pair.standard))
    if not joints:
        return None
    joint = random.choice(joints)
    return pair.standard[: joint.start()] + pair.standard[joint.end() :]


def _empty(pair: Pair, random: Random, n: int) -> str:
    return ("", " ", "\u200b", "...", "—", '""')[n % 6]


def _sentence_end(pair: Pair, random: Random, n: int) -> str | None:
    ends = [found.end() for found in re.finditer(r"(?<=\w)[.!?](?= [A-ZÄÖÜ])", pair.standard)]
    return pair.standard[: ends[-1]] if ends else None


#: How a pair is spoilt: the new target, or None where the pair is not fit for it.
KINDS: Mapping[str, Callable[[Pair, Random, int], str | None]] = {
    "empty": _empty,
    "refusal": _refusal,
    "preamble": _preamble,
    "note": _note,
    "quotes": _quotes,
    "alternatives": _alternatives,
    "markdown": _markdown,
    "code fence": _code_fence,
    "HTML": _html,
    "cut in a word": _mid_word,
    "finish length": _finish_length,
    "copy of a marked source": _copy,
    "very short": _short,
    "very long": _long,
    "changed number": _changed_number,
    "inserted number": _inserted_number,
    "dropped number": _dropped_number,
    "added URL": _url,
    "added mention": _mention,
    "Cyrillic look-alike": _look_alike,
    "Arabic word": _arabic,
    "unknown token": _unknown,
    "loop of 1 word": _loop(1),
    "loop of 2 words": _loop(2),
    "loop of 5 words": _loop(5),
    "glued words": _glued,
    "clean cut at a sentence end": _sentence_end,
}
