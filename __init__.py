"""Isogloss: parallel dialect corpora, built, validated, published and measured on.

The public API is what ``__all__`` names here and in the sub-packages; names are
resolved on first use, so that importing the package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["__version__", "build", "varieties"]

if TYPE_CHECKING:
    from .builders import build
    from .corpus.varieties import varieties


def __getattr__(name: str) -> Any:
    if name == "build":
        from .builders import build

        return build
    if name == "varieties":
        from .corpus.varieties import varieties

        return varieties
    raise AttributeError(f"module 'isogloss' has no attribute {name!r}")
