"""Names of varieties, and what a source calls them."""

from __future__ import annotations

import pytest
from isogloss.corpus.varieties import varieties
from isogloss.errors import OptionError
from isogloss.tests.validation.quality.made import AAE, BAVARIAN, BERNESE, pairs_of
from isogloss.validation.quality.pairs import Refusals, VarietyNames, readable, standard_of

DIALECTS = [variety for variety in varieties() if not variety.standard]


@pytest.mark.parametrize("variety", DIALECTS, ids=lambda variety: variety.id)
def test_every_dialect_has_its_standard_and_answers_to_its_names(variety: object) -> None:
    known = next(one for one in DIALECTS if one == variety)
    standard = varieties()[standard_of(known.id)]
    assert (standard.standard, standard.cluster) == (True, known.cluster)
    names = VarietyNames()
    for name in (known.id, known.name, *known.aliases, known.id.upper()):
        assert names.resolve(name) == known.id


def test_a_given_name_wins_and_may_hold_an_equals_sign() -> None:
    names = VarietyNames(["bar=bernese", "a=b=aae"])
    assert names.whole is None
    assert names.resolve("bar") == BERNESE
    assert names.resolve("a=b") == AAE
    assert names.resolve("standard-german") is None


def test_a_name_for_all_stands_beside_names_for_values() -> None:
    names = VarietyNames(["x=bernese", "aae", "x=bernese"])
    assert (names.whole, names.values) == (AAE, {"x": BERNESE})


@pytest.mark.parametrize(
    "given", [["x=aae", "x=bar"], ["nope"], ["x=nope"], ["standard-german"], ["aae", "bar"], [""]]
)
def test_a_name_that_is_none_is_refused(given: list[str]) -> None:
    with pytest.raises(OptionError, match="--variety"):
        VarietyNames(given)


def test_varieties_stand_in_the_registrys_order_whatever_the_rows() -> None:
    rows = [{"variety": v, "dialect": "x", "standard": "y"} for v in (BAVARIAN, AAE, BERNESE, AAE)]
    order = [variety.id for variety in varieties() if variety.id in (AAE, BAVARIAN, BERNESE)]
    assert pairs_of(rows).varieties == order
    assert pairs_of(rows[::-1]).varieties == order


def test_refusals_keep_the_first_place_of_each_reason() -> None:
    found = Refusals()
    for reason, position in [("a", 7), ("b", 8), ("a", 9)]:
        found.add(reason, position)
    assert (found.counts, found.first, found.total) == ({"a": 2, "b": 1}, {"a": 7, "b": 8}, 3)


@pytest.mark.parametrize("name", ["pairs.tsv", "Übung – 字.csv", "a b"])
def test_a_readable_name_is_kept(name: str) -> None:
    assert readable(name) == name
    assert readable(f"{name}\udce9") == f"{name}\ufffd"
