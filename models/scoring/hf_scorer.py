"""Scores with a local model through transformers, batch after batch of token trees."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from ...corpus.hashing import json_sha256
from ...errors import ModelError
from ..chat import Fault
from ..config import ModelSettings
from ..hf_chat import hf_identity
from ..model_files import full_name, resolve_model
from .batches import Room, Unit, batches, units
from .boundary import Encoded, NoTokensError, QuestionTooLongError, TooLongError, encode
from .hf_model import PIECE, TreeModel
from .request import Score, Scored, ScoreRequest
from .scorer import TOO_LONG, Deliver, Notes, Scorer, unserved
from .tree import plain_rows

__all__ = ["HFScorer", "hf_scorer"]

#: Tokens of a batch on a CPU, where more of them only leave its caches, and on other devices;
#: tokens of a row; and bytes of logits where all of a batch are there at once.
_TOKENS = 1_024
_TOKENS_ELSEWHERE = 16_384
_ROW = 128
_LOGIT_BYTES = 1 << 28


class HFScorer:
    """A causal language model that scores.

    Args:
        name: As the user writes it.
        path: The model's folder.
        settings: Number format, device, batch size.
        cut: Cut contexts that are too long from their left side.
        skip: Count what is too long as failed; else it is an error.
        chat: One of :data:`~isogloss.models.scoring.request.CHAT`.
    """

    def __init__(
        self,
        name: str,
        path: str,
        settings: ModelSettings,
        *,
        cut: bool,
        skip: bool = False,
        chat: str = "auto",
    ) -> None:
        self.name, self._cut, self._skip, self._chat = name, cut, skip, chat
        self._model = TreeModel(name, path, settings)
        tokens = _TOKENS if self._model.device.type == "cpu" else _TOKENS_ELSEWHERE
        places = 1 << 30 if self._model.in_pieces else _LOGIT_BYTES // (4 * self._model.vocabulary)
        self._room = Room(tokens, _ROW, max(1, places))

    def describe(self) -> Mapping[str, Any]:
        """Number format, window, and how the model is asked."""
        return self._model.describe()

    def close(self) -> None:
        """Lets go of the model."""
        self._model.close()

    def answer(
        self,
        requests: Sequence[ScoreRequest],
        missing: AbstractSet[int],
        deliver: Deliver,
        notes: Notes,
    ) -> None:
        """Scores batch after batch; each is in the journal before the next begins.

        Raises:
            TooLongError: If a request doesn't fit into the model's window, and isn't skipped.
            ModelError: If one batch's rows are too much for the memory one by one.
        """
        model = self._model
        encoded, faults = self._encoded(requests)
        for number in sorted(missing & faults.keys()):
            deliver(number, faults[number])
        items = [request.item for request in requests]
        made = units(encoded, items, self._room, tree=model.trees)
        for batch in batches(made, self._room):
            numbers = [number for unit in batch for number in unit.requests]
            if missing.isdisjoint(numbers):
                continue
            logprobs = self._predicted(batch, notes)
            if model.trees:
                self._set_apart(logprobs, encoded)
            written = [
                deliver(number, _score(number, encoded[number], logprobs)) for number in numbers
            ]
            for future in written:
                future.result()

    def _encoded(
        self, requests: Sequence[ScoreRequest]
    ) -> tuple[dict[int, Encoded], dict[int, Fault]]:
        """By number, the requests in tokens; and why some can't be scored."""
        tokenizer, room = self._model.tokenizer, self._model.window
        found: dict[int, Encoded] = {}
        faults: dict[int, Fault] = {}
        for number, request in enumerate(requests):
            try:
                found[number] = encode(
                    tokenizer, request, room=room, cut=self._cut, chat=self._chat
                )
            except NoTokensError:
                faults[number] = Fault("no_tokens", "a continuation has no token of its own")
            except TooLongError as error:
                if not self._skip and not isinstance(error, QuestionTooLongError):
                    raise
                faults[number] = Fault(TOO_LONG, error.what)
        return found, faults

    def _predicted(self, batch: Sequence[Unit], notes: Notes) -> dict[tuple[int, int], list[float]]:
        """Log-probabilities of every continuation, by the numbers of request and continuation.

        A batch that is too big for the memory is computed in parts. In how many is noted before
        an answer counts, so that a resumed run does the same.
        """
        rows = [row for unit in batch for row in unit.rows]
        about = f"parts of batch {json_sha256([row.tokens for row in rows])}"
        known = parts = int(notes.recall(about) or 1)
        while True:
            try:
                found = self._in_parts(rows, parts)
                break
            except self._model.out_of_memory as error:
                if not self._model.is_out_of_memory(error):
                    raise
                if parts >= len(rows):
                    raise ModelError(
                        f"no memory for a row of {len(rows[0])} tokens",
                        where=self.name,
                        remedy="use a smaller number format (dtype), a bigger device, or leave "
                        "the longest rows out",
                    ) from error
                self._model.free()
            parts = min(2 * parts, len(rows))
        if parts != known:
            notes.remember(about, parts)
        return {
            key: [logprob[pair] for pair in zip(nodes, tokens, strict=True)]
            for row, logprob in zip(rows, found, strict=True)
            for key, (nodes, tokens) in row.wanted.items()
        }

    def _set_apart(
        self, logprobs: dict[tuple[int, int], list[float]], encoded: Mapping[int, Encoded]
    ) -> None:
        """Asks again, in rows of their own, for what is NaN.

        A mask keeps the trees of a row from seeing each other, but nothing times NaN is NaN: one
        that overflows would take its neighbours with it.
        """
        for number in sorted({n for (n, _), row in logprobs.items() if any(map(math.isnan, row))}):
            for row in plain_rows(number, encoded[number]):
                (found,) = self._model.predict([row])
                for key, (nodes, tokens) in row.wanted.items():
                    logprobs[key] = [found[pair] for pair in zip(nodes, tokens, strict=True)]

    def _in_parts(self, rows: Sequence[Any], parts: int) -> list[dict[tuple[int, int], float]]:
        size = -(-len(rows) // parts)
        found = []
        for at in range(0, len(rows), size):
            found += self._model.predict(rows[at : at + size])
        return found


def _score(number: int, encoded: Encoded, logprobs: dict[tuple[int, int], list[float]]) -> Score:
    ends = encoded.ends or ((),) * len(encoded.texts)
    scored = tuple(
        Scored(tuple(logprobs[number, place]), len(text), len(text.encode()), ends[place])
        for place, text in enumerate(encoded.texts)
    )
    return Score(scored, len(encoded.context), encoded.shortened, encoded.cut)


def hf_scorer(
    name: str, settings: ModelSettings, *, overlong: str = "raise", chat: str = "auto"
) -> Scorer:
    """A local model behind its journal; see :func:`~.scorer.load_scorer`."""
    cut, skip = (overlong == way for way in ("cut", "skip"))
    path, revision = resolve_model(name)
    identity = hf_identity(name, revision, settings)
    del identity["batch_size"]  # of generation
    identity |= {
        "tokens": [_TOKENS, _TOKENS_ELSEWHERE],
        "row": _ROW,
        "logit_bytes": [_LOGIT_BYTES, *PIECE],
        # What fits has the same score, whether or not the rest is left out.
        "overlong": "cut" if cut else "raise",
    }
    return Scorer(
        full_name(name),
        identity,
        lambda: HFScorer(full_name(name), path, settings, cut=cut, skip=skip, chat=chat),
        chat=chat,
        unserved=unserved(overlong),
    )
