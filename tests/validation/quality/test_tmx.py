"""Translation memories: segments by language, and XML that would eat the memory."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from isogloss.errors import OptionError, SourceError
from isogloss.tests.validation.quality.made import PACKINGS, opened
from isogloss.validation.quality import Pairs

LOW = "low-german"
UNIT = (
    '<tu tuid="{id}"><tuv xml:lang="nds"><seg>{a}</seg></tuv>'
    '<tuv xml:lang="DE"><seg>{b}</seg></tuv></tu>'
)
PLAIN = UNIT.format(id="a1", a="Dat Huus", b="Das Haus")


def tmx(*units: str, before: str = "", version: str = "1.4") -> bytes:
    head = '<?xml version="1.0" encoding="UTF-8"?>\n' + before
    body = "".join(units)
    return f'{head}<tmx version="{version}"><header/><body>{body}</body></tmx>'.encode()


def read(path: Path, data: bytes, **columns: str) -> Pairs:
    path.write_bytes(data)
    given = {"dialect": "nds", "standard": "de", **columns}
    return opened(path, variety=[LOW], **given)


@pytest.mark.parametrize("packing", PACKINGS)
def test_units_are_rows_with_their_ids(packing: str, tmp_path: Path) -> None:
    data = tmx(PLAIN, UNIT.format(id="", a="Moin &amp; hallo", b="Guten   Tag"))
    found = read(tmp_path / "p", PACKINGS[packing](data))
    assert found.shape == "tmx"
    assert found.frame.select("position", "id", "dialect", "standard").rows() == [
        (1, "a1", "Dat Huus", "Das Haus"),
        (2, "2", "Moin & hallo", "Guten Tag"),
    ]


@pytest.mark.parametrize(("dialect", "standard"), [("NDS", "de"), ("nds", "De")])
def test_codes_have_no_case(dialect: str, standard: str, tmp_path: Path) -> None:
    found = read(tmp_path / "p", tmx(PLAIN), dialect=dialect, standard=standard)
    assert found.frame["dialect"].to_list() == ["Dat Huus"]
    assert found.columns == {"dialect": "nds", "standard": "de"}


def test_tags_within_a_segment_are_taken_out(tmp_path: Path) -> None:
    marked = 'Dat <bpt i="1">&lt;b&gt;</bpt>ole<ept i="1"/> <hi>Huus</hi> <ph/>'
    found = read(tmp_path / "p", tmx(UNIT.format(id="a", a=marked, b="Das <it>alte</it> Haus")))
    [[dialect, standard]] = found.frame.select("dialect", "standard").rows()
    assert standard == "Das alte Haus"
    assert "bpt" not in dialect
    assert dialect.endswith("ole Huus")


def test_two_of_many_languages_are_the_pair_and_old_files_say_lang(tmp_path: Path) -> None:
    unit = "".join(
        f'<tuv {name}="{code}"><prop>x</prop><seg>{code}!</seg></tuv>'
        for name, code in [("lang", "en"), ("lang", "nds"), ("xml:lang", "de"), ("lang", "id")]
    )
    found = read(tmp_path / "p", tmx(f"<tu>{unit}</tu>"), back="en")
    assert found.frame.select("dialect", "standard", "back").rows() == [("nds!", "de!", "en!")]


def test_indonesian_is_a_language_and_no_id(tmp_path: Path) -> None:
    data = tmx(PLAIN.replace('"DE"', '"id"'))
    assert read(tmp_path / "p", data, standard="id").frame["id"].to_list() == ["a1"]


def test_a_unit_without_one_of_the_languages_is_counted(tmp_path: Path) -> None:
    half = '<tu tuid="h"><tuv xml:lang="nds"><seg>Moin</seg></tuv></tu>'
    twice = UNIT.format(id="t", a="een", b="eins").replace(
        "</tu>", '<tuv xml:lang="nds"><seg>twee</seg></tuv></tu>'
    )
    found = read(tmp_path / "p", tmx(half, PLAIN, "<tu/>", twice))
    assert found.frame["position"].to_list() == [2, 4]
    assert found.frame["dialect"].to_list() == ["Dat Huus", "een"]
    assert found.refused.counts == {"no_standard": 1, "no_dialect": 1}


def test_a_namespace_changes_nothing(tmp_path: Path) -> None:
    data = tmx(PLAIN).replace(b"<tmx ", b'<tmx xmlns="http://www.lisa.org/tmx14" ')
    assert read(tmp_path / "p", data).frame.height == 1


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
BOMB = f'<!DOCTYPE tmx [<!ENTITY l0 "lol">{LAUGHS}]>'
FILE = '<!DOCTYPE tmx [<!ENTITY secret SYSTEM "file:///etc/hostname">]>'
TROUBLE = {
    "cut": (tmx(PLAIN)[:-20], "the TMX is not well-formed"),
    "an unknown entity": (tmx(UNIT.format(id="a", a="&nope;", b="x")), "not well-formed"),
    "billion laughs": (tmx(UNIT.format(id="a", a="&l11;", b="x"), before=BOMB), "not well-formed"),
    "another file": (tmx(UNIT.format(id="a", a="&secret;", b="x"), before=FILE), "not well-formed"),
    "no units": (tmx(), "has the language 'nds'. It has no translation units at all"),
    "a web page": (b"<html><body>Moin</body></html>", "no translation unit has the language"),
    "other languages": (
        tmx(PLAIN.replace('"nds"', '"de-AT"')),
        "no translation unit has the language 'nds'. It has de-at, de.",
    ),
}


@pytest.mark.parametrize("case", TROUBLE)
def test_xml_that_is_no_memory_is_an_error_in_a_line(case: str, tmp_path: Path) -> None:
    data, message = TROUBLE[case]
    start = time.process_time()
    with pytest.raises(SourceError) as caught:
        read(tmp_path / "p", data)
    assert message in str(caught.value)
    assert time.process_time() - start < 5


def test_both_languages_must_be_said_and_differ(tmp_path: Path) -> None:
    path = tmp_path / "p"
    path.write_bytes(tmx(PLAIN))
    with pytest.raises(OptionError, match=r"which two are the pair.*--dialect nds --standard de"):
        opened(path, variety=[LOW])
    with pytest.raises(OptionError, match="two sides are the same column"):
        opened(path, variety=[LOW], dialect="de", standard="DE")


def test_a_translation_memory_has_no_column_of_varieties(tmp_path: Path) -> None:
    path = tmp_path / "p"
    path.write_bytes(tmx(PLAIN))
    with pytest.raises(OptionError, match="--variety-column: a TMX file has languages"):
        opened(path, variety=[LOW], dialect="nds", standard="de", variety_column="tuid")
    # Nor does a remedy speak of one.
    for variety, end in (
        ([], "varieties` lists them)."),
        (["x=nds"], "Give --variety NAME alone."),
    ):
        with pytest.raises(OptionError) as caught:
            opened(path, variety=variety, dialect="DE", standard="nds")
        assert str(caught.value).endswith(end)
