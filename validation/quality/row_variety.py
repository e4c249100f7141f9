"""Which variety a row of a file is in: by a column, or the same for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...errors import OptionError, SourceError
from .column_names import SHOWN, find_column
from .pairs import VarietyNames

__all__ = ["RowVariety"]

_USUAL = "variety"


@dataclass(slots=True)
class RowVariety:
    """Says of each row of one file which variety it is in.

    A name that is given for a value of the column comes first, then the name that is given for
    all rows, then the registry.

    Attributes:
        file: The file's name, for messages.
        names: What the varieties are called.
        given: The column that says it; None for ``variety``, if there is one.
        column: That column as the file writes it; None if none is looked at.
        may_differ: Whether such a file can have a column that says it; TMX can't.
    """

    file: str
    names: VarietyNames
    given: str | None = None
    column: str | None = None
    may_differ: bool = True
    _fixed: str = ""
    _said: set[str] = field(default_factory=set)

    def look(self, found: Sequence[str], *, dialect: str, texts: Sequence[str]) -> None:
        """Finds the column among those of the file.

        Args:
            found: The columns of the file.
            dialect: The column of the dialect text, whose name may be that of a variety.
            texts: All columns of texts.

        Raises:
            SourceError: If there is no such column.
            OptionError: If no variety is said, or what is said can have no effect.
        """
        names = self.names
        if self.given is not None:
            self.column = find_column(self.given, usual=_USUAL, found=found, where=self.file)
            if self.column in texts:
                raise OptionError(
                    f"the column {self.column!r} holds texts, and no names of varieties",
                    where="--variety-column",
                    remedy="name another column",
                )
            if names.whole and not names.values:
                raise OptionError(
                    f"all rows are {names.whole}, and the column is of no use",
                    where="--variety-column",
                    remedy="leave it out, or give --variety VALUE=NAME for its values",
                )
        elif _USUAL in found and _USUAL not in texts and (names.values or not names.whole):
            self.column = find_column(None, usual=_USUAL, found=found, where=self.file)
        fixed = names.whole or names.resolve(dialect)
        if self.column is None:
            self._only_for_values(dialect)
        if fixed is None and self.column is None:
            raise OptionError(
                f"which dialect stands in the column {dialect!r} isn't said",
                where=self.file,
                remedy="give --variety NAME (`isogloss varieties` lists them)"
                + (
                    ", or where it differs from row to row --variety-column COLUMN"
                    if self.may_differ
                    else ""
                ),
            )
        self._fixed = fixed or ""

    def _only_for_values(self, dialect: str) -> None:
        """Refuses names for values where no column has any."""
        unused = [value for value in self.names.values if self.names.whole or value != dialect]
        if unused:
            raise OptionError(
                f"a name is given for rows that say {unused[0][:SHOWN]!r}, and no column says it",
                where=self.file,
                remedy="name the column with --variety-column, or give --variety NAME alone"
                if self.may_differ
                else "give --variety NAME alone",
            )

    def of(self, value: str | None, position: int) -> str:
        """The registry id of a row's variety; empty if the row doesn't say.

        Args:
            value: What stands in the column; None if nothing does.
            position: The row.

        Raises:
            SourceError: If no variety is called so.
        """
        if value is not None and value in self.names.values:
            self._said.add(value)
            return self.names.values[value]
        if not value or self.names.whole:
            return self._fixed
        found = self.names.resolve(value)
        if found is None:
            raise SourceError(
                f"no dialect is called {value[:SHOWN]!r}",
                where=f"{self.file}, row {position}",
                remedy=f"say which it is with --variety {value[:SHOWN]}=NAME",
            )
        return found

    def notes(self) -> list[str]:
        """Names that had no effect, in sentences."""
        if self.column is None:
            return []
        return [
            f"no row says {value[:SHOWN]!r} in the column {self.column!r}: "
            f"--variety {value[:SHOWN]}={name} had no effect"
            for value, name in self.names.values.items()
            if value not in self._said
        ]
