"""isogloss.toml: what is written is what holds, and what can't hold is named in one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from isogloss.errors import ConfigError
from isogloss.models.chat import Price
from isogloss.models.config import Config, ModelSettings, load_config

GOOD = """
[roles]
translator = "openai:small"

[models."openai:small"]
base_url = "http://127.0.0.1:8000/v1"
key_variable = ""
input_price = 1
output_price = 0.6
currency = "EUR"
requests_per_minute = 500
tokens_per_minute = 2e5
concurrency = 8
timeout = 2.5
attempts = 3
structured = false
"""


def load(tmp_path: Path, text: str) -> Config:
    (tmp_path / "isogloss.toml").write_text(text, encoding="utf-8")
    return load_config(tmp_path / "isogloss.toml")


def test_what_is_written_holds(tmp_path: Path) -> None:
    config = load(tmp_path, GOOD)
    assert config.roles == {"translator": "openai:small"}
    settings = config.settings("openai:small")
    assert settings == ModelSettings(
        base_url="http://127.0.0.1:8000/v1",
        key_variable="",
        input_price=1,
        output_price=0.6,
        currency="EUR",
        requests_per_minute=500,
        tokens_per_minute=2e5,
        concurrency=8,
        timeout=2.5,
        attempts=3,
        structured=False,
    )
    assert settings.price == Price(1, 0.6, "EUR")
    assert config.settings("openai:other") == ModelSettings()


def test_a_price_with_one_half_is_not_known() -> None:
    assert ModelSettings(input_price=1.0).price is None
    assert ModelSettings(output_price=1.0).price is None
    assert ModelSettings(input_price=0.0, output_price=0.0).price == Price(0.0, 0.0)


def test_the_current_folders_file_is_read_if_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_config() == Config()
    Path("isogloss.toml").write_text(GOOD)
    assert load_config().roles["translator"] == "openai:small"


WRONG = [
    *(
        (name, value)
        for name in ("concurrency", "attempts", "batch_size")
        for value in ("0", "-1", "1.5", "true", '"3"', "[1]")
    ),
    *(
        (name, value)
        for name in ("input_price", "output_price", "requests_per_minute", "timeout")
        for value in ("-0.1", "nan", "inf", "false", '"1"', "{}")
    ),
    *((name, "0") for name in ("requests_per_minute", "tokens_per_minute", "timeout")),
    *(
        (name, value)
        for name in ("base_url", "key_variable", "currency", "dtype", "device")
        for value in ("1", "true", '["x"]')
    ),
    *(("structured", value) for value in ("1", '"yes"')),
    ("base_url", '"localhost:8000/v1"'),
    ("base_url", '"http://host:port/v1"'),
]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_wrong_value_is_named_with_file_and_key(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, f'[models."openai:m"]\n{name} = {value}\n')
    said = str(caught.value)
    assert "\n" not in said
    assert f"{tmp_path}/isogloss.toml: models.openai:m.{name}" in said
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("[role]\ntranslator = 'rules:'", ["role ", "roles"]),
        ("[roles]\ntranslater = 'rules:'", ["roles.translater", "translator"]),
        ("[roles]\ntranslator = 5", ["translator"]),
        ("[roles]\njudge = 'hf:judge'", ["roles.judge", "translator"]),
        ("roles = 'x'", ["roles"]),
        ("models = 3", ["models"]),
        ('[models]\n"openai:m" = 3', ["openai:m"]),
        ('[models."openai:m"]\napi_key = "sk"', ["models.openai:m.api_key", "key_variable"]),
        ('[roles]\ntranslator == "a"\n', ["line 2"]),
        ('[roles]\ntranslator = "a"\ntranslator = "b"', ["overwrite"]),
    ],
)
def test_what_can_not_be_read_is_named(tmp_path: Path, text: str, names: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, text)
    said = str(caught.value)
    assert [name for name in [*names, "isogloss.toml"] if name not in said] == []
    assert "\n" not in said


@pytest.mark.parametrize("rest", ["?key=sk-planted-1", "#sk-planted-1", "/?a=b&key=sk-planted-1"])
def test_an_address_with_a_query_is_refused_and_not_shown(tmp_path: Path, rest: str) -> None:
    with pytest.raises(ConfigError, match="query or a fragment") as caught:
        load(tmp_path, f'[models."openai:m"]\nbase_url = "http://a.example/v1{rest}"')
    assert "sk-planted" not in str(caught.value)
    assert "models.openai:m.base_url" in str(caught.value)


def test_a_secret_written_where_none_belongs_is_not_printed(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, '[models."openai:m"]\napi_key = "sk-planted-1"')
    assert "sk-planted" not in str(caught.value)


@pytest.mark.parametrize("kind", ["missing", "folder", "bytes"])
def test_a_file_that_can_not_be_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "other.toml"
    if kind == "folder":
        path.mkdir()
    elif kind == "bytes":
        path.write_bytes(b"[roles]\ntranslator = '\xff'")
    with pytest.raises(ConfigError, match=r"other\.toml"):
        load_config(path)
