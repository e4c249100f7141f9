"""Dialect invariance (paper A, 4.1.1): does a model read the same feeling in both varieties?

The model labels each text of a row (dialect y_d, standard y_s, back-translation y_b) positive,
negative or neutral. Over rows:

    DGI            mean 1[y_d = y_s]
    three-way DGI  mean 1[y_d = y_s = y_b]
    cDGI           P(y_d = y_s | y_d = y_b), over rows whose back-translation speakers of the
                   dialect judged natural

An answer that can't be read is a state of its own and agrees with nothing. A model that calls
everything neutral has a DGI of 1, so Cohen's κ and the labels' shares stand beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from ...errors import CorpusError
from ...models.chat import ChatRequest, Fault, Sampling
from ...stats import (
    Bootstrap,
    Estimate,
    cluster_sums,
    cohen_columns,
    cohen_kappa,
    interval,
    proportion_interval,
)
from ..labels import LABELS, parse_label
from ..preference import clusters_of
from ..task import Answers, Measured, Metric, Question, task

__all__ = ["PROMPT", "TASK", "VERDICTS", "Invariance"]

PROMPT = """Is the sentiment of the following text positive, negative or neutral?

Text: {text}

Answer with one word: positive, negative or neutral."""
#: An answer in one word has few; what is cut off can't change a label at its beginning.
_SAMPLING = Sampling(max_tokens=24)
_SIDES = ("dialect", "standard", "back")
VERDICTS: Mapping[str, str] = {
    rule: f"back_natural_{rule}" for rule in ("majority", "unanimous", "any")
}
"""Columns with the speakers' verdict on the back-translation, by how verdicts were merged."""
_UNPARSED = "unparsed"
#: What a model says nothing by is an answer that can't be read; anything else is no answer.
_NO_LABEL = ("empty", "refusal")
_SCHEMA: Mapping[str, pl.DataType] = {
    "id": pl.String(),
    "cluster": pl.String(),
    **{f"label_{side}": pl.String() for side in _SIDES},
    **{f"answer_{side}": pl.String() for side in _SIDES},
}


class Invariance:
    """Whether a model reads the same sentiment in the dialect as in the standard."""

    def plan(self, rows: pl.DataFrame, answers: Answers) -> Iterable[Question]:
        """One question for each text."""
        del answers  # nothing depends on them
        for questions in _asked(rows).values():
            yield from questions.values()

    def measure(self, rows: pl.DataFrame, answers: Answers, *, bootstrap: Bootstrap) -> Measured:
        """How often labels agree, on all rows and on those judged natural."""
        authors, asked = clusters_of(rows), _asked(rows)
        made = []
        failed: Counter[str] = Counter()
        for row_id, questions in asked.items():
            item = {"id": row_id, "cluster": authors[row_id]}
            for side, question in questions.items():
                found = answers.reply(question)
                if found is None:
                    raise KeyError(f"no answer for {row_id!r}")
                if isinstance(found, Fault) and found.reason not in _NO_LABEL:
                    failed[f"failed_{found.reason}_{side}"] += 1
                    continue
                text = "" if isinstance(found, Fault) else found.text
                item[f"answer_{side}"] = text
                item[f"label_{side}"] = parse_label(text) or _UNPARSED
            made.append(item)
        items = pl.DataFrame(made, schema=_SCHEMA, orient="row")
        known = [column for column in VERDICTS.values() if column in rows.columns]
        items = items.join(rows.select("id", *known), on="id", how="left", maintain_order="left")
        judged = {f"judged_{rule}": items[column].count() for rule, column in VERDICTS.items()
                  if column in known}  # fmt: skip
        without = rows.height - len(asked)
        return Measured(
            metrics=list(_metrics(items, bootstrap)),
            items=items,
            excluded={"no_text": without} if without else {},
            headline=("dgi", "dgi_three_way", "cdgi", "kappa"),
            notes={**judged, **failed},
        )


def _asked(rows: pl.DataFrame) -> dict[str, dict[str, Question]]:
    """By row, the question about each text; rows without dialect or standard are missing."""
    _check_types(rows)
    found: dict[str, dict[str, Question]] = {}
    sides = [side for side in _SIDES if side in rows.columns]
    for row_id, *texts in rows.select("id", *sides).iter_rows():
        named = {
            side: text.strip()
            for side, text in zip(sides, texts, strict=True)
            if text and text.strip()
        }
        if {"dialect", "standard"} <= named.keys():
            found[row_id] = {side: _question(text) for side, text in named.items()}
    return found


