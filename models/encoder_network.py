"""The network of an encoder: token ids in, hidden states out, padding masked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from .batching import padded
from .encoder_files import EncoderFiles, Recipe
from .loading import device_of, loading, positions_of

__all__ = ["Floats", "Network"]

Floats = NDArray[np.float32]
_UNBOUNDED = 1 << 20  # a tokenizer that knows no limit says something far above


class _Reached(Exception):  # noqa: N818
    """The wanted layer's states are there: the layers above it need not run."""

    def __init__(self, states: Any) -> None:
        super().__init__()
        self.states = states


class Network:
    """Tokenizer and weights, loaded.

    Args:
        files: Where they are.
        recipe: How the encoder is used.
        device: ``auto`` (a GPU if there is one), or a device's name for torch.

    Raises:
        ModelError: If they can't be loaded.

    Attributes:
        limit: Tokens that a text may have, special ones counted.
        width: Of a hidden state.
    """

    def __init__(self, files: EncoderFiles, recipe: Recipe, device: str) -> None:
        import torch
        from transformers import AutoModel, AutoTokenizer

        self._name = files.name
        self._layers = recipe.layers
        remedy = "name a text encoder with its tokenizer"
        with loading(self._name, "the encoder", remedy=remedy):
            self._tokenizer: Any = AutoTokenizer.from_pretrained(files.path)
            self._model, found = AutoModel.from_pretrained(
                files.path, dtype=torch.float32, output_loading_info=True
            )
            self._model.to(device_of(device))
        # A pooler over the first token is no part of what is computed here.
        missing = sorted(key for key in found["missing_keys"] if not key.startswith("pooler."))
        if missing:
            raise ModelError(
                f"the files lack {len(missing)} weights ({missing[0]} is one)",
                where=self._name,
                remedy="get the model's files again",
            )
        self._model.train(False)
        self.width: int = self._model.config.hidden_size
        self.limit = min(
            recipe.longest or _UNBOUNDED,
            self._tokenizer.model_max_length,
            positions_of(self._model) or _UNBOUNDED,
        )
        # Masked, so any id will do; models that count positions from it need their own.
        filling = (self._tokenizer.pad_token_id, self._model.config.pad_token_id)
        self._filling: int = next((token for token in filling if token is not None), 0)

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text with the model's special tokens, never cut."""
        return [list(ids) for ids in self._encoded(texts)["input_ids"]] if texts else []

    def tokenize_words(
        self, sentences: Sequence[Sequence[str]]
    ) -> tuple[list[list[int]], list[NDArray[np.int64]]]:
        """Token ids of each sentence, and for each token its word, -1 for special ones.

        Raises:
            ModelError: If the tokenizer can't say where its tokens stand.
        """
        if not self._tokenizer.is_fast:
            raise ModelError(
                "the tokenizer can't say which word a token belongs to",
                where=self._name,
                remedy="use an encoder with a tokenizer.json",
            )
        if not sentences:
            return [], []
        encoded = self._encoded(
            [" ".join(words) for words in sentences],
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
        )
        owners = []
        for at, words in enumerate(sentences):
            # A token's last character is its word's, also where the space before belongs to it.
            ends = np.array([end for _, end in encoded["offset_mapping"][at]], dtype=np.int64)
            closed = np.cumsum([len(word) + 1 for word in words])
            owner = np.searchsorted(closed, ends, side="left")
            special = np.array(encoded["special_tokens_mask"][at], dtype=bool)
            owners.append(np.where(special | (ends == 0), -1, owner))
        return [list(ids) for ids in encoded["input_ids"]], owners

    def hidden(self, batch: Sequence[Sequence[int]], layer: int) -> Floats:
        """Hidden states of one layer, shape ``(rows, longest row, d)``; 0: the embeddings."""
        import torch

        with torch.inference_mode():
            ids, mask = padded(batch, self._filling, self._model.device)
            states: Floats = self._states(ids, mask, layer).cpu().numpy()
        return states

    def pooled(self, batch: Sequence[Sequence[int]], pooling: str) -> Floats:
        """One vector of norm 1 for each row, shape ``(rows, d)``."""
        import torch

        with torch.inference_mode():
            ids, mask = padded(batch, self._filling, self._model.device)
            states = self._states(ids, mask, self._layers)
            if pooling == "cls":
                pooled = states[:, 0]
            else:
                weights = mask[:, :, None].to(states.dtype)
                pooled = (states * weights).sum(1) / weights.sum(1)
            unit: Floats = torch.nn.functional.normalize(pooled, dim=1).cpu().numpy()
        return unit

    def _encoded(self, texts: Sequence[str], **more: bool) -> Any:
        # Text is untrusted: "[SEP]" in it is six characters, not the end of a sentence.
        return self._tokenizer(
            list(texts),
            truncation=False,
            padding=False,
            split_special_tokens=True,
            verbose=False,
            **more,
        )

    def _states(self, ids: Any, mask: Any, layer: int) -> Any:
        import torch

        blocks = self._blocks()
        hook = None
        try:
            if layer < self._layers:
                hook = blocks[layer].register_forward_pre_hook(_stop, with_kwargs=True)
            return self._model(input_ids=ids, attention_mask=mask).last_hidden_state
        except _Reached as reached:
            return reached.states
        except torch.OutOfMemoryError as error:
            raise ModelError(
                f"no memory for {ids.numel()} tokens at once",
                where=self._name,
                remedy="give a smaller batch_tokens",
            ) from error
        finally:
            if hook is not None:
                hook.remove()

    def _blocks(self) -> Any:
        """The stack of layers: the one list of modules that is as long as the model is deep."""
        import torch

        stacks = (
            module
            for module in self._model.modules()
            if isinstance(module, torch.nn.ModuleList) and len(module) == self._layers
        )
        found = next(stacks, None)
        if found is None:
            raise ModelError(
                "its layers share their weights, and no single one can be read",
                where=self._name,
                remedy="name another encoder, or align with --aligner monotone",
            )
        return found


def _stop(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:  # noqa: ARG001
    raise _Reached(args[0] if args else kwargs["hidden_states"])
