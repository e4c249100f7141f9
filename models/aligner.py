"""The aligners, found by name."""

from __future__ import annotations

import difflib
import re

from ..errors import OptionError
from .alignment import Aligner, Alignment
from .encoder import Encoder, load_encoder

__all__ = ["ALIGNERS", "Aligner", "Alignment", "default_layer", "load_aligner", "require_aligner"]

#: ``monotone`` needs no model, the others need an encoder.
ALIGNERS = ("awesome", "hybrid", "monotone")
# Trained to align words, by the method that `awesome` is.
_AWESOME_ENCODER = "hf:aneuraz/awesome-align-with-co"
# Layers that were measured to align best, of models known by name (benchmarks/bench_seams.py).
_LAYERS = {"all-minilm-l6": 3, "multilingual-e5-small": 6, "awesome-align-with-co": 8}


def load_aligner(name: str, encoder: Encoder | None = None, layer: int | None = None) -> Aligner:
    """Makes an aligner.

    Args:
        name: ``awesome`` (Dou & Neubig 2021), ``monotone`` (edit distance over spelling) or
            ``hybrid`` (edit distance over spelling and word vectors).
        encoder: Where word vectors come from; ``awesome`` alone has a default.
        layer: Whose hidden states they are; None for :func:`default_layer`.

    Raises:
        OptionError: If there is no such aligner or layer, or its encoder is missing.
        ModelError: If the default encoder can't be had.

    Example:
        >>> aligner = load_aligner("monotone")
        >>> aligner.align([("Werds heid regna?".split(), "Wird es heute regnen?".split())])
        [Alignment(links=((0, 0), (1, 2), (2, 3)), overlong=False)]
    """
    require_aligner(name)
    if name == "monotone":
        from .align_monotone import MonotoneAligner

        return MonotoneAligner()
    if encoder is None and name == "awesome":
        encoder = load_encoder(_AWESOME_ENCODER)
    if encoder is None:
        raise OptionError(
            f"the aligner {name!r} needs an encoder",
            where="aligner",
            remedy="give one, or choose monotone, which needs none",
        )
    layer = default_layer(encoder) if layer is None else layer
    if not 0 <= layer <= encoder.recipe.layers:
        raise OptionError(
            f"{encoder.files.name} has no layer {layer}",
            where="aligner",
            remedy=f"choose one from 0 to {encoder.recipe.layers}",
        )
    if name == "awesome":
        from .align_awesome import AwesomeAligner

        return AwesomeAligner(encoder, layer)
    from .align_hybrid import HybridAligner

    return HybridAligner(encoder, layer)


def require_aligner(name: str) -> None:
    """Refuses the name of no aligner.

    Raises:
        OptionError: If there is no such aligner.
    """
    if name not in ALIGNERS:
        close = difflib.get_close_matches(name, ALIGNERS, n=1, cutoff=0.5)
        raise OptionError(
            f"there is no aligner {name!r}",
            where="--aligner",
            remedy=(f"did you mean {close[0]}? " if close else "")
            + f"Aligners are {', '.join(ALIGNERS)}",
        )


def default_layer(encoder: Encoder) -> int:
    """The layer that aligns best where it was measured, half the depth where it wasn't."""
    name = encoder.files.model.lower()
    measured = (layer for part, layer in _LAYERS.items() if re.search(rf"\b{part}", name))
    return next(measured, (encoder.recipe.layers + 1) // 2)
