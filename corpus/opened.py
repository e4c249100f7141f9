"""A corpus that was made, opened to make something of it: looked over before a row is read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import CorpusError, OutputError
from .hashing import file_sha256
from .manifest import Manifest, read_manifest, require_whole
from .readme import parsed_front_matter
from .schema import Schema, schema_of

__all__ = ["FULL", "Opened", "card_metadata", "open_corpus", "require_apart"]

#: The form that a build makes; a manifest without ``form`` is of it.
FULL = "full"
#: What a card's front matter says of a corpus in any of its forms.
_CARD_KEYS = ("pretty_name", "language", "language_details", "size_categories", "tags")


@dataclass(frozen=True, slots=True)
class Opened:
    """A corpus folder whose manifest has been read.

    Attributes:
        folder: The folder.
        manifest: Its manifest.
        manifest_sha256: SHA-256 of the manifest's bytes.
        schema: Columns of its rows.
    """

    folder: Path
    manifest: Manifest
    manifest_sha256: str
    schema: Schema

    def files(self, part: str) -> Iterator[tuple[str, Path]]:
        """Files of ``data`` or ``rejected`` by their path in the folder, each checked first.

        Raises:
            CorpusError: If a file is missing or not the one that the manifest knows.
        """
        for name, entry in self._entries().items():
            if not name.startswith(f"{part}/"):
                continue
            path = self.folder / name
            if not path.is_file() or file_sha256(path) != entry["sha256"]:
                raise CorpusError(
                    "the file is missing, or not as the manifest says",
                    where=str(path),
                    remedy="restore it, or make the corpus again",
                )
            yield name, path

    @property
    def rows(self) -> int:
        """Rows in ``data/``."""
        return sum(n["rows"] for name, n in self._entries().items() if name.startswith("data/"))

    @property
    def all_rows(self) -> int:
        """Rows in ``data/`` and ``rejected/``."""
        parts = ("data/", "rejected/")
        return sum(n["rows"] for name, n in self._entries().items() if name.startswith(parts))

    def _entries(self) -> Mapping[str, Mapping[str, Any]]:
        entries: Mapping[str, Mapping[str, Any]] = self.manifest["files"]
        return entries


def open_corpus(folder: Path, *, form: str | None = None) -> Opened:
    """Reads the manifest of a corpus that must be in a certain form; None for any.

    Raises:
        CorpusError: If the folder is no corpus, or one in another form.
    """
    manifest = read_manifest(folder)
    if manifest is None:
        raise CorpusError(
            "there is no corpus", where=str(folder), remedy="name a folder that isogloss made"
        )
    require_whole(manifest, folder)
    found = manifest.get("form", FULL)
    if form is not None and found != form:
        raise CorpusError(
            f"the corpus is in the form {found!r}, needed is {form!r}",
            where=str(folder),
            remedy=f"name a folder with the {form} form",
        )
    try:
        schema = schema_of(manifest["columns"])
        sound = all({"sha256", "rows"} <= set(entry) for entry in manifest["files"].values())
    except (KeyError, TypeError):
        sound = False
    if not sound:
        raise CorpusError(
            "the manifest has no usable columns or files",
            where=str(folder / "manifest.json"),
            remedy="restore the file",
        )
    digest = hashlib.sha256((folder / "manifest.json").read_bytes()).hexdigest()
    return Opened(folder, manifest, digest, schema)


def require_apart(folder: Path, out: Path, *, option: str) -> None:
    """Refuses an output folder that is the corpus' own, lies in it, or around it.

    Raises:
        OutputError: If so.
    """
    one, other = folder.resolve(), out.resolve()
    if one == other or one in other.parents or other in one.parents:
        raise OutputError(
            f"--out must be another folder than {option}, and neither may lie in the other",
            where=str(out),
            remedy="choose another --out",
        )


def card_metadata(folder: Path) -> dict[str, Any]:
    """What the card's front matter says of the corpus whatever its form: name, language, size."""
    found = parsed_front_matter(folder / "README.md")
    return {key: found[key] for key in _CARD_KEYS if key in found}
