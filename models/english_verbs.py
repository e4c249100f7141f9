"""Inflection of English verbs, from a table of irregular ones and a list of regular ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

__all__ = ["EnglishVerbs"]

_IRREGULAR_THIRD = {"be": "is", "have": "has", "do": "does", "go": "goes"}
_LONG_VERBS_THAT_DOUBLE = (
    "begin",
    "forget",
    "upset",
    "admit",
    "prefer",
    "permit",
    "regret",
    "quit",
)


class EnglishVerbs:
    """Verb forms; only verbs in the tables are recognised by their forms.

    Args:
        irregular: Base form to past form and participle.
        regular: Base forms of regular verbs.

    Example:
        >>> verbs = EnglishVerbs({"run": ("ran", "run")}, ["carry", "stop"])
        >>> verbs.third("carry"), verbs.ing("run"), verbs.past("stop"), verbs.participle("ran")
        ('carries', 'running', 'stopped', 'run')
        >>> verbs.base("carries"), verbs.base("running"), verbs.base("king")
        ('carry', 'run', None)
    """

    def __init__(self, irregular: Mapping[str, tuple[str, str]], regular: Iterable[str]) -> None:
        self._irregular = dict(irregular)
        bases = (*irregular, *regular)
        self._bases = {
            form: base for base in bases for form in (base, self.third(base), self.ing(base))
        }
        self._participles = {
            form: self._irregular[base][1] if base in self._irregular else self.past(base)
            for base in bases
            for form in (self._irregular.get(base, ("", self.past(base)))[1], self.past(base), base)
        }

    def third(self, base: str) -> str:
        """The third person singular of the present."""
        if base in _IRREGULAR_THIRD:
            return _IRREGULAR_THIRD[base]
        if re.search(r"[^aeiou]y$", base):
            return f"{base[:-1]}ies"
        return f"{base}es" if base.endswith(("s", "x", "z", "ch", "sh")) else f"{base}s"

    def ing(self, base: str) -> str:
        """The form in -ing."""
        if base.endswith("ie"):
            return f"{base[:-2]}ying"
        if re.search(r"[^eoy]e$", base) and base != "be":
            return f"{base[:-1]}ing"
        return f"{base}{base[-1]}ing" if _doubles(base) else f"{base}ing"

    def past(self, base: str) -> str:
        """The past form; a verb in no table counts as regular."""
        if base in self._irregular:
            return self._irregular[base][0]
        if base.endswith("e"):
            return f"{base}d"
        if re.search(r"[^aeiou]y$", base):
            return f"{base[:-1]}ied"
        return f"{base}{base[-1]}ed" if _doubles(base) else f"{base}ed"

    def participle(self, form: str) -> str | None:
        """The participle of a verb given by its participle, past or base form."""
        return self._participles.get(form, form if form.endswith("ed") else None)

    def base(self, form: str) -> str | None:
        """The base form of a known verb given by its base, -s or -ing form."""
        return self._bases.get(form)


def _doubles(base: str) -> bool:
    """Whether the last consonant is doubled before -ing and -ed."""
    one_syllable = re.fullmatch(r"(?:qu|[^aeiou])*[aeiou][^aeiouwxy]", base)
    return one_syllable is not None or base in _LONG_VERBS_THAT_DOUBLE
