"""The registry of varieties: what it holds, how it is looked up, and what it refuses."""

from __future__ import annotations

import json
import os
import pickle
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, replace
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isogloss.corpus.varieties import Variety, VarietyRegistry, varieties
from isogloss.errors import RegistryError

# By name, since the package may show the function of this name in place of the module.
module = import_module("isogloss.corpus.varieties")

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("ISOGLOSS_SHARED", ROOT.parent / "shared"))

#: Paper T: cluster, its representative, how many varieties it has.
T_CLUSTERS = {
    "arabic": ("standard-arabic", 9),
    "bengali": ("standard-bengali", 2),
    "chinese": ("cantonese", 3),
    "finnish": ("finnish", 24),
    "kurdish": ("central-kurdish", 2),
    "norwegian": ("norwegian-bokmal", 2),
    "latvian": ("latvian", 2),
    "english": ("standard-american-english", 11),
    "sotho-tswana": ("northern-sotho", 2),
    "common-turkic": ("turkish", 3),
}

#: NLLB code and Glottocode of paper T's varieties (SPEC 1).
T_CODES = {
    "acm_Arab": "meso1252",
    "acq_Arab": "taiz1242",
    "aeb_Arab": "tuni1259",
    "ajp_Arab": "sout3123",
    "apc_Arab": "nort3139",
    "arb_Arab": "stan1318",
    "ars_Arab": "najd1235",
    "ary_Arab": "moro1292",
    "arz_Arab": "egyp1253",
    "ben_Beng": "beng1280",
    "fin_Latn": "finn1318",
    "ckb_Arab": "cent1972",
    "kmr_Latn": "nort2641",
    "nob_Latn": "norw1259",
    "nno_Latn": "norw1262",
    "lvs_Latn": "stan1325",
    "ltg_Latn": "east2282",
    "nso_Latn": "pedi1238",
    "sot_Latn": "sout2807",
    "tur_Latn": "nucl1301",
    "azb_Arab": "sout2697",
    "azj_Latn": "nort2697",
    "yue_Hant": "cant1236",
    "zho_Hans": "mand1415",
    "zho_Hant": "mand1415",
}

MULTIVALUE = {
    "SoutheastAmericanEnclaveDialect",
    "ChicanoDialect",
    "NigerianDialect",
    "AfricanAmericanVernacular",
    "AppalachianDialect",
    "AustralianDialect",
    "ColloquialSingaporeDialect",
    "HongKongDialect",
    "IndianDialect",
    "IrishDialect",
}

MURRE = {
    "Pohjois-Satakunta",
    "Keski-Karjala",
    "Kainuu",
    "Etelä-Pohjanmaa",
    "Etelä-Satakunta",
    "Pohjois-Savo",
    "Pohjois-Karjala",
    "Keski-Pohjanmaa",
    "Kaakkois-Häme",
    "PohjoinenKeski-Suomi",
    "Pohjois-Pohjanmaa",
    "PohjoinenVarsinais-Suomi",
    "Etelä-Karjala",
    "Länsi-Uusimaa",
    "Inkerinsuomalaismurteet",
    "LäntinenKeski-Suomi",
    "Länsi-Satakunta",
    "Etelä-Savo",
    "Länsipohja",
    "Pohjois-Häme",
    "EteläinenKeski-Suomi",
    "Etelä-Häme",
    "Peräpohjola",
}


def row(**changes: Any) -> str:
    """A plug-in's table with ``changes``; a value of None leaves the key out."""
    values: dict[str, Any] = {
        "id": "west-saxon",
        "name": "West Saxon",
        "glottocode": "",
        "bcp47": "ang",
        "iso639_3": "ang",
        "script": "Latn",
        "cluster": "old-english",
        "standard": True,
    } | changes
    lines = (f"{key} = {json.dumps(value)}" for key, value in values.items() if value is not None)
    return "[[variety]]\n" + "\n".join(lines) + "\n"


PLUGIN = row(aliases=["wsx"])


def install(monkeypatch: pytest.MonkeyPatch, **plugins: object) -> None:
    """Have an entry point of our group for each of ``plugins``, in this order."""
    for name, plugin in plugins.items():
        monkeypatch.setattr(module, f"_plugin_{name}", plugin, raising=False)
    register(monkeypatch, {name: f"{module.__name__}:_plugin_{name}" for name in plugins})


