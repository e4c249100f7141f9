"""Chat with a local model through transformers, many requests in one batch.

The same rows in another batch give other bits, so batches depend on the requests of one
call alone, and a call that was interrupted repeats its batches whole.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ..corpus.hashing import canonical_json, json_sha256
from ..corpus.manifest import package_versions
from ..errors import ModelError
from .asker import Asker
from .budget import Budget
from .chat import PLAIN_TEXT, ChatRequest, Deliver, Fault, Price, Reply, plain_text
from .chat_template import DATE, RENDERING, chat_ids
from .config import LOCAL_PACKAGES, ModelSettings
from .loading import loading
from .model_files import full_name, resolve_model

__all__ = ["HFChat", "hf_asker", "hf_identity"]


class HFChat:
    """A causal language model from a folder or the Hub, asked by its chat template.

    Args:
        name: Folder or Hub id.
        path: Where its files are, from :func:`~isogloss.models.model_files.resolve_model`.
        revision: Its revision.
        settings: Batch size, dtype and device.
        chat: One of :data:`~isogloss.models.scoring.request.CHAT`: whether it must have a
            template; without one it is asked in plain text.
    """

    whole_batches = True

    def __init__(
        self, name: str, path: str, revision: str, settings: ModelSettings, *, chat: str = "on"
    ) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self.name = full_name(name)
        self.identity: Mapping[str, Any] = hf_identity(name, revision, settings)
        self.settings = settings
        self._lock = threading.Lock()
        remedy = "name a causal language model with its tokenizer"
        with loading(self.name, "the model", remedy=remedy):
            self._tokenizer: Any = AutoTokenizer.from_pretrained(path, padding_side="left")
            self._model: Any = AutoModelForCausalLM.from_pretrained(
                path, dtype=settings.dtype, device_map=_device_map(settings.device, torch)
            )
        if self._tokenizer.pad_token is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token
        self._templated = chat != "off" and self._tokenizer.chat_template is not None
        if chat == "on" and not self._templated:
            raise ModelError(
                "the tokenizer has no chat template",
                where=self.name,
                remedy="name an instruction-tuned model",
            )
        self._model.train(False)

    def close(self) -> None:
        """Lets go of the model."""
        del self._model

    def batches(self, requests: Sequence[ChatRequest]) -> list[list[int]]:
        """Requests of one sampling and of like length together, ``batch_size`` at once."""
        groups: dict[str, list[tuple[int, str, int]]] = {}
        for index, request in enumerate(requests):
            content = canonical_json(request.content())
            group = canonical_json(asdict(replace(request.sampling, max_tokens=0)))
            groups.setdefault(group, []).append((len(content), content, index))
        size = self.settings.batch_size
        return [
            [index for _, _, index in ordered[at : at + size]]
            for group in sorted(groups)
            for ordered in [sorted(groups[group])]
            for at in range(0, len(ordered), size)
        ]

    def answer(self, requests: Sequence[ChatRequest], deliver: Deliver, budget: Budget) -> None:
        """Answers batch after batch; each batch is journalled before the next one.

        Whole batches of an earlier call come out as the same batches again.
        """
        for batch in self.batches(requests):
            part = [requests[index] for index in batch]
            with self._lock:
                outcomes = self._generate(part, budget)
            written = [deliver(i, outcome) for i, outcome in zip(batch, outcomes, strict=True)]
            for future in written:
                future.result()

    def _generate(self, requests: Sequence[ChatRequest], budget: Budget) -> list[Reply | Fault]:
        import torch

        prompts = [self._ids(request) for request in requests]
        room = getattr(self._model.config, "max_position_embeddings", None) or 1 << 30
        fits = [
            len(p) + r.sampling.max_tokens <= room for p, r in zip(prompts, requests, strict=True)
        ]
        kept = [index for index, fit in enumerate(fits) if fit]
        outcomes: list[Reply | Fault] = [
            Fault("context_length", f"{len(prompt)} tokens and room for {room}")
            for prompt in prompts
        ]
        if not kept:
            return outcomes
        reserved = (
            sum(len(prompts[index]) for index in kept),
            sum(requests[index].sampling.max_tokens for index in kept),
        )
        while not budget.try_reserve(*reserved):
            time.sleep(0.05)
        try:
            with torch.inference_mode():
                written = self._continue(
                    [prompts[index] for index in kept], self._options([requests[i] for i in kept])
                )
        except torch.OutOfMemoryError as error:
            raise ModelError(
                f"no memory for {len(kept)} texts at once",
                where=self.name,
                remedy=f'give a smaller batch_size under [models."{self.name}"] in isogloss.toml',
            ) from error
        for index, row in zip(kept, written, strict=True):
            limit, whole = requests[index].sampling.max_tokens, requests[index].whole
            outcomes[index] = self._outcome(row[:limit], len(prompts[index]), whole=whole)
        used = sum((outcomes[index].output_tokens or 0) for index in kept)
        budget.settle(reserved, (reserved[0], used))
        return outcomes

    def _continue(self, prompts: list[list[int]], options: dict[str, Any]) -> list[list[int]]:
        """Continues each prompt; what all of them begin with is read once for the batch.

        The padding stands between the common beginning and the rest of a prompt, masked.
        """
        import torch

        common = _common_length(prompts)
        rest = max(len(prompt) for prompt in prompts) - common
        rows, masks = [], []
        for prompt in prompts:
            gap = common + rest - len(prompt)
            # Masked, so any token will do; one of the prompt's own can't sway a penalty on
            # repetition.
            rows.append(prompt[:common] + prompt[:1] * gap + prompt[common:])
            masks.append([1] * common + [0] * gap + [1] * (len(prompt) - common))
        device = self._model.device
        cache = None
        if common:
            head = torch.tensor([prompts[0][:common]], device=device)
            cache = self._model(input_ids=head, use_cache=True, logits_to_keep=1).cache
            cache.batch_repeat_interleave(len(prompts))
        written = self._model.generate(
            input_ids=torch.tensor(rows, device=device),
            attention_mask=torch.tensor(masks, device=device),
            cache=cache,
            **options,
        )
        return [list(row) for row in written[:, common + rest :].tolist()]

    def _ids(self, request: ChatRequest) -> list[int]:
        messages = list(request.messages)
        if not self._templated:
            system = [request.system] if request.system else []
            text = plain_text([*system, *(text for _, text in messages)])
            return list(self._tokenizer(text, split_special_tokens=True)["input_ids"])
        if request.system:
            messages.insert(0, ("system", request.system))
        return chat_ids(self._tokenizer, messages)

    def _options(self, requests: Sequence[ChatRequest]) -> dict[str, Any]:
        import torch

        sampling = requests[0].sampling
        options: dict[str, Any] = {
            "max_new_tokens": max(request.sampling.max_tokens for request in requests),
            "do_sample": sampling.temperature > 0,
            "pad_token_id": self._tokenizer.pad_token_id,
            "repetition_penalty": sampling.repetition_penalty,
        }
        if sampling.temperature > 0:
            content = [request.content() for request in requests]
            torch.manual_seed(int(json_sha256(content)[:15], 16))
            options |= {
                "temperature": sampling.temperature,
                "top_p": sampling.top_p,
                "top_k": sampling.top_k or 0,
            }
        else:
            options |= {"temperature": None, "top_p": None, "top_k": None}
        return options

    def _outcome(self, row: list[int], read: int, *, whole: bool) -> Reply | Fault:
        ends = self._model.generation_config.eos_token_id
        ends = set(ends if isinstance(ends, list) else [ends])
        stop = next((at for at, token in enumerate(row) if token in ends), None)
        if stop is None and not whole:
            stop = len(row)
        if stop is None:
            detail = "no end within max_tokens"
            return Fault("length", detail, 1, read, len(row))
        text = self._tokenizer.decode(row[:stop], skip_special_tokens=True).strip()
        if not text:
            return Fault("empty", "an empty answer", 1, read, stop)
        return Reply(text, read, stop)


def _common_length(prompts: Sequence[list[int]]) -> int:
    """Tokens that all prompts begin with, leaving each at least one of its own."""
    first, last = min(prompts), max(prompts)
    most = min(len(prompt) for prompt in prompts) - 1
    return next((at for at in range(most) if first[at] != last[at]), most)


def hf_asker(name: str, settings: ModelSettings, *, chat: str = "on") -> Asker:
    """A local model behind its journal; it is loaded when the first request must be asked.

    Args:
        name: Folder or Hub id.
        settings: Batch size, dtype and device.
        chat: See :class:`HFChat`.
    """
    path, revision = resolve_model(name)
    asked = {} if chat == "on" else {"chat": chat, "plain_text": PLAIN_TEXT}
    return Asker(
        lambda: HFChat(name, path, revision, settings, chat=chat),
        full_name(name),
        hf_identity(name, revision, settings) | asked,
        settings.price or Price(0.0, 0.0, ""),
    )


def hf_identity(name: str, revision: str, settings: ModelSettings) -> dict[str, Any]:
    """What can change an answer of a local model beside the request; no folder of this machine."""
    return {
        **package_versions(LOCAL_PACKAGES),
        "backend": "hf",
        "model": Path(name).name if Path(name).expanduser().is_dir() else name,
        "revision": revision,
        "dtype": settings.dtype,
        "batch_size": settings.batch_size,
        "template_date": DATE,
        "rendering": RENDERING,
    }


def _device_map(device: str, torch: Any) -> str | None:
    """Where the model goes: over the GPUs by default, on the CPU without one."""
    if device == "auto":
        return "auto" if torch.cuda.is_available() else None
    return device
