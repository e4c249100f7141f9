"""A causal language model that predicts at chosen nodes of token trees."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...corpus.hashing import json_sha256
from ...errors import ModelError
from ..config import ModelSettings
from ..loading import loading, positions_of
from .tree import Tree

__all__ = ["PIECE", "TreeModel"]

PIECE = 1 << 24, 1 << 28
"""Bytes of logits that are there at once, on a CPU and elsewhere."""
#: What torch says on a CPU, on Windows and elsewhere.
_NO_MEMORY = ("not enough memory", "can't allocate memory")
#: What a model raises that can't be asked in a way.
_CANT = (AttributeError, IndexError, RuntimeError, TypeError, ValueError)
#: How far the answers of a tree and of plain rows may lie apart in a model of its kind.
_ALIKE = {"float32": 1e-3, "float64": 1e-6}
_ALIKE_HALF = 0.15


class TreeModel:
    """A model from a local folder, with its tokenizer.

    It is tried out when it is loaded: whether it takes a mask of its own for trees, whether its
    last layer can be asked at some positions only, and whether that layer has the last word, so
    that it can be asked piece by piece. What it can't do is done in plain rows, or with all
    logits; the answers are the same.

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
        size = PIECE[self.device.type != "cpu"]
        self._piece = max(1, size // (4 * self.vocabulary))
        self.projects = self.trees = self.in_pieces = False
        if self._looks_ahead():
            raise ModelError(
                "the model sees the tokens that it shall predict", where=name, remedy=remedy
            )
        self.projects = self._agrees(tree=False)
        self.in_pieces = self.projects and self._leaves_logits_alone()
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
            "in_pieces": self.in_pieces,
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
        tokens = np.array([token for targets in wanted for _, token in targets], dtype=np.int64)
        order = np.argsort(back, kind="stable")
        values = np.empty(len(back))
        at = 0
        with torch.inference_mode():
            inputs = self._inputs(rows, longest, tree=tree)
            for logits in self._logits(
                torch.from_numpy(ids).to(self.device), inputs, asked, project
            ):
                here = order[slice(*np.searchsorted(back[order], (at, at + len(logits))))]
                nodes, picked = (
                    torch.from_numpy(part[here]).to(logits.device) for part in (back - at, tokens)
                )
                at += len(logits)
                logits = logits.float()
                chosen = logits[nodes, picked]
                values[here] = (chosen - _log_sum_exp(logits)[nodes]).cpu().numpy()
        return [value if math.isfinite(value) else _undefined(value) for value in values.tolist()]

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

    def _logits(self, ids: Any, inputs: dict[str, Any], asked: Any, project: bool) -> Iterator[Any]:
        """Logits at chosen places of the batch laid out in one row.

        Yields:
            Pieces of shape ``(places, vocabulary)``, in the order of the places.
        """
        places = self._torch.from_numpy(asked)
        if not project:
            logits = self._model(input_ids=ids, use_cache=False, **inputs).logits
            logits = logits.flatten(0, 1)
            for some in places.split(self._piece):
                yield logits[some.to(logits.device)]
            return
        states: list[Any] = []

        def choose(_: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
            rows = arguments[0].flatten(0, -2)
            chosen = rows[places.to(rows.device)]
            states.append(chosen)
            return (chosen[:1] if self.in_pieces else chosen)[None], *arguments[1:]

        # What a model does to its logits afterwards (caps, scales) is still done.
        with self._hooked(self._head.register_forward_pre_hook(choose)):
            logits = self._model(input_ids=ids, use_cache=False, **inputs).logits[0]
        if not self.in_pieces:
            yield from logits.split(self._piece)
            return
        del logits
        for some in states.pop().split(self._piece):
            yield self._head(some)

    @staticmethod
    @contextmanager
    def _hooked(hook: Any) -> Iterator[None]:
        try:
            yield
        finally:
            hook.remove()

    def _leaves_logits_alone(self) -> bool:
        """Whether the model does nothing to what its last layer says: no cap, no scale."""
        torch = self._torch
        said: list[Any] = []

        def say(_: Any, __: Any, logits: Any) -> Any:
            numbers = torch.linspace(-1e3, 1e3, logits.shape[-1])
            said.append(numbers.to(logits).expand(logits.shape).clone())
            return said[-1].clone()  # which the model may write into

        ids = torch.zeros((1, 2), dtype=torch.int64, device=self.device)
        try:
            with torch.inference_mode(), self._hooked(self._head.register_forward_hook(say)):
                found = self._model(input_ids=ids, use_cache=False).logits
            return bool(torch.equal(found, said[0]))
        except _CANT:
            return False

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
        except _CANT:
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


def _log_sum_exp(logits: Any) -> Any:
    """As torch's ``logsumexp`` over the last dimension, in the memory of the logits."""
    most = logits.amax(1)
    most = most.where(most.isfinite(), 0.0)
    return logits.sub_(most[:, None]).exp_().sum(1).log_().add_(most)


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