def register(monkeypatch: pytest.MonkeyPatch, values: dict[str, str]) -> None:
    """Have entry points of our group by these names and values, and none of another group."""

    def entry_points(*, group: str) -> list[EntryPoint]:
        found = [EntryPoint(name, value, "isogloss.varieties") for name, value in values.items()]
        return [each for each in found if each.group == group]

    monkeypatch.setattr(module, "entry_points", entry_points)


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """A registry read under one test's plug-ins must not reach the next."""
    varieties.cache_clear()
    yield
    varieties.cache_clear()


def test_paper_t_has_sixty_varieties_in_ten_clusters() -> None:
    registry = varieties()
    assert {name: len(registry.cluster(name)) for name in registry.clusters} == {
        **{name: count for name, (_, count) in T_CLUSTERS.items()},
        "german": 12,
    }
    assert sum(count for _, count in T_CLUSTERS.values()) == 60
    assert len(registry) == len(list(registry)) == 72


@pytest.mark.parametrize(
    ("cluster", "standard"),
    [(name, each[0]) for name, each in T_CLUSTERS.items()] + [("german", "standard-german")],
)
def test_each_cluster_has_its_representative(cluster: str, standard: str) -> None:
    assert varieties().representative(cluster).id == standard
    assert [each.id for each in varieties().cluster(cluster) if each.standard] == [standard]


@pytest.mark.parametrize(("code", "glottocode"), list(T_CODES.items()))
def test_nllb_codes_and_glottocodes_are_those_of_the_paper(code: str, glottocode: str) -> None:
    variety = varieties()[code]
    assert variety.nllb == code
    assert variety.glottocode == glottocode
    assert variety.script == code.rpartition("_")[2]


def test_every_way_of_making_a_variety_is_there() -> None:
    members = list(varieties())
    assert {each.multivalue for each in members} - {None} == MULTIVALUE
    assert {each.murre for each in members} - {None} == MURRE
    assert [each.id for each in members if each.asr] == ["dhaka-bengali"]
    for each in members:
        codes = [code for code in (each.nllb, each.multivalue, each.murre) if code]
        assert [varieties()[code].id for code in codes] == [each.id] * len(codes)


def test_african_american_english_is_one_entry() -> None:
    names = ("aae", "AAVE", "African American English", "AfricanAmericanVernacular")
    assert {varieties()[name].id for name in names} == {"african-american-english"}
    assert varieties()["aae"].cluster == varieties()["sae"].cluster == "english"
    assert varieties()["aae"].glottocode == "afri1276"


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("nds", "Low German"),
        ("frr", "North Frisian"),
        ("stq", "Saterfrisian"),
        ("ksh", "Ripuarian"),
        ("pfl", "Rhine Franconian"),
        ("als", "Alemannic"),
        ("bar", "Bavarian"),
    ],
)
def test_german_dialects_go_by_their_wikipedia_codes(code: str, name: str) -> None:
    variety = varieties()[code]
    assert (variety.name, variety.wikipedia, variety.cluster) == (name, code, "german")
    assert code in variety.aliases


def test_the_german_cluster_has_just_these_seven_from_wikipedia() -> None:
    from_wikipedia = [each for each in varieties().cluster("german") if each.wikipedia]
    assert len(from_wikipedia) == 7
    assert not any(each.standard for each in from_wikipedia)


def test_alemannic_is_gsw_everywhere_but_in_wikipedia() -> None:
    variety = varieties()["alemannic"]
    assert (variety.wikipedia, variety.iso639_3, variety.bcp47) == ("als", "gsw", "gsw")


@pytest.mark.parametrize(
    ("code", "identity"),
    [
        ("de-ba", "upper-bavarian"),
        ("de-muc", "munich-bavarian"),
        ("de-st", "south-tyrolean"),
        ("bernese german", "bernese"),
    ],
)
def test_varieties_of_xsid(code: str, identity: str) -> None:
    assert varieties()[code].id == identity


def test_shipped_strings_are_nfc() -> None:
    text = (ROOT / "corpus" / "varieties.toml").read_text(encoding="utf-8")
    assert "ä" in text
    assert unicodedata.is_normalized("NFC", text)
    assert r"\u" not in text


def test_unmatched_glottocodes_are_empty_not_invented() -> None:
    empty = [each for each in varieties() if not each.glottocode]
    assert len(empty) == 26
    assert sum(each.cluster == "finnish" for each in empty) == 21
    assert not any(each.standard for each in empty)


