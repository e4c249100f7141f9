"""Gates that see by the words that they can be spared: it changes no verdict."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from isogloss.validation.facts import collect
from isogloss.validation.gates import Context, CorpusFacts, Gate, Hints, Level, Row, gates
from isogloss.validation.gates.column import Column
from isogloss.validation.screen import PairColumns, screen
from isogloss.validation.shortlist import Shortlist

AAE, SAE = "african-american-english", "standard-american-english"
SIDES = [(AAE, SAE), (SAE, AAE), ("bavarian", "standard-german"), ("bernese", "standard-german"),
         ("najdi-arabic", "standard-arabic")]  # fmt: skip
WORDS = """
7 30 7:30 1.200 1,200 000 1' mp3 3rd 20er twenty twenty- five hundred and a second half thousand
k , ' zwei zwoa tausend viertel dreiviertel million damn d*mn DAMMMN hell helllll the shut upppp
ass dumb crappp as verdammt Scheiße stop talking so real broken heart finna we was ain't Ain’t
nobody She be workin done told 'em I can't cannot translate rewrite this tweet sorry Sorry, but
please provide text content offensive language Note: note that kept meaning or " “ ” ' ( [ ) ]
Sure! sure thing! thing Of course: course it. Got it ! : . … ... https://a.de @kim_b www. **
**bold** - + # <b> <unk> ⁇ Київ Ω İ ſ K ß ﬁ 😂 einenWecker late.We YouTube donot kannich einen
Wecker morgen no no hahahahahahahahahahahahahahahaha für fürm restau restaurant He's HE's
he s ?! ́ said, "no": {"a":1, 1) 2) means slang phrase refers Ich kann nicht übersetzen Text bitte
Hinweis:
""".split()
SPACES = st.sampled_from([" ", " ", " ", "  ", "\n", "\u00a0", "\u202f", "\x1c", ""])
SPACED = st.lists(st.tuples(st.sampled_from(WORDS), SPACES), max_size=12).map(
    lambda pieces: "".join(word + space for word, space in pieces)
)
TEXTS = SPACED | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
PAIRS = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4)


def said_of_spared(pairs: list[tuple[str, str]], sides: tuple[str, str]) -> list[str]:
    """What gates say of rows that they need not be asked about, for all that."""
    frame = pl.DataFrame(pairs, schema={"s": pl.String, "t": pl.String}, orient="row")
    frame = frame.with_columns(
        similarity=pl.Series([0.1, None, 0.59, float("nan")][: len(pairs)], dtype=pl.Float64),
        dialect=pl.lit("we was finna go"),
    )
    counted = collect(lambda: [frame], source="s", target="t", measures=["similarity"])
    facts = CorpusFacts(counted.shared, {"similarity": Level(0.9, 0.01, 1_000)}, counted.longer)
    dialect, _ = sides if sides[0] != SAE else sides[::-1]
    pair = PairColumns("s", "t", *sides, dialect, {"similarity": "similarity"})
    whole = {"similarity": frame["similarity"]}
    if sides[0] == SAE:
        whole["dialect"] = frame["dialect"]
    asked = gates()
    contexts = [
        Context(*sides, pair.thresholds(gate.code), columns=whole, corpus=facts) for gate in asked
    ]
    chosen = Shortlist.of(asked, *sides).choose(Column(frame["s"]), Column(frame["t"]), contexts)
    found = []
    for number, (source, target) in enumerate(pairs):
        row = Row.of(source, target)
        of_row = {name: column[number] for name, column in whole.items()}
        for gate, context, may in zip(asked, contexts, chosen[number], strict=True):
            said = None if may else gate.check(row, context.of_row(of_row))
            if said is not None:
                found.append(f"{gate.code}: {said}")
    return found


@settings(max_examples=150)
@given(PAIRS, st.sampled_from(SIDES), st.booleans())
@example([("x", 'She said, "no": go'), ("x", '{"a b":1, "no": go')], (AAE, SAE), False)
@example([("ask her", "No, no no no no"), ("", ""), ("x", "?!"), ("y", "?!")], (AAE, SAE), False)
def test_nothing_is_wrong_with_a_row_that_a_gate_is_spared(
    pairs: list[tuple[str, str]], sides: tuple[str, str], same: bool
) -> None:
    asked = [(source, source) for source, _ in pairs] if same else pairs
    assert said_of_spared(asked, sides) == []


@pytest.mark.slow
@pytest.mark.parametrize("sides", SIDES)
def test_every_word_alone_and_twice(sides: tuple[str, str]) -> None:
    for at in range(0, len(WORDS), 2):
        one, other = WORDS[at], WORDS[(at + 1) % len(WORDS)]
        pairs = [(one, other), (other, one), ("", f"{one} {other} {one}"), (one * 3, other * 9)]
        assert said_of_spared(pairs, sides) == []


def test_most_rows_are_spared() -> None:
    """Else the shortlist would be right and useless."""
    sample = Path(__file__).parents[2] / "builders" / "samples" / "realaae.tsv"
    texts = [line.split("\t")[-1] for line in sample.read_text(encoding="utf-8").splitlines()]
    column = Column(pl.Series(texts))
    asked = gates()
    contexts = [
        Context(AAE, SAE, PairColumns("s", "t", AAE, SAE, AAE).thresholds(gate.code))
        for gate in asked
    ]
    chosen = Shortlist.of(asked, AAE, SAE).choose(column, column, contexts)
    rates = dict(zip((gate.code for gate in asked), chosen.mean(axis=0), strict=True))
    assert rates.pop("copy") == 1
    assert {code: rate for code, rate in rates.items() if rate > 0.6} == {}


def test_a_gate_is_asked_where_one_of_its_words_stands() -> None:
    seen: list[str] = []

    def check(row: Row, context: Context) -> str | None:  # noqa: ARG001
        seen.append(row.target.raw)
        return "seen"

    def hints(source: str, target: str) -> Hints:
        assert (source, target) == (AAE, SAE)
        return Hints(
            source=lambda word: word == "this",
            target=lambda word: (word == "bus") | (word == "red") << 1 | (word == "car") << 3,
            paired=2,
        )

    asked = [Gate("always", 1, 1, lambda *_: None), Gate("bus", 1, 2, check, hints=hints)]
    frame = pl.DataFrame(
        {"a": ["", "this", "", "", ""], "b": ["a bus", "nothing", "red", "red car", "car"]}
    )
    found = list(screen(frame, PairColumns("a", "b", AAE, SAE, AAE), asked))
    assert seen == ["a bus", "nothing", "red car"]
    assert [len(row) for row in found] == [1, 1, 0, 1, 0]


def test_more_hints_than_one_number_holds() -> None:
    def gate(code: str, alone: int, paired: int, bits: int) -> Gate:
        hints = Hints(target=lambda word: bits * (word == code), alone=alone, paired=paired)
        return Gate(code, 1, 1, lambda *_: code, hints=lambda *_: hints)

    last, half = gate("last", 70, 0, 1 << 69), gate("half", 3, 70, 1 << 72)
    asked = [last, half, gate("pair", 1, 65, 1 << 65 | 1 << 130)]
    # What is beyond a gate's own bits is nobody else's.
    asked.append(gate("many", 1, 2, 0b111 << 5))
    texts = ["last", "half", "pair", "half pair last", "many many"]
    frame = pl.DataFrame({"a": [""] * 5, "b": texts})
    found = list(screen(frame, PairColumns("a", "b", AAE, SAE, AAE), asked))
    codes = [[one.code for one in row] for row in found]
    assert codes == [["last"], [], ["pair"], ["last", "pair"], []]
