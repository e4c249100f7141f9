"""Which project a command means, by a corpus, a name, or a file of questions."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..corpus.folder import WORK, standing_manifest
from ..corpus.store import write_atomic
from ..errors import AnnotationError, CorpusError
from .connection import Connection
from .project import Project
from .project_files import project_for, read_project_file
from .server_project import names, project_name

__all__ = ["chosen_names", "chosen_project", "remember"]

_NOTE = "annotation.json"


def chosen_project(corpus: Path, *, name: str | None, questions: Path | None) -> Project:
    """The project that is asked about a corpus.

    Args:
        corpus: Its folder.
        name: What it is called on the server and in the corpus; by default as at the last push,
            or as the project itself.
        questions: A file of questions; by default the one of the last push under that name, or
            ours for the builder of the corpus.

    Raises:
        AnnotationError: If we have no questions for such a corpus, or the file has a mistake.
        CorpusError: If the folder is no corpus.
        OptionError: If the name can't be one.
    """
    manifest = standing_manifest(corpus)
    if manifest is None:
        raise CorpusError(
            "there is no corpus", where=str(corpus), remedy="name a folder that isogloss built"
        )
    note = _remembered(corpus)
    called = name or note.get("last")
    files = note.get("questions", {})
    if questions is None and called in files:
        questions = Path(files[called])
    if questions is None:
        project = project_for(str(manifest["builder"]["name"]))
    else:
        project = read_project_file(questions)
    return replace(project, name=project_name(called)) if called else project


def chosen_names(connection: Connection, corpus: Path | None, name: str | None) -> list[str]:
    """The projects whose progress is wanted: one by name or corpus, or all that the server has.

    Raises:
        AnnotationError: If the server has none, or the corpus was never pushed.
    """
    if name is not None:
        return [project_name(name)]
    if corpus is not None:
        known = _remembered(corpus).get("last")
        if known is None:
            raise AnnotationError(
                "nothing was pushed from this corpus", where=str(corpus), remedy="push it first"
            )
        return [known]
    found = names(connection)
    if not found:
        raise AnnotationError(
            "the server has no project yet",
            where=connection.url,
            remedy="make one with isogloss annotate push",
        )
    return found


def remember(corpus: Path, project: Project, questions: Path | None) -> None:
    """Notes beside a corpus which project was pushed from it, and whose questions it asks.

    No address and no key is in the note.
    """
    work = corpus / WORK
    work.mkdir(mode=0o700, exist_ok=True)
    files = dict(_remembered(corpus).get("questions", {}))
    if questions is None:
        files.pop(project.name, None)
    else:
        files[project.name] = str(questions.resolve())
    note = {"last": project.name, "questions": files}
    write_atomic(work / _NOTE, json.dumps(note, indent=2).encode())


def _remembered(corpus: Path) -> dict[str, Any]:
    try:
        note = json.loads((corpus / WORK / _NOTE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return note if isinstance(note, dict) and isinstance(note.get("questions", {}), dict) else {}
