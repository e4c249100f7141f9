"""Finds a model that answers chats, by its name."""

from __future__ import annotations

from ..errors import ModelError, OptionError
from .asker import Asker
from .config import Config

__all__ = ["load_asker"]


def load_asker(name: str, *, config: Config | None = None, chat: str = "on") -> Asker:
    """Finds a model that answers chats; it is loaded when the first question must be asked.

    Args:
        name: ``hf:FOLDER_OR_HUB_ID``, ``wheel:DISTRIBUTION`` for a GGUF model inside an installed
            package, or ``openai:MODEL``.
        config: Models' settings.
        chat: One of :data:`~isogloss.models.scoring.request.CHAT`: whether a local model must
            have a chat template; without one it is asked in plain text.

    Raises:
        ModelError: If there is no such model, or a server needs a key and there is none.
        OptionError: If a server shall be asked without its template.

    Example:
        >>> load_asker("smollm")  # doctest: +ELLIPSIS, +IGNORE_EXCEPTION_DETAIL
        Traceback (most recent call last):
        ...
        isogloss.errors.ModelError: error[model]: smollm: that is no name of a model ...
    """
    settings = (config or Config()).settings(name)
    backend, _, rest = name.partition(":")
    if backend in ("hf", "wheel") and rest:
        from .hf_chat import hf_asker

        return hf_asker(rest if backend == "hf" else name, settings, chat=chat)
    if backend == "openai" and rest:
        if chat == "off":
            raise OptionError(
                "a chat endpoint is always asked by its template",
                where="--chat off",
                remedy="leave --chat off out, or name other tasks",
            )
        from .openai_chat import openai_asker

        return openai_asker(rest, settings)
    raise ModelError(
        "that is no name of a model that answers chats",
        where=name or "--model",
        remedy="write hf:FOLDER_OR_HUB_ID, wheel:DISTRIBUTION or openai:MODEL",
    )
