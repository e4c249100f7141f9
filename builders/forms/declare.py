"""What a builder declares of a release form: which columns are private, which may go out.

Nothing goes out by default. A column of numbers does; a column of strings does only if
the builder says that it holds codes, and then every value is held to looking like one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from ...corpus.schema import Schema
from ...errors import InternalError
from ..engine.step import Step

__all__ = ["CODE", "WITHHELD", "IdsForm", "hash_column"]

#: Column that names the derived texts a row had to do without.
WITHHELD = "withheld"
#: What an id or a code looks like: one word, and not a long one. No text is like that.
CODE = r"^[!-~]{1,80}$"

#: Columns that every corpus has and that hold ids or codes.
_COMMON_CODES = ("id", "variety", "split")
_NUMBERS = (pl.Int64, pl.Int32, pl.Float64, pl.Boolean)


@dataclass(frozen=True, slots=True)
class IdsForm:
    """The form without source texts: ids and hashes, and what was made from the texts.

    Attributes:
        private: Columns of source text. A SHA-256 goes out in the place of each.
        derived: Columns of text made from the private ones. A value goes out unless it is
            too near to its row's private texts.
        codes: Columns of strings, or lists of strings, that hold codes and no text.
        clean: Makes the step that filled the private columns from a source's ``text``,
            from the parameters in the manifest; hydration cleans with it.
        stage: That step's name.
    """

    private: tuple[str, ...]
    derived: tuple[str, ...]
    clean: Callable[..., Step]
    codes: tuple[str, ...] = ()
    stage: str = "clean"

    def published(self, schema: Schema) -> Schema:
        """The columns of this form of a corpus with the columns ``schema``.

        Raises:
            InternalError: If a column is declared twice, or a private or derived one is
                missing, or a column that can hold text is not declared.
        """
        self._check(schema)
        published: dict[str, pl.DataType] = {}
        for name, dtype in schema.items():
            if name in self.private:
                published[hash_column(name)] = pl.String()
            else:
                published[name] = dtype
        return {**published, WITHHELD: pl.List(pl.String())}

    def coded(self, schema: Schema) -> list[str]:
        """The columns of ``schema`` whose values must look like codes."""
        return [name for name in schema if name in (*_COMMON_CODES, *self.codes)]

    def _check(self, schema: Schema) -> None:
        declared = [*_COMMON_CODES, *self.private, *self.derived, *self.codes]
        for name in dict.fromkeys(declared):
            if declared.count(name) > 1:
                raise _misdeclared(name, "is declared twice")
        for name in (*self.private, *self.derived):
            if schema.get(name) != pl.String():
                raise _misdeclared(name, "is declared as text, but is no such column")
        for name, dtype in schema.items():
            inner = dtype.inner if isinstance(dtype, pl.List) else dtype
            if inner not in _NUMBERS and name not in declared:
                raise _misdeclared(name, f"({dtype}) can hold text and is not declared")
        for name in (*map(hash_column, self.private), WITHHELD):
            if name in schema:
                raise _misdeclared(name, "has a name that the form uses itself")


def _misdeclared(name: str, what: str) -> InternalError:
    return InternalError(
        f"the column {name} {what}",
        where="release form ids",
        remedy="declare it in the builder's FORMS as private, derived or codes",
    )


def hash_column(name: str) -> str:
    """The column that stands in the place of a private one."""
    return f"{name}_sha256"