def _check_types(rows: pl.DataFrame) -> None:
    for columns, kind, what in (
        (_SIDES, pl.String, "texts as strings"),
        (VERDICTS.values(), pl.Boolean, "verdicts as true or false"),
    ):
        for column in columns:
            if column in rows.columns and rows.schema[column] not in (kind, pl.Null):
                raise CorpusError(
                    f"the column {column!r} has the type {rows.schema[column]}",
                    remedy=f"give {what}",
                )


def _question(text: str) -> Question:
    message = ("user", PROMPT.format(text=text))
    return Question(ChatRequest("sentiment", "", (message,), _SAMPLING, whole=False))


def _metrics(items: pl.DataFrame, bootstrap: Bootstrap) -> Iterator[Metric]:
    both = items.drop_nulls(["label_dialect", "label_standard"])
    same = _agree("dialect", "standard")
    yield Metric("dgi", _share(both, same, bootstrap), unit="share")
    three, back = same & _agree("dialect", "back"), _agree("dialect", "back")
    whole = both.drop_nulls("label_back")
    missing = "" if whole.height else "there are no back-translations with an answer"
    for name, agrees in (("dgi_three_way", three), ("back_agreement", back)):
        yield Metric(name, _share(whole, agrees, bootstrap, missing=missing), unit="share")
    conditioned = whole.filter(back)
    unlike = missing or "no dialect text has the label of its back-translation"
    yield Metric("cdgi_all", _share(conditioned, same, bootstrap, missing=unlike), unit="share")
    for rule, natural, none in _judged(whole):
        of, why = f"natural by {rule}", missing or none
        yield Metric(
            "cdgi",
            _share(natural.filter(back), same, bootstrap, missing=why or unlike),
            of=of,
            unit="share",
        )
        yield Metric(
            "dgi_natural", _share(natural, same, bootstrap, missing=why), of=of, unit="share"
        )
    yield Metric("kappa", _kappa(both, bootstrap))
    for side in _SIDES:
        labelled = items.drop_nulls(f"label_{side}")
        for label in (*LABELS, _UNPARSED):
            share = _share(labelled, pl.col(f"label_{side}") == label, bootstrap)
            yield Metric("label_share", share, of=f"{side} {label}", unit="share")


def _judged(items: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame, str]]:
    """Each way of merging verdicts, the rows judged natural by it, and why there are none."""
    known = {
        rule: column
        for rule, column in VERDICTS.items()
        if column in items.columns and items[column].count()
    }
    for rule, column in known.items():
        natural = items.filter(pl.col(column).cast(pl.Boolean))
        yield rule, natural, "" if natural.height else "no back-translation was judged natural"
    if not known:
        why = "the corpus has no verdicts of speakers on the back-translation"
        yield "majority", items.clear(), why


def _agree(one: str, other: str) -> pl.Expr:
    """Whether two sides have the same label; what can't be read agrees with nothing."""
    a, b = pl.col(f"label_{one}"), pl.col(f"label_{other}")
    return ((a == b) & (a != _UNPARSED)).fill_null(value=False)


def _share(
    items: pl.DataFrame, agrees: pl.Expr, bootstrap: Bootstrap, *, missing: str = ""
) -> Estimate:
    hits = items.select(agrees.cast(pl.Float64)).to_series().to_numpy()
    found = proportion_interval(hits, clusters=items["cluster"].to_list(), options=bootstrap)
    return replace(found, reason=missing) if missing and not found.n else found


def _kappa(items: pl.DataFrame, bootstrap: Bootstrap) -> Estimate:
    """Cohen's κ between dialect and standard, over rows with a label on both."""
    columns = [f"label_{side}" for side in ("dialect", "standard")]
    read = items.filter(pl.all_horizontal(pl.col(columns) != _UNPARSED))
    first, second = (
        np.array([LABELS.index(label) for label in read[column]], dtype=np.intp)
        for column in columns
    )
    sums = cluster_sums(
        list(cohen_columns(first, second, labels=len(LABELS)).T),
        clusters=read["cluster"].to_list(),
    )
    found = interval(sums, cohen_kappa, options=bootstrap)
    if items.height and not read.height:
        return replace(found, reason="in no row could both labels be read")
    only = {*read[columns[0]], *read[columns[1]]}
    if len(only) == 1:
        return replace(found, reason=f"all texts are {only.pop()}: agreement by chance is certain")
    return found


TASK = task(
    "invariance",
    version=1,
    columns=("id", "dialect", "standard"),
    remedy="name a corpus of pairs",
)(Invariance)
