"""What gates skip because words told already: it changes no verdict."""

from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from isogloss.validation.gates import Context, Row, Text, numbers, thresholds
from isogloss.validation.gates._words import Words, words_of
from isogloss.validation.gates.column import Column
from isogloss.validation.gates.gate import _TOKEN
from isogloss.validation.gates.glued_words import _cuts
from isogloss.validation.gates.repetition import _longest_loop, _most_repeats, check

AAE, SAE = "african-american-english", "standard-american-english"


def texts(words: str) -> st.SearchStrategy[str]:
    """Texts of these words, with or without white space, and any others."""
    pieces = st.lists(st.sampled_from(words.split(" ")), max_size=12)
    return st.builds(str.join, st.sampled_from([" ", " ", "", "\u00a0", "\n"]), pieces) | st.text(
        max_size=30
    )


@given(texts("it's It\u2019s ' '' - a_b well-known \u0130 stra\u00dfe 1'000 \u0301"))
def test_words_do_not_go_beyond_white_space(raw: str) -> None:
    text = Text(raw)
    assert text.tokens == _TOKEN.findall(text.lowered)
    assert text.vocabulary == set(text.tokens)


def parts_of(word: str, source: set[str], words: Words) -> tuple[str, str] | None:
    """The two words that a word is made of, looked for as the gate describes them."""
    if len(word) < 5 or word in words.legal:
        return None
    for length in range(2, min(9, len(word) - 2) + 1):
        for part, rest, never, seldom, parts in (
            (word[:length], word[length:], words.never_first, words.seldom_first, (0, 1)),
            (word[-length:], word[:-length], words.never_last, words.seldom_last, (1, 0)),
        ):
            long = len(rest) >= 4 and rest in source
            if (part in never and (rest in words.function or long)) or (part in seldom and long):
                return (part, rest) if parts == (0, 1) else (rest, part)
    return None


SOME = st.sampled_from(sorted(words_of(SAE).function | {"wecker", "morgen", "heart", "o", "house"}))


@given(st.lists(SOME, min_size=1, max_size=3), st.sets(SOME), st.sampled_from([SAE, "bavarian"]))
def test_what_a_word_may_be_made_of(pieces: list[str], source: set[str], variety: str) -> None:
    word, words = "".join(pieces), words_of(variety)
    cuts = [cut for cut in _cuts(word, words) if cut[2] is None or cut[2] in source]
    assert (cuts[0][:2] if cuts else None) == parts_of(word, source, words)


LOOPS = st.lists(st.sampled_from("no ain't he here not".split()), max_size=24)


@given(LOOPS, LOOPS, st.integers(1, 5))
def test_no_loop_is_passed_over(source: list[str], target: list[str], times: int) -> None:
    target = target[:8] + target[8:12] * times + target[12:]
    limits = thresholds("repetition", AAE, SAE)
    found = [
        times
        for n, fewest in enumerate(limits["fewest_repeats"], start=1)
        for times, _ in [_longest_loop(target, n)]
        if times >= fewest and times > 2 * _most_repeats(source, 6)
    ]
    verdict = check(Row.of(" ".join(source), " ".join(target)), Context(AAE, SAE, limits))
    assert (verdict or "0").split()[0] == str([*found, 0][0])


NUMBERS = texts("two twenty five twenty-five hundred and the 2 5 1,200 200 7:30 - half a second")


@given(NUMBERS, NUMBERS)
def test_no_pair_with_other_numbers_is_passed_over(source: str, target: str) -> None:
    context = Context(AAE, SAE, thresholds("numbers", AAE, SAE))
    asked = numbers.rows(Column(pl.Series([source])), Column(pl.Series([target])), context)
    assert asked[0] or numbers.check(Row.of(source, target), context) is None
    same = numbers.rows(Column(pl.Series([source])), Column(pl.Series([source])), context)
    assert not same[0] or "\u00a0" in source


def test_pairs_that_say_the_same_numbers_in_the_same_order_are_passed_over() -> None:
    source = pl.Series(["she got two of em", "two of em got 5", "twenty five"])
    target = pl.Series(["She has two of them", "5 of them have two", "twenty or five"])
    context = Context(AAE, SAE, thresholds("numbers", AAE, SAE))
    assert numbers.rows(Column(source), Column(target), context).tolist() == [False, True, True]
