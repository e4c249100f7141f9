"""Finds the files of a local model, and says which revision they are."""

from __future__ import annotations

from pathlib import Path

from ..corpus.hashing import file_sha256, json_sha256
from ..errors import ModelError

__all__ = ["resolve_model"]

#: What a model's folder has of use: settings, tokenizer and weights.
_PARTS = (".json", ".jinja", ".model", ".txt", ".safetensors", ".bin", ".gguf")


def resolve_model(name: str) -> tuple[str, str]:
    """Finds a local folder or a Hub model, and the revision that it is now.

    Returns:
        The path of the files, and a revision: a hash of the files of a local folder, or
        the commit of a Hub model.

    Raises:
        ModelError: If there is no such model, here or on the Hub.
    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        files = sorted(path for path in folder.iterdir() if path.suffix in _PARTS)
        if not (folder / "config.json").is_file():
            raise ModelError(
                "the folder has no config.json", where=f"hf:{name}", remedy="name a model's folder"
            )
        hashes = {path.name: file_sha256(path) for path in files}
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
