"""Whatever runs a model, behind small protocols; backends are named ``backend:name``."""

from .translator import Translation, Translator, load_translator

__all__ = ["Translation", "Translator", "load_translator"]
