"""Prompts are data: worded with care, versioned, and named by their hash in the manifest."""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from ...errors import ModelError

__all__ = ["TranslationPrompt", "TranslationPrompts", "translation_prompts"]


@dataclass(frozen=True, slots=True)
class TranslationPrompt:
    """How one direction is asked for, with one example.

    Attributes:
        system: The rules.
        example_source: A text of the source variety.
        example_target: Its translation.
    """

    system: str
    example_source: str
    example_target: str


@dataclass(frozen=True, slots=True)
class TranslationPrompts:
    """The prompts of one corpus.

    Attributes:
        name: The file's name without its ending.
        version: Its version.
        sha256: Its hash (hex).
        directions: Prompt by (source, target) variety id.
    """

    name: str
    version: int
    sha256: str
    directions: dict[tuple[str, str], TranslationPrompt]

    def direction(self, source: str, target: str) -> TranslationPrompt:
        """The prompt from one variety to another.

        Raises:
            ModelError: If there is none.
        """
        try:
            return self.directions[source, target]
        except KeyError:
            raise ModelError(
                f"there is no prompt from {source} to {target}",
                where=f"prompts/{self.name}.toml",
                remedy="add a direction to the file",
            ) from None


@cache
def translation_prompts(name: str) -> TranslationPrompts:
    """Reads ``<name>.toml``."""
    data = (resources.files(__package__) / f"{name}.toml").read_bytes()
    table = tomllib.loads(data.decode())
    directions = {
        (entry["source"], entry["target"]): TranslationPrompt(
            entry["system"].strip(), entry["example_source"], entry["example_target"]
        )
        for entry in table["direction"]
    }
    return TranslationPrompts(name, table["version"], hashlib.sha256(data).hexdigest(), directions)
