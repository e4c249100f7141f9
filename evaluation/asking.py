"""Asks a model what tasks want to know, round after round, until nothing new is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from ..corpus.hashing import canonical_json
from ..errors import InternalError, ModelError, OptionError
from ..models.asker import Asker
from ..models.askers import load_asker
from ..models.chat import ChatRequest, Price, Reply
from ..models.config import Config
from ..models.scoring import Fault, Score, Scorer, ScoreRequest
from ..models.scoring.scorer import TOO_LONG
from ..models.session import Session
from .record import Record
from .task import Question, Request, TaskClass

__all__ = ["Progress", "Subject", "answered", "read_prompt"]

#: So many questions at once: what they cost is seen, and a kill loses little.
_BLOCK = 256


def read_prompt(option: str) -> str:
    """The text of the option ``--prompt``: itself, or that of ``@FILE``.

    Raises:
        OptionError: If the file can't be read, or there is nothing but white space.

    Example:
        >>> read_prompt("  African American English is a language. ")
        'African American English is a language.'
    """
    try:
        text = option
        if option.startswith("@"):
            text = Path(option[1:]).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise OptionError(
            f"the file can't be read ({type(error).__name__})",
            where=f"--prompt {option}",
            remedy="name a file of UTF-8 text",
        ) from error
    if option and not text.strip():
        raise OptionError(
            "the prompt is empty",
            where=f"--prompt {option}".strip(),
            remedy="give a text, or leave --prompt out",
        )
    return text.strip()


class Progress(Protocol):
    """Is told how far the work is."""

    def phase(self, label: str, total: int | None) -> None:
        """A phase of ``total`` requests begins."""

    def advance(self, done: int, rows: int) -> None:
        """So many of them have an answer."""

    def note(self, message: str) -> None:
        """Something that a person should know."""


class Subject:
    """A model that is evaluated: what scores, and what answers in words.

    Args:
        scorer: What scores.
        record: Where its identity is noted when it is asked for words.
        config: Models' settings.
        chat: One of :data:`~isogloss.models.scoring.request.CHAT`.
        prompt: A text that stands before everything that it reads; may be empty.
        overlong: One of :data:`~isogloss.models.scoring.OVERLONG`; questions are never cut.

    Attributes:
        name: ``backend:name``.
    """

    def __init__(
        self,
        scorer: Scorer,
        record: Record,
        config: Config | None,
        *,
        chat: str,
        prompt: str,
        overlong: str = "raise",
    ) -> None:
        self.name, self._scorer = scorer.name, scorer
        self._record, self._config, self._chat = record, config, chat
        self._prompt, self._overlong = prompt, overlong
        self._asker: Asker | None = None

    def score(
        self, requests: Sequence[ScoreRequest], session: Session, progress: Progress
    ) -> list[Score | Fault]:
        """Scores each request, in their order."""
        return self._scorer.score(
            list(map(self._with_prompt, requests)),
            session,
            done=lambda done: progress.advance(done, done),
            phase=progress.phase,
        )

    def reply(
        self, questions: Sequence[ChatRequest], session: Session, progress: Progress
    ) -> list[Reply | Fault]:
        """Answers each question, in their order.

        Raises:
            OptionError: If one doesn't fit into the model's window, and isn't skipped.
        """
        # Two copies of a model may be too much for the memory.
        self._scorer.close()
        asker = self._asker = self._asker or self._asker_of()
        progress.phase(f"answers, {self.name}", len(questions))
        asked = [replace(one, system=self._before(one.system)) for one in questions]
        found: list[Reply | Fault] = []
        with asker.open(session):
            for at in range(0, len(asked), _BLOCK):
                found += map(self._fitted, asker.ask(asked[at : at + _BLOCK]))
                progress.advance(len(found), len(found))
        return found

    def how(self) -> dict[str, Any]:
        """What can change an answer in words, if any was asked for."""
        return {} if self._asker is None else {"in_words": dict(self._asker.identity)}

    def _with_prompt(self, request: ScoreRequest) -> ScoreRequest:
        if not self._prompt:
            return request
        context = request.context
        if isinstance(context, str):
            return replace(request, context=f"{self._prompt}\n\n{context}")
        has_own = bool(context) and context[0][0] == "system"
        system = self._before(context[0][1] if has_own else "")
        return replace(request, context=(("system", system), *context[has_own:]))

    def _before(self, text: str) -> str:
        """The prompt, and then what a task says itself to the system."""
        return "\n\n".join(filter(None, (self._prompt, text)))

    def _fitted(self, reply: Reply | Fault) -> Reply | Fault:
        """The answer; a question beyond the window is what a context beyond it is."""
        if not isinstance(reply, Fault) or reply.reason != "context_length":
            return reply
        if self._overlong == "raise":
            raise OptionError(
                f"a question is too long for the model's window ({reply.detail})",
                where=self.name,
                remedy="leave such rows out with --overlong skip",
            )
        return replace(reply, reason=TOO_LONG)

    def _asker_of(self) -> Asker:
        """The model; one that is gone is known by what the run has noted of it."""
        # Answers of another template or another revision are another model's.
        revision = self._scorer.identity.get("revision")
        noted = f"{self.name} chat={self._chat} revision={revision}"
        try:
            asker = load_asker(self.name, config=self._config, chat=self._chat)
        except ModelError as error:
            identity = self._record.identity(noted, kind="chats")
            if identity is None:
                raise
            gone = error

            def missing() -> Any:
                raise gone

            return Asker(missing, self.name, dict(identity), Price(0.0, 0.0, ""))
        self._record.model(noted, asker.identity, kind="chats")
        return asker


class _Answers:
    """Scores and replies by request, and what has failed."""

    def __init__(self) -> None:
        self._scores: dict[tuple[str, ScoreRequest], Score | Fault] = {}
        self._replies: dict[tuple[str, str], Reply | Fault] = {}

    def get(self, request: Request) -> Score | Fault | None:
        return self._scores.get((request.role, request.ask))

    def reply(self, question: Question) -> Reply | Fault | None:
        return self._replies.get((question.role, _key(question)))

    def put(self, request: Request, score: Score | Fault) -> None:
        self._scores[request.role, request.ask] = score

    def put_reply(self, question: Question, reply: Reply | Fault) -> None:
        self._replies[question.role, _key(question)] = reply


def _key(question: Question) -> str:
    return canonical_json(question.ask.content())


def answered(
    subject: Subject,
    session: Session,
    rows: pl.DataFrame,
    tasks: Sequence[TaskClass],
    progress: Progress,
) -> _Answers:
    """The answers to everything that the tasks want to know; equal requests are asked once.

    Raises:
        ModelError: If the model can't be had and answers are missing.
    """
    answers = _Answers()
    made = [one.make() for one in tasks]
    while True:
        requests: dict[ScoreRequest, Request] = {}
        questions: dict[str, Question] = {}
        for one in made:
            for wanted in one.plan(rows, answers):
                if wanted.role != "subject":
                    raise InternalError(f"nobody plays the role {wanted.role!r}")
                if isinstance(wanted, Question):
                    if answers.reply(wanted) is None:
                        questions.setdefault(_key(wanted), wanted)
                elif answers.get(wanted) is None:
                    requests.setdefault(wanted.ask, wanted)
        if not requests and not questions:
            return answers
        if requests:
            scores = subject.score(list(requests), session, progress)
            for request, score in zip(requests.values(), scores, strict=True):
                answers.put(request, score)
        if questions:
            asked = [question.ask for question in questions.values()]
            replies = subject.reply(asked, session, progress)
            for question, reply in zip(questions.values(), replies, strict=True):
                answers.put_reply(question, reply)
