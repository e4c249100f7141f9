"""``isogloss.toml``: which model plays which role, where it is, what it costs.

    [roles]
    translator = "openai:gpt-4o-mini"

    [models."openai:gpt-4o-mini"]
    base_url = "https://api.openai.com/v1"
    key_variable = "OPENAI_API_KEY"
    input_price = 0.15          # per million tokens
    output_price = 0.60
    requests_per_minute = 500
    tokens_per_minute = 200000
    concurrency = 64

Keys are never written in it: only the name of the environment variable that holds one.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..errors import ConfigError
from .chat import Price

__all__ = ["FILE_NAME", "LOCAL_PACKAGES", "Config", "ModelSettings", "load_config"]

FILE_NAME = "isogloss.toml"
#: What runs the models of this machine: another version may answer otherwise.
LOCAL_PACKAGES = ("torch", "transformers")
_ROLES = ("translator",)


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Settings of one model; every field may be left out.

    Attributes:
        base_url: Where its server is.
        key_variable: Environment variable with the key; "" for a server without keys.
        input_price: Per million tokens read.
        output_price: Per million tokens written.
        currency: Of the prices.
        requests_per_minute: Limit of the server.
        tokens_per_minute: Limit of the server.
        concurrency: Most requests in flight.
        timeout: Seconds until a request is given up.
        attempts: How often a request is tried.
        structured: Ask for JSON by a schema.
        batch_size: Texts a local model generates for at once.
        dtype: Number format of a local model.
        device: Device of a local model.
    """

    base_url: str = ""
    key_variable: str = "OPENAI_API_KEY"
    input_price: float | None = None
    output_price: float | None = None
    currency: str = "USD"
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    concurrency: int = 64
    timeout: float = 120.0
    attempts: int = 6
    structured: bool = True
    batch_size: int = 32
    dtype: str = "auto"
    device: str = "auto"

    @property
    def price(self) -> Price | None:
        """The price, if both halves are known."""
        if self.input_price is None or self.output_price is None:
            return None
        return Price(self.input_price, self.output_price, self.currency)


@dataclass(frozen=True, slots=True)
class Config:
    """What ``isogloss.toml`` says."""

    roles: Mapping[str, str] = field(default_factory=dict)
    models: Mapping[str, ModelSettings] = field(default_factory=dict)

    def settings(self, model: str) -> ModelSettings:
        """Settings of a model; the defaults where the file doesn't name it."""
        return self.models.get(model, ModelSettings())


def load_config(path: Path | None = None) -> Config:
    """Reads the configuration.

    Args:
        path: The file; None for ``isogloss.toml`` in the current folder, if it is there.

    Raises:
        ConfigError: If it is missing though named, no TOML, or has a value or a key that
            can't be used.
    """
    named = path is not None
    path = path or Path(FILE_NAME)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if named:
            raise ConfigError(
                "there is no such file", where=str(path), remedy="check --config"
            ) from None
        return Config()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(
            f"the file can't be read ({error})", where=str(path), remedy="mend it"
        ) from error
    unknown = set(data) - {"roles", "models"}
    if unknown:
        raise _unknown(path, "", unknown, {"roles", "models"})
    return Config(_roles(data.get("roles", {}), path), _models(data.get("models", {}), path))


def _roles(table: Any, path: Path) -> dict[str, str]:
    wrong = _other_than(table, str)
    if wrong is not None:
        raise ConfigError(
            f"roles{wrong} must name a model",
            where=str(path),
            remedy='write translator = "openai:NAME" under [roles]',
        )
    if unknown := set(table) - set(_ROLES):
        raise _unknown(path, "roles.", unknown, set(_ROLES))
    return dict(table)


def _other_than(table: Any, kind: type) -> str | None:
    """Names the first entry of another kind; "" where the whole is no table."""
    if not isinstance(table, dict):
        return ""
    return next((f".{key}" for key, value in table.items() if not isinstance(value, kind)), None)


def _models(table: Any, path: Path) -> dict[str, ModelSettings]:
    wrong = _other_than(table, dict)
    if wrong is not None:
        raise ConfigError(
            f"models{wrong} must be a table",
            where=str(path),
            remedy='write [models."openai:NAME"] and its settings below',
        )
    known = {entry.name: entry for entry in fields(ModelSettings)}
    models = {}
    for name, values in table.items():
        where = f"models.{name}."
        if unknown := set(values) - set(known):
            raise _unknown(path, where, unknown, set(known))
        for key, value in values.items():
            kind = known[key].type
            if key == "base_url" and isinstance(value, str) and has_query(value):
                # It may hold a key, so it isn't shown.
                raise ConfigError(
                    "the URL has a query or a fragment, which can't be sent",
                    where=f"{path}: {where}{key}",
                    remedy="leave out what begins with ? or #; a key belongs into the environment",
                )
            if not _fits(key, value, str(kind)):
                raise ConfigError(
                    f"{value!r} can't be used",
                    where=f"{path}: {where}{key}",
                    remedy=f"give {_WANTED[str(kind).removesuffix(' | None')]}",
                )
        models[name] = ModelSettings(**values)
    return models


_WANTED = {
    "str": "a text (a URL where one is wanted)",
    "bool": "true or false",
    "int": "a whole number over 0",
    "float": "a number over 0 (a price may be 0)",
}


def _fits(key: str, value: Any, kind: str) -> bool:
    kind = kind.removesuffix(" | None")
    if kind == "bool" or isinstance(value, bool):
        return kind == "bool" and isinstance(value, bool)
    if kind == "int":
        return isinstance(value, int) and value > 0
    if kind == "float":
        free = key in ("input_price", "output_price")
        fine = isinstance(value, int | float) and math.isfinite(value)
        return fine and (value > 0 or (free and value == 0))
    return isinstance(value, str) and (key != "base_url" or value == "" or is_url(value))


def has_query(url: str) -> bool:
    """Whether a URL has a query or a fragment, which would get lost on the way to a path below."""
    return "?" in url or "#" in url


def is_url(text: str) -> bool:
    """Whether a text is an address that can be asked."""
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _unknown(path: Path, where: str, found: set[str], known: set[str]) -> ConfigError:
    name = min(found)
    return ConfigError(
        f"{where}{name} is not known",
        where=str(path),
        remedy=f"known are {', '.join(sorted(known))}",
    )
