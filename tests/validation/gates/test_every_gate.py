"""What holds for every gate: its file, its example, and that no text makes it fail or hang."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import tomllib
from collections.abc import Iterator
from importlib import resources

import isogloss.validation.gates as package
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isogloss.corpus.varieties import varieties
from isogloss.validation.gates import Context, CorpusFacts, Gate, Level, Row, gates, thresholds

PAIRS = [
    ("african-american-english", "standard-american-english"),
    ("standard-american-english", "african-american-english"),
    ("bavarian", "standard-german"),
    ("standard-german", "bernese"),
    ("najdi-arabic", "standard-arabic"),
]
MODULES = [
    found.name
    for found in pkgutil.iter_modules(package.__path__)
    if not found.name.startswith("_")
    and hasattr(importlib.import_module(f"{package.__name__}.{found.name}"), "GATE")
]
HUGE = 100_000
PATHOLOGICAL = {
    "one long word": "a" * HUGE,
    "many short words": "an " * (HUGE // 3),
    "one word again and again": "nicht " * (HUGE // 6),
    "refusals without end": "I can't translate, ich kann nicht " * (HUGE // 40),
    "digits": "1" * HUGE,
    "numbers": "1.234,5 " * (HUGE // 8),
    "numbers in words": "hundred thousand twenty one million " * (HUGE // 40),
    "brackets": "(" * HUGE,
    "stars": "*" * HUGE,
    "bold without end": "**a " * (HUGE // 4),
    "tags": "<a " * (HUGE // 3),
    "quotes": '"' * HUGE,
    "colons": ":" * HUGE,
    "at signs": "@" * HUGE,
    "addresses": "http://" * (HUGE // 7),
    "full stops": "a.B" * (HUGE // 3),
    "hyphens": "a-" * (HUGE // 2),
    "apostrophes": "a'" * (HUGE // 2),
    "underscores": "_" * HUGE,
    "lines": "- a\n" * (HUGE // 4),
    "blanks": " " * HUGE,
    "control characters": "".join(map(chr, range(32))) * (HUGE // 32),
    "lone surrogates": "\ud800 \udfff" * (HUGE // 8),
    "emoji": "😂" * (HUGE // 4),
    "right to left": "\u202eمرحبا " * (HUGE // 7),
    "combining marks": "e" + "\u0301" * HUGE,
    "growing when lowered": "İ" * (HUGE // 2),
    "a long story": "We was finna leave, and 22 more. " * (HUGE // 30),
}


def _contexts(gate: Gate) -> Iterator[Context]:
    facts = CorpusFacts(shared={}, levels={"similarity": Level(0.8, 0.05, 100)})
    for source, target in PAIRS:
        dialect, standard = (target, source) if source.startswith("standard") else (source, target)
        yield Context(
            source,
            target,
            thresholds(gate.code, dialect, standard),
            columns={"similarity": 0.7},
            corpus=facts,
        )


@pytest.mark.parametrize("name", MODULES)
def test_a_gate_is_its_file_and_shows_both_verdicts(name: str) -> None:
    module = importlib.import_module(f"{package.__name__}.{name}")
    gate: Gate = module.GATE
    assert gate.code == name
    examples = (module.__doc__ or "") + (inspect.getdoc(module.check) or "")
    assert examples.count(">>> ") >= 2
    if "context.thresholds[" in inspect.getsource(module):
        assert thresholds(name, "bavarian", "standard-german")


def test_every_threshold_is_read_by_its_gate() -> None:
    table = tomllib.loads(
        resources.files(package).joinpath("thresholds.toml").read_text(encoding="utf-8")
    )
    for code, limits in table.items():
        source = inspect.getsource(importlib.import_module(f"{package.__name__}.{code}"))
        of_varieties = limits.pop("variety", {})
        for variety, others in of_varieties.items():
            assert varieties()[variety].id == variety
            assert others.keys() <= limits.keys()
        for name in limits:
            assert f'["{name}"]' in source, (code, name)


def test_every_module_is_found_once_and_ranks_differ() -> None:
    found = gates()
    assert sorted(gate.code for gate in found) == sorted(MODULES)
    assert len({gate.rank for gate in found}) == len(found)


@pytest.mark.parametrize("name", PATHOLOGICAL)
def test_no_text_is_too_much(name: str) -> None:
    text = PATHOLOGICAL[name]
    short = "She is at home."
    for source, target in ((short, text), (text, short), (text, text)):
        row = Row.of(source, target)
        for gate in gates():
            reason = gate.check(row, next(_contexts(gate)))
            assert reason is None or len(reason) < 500, (gate.code, len(reason))


PIECES = """she ain't 22 twenty one ** ` <b> @a ( ) : nicht kann übersetzen wecker 7:30 halb oder
/ " Ж . translation note""".split()
TEXTS = st.one_of(
    st.text(),
    st.text(alphabet=st.characters(exclude_categories=[])),  # with lone surrogates
    st.lists(st.sampled_from([*PIECES, "\n"])).map(" ".join),
)


@settings(deadline=None, max_examples=60)
@given(source=TEXTS, target=TEXTS)
def test_a_gate_is_a_pure_function_of_any_text(source: str, target: str) -> None:
    for gate in gates():
        for context in _contexts(gate):
            first = gate.check(Row.of(source, target), context)
            assert first is None or (first and first.isprintable())
            row = Row.of(source, target)
            assert gate.check(row, context) == gate.check(row, context) == first
