"""Translators: whatever turns a text in one variety into a text in another.

A translator is named ``backend:name``; which backends there are is said here, in one
place. A backend imports its libraries when it is asked for, not before.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

from ..errors import ModelError, OptionError
from .asker import Session
from .config import Config

__all__ = ["BACKENDS", "Estimate", "Translates", "Translation", "Translator", "load_translator"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a number of calls would take, before any is made.

    Attributes:
        calls: Requests.
        input_tokens: Tokens read, roughly.
        output_tokens: Tokens written, roughly.
        cost: Their price, None if it is not known.
        currency: Of the price.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0
    currency: str = ""

    def __add__(self, other: Estimate) -> Estimate:
        known = self.cost is not None and other.cost is not None
        return Estimate(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            (self.cost or 0.0) + (other.cost or 0.0) if known else None,
            self.currency or other.currency,
        )


@dataclass(frozen=True, slots=True)
class Translation:
    """One answer of a translator.

    Attributes:
        text: The translation; None where there is none.
        finish: ``stop``, or why there is no translation (a reason code).
        detail: More about the reason, in words.
    """

    text: str | None
    finish: str = "stop"
    detail: str = ""


class Translates(Protocol):
    """What a translate step needs."""

    def describe(self) -> Mapping[str, Any]:
        """What can change an answer (backend, name, version), for keys and the manifest."""

    def translate(self, texts: Sequence[str], *, source: str, target: str) -> Sequence[Translation]:
        """Translates each text, one answer per text, in their order.

        Args:
            texts: Texts of variety ``source``.
            source: Variety id.
            target: Variety id.
        """


class Translator(Translates, Protocol):
    """A translator as a builder uses it."""

    def open(self, session: Session) -> AbstractContextManager[None]:
        """Binds the translator to a run: its journal, its budget."""

    def estimate(self, texts: Sequence[str], *, source: str, target: str) -> Estimate:
        """What translating the texts would take, beyond what the journal has."""

    def foresee(self, texts: Sequence[str], *, source: str, target: str) -> list[str]:
        """What a next step will get: translations that the journal has, else the texts."""


class _Rules:
    """The rules baseline, which answers every text and never fails."""

    def __init__(self) -> None:
        from .rules import RulesTranslator

        self._rules = RulesTranslator()

    def describe(self) -> Mapping[str, Any]:
        """Backend, version, and what a reader of the card must know."""
        note = (
            "Translations are by rules:, a small baseline of hand-written rules. They serve for "
            "demonstrations and tests and are not fit for research."
        )
        return {"backend": "rules", "model": "aae", "version": self._rules.version, "note": note}

    def open(self, session: Session) -> AbstractContextManager[None]:  # noqa: ARG002
        """Needs nothing of the run."""
        return nullcontext()

    def estimate(self, texts: Sequence[str], *, source: str, target: str) -> Estimate:  # noqa: ARG002
        """Nothing is called."""
        return Estimate()

    def foresee(self, texts: Sequence[str], *, source: str, target: str) -> list[str]:  # noqa: ARG002
        """The texts; there is no journal."""
        return list(texts)

    def translate(self, texts: Sequence[str], *, source: str, target: str) -> list[Translation]:
        """Translates each text by itself."""
        return [
            Translation(text) for text in self._rules.translate(texts, source=source, target=target)
        ]


def _rules(name: str, prompts: str, config: Config) -> Translator:  # noqa: ARG001
    if name not in ("", "aae"):
        raise ModelError(
            f"there are no rules named {name!r}", where="--translator", remedy="write rules:"
        )
    return _Rules()


def _openai(name: str, prompts: str, config: Config) -> Translator:
    from .chat_translator import ChatTranslator
    from .openai_chat import openai_asker
    from .prompts import translation_prompts

    settings = config.settings(f"openai:{name}")
    asker = openai_asker(name, settings)
    return ChatTranslator(asker, translation_prompts(prompts), structured=settings.structured)


def _hf(name: str, prompts: str, config: Config) -> Translator:
    from .chat_translator import ChatTranslator
    from .hf_chat import hf_asker
    from .prompts import translation_prompts

    asker = hf_asker(name, config.settings(f"hf:{name}"))
    return ChatTranslator(asker, translation_prompts(prompts), structured=False)


BACKENDS: Mapping[str, Callable[[str, str, Config], Translator]] = {
    "rules": _rules,
    "openai": _openai,
    "hf": _hf,
}


def load_translator(
    name: str | None, *, prompts: str = "realaae", config: Config | None = None
) -> Translator:
    """Loads the translator called ``backend:name``.

    Args:
        name: The translator; None for the one that plays the role in the configuration.
        prompts: Which prompts a chat model is asked by.
        config: What ``isogloss.toml`` says.

    Raises:
        ModelError: If the name has no known backend, or the backend refuses it.
        OptionError: If no translator is named anywhere.
    """
    config = config or Config()
    name = name or config.roles.get("translator")
    known = ", ".join(f"{backend}:" for backend in BACKENDS)
    if not name:
        raise OptionError(
            "no translator is named",
            where="--translator",
            remedy=f"write backend:name (backends are {known}), or name one under [roles] in "
            "isogloss.toml",
        )
    backend, _, rest = name.partition(":")
    if backend not in BACKENDS:
        close = difflib.get_close_matches(backend, BACKENDS, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]}:? " if close else ""
        raise ModelError(
            f"there is no backend {backend!r}",
            where=f"--translator {name}",
            remedy=f"{hint}A translator is written backend:name; backends are {known}",
        )
    if not rest and backend != "rules":
        raise ModelError(
            "the model's name is missing",
            where=f"--translator {name}",
            remedy=f"write {backend}:NAME",
        )
    return BACKENDS[backend](rest, prompts, config)
