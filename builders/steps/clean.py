"""Cleans tweets: entities, mentions, links, line ends, signs outside ASCII.

The order matters and is this: entities are decoded first (they can hide a mention
or a line end); what is removed leaves a space, because deleting a line end or an
emoji glues words; curly quotes become straight before signs outside ASCII go, since
*ain’t* would turn into *aint*.
"""

from __future__ import annotations

import html
import re

import polars as pl

from ..engine.step import Outcome, Rejection, Step, reject_where

__all__ = ["clean_step", "clean_texts"]

_ENTITY = re.compile(r"&(?:#\d{1,60}|#[xX][0-9a-fA-F]{1,60}|[A-Za-z][A-Za-z0-9]{1,31});")
_LINKS = "|".join(
    (
        r"(?:https?|ftp):\S*",
        r"(?-u:\b)www\.\S+",
        r"(?-u:\b)pic\.twitter\.com\S*",
        r"(?-u:\b)(?:t\.co|bit\.ly|tinyurl\.com|goo\.gl|ow\.ly|instagr\.am|tmi\.me|youtu\.be)/\S*",
    )
)
_NAMES = r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+|[@＠]\p{Cf}*\w+"
_STRAIGHT = {
    **dict.fromkeys("‘’‚‛′ʼ＇`´", "'"),
    **dict.fromkeys("“”„‟″«»＂", '"'),
    **dict.fromkeys("‐‑‒–−", "-"),
    **dict.fromkeys("—―", " - "),
    "…": "...",
    "\u200b": " ",  # zero-width space: a place where words part
}
_SPACE = r"[\s\x00-\x1f\x7f-\x9f]+"
#: Soft hyphens, direction marks and the like; joiners stay, since emoji are made with them.
_HIDDEN = r"[\p{Cf}--[\x{200C}\x{200D}]]+"
#: Accents (parted from their letters), joiners and variation selectors: they go without
#: a space, so that *café* becomes *cafe*.
_INSIDE = r"[\p{M}\p{Cf}]+"
#: A sign parts words, unless what follows closes the word before it.
_SIGNS_BETWEEN = r"[^\x00-\x7f\p{L}]+([^\s.,!?;:)\]}])"
_NOT_ASCII = r"[^\x00-\x7f]+"

_TEXT = pl.col("text")
#: Where a text matches the first, the second is done to it. Most tweets need few of these.
_NAMES_REMOVED = (r"[@＠]", _TEXT.str.replace_all(_NAMES, " "))
_LINKS_REMOVED = (
    r"(?i-u)http|ftp:|www\.|\.[a-z]+/|pic\.",
    _TEXT.str.replace_all(f"(?i){_LINKS}", " "),
)
_MADE_STRAIGHT = (
    r"[^\x00-\x7f]|`",
    _TEXT.str.replace_many(_STRAIGHT).str.replace_all(_HIDDEN, "").str.normalize("NFC"),
)
_MADE_ASCII = (
    _NOT_ASCII,
    _TEXT.str.normalize("NFD")
    .str.replace_all(_INSIDE, "")
    .str.replace_all(_SIGNS_BETWEEN, " ${1}")
    .str.replace_all(_NOT_ASCII, ""),
)
_AGAIN = rf"(?i)&[a-z0-9#]+;|{_LINKS}|{_NAMES}"
_SPACED = (r"\s\s|[^\x21-\x7e ]|^ | $", _TEXT.str.replace_all(_SPACE, " ").str.strip_chars(" "))


def clean_texts(texts: pl.Series, *, keep_unicode: bool = False) -> pl.Series:
    r"""Cleans tweets.

    Args:
        texts: Tweets as read.
        keep_unicode: Keep letters and signs outside ASCII.

    Example:
        >>> tweet = "@somebody I ain’t goin\nnowhere &amp; that’s that 😂 https://t.co/x"
        >>> clean_texts(pl.Series([tweet])).item()
        "I ain't goin nowhere & that's that"
    """
    steps = [_NAMES_REMOVED, _LINKS_REMOVED, _MADE_STRAIGHT, _SPACED]
    if not keep_unicode:
        steps += [_MADE_ASCII, _SPACED]
    texts = texts.alias("text")
    cleaned = _entities_decoded(texts)
    for needed, change in steps:
        concerned = cleaned.str.contains(needed)
        changed = cleaned.filter(concerned).to_frame().select(change)["text"]
        cleaned = _with(cleaned, concerned, changed)
    # What was removed may have hidden a mention, a link or an entity: look at those again.
    again = cleaned.str.contains(_AGAIN) & (cleaned != texts)
    if not again.any():
        return cleaned
    return _with(cleaned, again, clean_texts(cleaned.filter(again), keep_unicode=keep_unicode))


def _entities_decoded(texts: pl.Series) -> pl.Series:
    """Decodes until nothing is left to decode: some clients encode twice."""
    while (coded := texts.str.contains(_ENTITY.pattern)).any():
        decoded = [_ENTITY.sub(lambda m: html.unescape(m[0]), text) for text in texts.filter(coded)]
        changed = _with(texts, coded, pl.Series(decoded, dtype=pl.String))
        if changed.equals(texts):
            break
        texts = changed
    return texts


def _with(texts: pl.Series, where: pl.Series, values: pl.Series) -> pl.Series:
    """A copy of ``texts`` with other values where the mask is true."""
    return texts.clone().scatter(where.arg_true(), values)


def clean_step(*, min_words: int, keep_unicode: bool) -> Step:
    """Turns ``text`` into ``dialect``: cleaned, with at least ``min_words`` words.

    Args:
        min_words: Words, parted by spaces, that must be left (SPEC 2.1: 10).
        keep_unicode: Keep letters and signs outside ASCII.
    """
    words = pl.col("dialect").str.count_matches(r"\S+")
    too_short = Rejection("too_short", words < min_words, pl.format("{} words", words))

    def run(frame: pl.DataFrame) -> Outcome:
        cleaned = clean_texts(frame["text"], keep_unicode=keep_unicode).alias("dialect")
        outcome = reject_where(frame.with_columns(cleaned), [too_short], stage="clean", text="text")
        return Outcome(outcome.rows.drop("text"), outcome.rejected)

    return Step(
        "clean",
        1,
        run,
        params={"min_words": min_words, "keep_unicode": keep_unicode},
        adds={"dialect": pl.String()},
        drops=("text",),
    )
