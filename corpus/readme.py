"""A corpus folder's ``README.md``: the front matter that ``load_dataset`` needs.

The front matter names every config with its files, features and row counts; a
config without them would get inferred types. The body that is written here is
short; a hand-written body is kept, and only the front matter renewed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ..errors import OutputError
from .schema import Schema, features

__all__ = [
    "Config",
    "SplitFiles",
    "front_matter",
    "markdown_text",
    "parsed_front_matter",
    "read_body",
    "read_front_matter",
    "render_readme",
    "text_sha256",
]

_FRONT_MATTER = re.compile(r"\A---\n(?:.*?\n)?---(?:\n|\Z)", re.DOTALL)
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")


@dataclass(frozen=True, slots=True)
class SplitFiles:
    """One split on the disk: rows, bytes of its Parquet files, bytes of its text."""

    name: str
    rows: int
    file_bytes: int
    text_bytes: int


@dataclass(frozen=True, slots=True)
class Config:
    """One config of a corpus; the first one listed is the default."""

    name: str
    schema: Schema
    splits: Sequence[SplitFiles]


def front_matter(configs: Sequence[Config], extra: Mapping[str, Any]) -> str:
    """YAML front matter with ``configs`` and ``dataset_info``; splits without rows are left out."""
    block: dict[str, Any] = dict(extra)
    block["configs"] = []
    block["dataset_info"] = []
    for index, config in enumerate(configs):
        splits = [split for split in config.splits if split.rows]
        entry: dict[str, Any] = {
            "config_name": config.name,
            "data_files": [
                {"split": split.name, "path": f"data/{config.name}/{split.name}-*.parquet"}
                for split in splits
            ],
        }
        if index == 0:
            entry["default"] = True
        block["configs"].append(entry)
        block["dataset_info"].append(
            {
                "config_name": config.name,
                "features": features(config.schema),
                "splits": [
                    {"name": s.name, "num_bytes": s.text_bytes, "num_examples": s.rows}
                    for s in splits
                ],
                "download_size": sum(s.file_bytes for s in splits),
                "dataset_size": sum(s.text_bytes for s in splits),
            }
        )
    text = yaml.safe_dump(block, sort_keys=False, allow_unicode=True, width=100)
    return f"---\n{text}---\n"


def render_readme(
    head: str, body: str, *, existing: Path, generated_sha256: str | None
) -> tuple[bytes, str]:
    """The new README: our body, or the hand-written one that stands in ``existing``.

    Args:
        head: New front matter.
        body: Body as generated now.
        existing: The README in place, which need not exist.
        generated_sha256: Hash of the body that was generated last time.

    Returns:
        The file's bytes, and the hash of the generated body for the manifest.
    """
    old_body = read_body(existing)
    by_hand = existing.exists() and text_sha256(old_body) != generated_sha256
    return (head + (old_body if by_hand else body)).encode(), text_sha256(body)


def read_front_matter(path: Path) -> str:
    """The front matter of a README, or "" where there is none that can be read."""
    try:
        found = _FRONT_MATTER.match(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return ""
    return found[0] if found else ""


def parsed_front_matter(path: Path) -> dict[str, Any]:
    """What the front matter of a README says; nothing where it can't be read."""
    try:
        found = yaml.safe_load(read_front_matter(path).strip().strip("-"))
    except yaml.YAMLError:
        return {}
    return found if isinstance(found, dict) else {}


def read_body(path: Path) -> str:
    """What stands below the front matter of a README; "" where there is none.

    Raises:
        OutputError: If it is not UTF-8.
    """
    try:
        return _FRONT_MATTER.sub("", path.read_text(encoding="utf-8"), count=1)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except UnicodeDecodeError as error:
        raise OutputError(
            "the README is not UTF-8, so what it says can't be kept",
            where=str(path),
            remedy="turn it into UTF-8, or move it away",
        ) from error


def text_sha256(text: str) -> str:
    """SHA-256 (hex) of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def markdown_text(text: str) -> str:
    r"""Escapes a corpus text for one cell of a Markdown table.

    Example:
        >>> print(markdown_text("*a* | <b>"))
        \*a\* \| \<b\>
    """
    return _PUNCTUATION.sub(r"\\\g<0>", " ".join(text.split()))
