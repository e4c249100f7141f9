"""BERTScore through the `bert-score` package, with the model loaded once.

Zhang et al. 2020, *BERTScore: Evaluating Text Generation with BERT*. The package's own
functions encode and match; the batches are ours, because the package orders them by a
``set``, whose order changes from process to process and the last bits with it.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import OptionError
from ..models.encoder_files import EncoderFiles, find_encoder, read_recipe
from ..models.loading import device_of, loading, positions_of

__all__ = ["DEFAULT_MODEL", "BERTScore", "Scores"]

#: The model of paper A.
DEFAULT_MODEL = "hf:cardiffnlp/twitter-roberta-base-2022-154m"
#: The package's layer for RoBERTa-base; it doesn't know the model by its name.
_LAYERS = {"cardiffnlp/twitter-roberta-base-2022-154m": 10}
_BATCH = 64
#: Tokens of a text without any of its own, as the package counts them.
_SPECIAL = 2
_UNBOUNDED = 1 << 20


@dataclass(frozen=True, slots=True)
class Scores:
    """BERTScores of n pairs, and what they were not computed from.

    Attributes:
        f1: n values of F1; 0 where there is nothing to compare.
        flags: n of ``""``, ``empty`` (a text without words) or ``cut`` (a text goes beyond the
            model's limit, and the value is of its beginning).

    Example:
        >>> scores = Scores([0.93, 0.0, 0.88], ["", "empty", "cut"])
        >>> scores.empty, scores.cut
        (1, 1)
    """

    f1: list[float]
    flags: list[str]

    @property
    def empty(self) -> int:
        """How many pairs score 0 because a text has no words."""
        return self.flags.count("empty")

    @property
    def cut(self) -> int:
        """How many values are of the beginning of a text only."""
        return self.flags.count("cut")


class BERTScore:
    """A model that scores candidates against references; it is loaded at the first use.

    Args:
        name: ``hf:FOLDER_OR_HUB_ID`` or ``wheel:DISTRIBUTION``.
        layer: Layer whose states are compared, 1 to the model's number of layers; None for
            the package's own choice for the model, or the layer at three quarters of the
            depth for one that it doesn't know.
        device: ``cpu``, ``cuda``, or ``auto``.

    Raises:
        ModelError: If there is no such model.
        OptionError: If the model has no such layer.
    """

    def __init__(self, name: str, *, layer: int | None = None, device: str = "auto") -> None:
        self._files = find_encoder(name)
        depth = read_recipe(self._files, "").layers
        if layer is None:
            layer = _known_layer(self._files.model) or max(1, round(depth * 0.75))
        self.layer = layer
        if not 1 <= self.layer <= depth:
            raise OptionError(
                f"{name} has layers 1 to {depth}, not {self.layer}",
                where="--bertscore-layer",
                remedy="give one of them, or leave the option out",
            )
        self._device = device
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None

    def describe(self) -> Mapping[str, Any]:
        """Model, revision and layer: what can change a score."""
        files = self._files
        return {
            "backend": files.backend,
            "model": files.model,
            "revision": files.revision,
            "layer": self.layer,
        }

    def score(self, candidates: Sequence[str], references: Sequence[str]) -> list[float]:
        """F1 of each candidate against its reference, as :meth:`measure` gives it."""
        return self.measure(candidates, references).f1

    def measure(self, candidates: Sequence[str], references: Sequence[str]) -> Scores:
        """F1 of each candidate against its reference, and which texts were empty or cut.

        A text without words scores 0. What goes beyond the model's limit is cut, as the
        package does, and flagged.

        Args:
            candidates: Texts, n of them.
            references: As many texts.

        Returns:
            n values of F1 (the paper's section 3, without idf weights or rescaling), n flags.

        Raises:
            ModelError: If the model can't be loaded.
        """
        pairs = list(zip(candidates, references, strict=True))
        scores = Scores([0.0] * len(pairs), ["empty"] * len(pairs))
        full = [index for index, pair in enumerate(pairs) if all(text.strip() for text in pair)]
        # Ties are broken by the texts, so that a batch holds the same rows each time.
        order = sorted(full, key=lambda index: (sum(map(len, pairs[index])), pairs[index]))
        with self._lock:
            for at in range(0, len(order), _BATCH):
                batch = order[at : at + _BATCH]
                values = self._batch([pairs[index] for index in batch])
                for index, (value, flag) in zip(batch, values, strict=True):
                    scores.f1[index], scores.flags[index] = value, flag
        return scores

    def _batch(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, str]]:
        """Value and flag of each pair."""
        from bert_score.utils import get_bert_embedding, greedy_cos_idf

        self._loaded = self._loaded or _load(self._files, self.layer, self._device)
        tokenizer, model = self._loaded
        weights: defaultdict[int, float] = defaultdict(lambda: 1.0)
        weights[tokenizer.sep_token_id] = weights[tokenizer.cls_token_id] = 0.0
        sides = [
            get_bert_embedding(
                [pair[side] for pair in pairs], model, tokenizer, weights, device=model.device
            )
            for side in (0, 1)
        ]
        lengths = [[int(n) for n in mask.sum(1)] for _, mask, _ in sides]
        flags = [_flag(tokenizer, *row) for row in zip(pairs, *lengths, strict=True)]
        # The package gives 0 to a text of no tokens too, and prints a line for every batch.
        kept = [at for at, flag in enumerate(flags) if flag != "empty"]
        values = [0.0] * len(pairs)
        if kept:
            candidates, references = ([part[kept] for part in side] for side in sides)
            _, _, f1 = greedy_cos_idf(*references, *candidates)
            for at, value in zip(kept, f1.tolist(), strict=True):
                values[at] = value
        return list(zip(values, flags, strict=True))


def _flag(tokenizer: Any, pair: tuple[str, str], *lengths: int) -> str:
    """What is to be said of a pair whose texts were encoded to so many tokens."""
    from bert_score.utils import sent_encode

    if min(lengths) <= _SPECIAL:
        return "empty"
    limit = tokenizer.model_max_length
    filled = [text for text, length in zip(pair, lengths, strict=True) if length >= limit]
    tokenizer.model_max_length = _UNBOUNDED
    try:
        return "cut" if any(len(sent_encode(tokenizer, text)) > limit for text in filled) else ""
    finally:
        tokenizer.model_max_length = limit


def _known_layer(model: str) -> int | None:
    """The layer for a Hub id, or for a folder that has its last part as its name."""
    from bert_score.utils import model2layers

    known: dict[str, int] = {**model2layers, **_LAYERS}
    by_name = {name.rpartition("/")[2]: layer for name, layer in known.items()}
    return known.get(model) or by_name.get(model)


def _load(files: EncoderFiles, layer: int, device: str) -> tuple[Any, Any]:
    """The tokenizer, and the model up to the layer."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    # The package's own loader takes any path with "t5" in it for a T5.
    with loading(files.name, "the model", remedy="name an encoder with its tokenizer"):
        tokenizer: Any = AutoTokenizer.from_pretrained(str(files.path))
        model: Any = AutoModel.from_pretrained(
            str(files.path), num_hidden_layers=layer, dtype=torch.float32
        )
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token
    room = positions_of(model) or 512
    # Many tokenizers name no limit at all, and what is not cut then overflows the positions.
    tokenizer.model_max_length = min(tokenizer.model_max_length, room)
    return tokenizer, model.to(device_of(device)).train(False)