def test_published_names_all_resolve() -> None:
    path = SHARED / "oracles" / "toxicity" / "variety_names.json"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    names: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    found = {code: varieties()[code] for code in names}
    assert len({each.id for each in found.values()}) == 60
    assert {each.cluster for each in found.values()} == set(T_CLUSTERS)
    # "Standard" is written of two varieties there, so that it can name only one of them.
    shown = {code: name for code, name in names.items() if code != "standard_Bn"}
    assert {code: varieties()[name].id for code, name in shown.items()} == {
        code: found[code].id for code in shown
    }


def test_published_representatives_agree() -> None:
    path = SHARED / "oracles" / "toxicity" / "expected_consistency.json"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    published: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))["representatives"]
    assert len(published) == 10
    for cluster, code in published.items():
        assert varieties().representative(cluster) == varieties()[code]


def test_xsid_codes_resolve() -> None:
    path = SHARED / "data" / "german" / "xsid_pairs.jsonl"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    lines = path.read_text(encoding="utf-8").splitlines()
    codes = {json.loads(line)["variety"] for line in lines}
    assert codes
    assert {varieties()[code].cluster for code in codes} == {"german"}


@pytest.mark.parametrize("name", sorted(MURRE))
def test_nfd_and_case_and_joiners_make_no_difference(name: str) -> None:
    variety = varieties()[name]
    assert variety.murre == name
    for spelling in (
        unicodedata.normalize("NFD", name),
        name.upper(),
        unicodedata.normalize("NFD", name.lower()).replace("-", "_"),
        name.replace("-", " "),
    ):
        assert varieties()[spelling] is variety


@given(st.data())
def test_any_spelling_of_any_name_is_found(data: st.DataObject) -> None:
    registry = varieties()
    variety = data.draw(st.sampled_from(registry.members))
    name = data.draw(st.sampled_from([variety.id, variety.name, *variety.aliases]))
    joined = re.sub("[-_ ]", lambda _: data.draw(st.sampled_from("-_ ")), name)
    cased = data.draw(st.sampled_from([joined, joined.lower(), joined.upper(), joined.title()]))
    spelling = unicodedata.normalize(data.draw(st.sampled_from(["NFC", "NFD"])), cased)
    assert registry.find(spelling) is registry[spelling] is variety
    assert spelling in registry


def test_membership_takes_names_and_varieties() -> None:
    registry = varieties()
    assert registry["bar"] in registry
    assert replace(registry["bar"], name="Other") not in registry
    assert "klingon" not in registry
    assert 7 not in registry


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("bavarain", "'bavarian'"),
        ("Etela Pohjanma", "'etela-pohjanmaa-finnish'"),
        ("AfricanAmericanVernaculer", "'african-american-english'"),
    ],
)
def test_an_unknown_name_suggests_near_ones(name: str, suggestion: str) -> None:
    with pytest.raises(RegistryError, match="did you mean") as caught:
        varieties()[name]
    assert repr(name) in caught.value.what
    assert suggestion in caught.value.what
    assert caught.value.remedy


def test_an_unknown_name_far_from_all_gets_no_suggestion() -> None:
    with pytest.raises(RegistryError, match="no variety is called 'qqqqqqq'") as caught:
        varieties().find("qqqqqqq")
    assert "did you mean" not in str(caught.value)


def test_a_suggestion_is_made_once_for_each_variety() -> None:
    with pytest.raises(RegistryError, match="did you mean") as caught:
        varieties()["zho_Han"]
    suggestions = re.findall("'([^']+)'", caught.value.what)[1:]
    assert suggestions
    assert len(suggestions) == len(set(suggestions))


def test_an_unknown_cluster_suggests_near_ones() -> None:
    with pytest.raises(RegistryError, match="did you mean 'common-turkic'"):
        varieties().cluster("common_turkish")
    with pytest.raises(RegistryError, match="did you mean 'common-turkic'"):
        varieties().representative("common_turkish")


def test_cluster_names_are_matched_loosely_too() -> None:
    assert varieties().cluster("Sotho Tswana") == varieties().cluster("sotho-tswana")


def test_the_registry_and_its_members_are_immutable() -> None:
    registry = varieties()
    with pytest.raises(FrozenInstanceError):
        registry.members = ()  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        registry["bar"].name = "Boarisch"  # type: ignore[misc]
    assert isinstance(registry["bar"].aliases, tuple)
    assert varieties() is registry


def test_the_registry_survives_pickling() -> None:
    copy: VarietyRegistry = pickle.loads(pickle.dumps(varieties()))
    assert copy == varieties()
    assert copy["als"].id == "alemannic"


