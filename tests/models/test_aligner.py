"""What every aligner does with bad input, and how one is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from isogloss.errors import OptionError
from isogloss.models.aligner import ALIGNERS, default_layer, load_aligner
from isogloss.models.alignment import Alignment, WordPair
from isogloss.models.encoder import Encoder
from isogloss.tests.models.bert_tiny import LAYERS, tiny

pytestmark = pytest.mark.usefixtures("one_thread")
PAIRS: list[WordPair] = [
    (["one"], ["wan"]),
    ([], []),
    (["a", "b"], []),
    (["😀", "😀"], ["😀"]),
    (["\u200b"], ["\u200b", "a"]),
    ("we was waiting".split(), "we were waiting".split()),
]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Encoder:
    return tiny(tmp_path_factory.mktemp("tiny"))


@pytest.mark.parametrize("name", ALIGNERS)
def test_an_alignment_does_not_depend_on_its_neighbours(name: str, encoder: Encoder) -> None:
    aligner = load_aligner(name, encoder)
    assert aligner.align([]) == []
    found = aligner.align(PAIRS)
    assert aligner.align(PAIRS) == found
    assert aligner.align(PAIRS[::-1]) == found[::-1]
    assert [aligner.align([pair])[0] for pair in PAIRS] == found
    for (first, second), alignment in zip(PAIRS, found, strict=True):
        assert not alignment.overlong
        assert all(0 <= i < len(first) and 0 <= j < len(second) for i, j in alignment.links)
    assert found[0].links == ((0, 0),)
    assert found[1].links == found[2].links == ()


@pytest.mark.parametrize("name", ["awesome", "hybrid"])
def test_overlong_pairs_are_flagged_and_hurt_no_others(name: str, encoder: Encoder) -> None:
    aligner = load_aligner(name, encoder)
    long = ["w"] * 600
    found = aligner.align([(long, ["w"]), PAIRS[0], (["w"], long)])
    assert found == [Alignment((), overlong=True), *aligner.align(PAIRS[:1]), found[0]]


@pytest.mark.parametrize("name", ALIGNERS)
def test_descriptions_name_what_matters(name: str, encoder: Encoder) -> None:
    said = load_aligner(name, encoder, layer=1).describe()
    assert said["aligner"] == name
    assert said["version"] >= 1
    if name != "monotone":
        assert said["layer"] == 1
        assert said["encoder"] == encoder.describe()


def test_layers_by_name_or_by_depth(tmp_path: Path, encoder: Encoder) -> None:
    assert default_layer(encoder) == (LAYERS + 1) // 2
    named = tiny(tmp_path / "multilingual-e5-small")
    assert default_layer(named) == 6


def test_names_and_layers_that_are_none(encoder: Encoder) -> None:
    with pytest.raises(OptionError, match="Did you mean hybrid"):
        load_aligner("hybird", encoder)
    with pytest.raises(OptionError, match="needs an encoder"):
        load_aligner("hybrid")
    with pytest.raises(OptionError, match="no layer 9"):
        load_aligner("awesome", encoder, 9)
