"""Where a context ends and a continuation begins, in tokens.

Context and continuation are tokenised together, as the model would have read them, and the
boundary is found by character offsets. A token that lies across it can't be split: the context
then ends before that token, for all of its continuations, so that they stay comparable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from jinja2 import TemplateError

from ...errors import ModelError, OptionError, printable
from ..chat_template import chat_ids
from .request import ScoreRequest, as_text, moved_space
from .shared import Offsets, shared_boundary

__all__ = ["Encoded", "NoTokensError", "QuestionTooLongError", "TooLongError", "encode"]

_SKIP = "leave such rows out with --overlong skip"


class NoTokensError(OptionError):
    """A tokenizer drops a continuation, or begins it inside a token of the context's."""


class TooLongError(OptionError):
    """A request doesn't fit into the model's window."""


class QuestionTooLongError(TooLongError):
    """A chat is beyond the window; cut from the left it would be another question."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """A request in tokens.

    Attributes:
        context: Token ids that every continuation stands behind; never empty.
        continuations: Token ids of each continuation; never empty.
        texts: The continuations; what a token across the boundary has of the context isn't
            among them.
        shortened: Tokens of the context that had to go to the continuations.
        cut: Tokens cut from the context's left side.
        ends: Of each continuation, where its tokens end, in its characters; empty for a chat.
    """

    context: tuple[int, ...]
    continuations: tuple[tuple[int, ...], ...]
    texts: tuple[str, ...]
    shortened: int = 0
    cut: int = 0
    ends: tuple[tuple[int, ...], ...] = ()


def encode(
    tokenizer: Any,
    request: ScoreRequest,
    *,
    room: int | None = None,
    cut: bool = False,
    chat: str = "auto",
) -> Encoded:
    """Tokenises a request.

    Args:
        tokenizer: A fast tokenizer of transformers.
        request: The request.
        room: Tokens in the model's window; None for no limit.
        cut: Cut a context that is too long from its left side; else it is an error.
        chat: One of :data:`~isogloss.models.scoring.request.CHAT`.

    Raises:
        ModelError: If the tokenizer gives no offsets, or no token to begin with.
        NoTokensError: If a continuation has no token of its own.
        QuestionTooLongError: If a chat should have to be cut.
        TooLongError: If the request doesn't fit into the window.
    """
    is_question = not isinstance(request.context, str)
    if chat == "off" or (chat == "auto" and tokenizer.chat_template is None):
        request = as_text(request)
    if isinstance(request.context, str):
        found = _raw(tokenizer, request.context, request.continuations)
    else:
        found = _chat(tokenizer, request.context, request.continuations)
    if not found.context:
        found = _begun(tokenizer, found)
    if not all(found.continuations):
        raise NoTokensError(
            "a continuation has no token of its own",
            where=f"item {request.item!r}",
            remedy="leave the row out",
        )
    # A model that has always seen a text's first token falls apart without it.
    keep = int(found.context[0] == tokenizer.bos_token_id)
    if is_question and cut:
        _check_question(found, request, room)
    return _fitted(found, request, room, cut=cut, keep=keep)


def _raw(tokenizer: Any, context: str, continuations: Sequence[str]) -> Encoded:
    context, continuations = moved_space(context, continuations)
    whole = tokenizer(
        [context + continuation for continuation in continuations],
        add_special_tokens=True,
        split_special_tokens=True,  # what a text says is text
        return_offsets_mapping=True,
        return_special_tokens_mask=True,
        return_attention_mask=False,
    )
    head, rows = _without_special(whole)
    same, shortened = shared_boundary(rows, len(context))
    return Encoded(
        context=(*head, *rows[0][0][:same]),
        continuations=tuple(tuple(ids[same:]) for ids, _ in rows),
        texts=tuple(continuations),
        shortened=shortened,
        ends=tuple(
            tuple(max(0, end - len(context)) for _, end in offsets[same:]) for _, offsets in rows
        ),
    )


def _without_special(whole: Any) -> tuple[list[int], list[tuple[list[int], Offsets]]]:
    """What the tokenizer puts before a text, and each text without that and without an end."""
    rows = []
    head: list[int] = []
    for ids, offsets, special in zip(
        whole["input_ids"], whole["offset_mapping"], whole["special_tokens_mask"], strict=True
    ):
        inside = [place for place, is_special in enumerate(special) if not is_special]
        start, end = (inside[0], inside[-1] + 1) if inside else (len(ids), len(ids))
        head = ids[:start]
        rows.append((ids[start:end], offsets[start:end]))
    return head, rows


def _chat(
    tokenizer: Any, context: Sequence[tuple[str, str]], continuations: tuple[str, ...]
) -> Encoded:
    if tokenizer.chat_template is None:
        raise ModelError(
            "the tokenizer has no chat template",
            where=str(tokenizer.name_or_path),
            remedy="name an instruction-tuned model, or leave --chat on out",
        )
    try:
        ids = chat_ids(tokenizer, context)
    except TemplateError as error:
        raise ModelError(
            f"the chat template refuses the messages ({printable(str(error))[:160]})",
            where=str(tokenizer.name_or_path),
            remedy="score with --chat off",
        ) from error
    rows = tokenizer(
        list(continuations),
        add_special_tokens=False,
        split_special_tokens=True,
        return_attention_mask=False,
    )["input_ids"]
    return Encoded(tuple(ids), tuple(map(tuple, rows)), continuations)


def _begun(tokenizer: Any, found: Encoded) -> Encoded:
    """An empty context gets the token that texts begin with, or the one that they end with."""
    begin = tokenizer.bos_token_id
    begin = tokenizer.eos_token_id if begin is None else begin
    if begin is None:
        raise ModelError(
            "the tokenizer has no token to begin a text with, and the context is empty",
            where=str(tokenizer.name_or_path),
            remedy="give a context",
        )
    return replace(found, context=(begin,))


def _check_question(found: Encoded, request: ScoreRequest, room: int | None) -> None:
    needed = _needed(found)
    if room is not None and needed > room:
        raise QuestionTooLongError(
            f"a question has {needed} tokens, and the model's window {room}",
            where=f"item {request.item!r}",
            remedy=_SKIP,
        )


def _needed(found: Encoded) -> int:
    # The last token is predicted, never read.
    return len(found.context) + max(map(len, found.continuations)) - 1


def _fitted(
    found: Encoded, request: ScoreRequest, room: int | None, *, cut: bool, keep: int
) -> Encoded:
    needed = _needed(found)
    if room is None or needed <= room:
        return found
    over = needed - room
    where = f"item {request.item!r}" if request.item else "a request"
    if not cut:
        raise TooLongError(
            f"{needed} tokens, and the model's window has {room}",
            where=where,
            remedy=f"{_SKIP}, or cut contexts from the left with --overlong cut",
        )
    # A token of the context's text is left, so that there is a context.
    if over >= len(found.context) - keep:
        raise TooLongError(
            f"a continuation alone fills the model's window of {room} tokens",
            where=where,
            remedy=_SKIP,
        )
    context = found.context[:keep] + found.context[keep + over :]
    return replace(found, context=context, cut=found.cut + over)
