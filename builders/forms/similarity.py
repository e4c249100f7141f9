"""Says when a text made from a tweet is so near to it that it is the tweet.

A rewritten text counts as the tweet itself if one of six similarities reaches 0.9. Each
closes a way round the others: a different case or other punctuation, other spaces, the
words in another order, something written before or after, a word changed or put in. A text
that is less near but repeats eight of the tweet's words in a row quotes it.
"""

from __future__ import annotations

import re
import unicodedata

from rapidfuzz import fuzz
from rapidfuzz.distance import LCSseq

__all__ = ["RUN_WORDS", "THRESHOLD", "VERSION", "quotes", "reason_to_withhold", "similarity"]

#: Raised when another text would be withheld, or one no longer.
VERSION = 1
#: Similarity from which on a text is the tweet (SPEC 2.1).
THRESHOLD = 0.9
#: So many words in a row are a quotation.
RUN_WORDS = 8

_NOT_WORD = re.compile(r"[^\w\s]|_")


def similarity(tweet: str, text: str) -> float:
    """How near a text is to a tweet: the greatest of six similarities, 0 to 1.

    The normalised Indel ratio (1 - insertions and deletions / length of both) of the texts
    as they are; of both folded (NFKC, case folded, punctuation removed); of both without
    spaces; of their sorted words; the ratio of the shorter one and the part of the longer
    one that is nearest to it; and the share of the tweet's words that stand in the text in
    the tweet's order, where one word's difference counts as none.

    Args:
        tweet: The source text.
        text: The text made from it.

    Example:
        >>> tweet = "we been had that couch since before my sister moved in"
        >>> similarity(tweet, "We been had THAT couch, since before my sister moved in!")
        1.0
        >>> similarity(tweet, "we been had that refrigerator since before my sister moved in")
        1.0
        >>> similarity(tweet, "That sofa is older than the time she has lived with us") < 0.6
        True
    """
    a, b = folded(tweet), folded(text)
    words, other = a.split(), b.split()
    ratios = (
        fuzz.ratio(tweet, text),
        fuzz.ratio(a, b),
        fuzz.ratio("".join(words), "".join(other)),
        fuzz.token_sort_ratio(a, b),
        fuzz.partial_ratio(a, b),
    )
    return max(max(ratios) / 100, _words_in_order(words, other))


def quotes(tweet: str, text: str) -> bool:
    """Whether the text repeats ``RUN_WORDS`` words of the tweet in a row.

    Case doesn't count. The words are taken as spaces part them and, a second time, without
    punctuation. A last word may go on in the text (*walk*, *walks*).

    Example:
        >>> tweet = "y'all know my cousin cook every Sunday at the big house on Main"
        >>> quotes(tweet, "Everyone is aware: my cousin cook every Sunday at the big houses.")
        True
        >>> quotes(tweet, "You know that my cousin cooks every Sunday at the big house.")
        False
    """
    return any(
        _run_in(one.split(), " ".join(other.split()))
        for one, other in (
            (tweet.casefold(), text.casefold()),
            (folded(tweet), folded(text)),
        )
    )


def reason_to_withhold(tweet: str, text: str) -> str | None:
    """``similar`` or ``quotes`` for a text that must not go out, None for one that may."""
    if similarity(tweet, text) >= THRESHOLD:
        return "similar"
    return "quotes" if quotes(tweet, text) else None


def folded(text: str) -> str:
    """The text without case, punctuation and extra white space."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(_NOT_WORD.sub("", plain).split())


def _words_in_order(tweet: list[str], text: list[str]) -> float:
    if not tweet:
        return 0.0
    common = LCSseq.similarity(tweet, text)
    return 1.0 if common >= len(tweet) - 1 else common / len(tweet)


def _run_in(words: list[str], text: str) -> bool:
    runs = range(len(words) - RUN_WORDS + 1)
    return any(" ".join(words[at : at + RUN_WORDS]) in text for at in runs)
