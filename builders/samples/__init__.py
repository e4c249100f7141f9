"""Small samples that ship: composed by the project, nobody's speech."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

__all__ = ["SAMPLE", "SAMPLE_NOTE", "is_sample", "sample_path"]

#: What a user writes instead of a file to get the sample.
SAMPLE = "sample"
SAMPLE_NOTE = (
    "The texts of this sample were composed for demonstration. They are nobody's speech, "
    "and nothing about speakers can be concluded from them."
)


def sample_path(builder: str) -> Path:
    """The sample that ships for a builder."""
    return Path(str(resources.files(__package__) / f"{builder}.tsv"))


def is_sample(sha256: str, builder: str) -> bool:
    """Whether a file with this hash is the builder's sample, whatever it is called."""
    from ...corpus.hashing import file_sha256

    return file_sha256(sample_path(builder)) == sha256
