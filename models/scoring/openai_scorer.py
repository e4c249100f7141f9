"""Scores through a completions endpoint that gives log-probabilities of the prompt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from ...errors import ModelError, OptionError
from ..chat import Fault, Reply
from ..config import ModelSettings
from ..openai_address import address, key_of, openai_identity
from ..openai_client import FIRST_PAUSE, OpenAIClient
from .echo import Echo, EchoAsker, EchoForm, EchoRequest
from .request import Score, Scored, ScoreRequest, as_text, moved_space
from .scorer import Deliver, Scorer, Work
from .shared import shared_boundary

__all__ = ["OpenAIScorer", "openai_scorer"]

_FIRST_PAUSE = FIRST_PAUSE
#: Raised whenever the same answers of a server would give other scores.
_READING = 1
#: Requests that are asked together: few at first, to learn early that nothing can be read.
_FIRST, _TOGETHER = 16, 512


class OpenAIScorer:
    """A model behind a completions endpoint.

    Every text's own answer is in the journal before a score is made of it.

    Args:
        asker: Asks the endpoint.
        chat: One of :data:`~isogloss.models.scoring.request.CHAT`; a completions endpoint knows
            no template, so that ``auto`` is ``off``.
    """

    def __init__(self, asker: EchoAsker, *, chat: str = "auto") -> None:
        self._asker, self._chat = asker, chat

    def describe(self) -> Mapping[str, Any]:
        """Nothing: a server doesn't say."""
        return {}

    def close(self) -> None:
        """Connections live no longer than one call of ``answer``."""

    def answer(
        self,
        requests: Sequence[ScoreRequest],
        missing: AbstractSet[int],
        deliver: Deliver,
        notes: Work,
    ) -> None:
        """Scores what is missing, many texts at the same time.

        Raises:
            OptionError: If a context is a chat and shall stay one.
            ModelError: If nothing can be made of the first answers.
            ServiceError: If the server can't be asked, or gives no log-probabilities.
        """
        texts = {number: self._texts(requests[number]) for number in sorted(missing)}
        # Where something is known already, the server's tokens can be read.
        unread = len(missing) == len(requests)
        with self._asker.open(notes.session):
            for numbers in _parts(list(texts)):
                outcomes = self._outcomes({number: texts[number] for number in numbers})
                faults = [one for one in outcomes.values() if isinstance(one, Fault)]
                if (
                    unread
                    and {fault.reason for fault in faults} == {"misaligned"}
                    and (len(faults) == len(outcomes))
                ):
                    raise ModelError(
                        f"no boundary can be found: {faults[0].detail}",
                        where=self._asker.name,
                        remedy="use hf:, or a server whose tokens are pieces of the text",
                    )
                unread = False
                written = [deliver(number, outcome) for number, outcome in outcomes.items()]
                for future in written:
                    future.result()

    def _texts(self, request: ScoreRequest) -> tuple[str, list[str]]:
        plain = request if self._chat == "on" else as_text(request)
        if not isinstance(plain.context, str):
            raise OptionError(
                "a completions endpoint scores raw text, not what follows in a chat",
                where=self._asker.name,
                remedy="leave --chat on out, or use hf:",
            )
        return moved_space(plain.context, plain.continuations)

    def _outcomes(self, texts: Mapping[int, tuple[str, list[str]]]) -> dict[int, Score | Fault]:
        prompts = {
            number: [context + continuation for continuation in continuations]
            for number, (context, continuations) in texts.items()
        }
        flat = list(dict.fromkeys(prompt for some in prompts.values() for prompt in some))
        replies = dict(zip(flat, self._asker.ask(list(map(EchoRequest, flat))), strict=True))
        return {
            number: _score(*texts[number], [(prompt, replies[prompt]) for prompt in some])
            for number, some in prompts.items()
        }


def _parts(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    yield numbers[:_FIRST]
    for at in range(_FIRST, len(numbers), _TOGETHER):
        yield numbers[at : at + _TOGETHER]


def _score(
    context: str, continuations: Sequence[str], replies: Sequence[tuple[str, Reply | Fault]]
) -> Score | Fault:
    """The score of one request, once all its texts have come; or the first fault."""
    echoes = []
    for prompt, reply in replies:
        if isinstance(reply, Fault):
            return Fault(reply.reason, reply.detail, reply.attempts)
        echo = Echo.of(prompt, reply.text)
        if echo is None:
            return Fault("misaligned", "the server's tokens are not the text that was sent")
        echoes.append(echo)
    same, shortened = shared_boundary(
        [(echo.tokens[echo.special :], echo.spans[echo.special :]) for echo in echoes],
        len(context.encode()),
    )
    scored = tuple(
        Scored(
            echo.logprobs[echo.special + same :],
            len(continuation),
            len(continuation.encode()),
            _ends(continuation, len(context.encode()), echo.spans[echo.special + same :]),
        )
        for echo, continuation in zip(echoes, continuations, strict=True)
    )
    return Score(scored, echoes[0].special + same, shortened)


def _ends(continuation: str, begin: int, spans: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """Where tokens end, in characters of a continuation that begins at a byte of the text."""
    text = continuation.encode()
    # A token may end within a character; it is counted with the token that completes it.
    return tuple(len(text[: max(0, end - begin)].decode(errors="ignore")) for _, end in spans)


def openai_scorer(model: str, settings: ModelSettings, *, cut: bool, chat: str = "auto") -> Scorer:
    """A model behind an endpoint and its journal.

    Raises:
        ModelError: If the environment has no key though one is needed.
        OptionError: If contexts shall be cut.
    """
    if cut:
        raise OptionError(
            "contexts can't be cut to the window of a model behind a server",
            where=f"openai:{model}",
            remedy="leave --overlong cut out: what is too long fails and is counted",
        )
    url, key = address(settings), key_of(model, settings)
    identity = openai_identity(model, url)

    def make() -> OpenAIScorer:
        form = EchoForm(model)  # it learns what the server gives
        return OpenAIScorer(
            EchoAsker(
                lambda: OpenAIClient(form, model, settings, url, key, first_pause=_FIRST_PAUSE),
                f"openai:{model}",
                identity,
                settings.price,
            ),
            chat=chat,
        )

    return Scorer(f"openai:{model}", identity | {"reading": _READING}, make, books=False, chat=chat)
