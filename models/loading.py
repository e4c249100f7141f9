"""Loads local models: quietly, on the right device, and with one line if it can't be done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import IsoglossError, ModelError, printable

__all__ = ["device_of", "loading", "positions_of"]


@contextmanager
def loading(where: str, what: str, *, remedy: str) -> Iterator[None]:
    """Keeps transformers from printing anything but errors, which would tear our progress.

    Args:
        where: The model as the user writes it.
        what: What is loaded, for the message.
        remedy: What to do if it can't be.

    Raises:
        ModelError: If what is loaded inside raises.
    """
    from transformers.utils import logging as untyped

    logging: Any = untyped
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    except IsoglossError:
        raise
    except Exception as error:
        # Besides its own errors, what damaged files make safetensors and tokenizers raise: plain
        # exceptions of no common kind.
        raise ModelError(
            f"{what} can't be loaded ({printable(str(error))[:160]})", where=where, remedy=remedy
        ) from error
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def device_of(device: str) -> str:
    """A device's name for torch; for ``auto`` the GPU if there is one."""
    import torch

    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    return device


def positions_of(model: Any) -> int | None:
    """How many tokens a transformers model has positions for; None if it counts none."""
    config = model.config.get_text_config()
    most = getattr(config, "max_position_embeddings", None) or 0
    for name, module in model.named_modules():
        # Models in the line of RoBERTa count positions from behind the padding's id.
        padding = getattr(module, "padding_idx", None)
        if name.endswith("position_embeddings") and padding is not None:
            most = module.num_embeddings - padding - 1
    return most if most > 0 else None
