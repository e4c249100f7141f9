"""Sentiment by a transformer with a classification head.

Batches depend on the texts of one call alone: distinct texts, sorted by length. A text beyond
the model's limit is read as far as the limit goes, as transformers' own pipeline does when told
to, and flagged.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import ModelError
from .batching import by_length, padded
from .classifier import LABELS, Labelled
from .encoder_files import EncoderFiles, find_encoder
from .loading import device_of, loading, positions_of

__all__ = ["HFClassifier"]

_BATCH_TOKENS = 4096
_UNBOUNDED = 1 << 20
_REMEDY = (
    "name a model with a head for negative, neutral and positive, such as "
    "cardiffnlp/twitter-roberta-base-sentiment-latest"
)
_MEANINGS = {"neg": "negative", "neu": "neutral", "pos": "positive"} | {
    label: label for label in LABELS
}
# Models whose configuration names no labels; their cards say which is which.
_UNNAMED = ("LABEL_0", "LABEL_1", "LABEL_2")
_SAID_ON_THE_CARD = re.compile(r"twitter-(?:xlm-)?roberta-base-sentiment", re.IGNORECASE)


class HFClassifier:
    """A sequence classifier from a folder, the Hub or a wheel, loaded at the first use.

    One thread at a time runs the model. Arithmetic is float32.

    Args:
        name: ``hf:FOLDER_OR_HUB_ID`` or ``wheel:DISTRIBUTION``.
        device: ``auto`` (a GPU if there is one), or a device's name for torch.

    Raises:
        ModelError: If there is no such model, or its labels are no sentiments.

    Attributes:
        labels: Those that the model can give.
    """

    def __init__(self, name: str, *, device: str = "auto") -> None:
        self._files = find_encoder(name)
        self._meanings = _meanings(self._files)
        self.labels: tuple[str, ...] = tuple(label for label in LABELS if label in self._meanings)
        self._device = device
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any, int] | None = None

    def describe(self) -> Mapping[str, Any]:
        """Model and revision; no folder of this machine."""
        return {
            "backend": self._files.backend,
            "model": self._files.model,
            "revision": self._files.revision,
            "labels": list(self.labels),
            "batch_tokens": _BATCH_TOKENS,
        }

    def classify(self, texts: Sequence[str]) -> list[Labelled]:
        """Gives each text the label with the highest score, the first of equal ones.

        Args:
            texts: Any texts, n of them.

        Returns:
            n entries; no label for a text without any token of its own.

        Raises:
            ModelError: If the model can't be loaded, or memory runs out.
        """
        with self._lock:
            self._loaded = self._loaded or _load(self._files, self._device)
            tokenizer, model, limit = self._loaded
            distinct = list(dict.fromkeys(texts))
            nothing, *tokens = _tokenized(tokenizer, ["", *distinct], None)
            labelled = [Labelled(None, "empty")] * len(distinct)
            full = [
                at
                for at, (text, ids) in enumerate(zip(distinct, tokens, strict=True))
                if text.strip() and len(ids) > len(nothing)
            ]
            long = [at for at in full if len(tokens[at]) > limit]
            cut = _tokenized(tokenizer, [distinct[at] for at in long], limit)
            for at, ids in zip(long, cut, strict=True):
                tokens[at] = ids
            for batch in by_length([tokens[at] for at in full], _BATCH_TOKENS):
                rows = [full[at] for at in batch]
                best = self._best(model, [tokens[at] for at in rows])
                for at, label in zip(rows, best, strict=True):
                    labelled[at] = Labelled(label)
        for at in long:
            labelled[at] = Labelled(labelled[at].label, "cut")
        by_text = dict(zip(distinct, labelled, strict=True))
        return [by_text[text] for text in texts]

    def close(self) -> None:
        """Lets go of the weights; the next use loads them again."""
        with self._lock:
            self._loaded = None

    def _best(self, model: Any, rows: Sequence[Sequence[int]]) -> list[str]:
        import torch

        ids, mask = padded(rows, model.config.pad_token_id, model.device)
        try:
            with torch.inference_mode():
                logits = model(input_ids=ids, attention_mask=mask).logits
        except torch.OutOfMemoryError as error:
            raise ModelError(
                f"no memory for {ids.numel()} tokens at once",
                where=self._files.name,
                remedy="use --device cpu",
            ) from error
        found: list[int] = logits.argmax(-1).tolist()
        names = {place: label for label, place in self._meanings.items()}
        return [names[place] for place in found]


def _meanings(files: EncoderFiles) -> dict[str, int]:
    """The place of each label among the model's scores."""
    with loading(files.name, "config.json", remedy="get the model's files again"):
        config: dict[str, Any] = json.loads((files.path / "config.json").read_text("utf-8"))
        said = {int(place): str(name) for place, name in (config.get("id2label") or {}).items()}
    names = [said[place] for place in sorted(said)]
    source = f"{files.model} {config.get('_name_or_path', '')}"
    if tuple(names) == _UNNAMED and _SAID_ON_THE_CARD.search(source):
        names = list(LABELS)
    meanings = {
        _MEANINGS[name.strip().lower()]: place
        for place, name in enumerate(names)
        if name.strip().lower() in _MEANINGS
    }
    if len(meanings) != len(names) or not {"negative", "positive"} <= set(meanings):
        shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        raise ModelError(
            f"its labels are no sentiments ({shown})" if names else "it has no labels",
            where=files.name,
            remedy=_REMEDY,
        )
    return meanings


def _load(files: EncoderFiles, device: str) -> tuple[Any, Any, int]:
    """Tokenizer, model, and how many tokens a text may have."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    with loading(files.name, "the classifier", remedy=_REMEDY):
        tokenizer: Any = AutoTokenizer.from_pretrained(files.path)
        model, found = AutoModelForSequenceClassification.from_pretrained(
            files.path, dtype=torch.float32, output_loading_info=True
        )
        model.to(device_of(device))
    if found["missing_keys"]:
        # Transformers would make them up at random.
        raise ModelError(
            f"the files lack {len(found['missing_keys'])} weights of the classifier "
            f"({min(found['missing_keys'])} is one)",
            where=files.name,
            remedy=_REMEDY,
        )
    # Masked, so any id will do; models that count positions from it have their own, and those
    # that read the last token find it by it.
    if model.config.pad_token_id is None:
        model.config.pad_token_id = tokenizer.pad_token_id or 0
    limit = min(tokenizer.model_max_length, positions_of(model) or _UNBOUNDED)
    return tokenizer, model.train(False), limit


def _tokenized(tokenizer: Any, texts: Sequence[str], limit: int | None) -> list[list[int]]:
    """Token ids of each text with the model's special tokens, cut at the limit if there is one."""
    if not texts:
        return []
    # Text is untrusted: "</s>" in it is four characters, not the end of a sentence.
    encoded = tokenizer(
        list(texts),
        truncation=limit is not None,
        max_length=limit,
        padding=False,
        split_special_tokens=True,
        verbose=False,
    )
    return [list(ids) for ids in encoded["input_ids"]]