@pytest.mark.parametrize(
    "tag",
    [
        "de",
        "gsw",
        "en-US-x-aae",
        "zh-Hant",
        "zh-cmn-Hans-CN",
        "sgn-ase-bfi-gsg",
        "es-419",
        "de-CH-1901",
        "sl-rozaj-biske-1994",
        "en-a-myext-b-another",
        "en-US-u-islamcal-x-a-1",
        "AZ-latn-aZ",
        "abcd-Latn",
        "x-whatever",
        "qaa-Qaaa-QM-x-southern",
        "en-x-a-a",
        "en-a-bbb-x-a-ccc",
        "en-a-aa-aa",
        "de-x-aaa-x-bbb-x-ccc",
    ],
)
def test_well_formed_language_tags_are_accepted(tag: str) -> None:
    assert module._parsed(row(bcp47=tag))[0].bcp47 == tag


@pytest.mark.parametrize(
    "tag",
    [
        "",
        "a",
        "de-",
        "-de",
        "de--DE",
        "de_DE",
        "de-DE\n",
        "abcdefghi",
        "de-419-DE",
        "a-DE",
        "ar-a-aaa-b-bbb-a-ccc",
        "ar-a-aaa-A-bbb",
        "de-DE-1901-1901",
        "sl-rozaj-ROZAJ",
        "en-a",
        "en-x",
        "x",
        "en-x-ninechars",
        "en-x-ä",
        "en-Latn-Latn",
        "en-abc-def-ghi-jkl",
        "enge-abc",
        "deſ",
        "\u212aa",
        "i-klingon",
    ],
)
def test_malformed_language_tags_are_refused(tag: str) -> None:
    with pytest.raises(RegistryError, match=r"bcp47 = .* is not a language tag by RFC 5646"):
        module._parsed(row(bcp47=tag))


_ALPHANUM = "abcdefghijklmnopqrstuvwxyzABCXYZ0123456789"


def subtags(least: int, most: int, count: int) -> st.SearchStrategy[list[str]]:
    text = st.text(_ALPHANUM, min_size=least, max_size=most)
    return st.lists(text, min_size=1, max_size=count)


@given(
    language=st.sampled_from(["de", "gsw", "zh-yue", "abcd", "abcde"]),
    script=st.sampled_from(["", "-Latn"]),
    region=st.sampled_from(["", "-US", "-419"]),
    variants=st.sampled_from(["", "-1901", "-rozaj-1994"]),
    extension=st.none() | subtags(2, 8, 3),
    private=st.none() | subtags(1, 8, 3),
)
def test_tags_put_together_by_the_grammar_are_accepted(
    language: str,
    script: str,
    region: str,
    variants: str,
    extension: list[str] | None,
    private: list[str] | None,
) -> None:
    tag = language + script + region + variants
    tag += f"-u-{'-'.join(extension)}" if extension else ""
    tag += f"-x-{'-'.join(private)}" if private else ""
    assert module._is_language_tag(tag)
    assert not module._is_language_tag(f"{tag}-")
    assert not module._is_language_tag(f"{tag}-abcdefghi")


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"id": "West-Saxon"}, "id = 'West-Saxon' is not lower-case ASCII words joined by"),
        ({"id": "west_saxon"}, "id = 'west_saxon' is not"),
        ({"id": "wést-saxon"}, "id = 'wést-saxon' is not"),
        ({"id": "west--saxon"}, "id = 'west--saxon' is not"),
        ({"id": 7}, "id = 7 is not"),
        ({"cluster": "Old English"}, "cluster = 'Old English' is not"),
        ({"glottocode": "olde123"}, "glottocode = 'olde123' is not"),
        ({"glottocode": "OLDE1238"}, "glottocode = 'OLDE1238' is not"),
        ({"glottocode": "olde1238\n"}, "glottocode = .* is not"),
        ({"glottocode": "olde١٢٣٨"}, "glottocode = .* is not"),
        ({"iso639_3": "en"}, "iso639_3 = 'en' is not three lower-case letters"),
        ({"iso639_3": "ANG"}, "iso639_3 = 'ANG' is not"),
        ({"script": "latn"}, "script = 'latn' is not an ISO 15924 code"),
        ({"script": "Latin"}, "script = 'Latin' is not"),
        ({"standard": "yes"}, "standard = 'yes' is not true or false"),
        ({"asr": 1}, "asr = 1 is not true or false"),
        ({"name": " "}, "name = ' ' is not a text with something in it"),
        ({"nllb": ""}, "nllb = '' is not"),
        ({"murre": ["Kainuu"]}, "murre = .* is not"),
        ({"aliases": "wsx"}, "aliases = 'wsx' is not a list of names"),
        ({"aliases": ["wsx", 1]}, "aliases = .* is not a list of names"),
        ({"aliases": [""]}, "aliases = .* is not a list of names"),
        ({"wikipeda": "ang"}, "unknown key 'wikipeda'"),
        ({"name": None}, "name is missing"),
        ({"id": None}, "id is missing"),
        ({"standard": None}, "standard is missing"),
        ({"standard": False}, "cluster 'old-english' has 0 standard varieties"),
        ({"cluster": "english"}, "cluster 'english' has 2 standard varieties"),
        ({"id": "bavarian", "aliases": []}, "'bavarian' means both bavarian .* and bavarian"),
        ({"aliases": ["wsx", "BAR"]}, r"'BAR' means both bavarian .* and west-saxon \(West Sax"),
        ({"name": "Low_German"}, "'Low_German' means both low-german .* and west-saxon"),
    ],
)
def test_malformed_plugin_data_is_refused(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], complaint: str
) -> None:
    install(monkeypatch, oe=row(**changes))
    with pytest.raises(RegistryError, match=complaint) as caught:
        varieties()
    assert caught.value.where.startswith("isogloss.varieties plug-in 'oe'")
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[[variety", "it is not valid TOML"),
        ("", r"it has no \[\[variety\]\] tables"),
        ("[variety]\nid = 'a'", r"it has no \[\[variety\]\] tables"),
        ("variety = [1]", r"it has no \[\[variety\]\] tables"),
        (f"version = 1\n{PLUGIN}", "unknown key 'version'"),
    ],
)
def test_malformed_plugin_documents_are_refused(
    monkeypatch: pytest.MonkeyPatch, text: str, complaint: str
) -> None:
    install(monkeypatch, oe=text)
    with pytest.raises(RegistryError, match=complaint) as caught:
        varieties()
    assert "plug-in 'oe'" in caught.value.where


