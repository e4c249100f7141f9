"""Validates a corpus: everything that is measured, every verdict, as one result."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...corpus.manifest import package_versions
from ...errors import OptionError, RatingsError
from ...stats import Estimate
from ..agreement import AgreementReport, measure_agreement
from ..gates import gates
from ..sentiment import Sentiment
from .by_variety import by_variety
from .checks import all_checks
from .examples import Example, examples
from .foreign import read_file
from .measuring import Models
from .own import read_folder
from .pairs import Columns, Pairs, VarietyNames, readable
from .people import Labels
from .processes import Processes
from .progress import Progress, Silent
from .ratings_file import read_ratings_file
from .scores import Scored, bertscores, sentiments, with_similarities
from .screening import Screened, facts_of, screen_pairs
from .texts import Duplicates, Lengths, Likeness, duplicates, lengths, likeness
from .unasked import unasked
from .verdicts import Check, Verdict, share_of, worst

__all__ = ["FORMAT_VERSION", "Quality", "open_pairs", "validate"]

#: Raised when a reader of ``quality.json`` would misread a newer file.
FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True)
class Quality:
    """What a corpus is worth.

    Attributes:
        pairs: What was looked at.
        checks: A verdict for each thing that has limits.
        screened: What the gates caught, and features of the dialect.
        by_variety: See :func:`~isogloss.validation.quality.by_variety.by_variety`.
        examples: Caught rows by gate.
        lengths: Lengths and tokens.
        duplicates: Repeated rows.
        likeness: How alike both sides are.
        bertscore: BERTScore, if it was measured.
        sentiment: By the varieties it is for.
        agreement: Of raters, if there are ratings.
        models: What measured, by role.
    """

    pairs: Pairs
    checks: tuple[Check, ...]
    screened: Screened
    by_variety: Mapping[str, Mapping[str, Any]]
    examples: Mapping[str, Sequence[Example]]
    lengths: Lengths
    duplicates: Duplicates
    likeness: Likeness
    bertscore: Scored | None
    sentiment: Sequence[tuple[str, Sentiment]]
    agreement: AgreementReport | None
    models: Mapping[str, Mapping[str, Any]]

    @property
    def verdict(self) -> Verdict:
        """The worst of the checks."""
        return worst(self.checks)

    def gate_table(self) -> dict[str, dict[str, Any]]:
        """By gate: pairs caught, pairs asked about, rate with its interval, and the parts.

        ``left_out`` has the varieties that it was asked nothing about, by the reason.
        """
        table = {}
        for gate in gates():
            parts = [count for count in self.screened.counts if count.code == gate.code]
            n, caught = sum(part.n for part in parts), sum(part.caught for part in parts)
            left_out = unasked(parts)
            rate = share_of(caught, n, reason="; ".join(left_out) or "no rows")
            table[gate.code] = {
                "caught": caught,
                "n": n,
                "rate": _number(rate.value),
                "low": _number(rate.low),
                "high": _number(rate.high),
                "not_asked": None if n else rate.reason,
                "left_out": [
                    {"reason": reason, "varieties": names} for reason, names in left_out.items()
                ],
                "by": [dataclasses.asdict(part) for part in parts],
                "examples": [example.to_dict() for example in self.examples.get(gate.code, ())],
            }
        return table

    def to_dict(self) -> dict[str, Any]:
        """Plain data: what ``quality.json`` holds. The same corpus gives the same bytes."""
        pairs = self.pairs
        return {
            "format_version": FORMAT_VERSION,
            "isogloss_version": package_versions(["isogloss"])["isogloss"],
            "source": {
                "name": pairs.name,
                "shape": pairs.shape,
                "sha256": pairs.sha256,
                "columns": dict(pairs.columns),
                "rows": pairs.frame.height + pairs.refused.total,
                "pairs": pairs.frame.height,
                "refused": dict(pairs.refused.counts),
                "first_refused": dict(pairs.refused.first),
                "notes": list(pairs.notes),
            },
            "varieties": {name: dict(row) for name, row in self.by_variety.items()},
            "models": {role: dict(model) for role, model in self.models.items()},
            "verdict": self.verdict,
            "checks": [check.to_dict() for check in self.checks],
            "gates": self.gate_table(),
            "lengths": _plain(self.lengths),
            "duplicates": _plain(self.duplicates),
            "likeness": _plain(self.likeness),
            "markers": [_plain(markers) for markers in self.screened.markers],
            "bertscore": _plain(self.bertscore) if self.bertscore else None,
            "sentiment": [{"varieties": name, **one.to_dict()} for name, one in self.sentiment],
            "agreement": self.agreement.to_dict() if self.agreement else None,
        }


def open_pairs(
    source: str, *, columns: Columns | None = None, variety: Sequence[str] = ()
) -> Pairs:
    """Reads a corpus folder of ours, or a file of pairs, into memory.

    Args:
        source: Folder or file.
        columns: Of a file: which columns are the pair.
        variety: ``NAME`` of the dialect; ``VALUE=NAME`` for rows whose column of varieties says
            VALUE; with both, NAME is for all other rows.

    Raises:
        CorpusError: If the folder is no corpus that can be validated.
        SourceError: If the file can't be read.
        OptionError: If columns or varieties are not clear.
    """
    chosen = columns or Columns()
    if Path(source).expanduser().is_dir():
        if variety:
            raise OptionError(
                "the varieties of a corpus folder are known",
                where=source,
                remedy="leave out --variety",
            )
        return read_folder(Path(source).expanduser(), chosen)
    return read_file(source, chosen, VarietyNames(variety))


def validate(
    pairs: Pairs,
    *,
    models: Models | None = None,
    ratings: str | None = None,
    examples_per_gate: int = 3,
    seed: int = 0,
    processes: Processes | None = None,
    progress: Progress | None = None,
) -> Quality:
    """Measures everything that can be measured with what is given.

    Args:
        pairs: From :func:`open_pairs`.
        models: What measures similarity, BERTScore and sentiment; by default nothing does.
        ratings: A file of ratings, see
            :func:`~isogloss.validation.quality.ratings_file.read_ratings_file`; by default the
            labels that people gave to the corpus folder, where it has them.
        examples_per_gate: Caught rows to show of each gate; with 0 the result has no text.
        seed: Of the choice of examples, the bootstrap and the order of raters.
        processes: Share the work; they change the speed only.
        progress: Is told.

    Raises:
        RatingsError: If the ratings can't be read.
    """
    told = progress or Silent()
    # What can go wrong with the user's files comes before the long work.
    agreement = None
    if ratings:
        agreement = _agreement(ratings, pairs, seed=seed)
    elif pairs.labels is not None:
        agreement = _own_agreement(pairs, pairs.labels, seed=seed)
        pairs = dataclasses.replace(pairs, notes=[*pairs.notes, pairs.labels.note])
    by = models or Models()
    if by.encoder is not None:
        pairs = with_similarities(pairs, by.encoder.embed, told)
    scored = bertscores(pairs, by.bertscore, told)
    with ThreadPoolExecutor(1) as thread:
        # This process waits while the others label and ask the gates.
        known = thread.submit(facts_of, pairs)
        labelled = sentiments(pairs, by.classifier, told, processes)
        facts = known.result()
        texts = thread.submit(lambda: (lengths(pairs), duplicates(pairs), likeness(pairs)))
        screened = screen_pairs(pairs, facts, processes=processes, progress=told)
        told.phase("lengths and duplicates", None)
        length, repeated, alike = texts.result()
    return Quality(
        pairs=pairs,
        checks=tuple(all_checks(pairs, screened, length, repeated, alike, labelled, agreement)),
        screened=screened,
        by_variety=by_variety(pairs, screened.caught),
        examples=examples(pairs, screened.caught, most=examples_per_gate, seed=seed),
        lengths=length,
        duplicates=repeated,
        likeness=alike,
        bertscore=scored,
        sentiment=labelled,
        agreement=agreement,
        models=by.described(pairs.varieties),
    )


def _agreement(source: str, pairs: Pairs, *, seed: int) -> AgreementReport:
    frame, several = read_ratings_file(source)
    try:
        return measure_agreement(
            frame,
            question="question" if several else None,
            items=pairs.frame["id"].unique().to_list(),
            seed=seed,
        )
    except RatingsError as error:
        where = ", ".join(filter(None, (readable(Path(source).name), error.where)))
        raise RatingsError(error.what, where=where, remedy=error.remedy) from error


def _own_agreement(pairs: Pairs, labels: Labels, *, seed: int) -> AgreementReport:
    items = pairs.frame["id"].unique().to_list()
    return measure_agreement(labels.frame, items=items, labels=labels.offered, seed=seed)


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _plain(value: Any) -> Any:
    """Dataclasses as plain data; NaN as None."""
    if isinstance(value, Estimate):
        return value.to_dict()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = (field.name for field in dataclasses.fields(value))
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return _number(value) if isinstance(value, float) else value
