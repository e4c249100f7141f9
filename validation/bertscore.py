"""BERTScore through the `bert-score` package, with the model loaded once.

Zhang et al. 2020, *BERTScore: Evaluating Text Generation with BERT*. The package's own
functions encode and match; the batches are ours, because the package orders them by a
``set``, whose order changes from process to process and the last bits with it.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import OptionError
from ..models.encoder_files import EncoderFiles, find_encoder, read_recipe
from ..models.loading import device_of, loading

__all__ = ["DEFAULT_MODEL", "BERTScore"]

#: The model of paper A.
DEFAULT_MODEL = "hf:cardiffnlp/twitter-roberta-base-2022-154m"
#: The package's layer for RoBERTa-base; it doesn't know the model by its name.
_LAYERS = {"cardiffnlp/twitter-roberta-base-2022-154m": 10}
_BATCH = 64
#: RoBERTa counts positions from behind its padding index.
_POSITIONS_LOST = {"camembert": 2, "roberta": 2, "xlm-roberta": 2}


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
        """F1 of each candidate against its reference.

        A text without words scores 0. What goes beyond the model's limit is cut, as the
        package does.

        Args:
            candidates: Texts, n of them.
            references: As many texts.

        Returns:
            n values of F1 (the paper's section 3, without idf weights or rescaling).

        Raises:
            ModelError: If the model can't be loaded.
        """
        scores = [0.0] * len(candidates)
        pairs = list(zip(candidates, references, strict=True))
        full = [index for index, pair in enumerate(pairs) if all(text.strip() for text in pair)]
        # Ties are broken by the texts, so that a batch holds the same rows each time.
        order = sorted(full, key=lambda index: (sum(map(len, pairs[index])), pairs[index]))
        with self._lock:
            for at in range(0, len(order), _BATCH):
                batch = order[at : at + _BATCH]
                values = self._batch([pairs[index] for index in batch])
                for index, value in zip(batch, values, strict=True):
                    scores[index] = value
        return scores

    def _batch(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        from bert_score.utils import get_bert_embedding, greedy_cos_idf

        self._loaded = self._loaded or _load(self._files, self.layer, self._device)
        tokenizer, model = self._loaded
        weights: defaultdict[int, float] = defaultdict(lambda: 1.0)
        weights[tokenizer.sep_token_id] = weights[tokenizer.cls_token_id] = 0.0
        candidates, references = (
            get_bert_embedding(
                [pair[side] for pair in pairs], model, tokenizer, weights, device=model.device
            )
            for side in (0, 1)
        )
        _, _, f1 = greedy_cos_idf(*references, *candidates)
        return [float(value) for value in f1.cpu()]


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
    positions = getattr(model.config, "max_position_embeddings", None) or 512
    room = positions - _POSITIONS_LOST.get(model.config.model_type, 0)
    # Many tokenizers name no limit at all, and what is not cut then overflows the positions.
    tokenizer.model_max_length = min(tokenizer.model_max_length, room)
    return tokenizer, model.to(device_of(device)).train(False)
