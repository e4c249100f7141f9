"""Translates with a chat model, asked by a prompt."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from .asker import Asker, Session
from .chat import ChatRequest, Fault, Reply, Sampling
from .prompts import TranslationPrompts
from .refusal import refuses
from .translator import Estimate, Translation

__all__ = ["ChatTranslator"]

#: Raised when the same answer would be read differently.
_READER_VERSION = 2
#: So many unreadable answers at the beginning, and no other, are no accident.
_PROBES = 3
_FORM = "form of the answers"
_PLAIN, _JSON = "plain", "json"
#: Room for a translation: a token has seldom under two bytes.
_FEWEST_TOKENS = 32
_BYTES_PER_TOKEN = 2
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"translation": {"type": "string"}},
    "required": ["translation"],
    "additionalProperties": False,
}
_AS_JSON = 'Answer with a JSON object with one key, "translation".'
_AS_TEXT = "Answer with the translation and nothing else: no quotes, no notes."


class ChatTranslator:
    """A chat model as a translator.

    Args:
        asker: The model behind its journal.
        prompts: How it is asked.
        structured: Ask for JSON by a schema; a server that takes none, or doesn't keep to
            it, is asked for plain text instead.
    """

    def __init__(self, asker: Asker, prompts: TranslationPrompts, *, structured: bool) -> None:
        self._asker, self._prompts = asker, prompts
        self._structured = structured
        self._plain: bool | None = None if structured else True
        self._lock = threading.Lock()

    def describe(self) -> Mapping[str, Any]:
        """Model, prompt and how the answer is read: what can change a translation."""
        return {
            **self._asker.identity,
            "prompt": f"{self._prompts.name} version {self._prompts.version}",
            "prompt_sha256": self._prompts.sha256,
            "structured": self._structured,
            "temperature": 0.0,
            "reader": _READER_VERSION,
        }

    def open(self, session: Session) -> AbstractContextManager[None]:
        """Binds the model to a run's journal and budget."""
        return self._asker.open(session)

    def requests(
        self, texts: Sequence[str], *, source: str, target: str, plain: bool
    ) -> list[ChatRequest]:
        """The requests for the texts, without asking them."""
        prompt = self._prompts.direction(source, target)
        answer = prompt.example_target
        if not plain:
            answer = json.dumps({"translation": answer}, ensure_ascii=False)
        return [
            ChatRequest(
                purpose=f"{source} to {target}",
                system=f"{prompt.system}\n\n{_AS_TEXT if plain else _AS_JSON}",
                messages=(
                    ("user", prompt.example_source),
                    ("assistant", answer),
                    ("user", text),
                ),
                sampling=Sampling(
                    max_tokens=_FEWEST_TOKENS + len(text.encode()) // _BYTES_PER_TOKEN
                ),
                schema=None if plain else _SCHEMA,
            )
            for text in texts
        ]

    def estimate(self, texts: Sequence[str], *, source: str, target: str) -> Estimate:
        """Roughly: four bytes are a token, and a translation is as long as its text.

        What the journal has is not counted, if the model is bound to one.
        """
        known = self._known(texts, source=source, target=target)
        texts = [text for text, there in zip(texts, known, strict=True) if there is None]
        plain = self._form() == _PLAIN
        requests = self.requests(texts, source=source, target=target, plain=plain)
        read = sum(
            len(request.system.encode()) + sum(len(t.encode()) for _, t in request.messages)
            for request in requests
        )
        written = sum(len(text.encode()) for text in texts)
        price = self._asker.price
        cost = None if price is None else price.of(read // 4, written // 4)
        currency = price.currency if price else ""
        return Estimate(len(requests), read // 4, written // 4, cost, currency)

    def foresee(self, texts: Sequence[str], *, source: str, target: str) -> list[str]:
        """The translations that the journal has, and a text itself where it has none yet."""
        known = self._known(texts, source=source, target=target)
        found = (
            text if there is None else there.text for text, there in zip(texts, known, strict=True)
        )
        return [text for text in found if text is not None]

    def _known(self, texts: Sequence[str], *, source: str, target: str) -> list[Translation | None]:
        form = self._form()
        if form is None:  # nothing was asked yet
            return [None] * len(texts)
        plain = form == _PLAIN
        requests = self.requests(texts, source=source, target=target, plain=plain)
        known = self._asker.known(requests)
        return [None if answer is None else _read(answer, plain=plain) for answer in known]

    def _form(self) -> str | None:
        """How answers are asked for, as far as that is known."""
        if not self._structured:
            return _PLAIN
        return self._asker.recall(_FORM)

    def translate(self, texts: Sequence[str], *, source: str, target: str) -> list[Translation]:
        """Translates each text; a refusal, a cut or an unreadable answer is no translation."""
        if not texts:
            return []
        plain = self._must_be_plain(texts, source=source, target=target)
        requests = self.requests(texts, source=source, target=target, plain=plain)
        answers = self._asker.ask(requests, unusable=_unusable)
        return [_read(answer, plain=plain) for answer in answers]

    def _must_be_plain(self, texts: Sequence[str], *, source: str, target: str) -> bool:
        """Finds out with the first answers whether the server keeps to a schema.

        The journal remembers it, so that a later run asks in the same form whatever it asks
        first. An answer that failed otherwise tells nothing.
        """
        with self._lock:
            if self._plain is None and (form := self._form()) is not None:
                self._plain = form == _PLAIN
            unreadable = 0
            for request in self.requests(texts, source=source, target=target, plain=False):
                if self._plain is not None:
                    break
                answer = self._asker.ask([request], unusable=_unusable)[0]
                if isinstance(answer, Reply):
                    self._settle(_JSON)
                elif answer.reason == "unsupported_schema":
                    self._settle(_PLAIN)
                elif answer.reason == "invalid_json":
                    unreadable += 1
                    if unreadable == min(_PROBES, len(texts)):
                        self._settle(_PLAIN)
            return bool(self._plain)

    def _settle(self, form: str) -> None:
        self._asker.remember(_FORM, form)
        self._plain = form == _PLAIN


def _read(answer: Reply | Fault, *, plain: bool) -> Translation:
    """Reads one answer."""
    if isinstance(answer, Fault):
        return Translation(None, answer.reason, answer.detail)
    translation: Any = answer.text if plain else _from_json(answer.text)
    if not isinstance(translation, str):
        return Translation(None, "invalid_json", "no text under the key translation")
    translation = " ".join(translation.split())
    if not translation:
        return Translation(None, "empty", "an empty translation")
    return Translation(translation)


def _unusable(request: ChatRequest, answer: str) -> str:
    """Why an answer is no translation though it is whole: it declines in words, or is empty."""
    said = answer if request.schema is None else _from_json(answer)
    if not isinstance(said, str):
        return ""
    if not said.strip():
        return "empty"
    return "refusal" if refuses(said, request.messages[-1][1]) else ""


def _from_json(text: str) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value.get("translation") if isinstance(value, dict) else None