def test_a_plugin_gives_text_or_a_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "more.toml"
    path.write_text(row(id="kentish", name="Kentish", standard=False), encoding="utf-8")
    install(monkeypatch, a=PLUGIN, b=path)
    registry = varieties()
    assert len(registry) == 74
    assert registry["wsx"].name == "West Saxon"
    assert [each.id for each in registry.cluster("old-english")] == ["west-saxon", "kentish"]
    assert registry.representative("old-english").id == "west-saxon"


@pytest.mark.parametrize("plugin", [Path("nowhere.toml"), None, 7])
def test_a_plugin_that_gives_neither_is_named(
    monkeypatch: pytest.MonkeyPatch, plugin: object
) -> None:
    install(monkeypatch, broken=plugin)
    with pytest.raises(RegistryError, match="it can't be read from") as caught:
        varieties()
    assert caught.value.where == "isogloss.varieties plug-in 'broken'"


def test_a_plugin_that_can_not_be_imported_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, {"gone": "isogloss_no_such_module:TOML"})
    with pytest.raises(RegistryError, match="isogloss_no_such_module") as caught:
        varieties()
    assert caught.value.where == "isogloss.varieties plug-in 'gone'"


def test_plugins_are_read_in_the_order_of_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, b=row(id="kentish", name="Kentish", standard=False), a=PLUGIN)
    assert [each.id for each in varieties()][-2:] == ["west-saxon", "kentish"]


def test_marks_in_another_order_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    # Folding case turns the iota below into a letter, so the marks must be in order before that.
    install(monkeypatch, oe=row(aliases=["\u1fb4"]))
    assert varieties()["\u03b1\u0345\u0301"].id == "west-saxon"


def test_loaded_strings_become_nfc() -> None:
    nfd = unicodedata.normalize("NFD", "Länsipohja")
    (variety,) = module._parsed(row(name=nfd, murre=nfd, aliases=[nfd]))
    assert (variety.name, variety.murre) == ("Länsipohja", "Länsipohja")
    assert variety.aliases == ("Länsipohja",)


def test_optional_fields_have_plain_defaults() -> None:
    (variety,) = module._parsed(row())
    assert variety == Variety(
        id="west-saxon",
        name="West Saxon",
        glottocode="",
        bcp47="ang",
        iso639_3="ang",
        script="Latn",
        cluster="old-english",
        standard=True,
        nllb=None,
        multivalue=None,
        murre=None,
        wikipedia=None,
        asr=False,
        aliases=(),
    )
