"""The catalogue: data that is checked when it is read; others add theirs by an entry point."""

from __future__ import annotations

from pathlib import Path

import pytest
from isogloss.errors import OptionError, RegistryError
from isogloss.tools import Tool, catalogue
from isogloss.tools.catalogue import tool_named

from .toys import Toy, write_catalogue, write_plugin

SHIPPED = [tool for name, tool in catalogue().items() if name == "argilla-server"]


@pytest.mark.parametrize("tool", SHIPPED, ids=lambda tool: tool.name)
def test_every_package_of_a_shipped_tool_is_pinned_once_and_nowhere_in_particular(
    tool: Tool,
) -> None:
    names = [pin.partition("==")[0].lower() for pin in tool.pins]
    assert len(names) == len(set(names)) > 1
    assert not [pin for pin in tool.pins if "/" in pin or "@" in pin or ":" in pin]
    assert tool.licence
    assert tool.summary


def test_the_server_of_argilla_has_its_redis() -> None:
    tool = catalogue()["argilla-server"]
    assert f"argilla-server=={tool.version}" in tool.pins
    assert any(pin.startswith("fakeredis==") for pin in tool.pins)
    assert tool.pythons == ("3.13", "3.12", "3.11")


def test_an_unknown_name_suggests_a_near_one() -> None:
    with pytest.raises(OptionError, match="there is no tool of this name. Choose argilla-server"):
        tool_named("argila-server")


def test_the_fingerprint_stands_for_the_pins(toy: Toy) -> None:
    before = catalogue()["toy"].fingerprint
    write_catalogue(toy.plugin, pins=["toy-part==1.0", "toy_tool==1.1"])
    catalogue.cache_clear()
    assert catalogue()["toy"].fingerprint != before
    assert len(before) == 12


@pytest.mark.usefixtures("toy")
def test_a_plugin_adds_a_tool() -> None:
    assert catalogue()["toy"].pins == ("toy-part==1.0", "toy_tool==1.0")
    assert next(iter(catalogue())) == "argilla-server"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"pins": ["toy>=1"]}, "'toy>=1' is not name==version"),
        ({"pins": ["toy @ https://a.org/toy.whl"]}, "is not name==version"),
        ({"name": "Toy tool"}, "'Toy tool' is not a name in kebab-case"),
        ({"more": "colour = 'red'"}, "colour: missing or unknown"),
        ({"more": "= 1"}, "TOMLDecodeError"),
        ({"name": "argilla-server"}, "there is a tool 'argilla-server' already"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_malformed_catalogue_is_told_in_a_line(
    toy: Toy, wrong: dict[str, object], said: str
) -> None:
    write_catalogue(toy.plugin, **wrong)  # type: ignore[arg-type]
    with pytest.raises(RegistryError) as told:
        catalogue()
    assert said in str(told.value)
    assert told.value.where
    assert told.value.remedy


def test_a_missing_lock_and_a_broken_plugin_are_told(toy: Toy) -> None:
    (toy.plugin / "toy.txt").unlink()
    with pytest.raises(RegistryError, match=r"toy\.txt"):
        catalogue()
    write_plugin(toy.plugin, "nowhere_to_be_found:FILE")
    with pytest.raises(RegistryError, match="plug-in 'toys': it can't be read from nowhere"):
        catalogue()


def test_the_locks_of_the_repository_are_all_used() -> None:
    folder = Path(__file__).parents[2] / "tools" / "locks"
    assert {file.stem for file in folder.iterdir()} == {tool.name for tool in SHIPPED}
