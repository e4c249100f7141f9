"""``manifest.json``: what a corpus was made of, and how, so that it can be made again.

Times, retries and costs differ from run to run and live in ``run.json``; two builds
of the same input with the same settings have equal manifests on one machine.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, cast

from ..errors import CorpusError

__all__ = [
    "FORMAT_VERSION",
    "Manifest",
    "dump_json",
    "package_versions",
    "read_manifest",
    "require_whole",
]

#: Raised when a reader of the previous format would misread the folder.
FORMAT_VERSION = 1

#: The parsed file.
Manifest = dict[str, Any]


def read_manifest(folder: Path) -> Manifest | None:
    """Reads the manifest of a corpus folder.

    Returns:
        The manifest, or None where the folder has none.

    Raises:
        CorpusError: If it can't be read, or a newer Isogloss wrote it.
    """
    path = folder / "manifest.json"
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(
            f"the manifest can't be read ({error})", where=str(path), remedy="restore the file"
        ) from error
    try:
        manifest = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CorpusError(
            f"the manifest is damaged ({error})",
            where=str(path),
            remedy="restore the file, or build the corpus into another folder",
        ) from error
    version = manifest.get("format_version") if isinstance(manifest, dict) else None
    if not isinstance(version, int) or isinstance(version, bool):
        raise CorpusError(
            "this is not a corpus manifest: it has no format_version",
            where=str(path),
            remedy="name a folder that isogloss built",
        )
    if version > FORMAT_VERSION:
        raise CorpusError(
            f"the corpus has format {version}, this version reads up to {FORMAT_VERSION}",
            where=str(path),
            remedy="upgrade isogloss",
        )
    return cast(Manifest, manifest)


#: Keys that a later build relies on, with the type of their values.
_NEEDED: dict[str, type] = {
    "builder": dict,
    "build_key": str,
    "seed": int,
    "counts": dict,
    "splits": dict,
    "files": dict,
    "card": dict,
}


def require_whole(manifest: Manifest, folder: Path) -> Manifest:
    """The manifest, after a look at the keys that a later build relies on.

    Raises:
        CorpusError: If one is missing or of another type.
    """
    wrong = [key for key, kind in _NEEDED.items() if not isinstance(manifest.get(key), kind)]
    if not isinstance(manifest.get("splits", {}).get("assignments"), dict):
        wrong.append("splits.assignments")
    if wrong:
        raise CorpusError(
            f"the manifest has no usable {wrong[0]}",
            where=str(folder / "manifest.json"),
            remedy="restore the file, or build into another folder with --out",
        )
    return manifest


def dump_json(value: Any) -> bytes:
    """JSON as people read it: indented, keys in the order given, newline at the end."""
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    return (text + "\n").encode()


def package_versions(names: Sequence[str]) -> dict[str, str]:
    """Installed versions of packages, to be named beside the result."""
    return {name: metadata.version(name) for name in names}
