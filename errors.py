"""The errors a user sees: one line that says what is wrong, where, and what to do.

Every kind of mistake has a class of its own with a stable ``code``. The command
line prints ``str(error)`` and leaves with ``error.exit_status``: 2 when the user
can mend the call or the input, 1 when the surroundings failed (a full disk, a
work folder in use). Anything that is not an :class:`IsoglossError` is a bug of
ours and is reported as one.
"""

from __future__ import annotations

import re

__all__ = [
    "AnnotationError",
    "BudgetError",
    "BuilderError",
    "ConfigError",
    "CorpusError",
    "InternalError",
    "IsoglossError",
    "JournalError",
    "ModelError",
    "OptionError",
    "OutputError",
    "RatingsError",
    "RegistryError",
    "ServiceError",
    "SourceError",
    "StorageError",
    "ToolError",
    "WorkFolderBusyError",
    "printable",
]

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class IsoglossError(Exception):
    """A mistake or a failure that the user can understand and act on.

    Args:
        what: What is wrong, in words, without a full stop.
        where: File, row, column or option it was found at; may be empty.
        remedy: What to do about it, in words, as an order.

    Example:
        >>> print(SourceError("the file is empty", where="a.tsv", remedy="give one with rows"))
        error[source]: a.tsv: the file is empty. Give one with rows.
    """

    code = "isogloss"
    exit_status = 2

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.remedy = remedy

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f" {self.remedy[:1].upper()}{self.remedy[1:]}." if self.remedy else ""
        return printable(f"error[{self.code}]: {place}{self.what}.{advice}")


def printable(text: str) -> str:
    r"""Text from outside made safe to print: one line, no control or direction signs.

    Example:
        >>> printable("a\x1b[31mb\n c")
        'a [31mb c'
    """
    return " ".join(_CONTROL.sub(" ", text).split())


class OptionError(IsoglossError):
    """An option or an argument has a value that can't be used."""

    code = "option"


class SourceError(IsoglossError):
    """The input file is missing, damaged, or not of a known shape."""

    code = "source"


class OutputError(IsoglossError):
    """The output folder can't take what would be written there."""

    code = "output"


class CorpusError(IsoglossError):
    """A corpus folder is not what its manifest says, or of another format version."""

    code = "corpus"


class BuilderError(IsoglossError):
    """A builder of that name does not exist, or can't be loaded."""

    code = "builder"


class JournalError(IsoglossError):
    """The journal of model answers can't be read or written."""

    code = "journal"
    exit_status = 1


class BudgetError(IsoglossError):
    """The next call could cost more than is left; everything received is kept."""

    code = "budget"
    exit_status = 1


class ServiceError(IsoglossError):
    """A model server refuses every request, or can't be reached."""

    code = "service"
    exit_status = 1


class ConfigError(IsoglossError):
    """``isogloss.toml`` can't be read, or has a value that can't be used."""

    code = "config"


class ModelError(IsoglossError):
    """A model name can't be understood, or the model can't be had."""

    code = "model"


class AnnotationError(IsoglossError):
    """A project of questions, its labels, or the corpus they belong to don't fit together."""

    code = "annotation"


class RatingsError(IsoglossError):
    """A table of ratings contradicts itself, or has rows that belong to nobody."""

    code = "ratings"


class RegistryError(IsoglossError):
    """A registry's data (varieties, lexicon, rules) is malformed, or lacks an entry."""

    code = "registry"


class StorageError(IsoglossError):
    """The disk is full or refuses; what was finished before stays valid."""

    code = "storage"
    exit_status = 1


class ToolError(IsoglossError):
    """An isolated tool can't be installed, isn't, or its process failed."""

    code = "tool"
    exit_status = 1


class WorkFolderBusyError(IsoglossError):
    """Another process is at work in the same folder."""

    code = "busy"
    exit_status = 1


class InternalError(IsoglossError):
    """A step broke its own contract: a bug in that step, not in the input."""

    code = "internal"
    exit_status = 1
