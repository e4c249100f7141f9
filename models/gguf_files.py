"""A causal language model in a GGUF file inside an installed package, as a folder of its own.

Such packages bring a small quantised model without any download from a hub. The weights are
written out once, in float32, and stay in the cache.
"""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

from ..errors import ModelError
from ..tools.home import HOME, home_folder
from .loading import loading
from .wheel_files import file_in_wheel

__all__ = ["gguf_folder"]


def gguf_folder(name: str) -> Path:
    """The folder of a package's model; it is made at the first call, which takes some seconds.

    Args:
        name: The package.

    Raises:
        ModelError: If the package isn't installed, has no GGUF file, or it can't be read.
    """
    file, version = file_in_wheel(name, "*.gguf")
    folder = home_folder() / "models" / f"{name.lower().replace('_', '-')}-{version}"
    if (folder / "config.json").is_file():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise ModelError(
            f"the folder of models can't be written ({error.strerror})",
            where=str(folder.parent),
            remedy=f"name another one with the variable {HOME}",
        ) from error
    try:
        # A temporary folder is closed to others; one inside it has the mode of any new folder.
        inner = made / "model"
        inner.mkdir()
        _write_out(file, inner, f"wheel:{name}")
        try:
            os.replace(inner, folder)
        except OSError:
            # Another process was quicker; its folder is as good.
            if not (folder / "config.json").is_file():
                raise
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return folder


def _write_out(file: Path, folder: Path, where: str) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    # The bar that shows how the weights are read asks nobody whether it may.
    quiet = redirect_stderr(io.StringIO())
    with loading(where, "the model", remedy="install the package anew"), quiet:
        tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
        model: Any = AutoModelForCausalLM.from_pretrained(
            file.parent, gguf_file=file.name, dtype="float32"
        )
        # It is quantised no more.
        model.hf_quantizer, model.is_quantized = None, False
        if hasattr(model.config, "quantization_config"):
            del model.config.quantization_config
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
