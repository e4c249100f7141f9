"""The lexicon: what holds for every text, and what it finds in published pairs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from isogloss.corpus.lexicon import Match, Pattern, lexicon
from isogloss.corpus.wordpatterns import in_lower_case, straighten
from isogloss.tests.corpus.test_lexicon import EXAMPLES

POSITIVES = [text for positives, _ in EXAMPLES.values() for text, _ in positives]
texts = st.one_of(
    st.text(max_size=80),
    st.lists(st.sampled_from([*" ".join(POSITIVES).split(), "don’t", ",", "."]), max_size=20).map(
        " ".join
    ),
)


def found_in(text: str) -> list[Match]:
    return lexicon().find(text, candidates=True, orthography=True)


@given(texts)
def test_spans_index_the_text(text: str) -> None:
    found = found_in(text)
    assert [match.start for match in found] == sorted(match.start for match in found)
    for match in found:
        assert 0 <= match.start < match.end <= len(text)
        assert match.text == text[match.start : match.end]


@given(texts)
def test_both_apostrophes_give_the_same_spans(text: str) -> None:
    def spans(variant: str) -> list[tuple[str, int, int]]:
        return [(match.pattern_id, match.start, match.end) for match in found_in(variant)]

    assert spans(straighten(text)) == spans(straighten(text).replace("'", "’"))


@given(texts, st.sampled_from(POSITIVES))
def test_edges_of_a_match_are_edges_of_words(before: str, positive: str) -> None:
    text = f"{before} {positive}"
    for match in found_in(text):
        left, right = text[: match.start][-1:], text[match.end :][:1]
        assert not left.isalnum()
        assert not right.isalnum()


@given(st.sampled_from(POSITIVES), st.sampled_from("xqé7_"))
def test_never_inside_a_word(positive: str, marker: str) -> None:
    for match in found_in(positive):
        glued = positive[: match.start] + marker + positive[match.start :]
        assert all(found.start != match.start + 1 for found in found_in(glued))
        glued = positive[: match.end] + marker + positive[match.end :]
        assert all(found.end != match.end for found in found_in(glued))


CUES = sorted(
    {cue.strip() for pattern in lexicon().patterns for cue in pattern.cues + pattern.and_cues}
)


@given(texts | st.lists(st.sampled_from([*CUES, "'", "so,", "ain\u2019t"])).map(" ".join))
@example("THE\u017fE car\u017f WA\u017f late, they \u0130s and they \u0131s")
@example("\u2018we\u2019 was, 'y'all' is")
def test_cues_only_save_time(text: str) -> None:
    every = [match for pattern in lexicon().patterns for match in pattern.find(text)]
    assert sorted(every, key=lambda m: (m.start, m.end, m.pattern_id)) == found_in(text)


@given(texts | st.text(max_size=40))
@example(
    "THEY BE WORKIN AIN\u2019T NOBODY TOLD ME, \u0130 WA\u017f DONE ATE, she BEEN ma\u212ain it"
)
def test_lower_case_finds_what_any_case_does(text: str) -> None:
    lowered = in_lower_case(text)
    assert len(lowered) == len(text)
    for pattern in lexicon().patterns:
        for regex in (pattern.regex, pattern.exclude, pattern.after, pattern.not_before):
            if regex is not None and not regex.flags & re.IGNORECASE:
                any_case = re.compile(regex.pattern, re.IGNORECASE)
                spans = [found.span() for found in regex.finditer(lowered)]
                assert spans == [found.span() for found in any_case.finditer(text)]


@pytest.mark.parametrize("pattern", lexicon().patterns, ids=lambda pattern: pattern.id)
def test_time_grows_with_the_text_alone(pattern: Pattern) -> None:
    """No repetition without a bound stands inside another: nothing to backtrack through."""
    for expression in (pattern.regex, pattern.after, pattern.not_after, pattern.exclude):
        if expression is not None:
            assert not any(nested(parser.parse(expression.pattern, expression.flags)))


@pytest.mark.parametrize("expression", ["(?:very )*", "(?:a+b?)+", "(?:(?!x)[ab]+ |c)*d"])
def test_what_that_looks_for(expression: str) -> None:
    inside = expression.replace(" ", " +")
    assert any(nested(parser.parse(inside)))
    assert not any(nested(parser.parse(re.sub(r"\)[*+]", "){0,4}", inside))))


def nested(items: Iterable[Any], *, inside: bool = False) -> Iterator[bool]:
    """True for each unbounded repetition within an unbounded repetition."""
    for operation, argument in items:
        unbounded = False
        if operation in (codes.MAX_REPEAT, codes.MIN_REPEAT):
            unbounded = argument[1] is codes.MAXREPEAT
            yield unbounded and inside
        for part in parts(argument):
            yield from nested(part, inside=inside or unbounded)


def parts(argument: Any) -> Iterator[Any]:
    """The subpatterns among what an operation is given."""
    if isinstance(argument, parser.SubPattern):
        yield argument
    elif isinstance(argument, (list, tuple)):
        for item in argument:
            yield from parts(item)


def pairs(shared: Path) -> list[dict[str, str]]:
    lines = (shared / "data/aae/redial_pairs.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


class TestPublishedPairs:
    def test_habitual_templates(self, shared: Path) -> None:
        lines = (shared / "data/aae/habitual_pairs.tsv").read_text(encoding="utf-8").splitlines()
        templates = [line.split("\t")[:2] for line in lines if "\t" in line]
        assert len(templates) == 699
        habitual = {"habitual-be", "habitual-be-noun"}
        hits = [{match.pattern_id for match in lexicon().find(dialect)} for dialect, _ in templates]
        assert sum(bool(hit & habitual) for hit in hits) / len(templates) >= 0.99
        assert [standard for _, standard in templates if lexicon().find(standard)] == []

    def test_human_pairs(self, shared: Path) -> None:
        written = pairs(shared)
        dialect = sum(lexicon().marked(pair["dialect"]) for pair in written) / len(written)
        standard = sum(lexicon().marked(pair["standard"]) for pair in written) / len(written)
        assert dialect > 0.3
        assert standard < 0.005

    def test_unit_pairs(self, shared: Path) -> None:
        """No marker in a standard sentence, and one for each feature that can be decided."""
        path = shared / "data/english/multivalue_unittests.json"
        units = json.loads(path.read_text(encoding="utf-8"))
        glosses = [pair["gloss"] for entries in units.values() for pair in entries]
        assert len(glosses) == 190
        assert [gloss for gloss in glosses if lexicon().find(gloss)] == []
        decided = "9 104 105 106 111 114 121 130 131 154 155 156 157 158 173 179 180 226".split()
        missed = [
            text
            for number in decided
            for pair in units[number]
            for text in pair["dialect"]
            if not lexicon().marked(text)
        ]
        assert missed == []
