"""The nouns: varieties and their lexicon, schemas, the store, the manifest, the splits."""

from .manifest import FORMAT_VERSION, read_manifest

__all__ = ["FORMAT_VERSION", "read_manifest"]
