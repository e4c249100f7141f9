"""What a run is of: kept beside its answers, and held against every later call."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..corpus.manifest import dump_json, package_versions
from ..corpus.store import write_atomic
from ..errors import CorpusError
from .data import Corpus

__all__ = ["FILE_NAME", "FORMAT_VERSION", "Record"]

FILE_NAME = "run.json"
#: Raised when an older version would misread a run.
FORMAT_VERSION = 1
_PACKAGES = ("isogloss", "torch", "transformers", "datasets", "polars", "numpy")


class Record:
    """``run.json`` of a run that is open.

    Attributes:
        data: Its content.
    """

    def __init__(self, path: Path, data: dict[str, Any]) -> None:
        self._path, self.data = path, data
        self._begun = time.monotonic()

    @classmethod
    @contextmanager
    def open(
        cls, folder: Path, corpus: Corpus, *, limit: int | None, seed: int, prompt: str = ""
    ) -> Iterator[Record]:
        """Begins a run, or goes on with one of the same rows.

        Raises:
            CorpusError: If the run in the folder is of other rows, or can't be read.
        """
        path = folder / FILE_NAME
        rows = {
            "name": corpus.name,
            "split": corpus.split,
            "sha256": corpus.sha256,
            "limit": limit,
            "seed": seed,
            "prompt": prompt,
        }
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            known = dict(data["corpus"]), data["format_version"], dict(data["models"])
        except FileNotFoundError:
            data = {"format_version": FORMAT_VERSION, "corpus": rows, "models": {}, "calls": []}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CorpusError(
                f"the run's record can't be read ({error})",
                where=str(path),
                remedy="restore it, or run into another folder with --out",
            ) from error
        else:
            _compare(known[0], rows, known[1], path)
        record = cls(path, data)
        record._write()
        yield record

    def identity(self, model: str, *, kind: str = "models") -> Mapping[str, Any] | None:
        """What an earlier call noted of a model.

        Args:
            model: Its name.
            kind: ``models`` for what scores, ``chats`` for what answers in words.
        """
        found: Mapping[str, Any] | None = self.data.get(kind, {}).get(model)
        return found

    def model(
        self,
        name: str,
        identity: Mapping[str, Any],
        *,
        kind: str = "models",
        options: Mapping[str, str] | None = None,
        tasks: Iterable[str] | None = None,
    ) -> None:
        """Notes what a model is and how it is asked, before it is; see :meth:`identity`.

        Args:
            name: Of the model.
            identity: What it is.
            kind: As for :meth:`identity`.
            options: How it is asked.
            tasks: What shall be measured, so that a run that was stopped is known for one.
        """
        if tasks is not None:
            self.data.setdefault("wanted", {})[name] = list(tasks)
        if options is not None:
            # Those of another identity are of other answers.
            same = self.identity(name, kind=kind) == dict(identity)
            known = [one for one in self.options(name) if same and one != options]
            self.data.setdefault("options", {})[name] = [*known, dict(options)]
        self.data.setdefault(kind, {})[name] = dict(identity)
        self._write()

    def options(self, model: str) -> list[Mapping[str, str]]:
        """All options that a model was asked with, being what it is; none if that isn't known."""
        found: list[Mapping[str, str]] = self.data.get("options", {}).get(model, [])
        return found

    def found(self, name: str, details: Mapping[str, Any] | None) -> None:
        """Notes what loading the model has shown; None where it wasn't loaded."""
        if details is not None:
            self.data.setdefault("found", {})[name] = dict(details)
            self._write()

    def finish(self, *, chat: str, skipped: Mapping[str, str]) -> None:
        """Notes when, how long, how chats were asked, what was left out, with which packages.

        Args:
            chat: How chats were asked.
            skipped: By task, why it was left out.
        """
        self.data["calls"].append(
            {
                "at": datetime.now(UTC).isoformat(timespec="seconds"),
                "chat": chat,
                "skipped_tasks": dict(skipped),
                "seconds": round(time.monotonic() - self._begun, 1),
                "packages": package_versions(_PACKAGES),
            }
        )
        self._write()

    def _write(self) -> None:
        write_atomic(self._path, dump_json(self.data))


def _compare(known: Mapping[str, Any], rows: Mapping[str, Any], version: Any, path: Path) -> None:
    if version != FORMAT_VERSION:
        raise CorpusError(
            f"the run has format {version}, this version reads {FORMAT_VERSION}",
            where=str(path),
            remedy="run into another folder with --out",
        )
    for key, said in (
        ("split", "the run is of another split"),
        ("sha256", "the corpus has changed since the run began"),
        ("limit", "the run is of another sample"),
        ("seed", "the run has another seed"),
        ("prompt", "the run has another prompt"),
    ):
        # Older runs say nothing of a prompt.
        if known.get(key, "" if key == "prompt" else None) != rows[key]:
            raise CorpusError(
                f"{said} (it has {key} {_short(known.get(key))}, now it would be "
                f"{_short(rows[key])}); answers of both in one run would be mixed up",
                where=str(path),
                remedy="run into another folder with --out",
            )


def _short(value: Any) -> str:
    return str(value)[:12]
