"""The gates over a whole corpus: what each says of each row, whoever asks and however many do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from isogloss.benchmarks.bench_drift import GATES, by_variety, caught_in, context
from isogloss.benchmarks.gate_faults import CODES, Pair, caught_by, human_pairs, plant
from isogloss.errors import ServiceError
from isogloss.tests.validation.quality.made import AAE, BAVARIAN, BERNESE, SENTENCES, pairs_of
from isogloss.validation.facts import collect
from isogloss.validation.gates import Context, Row, gates, thresholds
from isogloss.validation.quality import Pairs, screening, validate, write_report
from isogloss.validation.quality.pairs import standard_of
from isogloss.validation.quality.processes import Processes
from isogloss.validation.quality.screening import CAUGHT, screen_pairs

Caught = set[tuple[int, str, str, str, str]]
BOTH = [("We been knew, all 5 of us", "We have long known"), ("I", ""), *SENTENCES]
FAULTY = {
    "empty": ("We late", ""),
    "copy": ("We ain't never been there", "We ain't never been there"),
    "refusal": ("We late", "I'm sorry, but I can't help with that request."),
    "added_explanation": ("We late", "Here is the translation: We are late"),
    "unknown_token": ("We late", "We are <unk> late"),
    "markup": ("We late", "We are **late**"),
    "wrong_script": ("We late", "We are мы опоздали late"),
    "numbers": ("We had 5 of them", "We had 7 of them"),
    "urls_mentions": ("We late", "We are late http://example.org"),
    "repetition": ("We late again", "We are are are are are are are are late"),
    "length_ratio": ("We late again and again today, so we mad", "We"),
    "standard_leak": ("She ain't late", "She is finna be late and ain't here"),
    "softened": ("That shit is fucking crazy", "That thing is very crazy"),
}


def german() -> list[dict[str, str]]:
    return [
        {"variety": BERNESE, "dialect": "Wird es hüt rägne", "standard": "Wird es heute regnen"},
        {"variety": BAVARIAN, "dialect": "Werds heid regna", "standard": "Wird es morgen regnen"},
        {"variety": BERNESE, "dialect": "Mir si z spät", "standard": ""},
        {"variety": BAVARIAN, "dialect": "Mia san z'spad", "standard": "<unk>"},
        {"variety": BAVARIAN, "dialect": "Wos is des", "standard": "Wird es morgen regnen"},
    ]


def by_hand(pairs: Pairs) -> Iterator[tuple[int, str, str, str, str]]:
    """Every gate asked about every row, one variety and pair of columns after the other."""
    for variety in pairs.varieties:
        rows = pairs.frame.filter(pl.col("variety") == variety)
        standard = standard_of(variety)
        sides = {"standard": ("dialect", "standard", variety, standard)}
        if pairs.has_back:
            sides["back"] = ("standard", "back", standard, variety)
        for name, (source, target, source_variety, target_variety) in sides.items():
            facts = collect(lambda: [rows], source=source, target=target, measures=[])  # noqa: B023
            for row in rows.iter_rows(named=True):
                more = {"dialect": row["dialect"]} if name == "back" else {}
                for gate in gates():
                    context = Context(
                        source_variety,
                        target_variety,
                        thresholds(gate.code, variety, standard),
                        columns=more,
                        corpus=facts,
                    )
                    detail = gate.check(Row.of(row[source], row[target]), context)
                    if detail is not None:
                        yield row["position"], variety, name, gate.code, detail


def found_in(pairs: Pairs) -> Caught:
    found = screen_pairs(pairs).caught
    assert found.schema == pl.Schema(CAUGHT)
    assert found["position"].is_sorted()
    return set(found.select("position", "variety", "pair", "gate", "detail").rows())


def check_counts(pairs: Pairs) -> None:
    screened = screen_pairs(pairs)
    rows = Counter(screened.caught.select("gate", "variety", "pair").rows())
    sizes = Counter(pairs.frame["variety"])
    for count in screened.counts:
        assert count.caught == rows.pop((count.code, count.variety, count.pair), 0)
        assert count.n == (0 if count.unfit else sizes[count.variety])
    assert not rows
    names = 2 if pairs.has_back else 1
    assert len(screened.counts) == len(gates()) * len(sizes) * names


def test_every_gate_is_asked_about_every_row_in_both_directions() -> None:
    rows = [(*pair, f"{pair[0]} again") for pair in [*BOTH, *FAULTY.values()]]
    pairs = pairs_of(rows)
    assert found_in(pairs) == set(by_hand(pairs))
    check_counts(pairs)


def test_a_back_translation_is_held_against_its_dialect() -> None:
    text = "She ain't never been there and we was mad"
    pairs = pairs_of([*((*pair, pair[0]) for pair in SENTENCES), (text, "She was not", "She was")])
    assert (5, AAE, "back", "dialect_lost") in {row[:4] for row in found_in(pairs)}
    assert found_in(pairs) == set(by_hand(pairs))


def test_two_varieties_are_two_corpora() -> None:
    pairs = pairs_of(german())
    assert found_in(pairs) == set(by_hand(pairs))
    check_counts(pairs)
    assert {(row[0], row[3]) for row in found_in(pairs)} >= {(3, "empty"), (4, "unknown_token")}


@pytest.mark.parametrize("code", FAULTY)
def test_a_fault_stands_under_its_gate_and_nowhere_in_the_good_rows(code: str) -> None:
    pairs = pairs_of([*SENTENCES, FAULTY[code]])
    found = found_in(pairs)
    assert code in {row[3] for row in found if row[0] == 5}
    assert {row[0] for row in found} == {5}


def test_a_clean_corpus_has_nothing_caught() -> None:
    found = screen_pairs(pairs_of(SENTENCES))
    assert found.caught.height == 0
    assert found.caught.schema == pl.Schema(CAUGHT)
    assert {count.caught for count in found.counts} == {0}


def test_a_gate_that_can_say_nothing_says_why() -> None:
    unfit = {
        (count.code, count.variety): count.unfit
        for rows in (SENTENCES, german())
        for count in screen_pairs(pairs_of(rows)).counts
    }
    assert unfit["meaning_drift", AAE]
    assert unfit["standard_leak", AAE] is None
    assert unfit["standard_leak", BAVARIAN]
    assert unfit["empty", BAVARIAN] is None
    table = validate(pairs_of(german())).gate_table()
    assert table["meaning_drift"]["n"] == 0
    assert table["meaning_drift"]["rate"] is None
    assert table["meaning_drift"]["not_asked"] == unfit["meaning_drift", BAVARIAN]
    assert table["empty"]["not_asked"] is None


def test_a_gate_for_meaning_is_asked_where_there_are_similarities() -> None:
    rows = [
        {"dialect": f"We {n} late", "standard": f"We are {n} late", "similarity": 0.9 - n / 1000}
        for n in range(40)
    ]
    rows[7]["similarity"] = -0.2
    found = screen_pairs(pairs_of(rows))
    [count] = [count for count in found.counts if count.code == "meaning_drift"]
    assert (count.n, count.unfit) == (40, None)
    assert found.caught.filter(pl.col("gate") == "meaning_drift")["position"].to_list() == [8]


# --- The benchmarks' figures ------------------------------------------------------------------


def corpus_of(pairs: list[Pair]) -> Pairs:
    return pairs_of(
        [{"variety": p.variety, "dialect": p.dialect, "standard": p.standard} for p in pairs]
    )


def rates(pairs: list[Pair]) -> dict[str, int]:
    table = validate(corpus_of(pairs)).gate_table()
    # German has no lexicon, so that nothing can be said of copies of marked texts.
    asked = [code for code in CODES if table[code]["n"]]
    assert {table[code]["n"] for code in asked} == {len(pairs)}
    assert set(CODES) - set(asked) <= {"copy"}
    return {code: table[code]["caught"] for code in CODES}


def counted(pairs: list[Pair]) -> dict[str, int]:
    found = Counter(code for pair in pairs for code in caught_by(pair.row(), pair))
    return {code: found[code] for code in CODES}


def test_the_report_counts_what_the_benchmark_of_gates_counts() -> None:
    standard = {AAE: "standard-american-english"}
    pairs = [
        Pair(f"p{n}", AAE, standard[AAE], *texts)
        for n, texts in enumerate([*BOTH, *FAULTY.values()])
    ]
    assert rates(pairs) == counted(pairs)
    assert sum(counted(pairs).values()) > 10


@pytest.mark.slow
@pytest.mark.parametrize("name", ["redial", "xsid"])
def test_the_report_counts_what_the_benchmark_of_gates_counts_on_pairs_of_people(
    name: str, shared: Path
) -> None:
    pairs = human_pairs(shared, name)
    assert rates(pairs) == counted(pairs)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["redial", "xsid"])
def test_every_row_of_people_gets_what_its_gates_say(name: str, shared: Path) -> None:
    pairs = corpus_of(human_pairs(shared, name)[:400])
    assert found_in(pairs) == set(by_hand(pairs))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["redial", "xsid"])
def test_the_report_counts_what_the_benchmark_of_drift_counts(name: str, shared: Path) -> None:
    pairs = human_pairs(shared, name)
    counts = screen_pairs(corpus_of(pairs)).counts
    found = {(count.code, count.variety): count.caught for count in counts}
    for variety, own in by_variety(pairs).items():
        targets = [pair.standard for pair in own]
        for code in ("duplicate_output", "cut_word"):
            assert found[code, variety] == len(caught_in(GATES[code], own, targets))
        for code in ("softened", "standard_leak"):
            gate = GATES[code]
            alarms = (gate.check(pair.row(), context(pair, gate)) for pair in own)
            assert found[code, variety] == sum(alarm is not None for alarm in alarms)


@pytest.mark.slow
def test_planted_faults_are_caught_as_in_the_benchmark(shared: Path) -> None:
    faults = [fault for fault in plant(human_pairs(shared, "redial")) if fault.finish == "stop"]
    spoilt = [replace(fault.pair, standard=fault.target) for fault in faults]
    found = screen_pairs(corpus_of(spoilt)).caught.filter(pl.col("gate").is_in(CODES))
    caught = {position: set[str]() for position in range(1, len(spoilt) + 1)}
    for position, code in found.select("position", "gate").iter_rows():
        caught[position].add(code)
    assert list(caught.values()) == [
        set(caught_by(Row.of(fault.pair.dialect, fault.target), fault.pair)) for fault in faults
    ]


# --- Processes --------------------------------------------------------------------------------


@pytest.mark.slow
def test_processes_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screening, "_CHUNK_ROWS", 7)
    rows = [
        {"back": "x", **row}
        for row in [
            *({"dialect": a, "standard": b} for a, b in [*BOTH, *FAULTY.values()]),
            *german(),
        ]
    ]
    pairs = pairs_of(rows)
    for count in (1, 2):
        with Processes(count) as processes:
            write_report(validate(pairs, processes=processes), tmp_path / str(count))
    for name in ("quality.json", "caught.parquet", "quality.html"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


@pytest.mark.slow
def test_a_process_that_dies_is_an_error_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screening, "_look", _exit)
    with (
        pytest.raises(ServiceError, match="ended early, perhaps for want of memory"),
        Processes(2) as processes,
    ):
        screen_pairs(pairs_of(SENTENCES), processes=processes)


def _exit(*_: object) -> None:
    import os

    os._exit(9)


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = pairs_of([(*pair, "x") for pair in [*BOTH, *FAULTY.values()]])
    whole = screen_pairs(pairs)
    monkeypatch.setattr(screening, "_CHUNK_ROWS", 3)
    parts = screen_pairs(pairs)
    assert parts.counts == whole.counts
    assert parts.caught.equals(whole.caught)
    assert parts.markers == whole.markers


def test_progress_is_told_of_every_row() -> None:
    phases: list[tuple[str, int | None]] = []
    counts: list[int] = []

    class Told:
        def phase(self, label: str, total: int | None) -> None:
            phases.append((label, total))

        def advance(self, done: int, rows: int) -> None:
            assert done == rows
            counts.append(done)

    screen_pairs(pairs_of([(*pair, "x") for pair in SENTENCES]), progress=Told())
    assert phases == [("gates", 8)]
    assert counts == [4, 8]
