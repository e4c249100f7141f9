"""A causal language model that predicts at chosen nodes of token trees."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...corpus.hashing import json_sha256
from ...errors import ModelError
from ..config import ModelSettings
from ..loading import loading, positions_of
from .tree import Tree

__all__ = ["TreeModel"]

#: Rows of logits that are normalised at once.
_NORMALISED = 256
#: What torch says on a CPU, on Windows and elsewhere.
_NO_MEMORY = ("not enough memory", "can't allocate memory")
#: How far the answers of a tree and of plain rows may lie apart in a model of its kind.
_ALIKE = {"float32": 1e-3, "float64": 1e-6}
_ALIKE_HALF = 0.15


class TreeModel:
    """A model from a local folder, with its tokenizer.

    It is tried out when it is loaded: whether it takes a mask of its own for trees, and whether
    its last layer can be asked at some positions only. What it can't do is done in plain rows,
    or with all logits; the answers are the same.

    Args:
        name: As the user writes it, for messages.
        path: The folder.
        settings: Number format and device.

    Raises:
        ModelError: If it can't be loaded, or has no fast tokenizer.
    """

    def __init__(self, name: str, path: str, settings: ModelSettings) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self.name = name
        remedy = "name a causal language model with its tokenizer"
        with loading(name, "the model", remedy=remedy):
            self.tokenizer: Any = AutoTokenizer.from_pretrained(path)
            loaded: Any = AutoModelForCausalLM.from_pretrained(
                path,
                dtype=settings.dtype,
                device_map=_device_map(settings.device, torch),
                output_loading_info=True,
            )
        self._model: Any
        self._model, info = loaded
        if info["missing_keys"]:
            # They would be random numbers.
            some = ", ".join(sorted(info["missing_keys"])[:3])
            raise ModelError(f"the folder lacks weights ({some})", where=name, remedy=remedy)
        if not self.tokenizer.is_fast:
            raise ModelError(
                "the tokenizer gives no character offsets",
                where=name,
                remedy="add a tokenizer.json to the model's folder (a fast tokenizer)",
            )
        self._model.train(False)
        self._torch: Any = torch
        self.window = positions_of(self._model)
        self._head = _head_of(self._model)
        self.vocabulary = int(self._head.weight.shape[0])
        self.dtype = str(self._model.dtype).removeprefix("torch.")
        self.projects = self.trees = False
        if self._looks_ahead():
            raise ModelError(
                "the model sees the tokens that it shall predict", where=name, remedy=remedy
            )
        self.projects = self._agrees(tree=False)
        self.trees = not _forgets(self._model.config) and self._agrees(tree=True)

    def describe(self) -> Mapping[str, Any]:
        """Number format, device, window, hashes of tokenizer and chat template, how it is asked."""
        tokenizer = self.tokenizer.backend_tokenizer.to_str()
        template = self.tokenizer.chat_template
        return {
            "dtype": self.dtype,
            "device": str(self.device),
            "window": self.window,
            "vocabulary": self.vocabulary,
            "tokenizer_sha256": json_sha256(tokenizer),
            "chat_template_sha256": None if template is None else json_sha256(template),
            "trees": self.trees,
            "projects": self.projects,
        }

    @property
    def device(self) -> Any:
        """Where the tokens go."""
        return self._model.get_input_embeddings().weight.device

    @property
    def out_of_memory(self) -> tuple[type[BaseException], ...]:
        """What torch raises for want of memory, among others."""
        return (self._torch.OutOfMemoryError, MemoryError, RuntimeError)

    def is_out_of_memory(self, error: BaseException) -> bool:
        """Whether an error is for want of memory; on a CPU only its words say so."""
        if isinstance(error, self._torch.OutOfMemoryError | MemoryError):
            return True
        return isinstance(error, RuntimeError) and any(words in str(error) for words in _NO_MEMORY)

    def free(self) -> None:
        """Gives back what was kept for later."""
        if self._torch.cuda.is_available():
            self._torch.cuda.empty_cache()

    def close(self) -> None:
        """Lets go of the model."""
        del self._model, self._head
        self.free()

    def predict(self, rows: Sequence[Tree]) -> list[dict[tuple[int, int], float]]:
        """Natural log-probabilities at the nodes that are wanted.

        Args:
            rows: Trees; all of them chains if the model takes no trees.

        Returns:
            For each row: by node and token, log P(token | the node and all before it). NaN
            where the model gives none.
        """
        wanted = [row.targets for row in rows]
        logprobs = self._logprobs(rows, wanted, tree=self.trees, project=self.projects)
        found, at = [], 0
        for targets in wanted:
            found.append(dict(zip(targets, logprobs[at : at + len(targets)], strict=True)))
            at += len(targets)
        return found

    def _logprobs(
        self,
        rows: Sequence[Tree],
        wanted: Sequence[Sequence[tuple[int, int]]],
        *,
        tree: bool,
        project: bool,
    ) -> list[float]:
        torch = self._torch
        longest = max(map(len, rows))
        ids = np.zeros((len(rows), longest), dtype=np.int64)
        for at, row in enumerate(rows):
            # Padding is a token that is there anyway, for a strange one may have odd weights.
            ids[at] = row.tokens[0]
            ids[at, : len(row)] = row.tokens
        places = [at * longest + node for at, targets in enumerate(wanted) for node, _ in targets]
        # Several tokens may be wanted of one node; it is asked once.
        asked, back = np.unique(np.array(places, dtype=np.int64), return_inverse=True)
        tokens = torch.tensor([token for targets in wanted for _, token in targets])
        with torch.inference_mode():
            inputs = self._inputs(rows, longest, tree=tree)
            logits = self._logits(torch.from_numpy(ids).to(self.device), inputs, asked, project)
            values = []
            for start in range(0, len(back), _NORMALISED):
                part = torch.from_numpy(back[start : start + _NORMALISED]).to(logits.device)
                chosen = logits[part].float()
                picked = tokens[start : start + _NORMALISED].to(logits.device)
                logprob = chosen.gather(1, picked[:, None])[:, 0] - chosen.logsumexp(1)
                values += logprob.cpu().tolist()
        return [value if math.isfinite(value) else _undefined(value) for value in values]

    def _inputs(self, rows: Sequence[Tree], longest: int, *, tree: bool) -> dict[str, Any]:
        """Positions and mask: a mask of its own for trees, the usual one for chains."""
        torch = self._torch
        if not tree:
            mask = np.zeros((len(rows), longest), dtype=np.int64)
            for at, row in enumerate(rows):
                mask[at, : len(row)] = 1
            return {"attention_mask": torch.from_numpy(mask).to(self.device)}
        depths = np.zeros((len(rows), longest), dtype=np.int64)
        sees = np.zeros((len(rows), 1, longest, longest), dtype=np.bool_)
        # What stands behind a row attends to itself, so that nothing there is undefined.
        sees[:, 0, np.arange(longest), np.arange(longest)] = True
        for at, row in enumerate(rows):
            depths[at, : len(row)] = row.depths()
            sees[at, 0, : len(row), : len(row)] = row.sees()
        seen = torch.from_numpy(sees).to(self.device)
        least = torch.finfo(self._model.dtype).min
        return {
            "position_ids": torch.from_numpy(depths).to(self.device),
            "attention_mask": torch.where(seen, 0.0, least).to(self._model.dtype),
        }

    def _logits(self, ids: Any, inputs: dict[str, Any], asked: Any, project: bool) -> Any:
        """Logits at chosen places of the batch laid out in one row, shape (places, vocabulary)."""
        places = self._torch.from_numpy(asked)
        if not project:
            logits = self._model(input_ids=ids, use_cache=False, **inputs).logits
            return logits.flatten(0, 1)[places.to(logits.device)]

        def choose(_: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
            states = arguments[0]
            return states.flatten(0, -2)[places.to(states.device)][None], *arguments[1:]

        # What a model does to its logits afterwards (caps, scales) is still done.
        hook = self._head.register_forward_pre_hook(choose)
        try:
            return self._model(input_ids=ids, use_cache=False, **inputs).logits[0]
        finally:
            hook.remove()

    def _looks_ahead(self) -> bool:
        """Whether predictions change with what comes later, as those of encoders do."""
        probe = _probe(self.vocabulary)
        whole = _chain(probe, next(iter(probe.wanted)))
        ((nodes, tokens),) = whole.wanted.values()
        begun = Tree(whole.tokens[:-3], whole.parents[:-3], {(0, 0): (nodes[:-3], tokens[:-3])})
        first, second = (
            self._logprobs([row], [row.targets], tree=False, project=False)
            for row in (whole, begun)
        )
        far = 10 * _ALIKE.get(self.dtype, _ALIKE_HALF)
        return any(abs(one - other) > far for one, other in zip(first, second, strict=False))

    def _agrees(self, *, tree: bool) -> bool:
        """Whether a way of asking gives what plain rows with all logits give."""
        probe = _probe(self.vocabulary)
        chains = [_chain(probe, branch) for branch in probe.wanted]
        expected = self._logprobs(
            chains, [row.targets for row in chains], tree=False, project=False
        )
        rows = [probe] if tree else chains
        try:
            project = True if not tree else self.projects
            found = self._logprobs(rows, [row.targets for row in rows], tree=tree, project=project)
        except (AttributeError, IndexError, RuntimeError, TypeError, ValueError):
            return False
        if tree:
            known = dict(zip(probe.targets, found, strict=True))
            found = [known[pair] for nodes, tokens in probe.wanted.values()
                     for pair in zip(nodes, tokens, strict=True)]  # fmt: skip
            expected = [
                value
                for row, at in zip(chains, _starts(chains), strict=True)
                for value in expected[at : at + len(row.targets)]
            ]
        limit = _ALIKE.get(self.dtype, _ALIKE_HALF)
        return len(found) == len(expected) and all(
            abs(one - other) <= limit for one, other in zip(found, expected, strict=True)
        )


def _probe(vocabulary: int) -> Tree:
    """A tree with two branches whose order in the row is not the order of their positions."""
    from .boundary import Encoded

    numbers = [7 + 13 * at % (max(vocabulary - 8, 1)) for at in range(1, 24)]
    tokens = [number % vocabulary for number in numbers]
    tree = Tree()
    branches = (tuple(tokens[8:14]), tuple(tokens[14:23]))
    tree.add(0, Encoded(tuple(tokens[:8]), branches, ("", "")))
    return tree


def _chain(probe: Tree, branch: tuple[int, int]) -> Tree:
    """One branch of a tree as a row of its own."""
    nodes, tokens = probe.wanted[branch]
    path, node = [], nodes[-1]
    while node >= 0:
        path.append(node)
        node = probe.parents[node]
    path.reverse()
    row = Tree([probe.tokens[node] for node in path], list(range(-1, len(path) - 1)))
    row.wanted[branch] = ([path.index(node) for node in nodes], tokens)
    return row


def _starts(rows: Sequence[Tree]) -> list[int]:
    return [sum(len(row.targets) for row in rows[:at]) for at in range(len(rows))]


def _undefined(value: float) -> float:
    """Minus infinity stays what it is; anything else that isn't finite is no probability."""
    return value if value == -math.inf else math.nan


def _head_of(model: Any) -> Any:
    """The layer that makes logits of hidden states."""
    return model.get_output_embeddings()


def _forgets(config: Any) -> bool:
    """Whether a model doesn't see all that stands before: sliding windows, recurrence.

    A short trial doesn't show it, so the configuration is asked.
    """
    config = config.get_text_config(decoder=True)
    kinds = set(getattr(config, "layer_types", None) or [])
    kinds |= set(getattr(config, "attention_layers", None) or [])
    window = getattr(config, "sliding_window", None)
    used = getattr(config, "use_sliding_window", True)
    return bool(kinds - {"full_attention"}) or bool(window and used and not kinds)


def _device_map(device: str, torch: Any) -> str | None:
    """Where the model goes: over the GPUs by default, on the CPU without one."""
    if device == "auto":
        return "auto" if torch.cuda.is_available() else None
    return device
