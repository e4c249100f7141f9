"""Translates with a chat model, asked by a prompt."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from .asker import Asker, Session
from .chat import ChatRequest, Fault, Reply, Sampling
from .prompts import TranslationPrompts
from .translator import Estimate, Translation

__all__ = ["ChatTranslator"]

#: Raised when the same answer would be read differently.
_READER_VERSION = 1
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
#: Declining to do the task. Tweets say *I can't help it* too, so a refusal must speak of the
#: request, or be nothing but a refusal.
_REFUSAL = re.compile(
    r"(?i)\bas an? (?:ai|(?:large )?language model)\b"
    r"|\b(?:can(?:'t|not| not)|won't|will not|unable to|not able to|must decline to)\W+(?:\w+\W+)?"
    r"(?:assist|help|comply|fulfil+|provide|translate|generate|create|complete|engage|continue)\b"
    r"(?:\W+\w+){0,3}?\W+(?:request|translation|content|text|tweet|message|prompt|instructions?)\b"
    r"|\bi (?:must|have to) decline\b"
    r"|^\W*(?:(?:i'm |i am )?sorry,? (?:but )?)?i(?:'m| am)? ?(?:can(?:'t|not)|won't|unable to|"
    r"not able to) (?:assist|help|comply|translate)(?: with)? (?:that|this)\W*$"
)


class ChatTranslator:
    """A chat model as a translator.

    Args:
        asker: The model behind its journal.
        prompts: How it is asked.
        structured: Ask for JSON by a schema; a server that takes none is asked for plain
            text instead, from its first answer on.
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
        """Roughly: four bytes are a token, and a translation is as long as its text."""
        plain = self._plain is True
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

    def translate(self, texts: Sequence[str], *, source: str, target: str) -> list[Translation]:
        """Translates each text; a refusal, a cut or an unreadable answer is no translation."""
        if not texts:
            return []
        plain = self._must_be_plain(texts, source=source, target=target)
        requests = self.requests(texts, source=source, target=target, plain=plain)
        answers = self._asker.ask(requests, refused=_refuses)
        return [_read(answer, plain=plain) for answer in answers]

    def _must_be_plain(self, texts: Sequence[str], *, source: str, target: str) -> bool:
        """Finds out with the first answer whether the server takes a schema.

        The journal remembers that answer; one that failed otherwise tells nothing.
        """
        with self._lock:
            for request in self.requests(texts, source=source, target=target, plain=False):
                if self._plain is not None:
                    break
                answer = self._asker.ask([request], refused=_refuses)[0]
                if isinstance(answer, Reply):
                    self._plain = False
                elif answer.reason == "unsupported_schema":
                    self._plain = True
            return bool(self._plain)


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


def _refuses(request: ChatRequest, answer: str) -> bool:
    """Whether the model declines in words, and the text it was given doesn't say so itself."""
    said = answer if request.schema is None else _from_json(answer)
    asked = request.messages[-1][1]
    return isinstance(said, str) and _declines(said) and not _declines(asked)


def _declines(text: str) -> bool:
    return _REFUSAL.search(text.replace("’", "'")) is not None


def _from_json(text: str) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value.get("translation") if isinstance(value, dict) else None
