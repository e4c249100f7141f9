"""Translators: whatever turns a text in one variety into a text in another.

A translator is named ``backend:name``; which backends there are is said here, in one
place. A backend imports its libraries when it is asked for, not before.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ..errors import ModelError

__all__ = ["BACKENDS", "Translation", "Translator", "load_translator"]


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


class Translator(Protocol):
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
        return {"backend": "rules", "name": "aae", "version": self._rules.version, "note": note}

    def translate(self, texts: Sequence[str], *, source: str, target: str) -> list[Translation]:
        """Translates each text by itself."""
        return [
            Translation(text) for text in self._rules.translate(texts, source=source, target=target)
        ]


def _rules(name: str) -> Translator:
    if name not in ("", "aae"):
        raise ModelError(
            f"there are no rules named {name!r}", where="--translator", remedy="write rules:"
        )
    return _Rules()


BACKENDS: Mapping[str, Callable[[str], Translator]] = {"rules": _rules}


def load_translator(name: str) -> Translator:
    """Loads the translator called ``backend:name``.

    Raises:
        ModelError: If the name has no known backend, or the backend refuses it.
    """
    backend, _, rest = name.partition(":")
    if backend not in BACKENDS:
        close = difflib.get_close_matches(backend, BACKENDS, n=1, cutoff=0.5)
        known = ", ".join(f"{known}:" for known in BACKENDS)
        hint = f"did you mean {close[0]}:? " if close else ""
        raise ModelError(
            f"there is no backend {backend!r}",
            where=f"--translator {name}",
            remedy=f"{hint}A translator is written backend:name; backends are {known}",
        )
    return BACKENDS[backend](rest)
