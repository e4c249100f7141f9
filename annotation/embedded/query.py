"""Argilla's filters and orders as SQL on Argilla's own tables."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from argilla_server.search_engine.base import (
    AndFilter,
    MetadataFilterScope,
    Order,
    RangeFilter,
    RecordFilterScope,
    ResponseFilterScope,
    SuggestionFilterScope,
    TermsFilter,
)

from .fulltext import FIELDS, terms

__all__ = ["Sql", "condition", "ordering", "search", "text_condition", "tied"]

#: The first Mersenne prime under 2^32; products of two numbers below it fit into 63 bits.
_PRIME = 2**31 - 1
_PENDING = "pending"
#: SQLite knows no greater number.
_FARTHEST = 2**62
#: Columns of ``records`` that may be filtered and sorted by.
_PROPERTIES = {"id", "external_id", "inserted_at", "updated_at", "status"}
_TIMES = {"inserted_at", "updated_at"}


@dataclass(frozen=True, slots=True)
class Sql:
    """A piece of SQL and the values of its question marks."""

    text: str
    values: tuple[Any, ...] = ()


def search(
    dataset: str,
    conditions: Sequence[Sql],
    order: Sequence[Sql],
    *,
    user: str | None,
    limit: int,
    offset: int,
) -> tuple[Sql, Sql]:
    """The statements that find a page of records, and count all that there are.

    Two statements take half the time of one with a window: the page needs the first few of the
    order only, and the count no order.

    Args:
        dataset: Its id, 32 hexadecimal digits like every id in the database.
        conditions: What must hold.
        order: What to sort by. Without it a user gets an order of their own (see :func:`tied`),
            and nobody in particular the order of insertion.
        user: Who asks.
        limit: Records of the page.
        offset: Records before it.
    """
    every = [Sql("r.dataset_id = ?", (dataset,)), *conditions]
    sort = [*order, *([] if order or user is None else [tied(user)])]
    sort.append(Sql("r.id" if sort else "n.number"))
    source = "FROM records r JOIN isogloss_records n ON n.record_id = r.id WHERE " + " AND ".join(
        f"({one.text})" for one in every
    )
    values = tuple(value for one in every for value in one.values)
    page = Sql(
        f"SELECT r.id {source} ORDER BY {', '.join(one.text for one in sort)} LIMIT ? OFFSET ?",
        (*values, *(value for one in sort for value in one.values), limit, min(offset, _FARTHEST)),
    )
    return page, Sql(f"SELECT count(*) {source}", values)


def tied(user: str) -> Sql:
    """An order that looks random, is another one for every user, and is the same at each call.

    It depends on the ids of user and record alone: not on what else is in the database, nor on
    when a record came. The key of a record is multiplied, squared and multiplied again modulo
    a prime, by numbers from a hash of the user's id.
    """
    digest = hashlib.sha256(user.encode()).digest()
    numbers = [
        int.from_bytes(digest[place : place + 4], "big") % (_PRIME - 1) + 1
        for place in range(0, 20, 4)
    ]
    first = "((n.key * ? + ?) % {p})"
    square = f"(({first} * (({first} + ?) % {{p}})) % {{p}})"
    text = f"(({square} * ? + ?) % {{p}})".format(p=_PRIME)
    a, b, c, d, e = numbers
    return Sql(text, (a, b, a, b, c, d, e))


def text_condition(query: str, field: str | None) -> Sql:
    """That a record has all the words of a query, in one field or in any."""
    asked = terms(query)
    if not asked:
        return Sql("0")
    within = "" if field is None else " AND t.field = ?"
    more = () if field is None else (field,)
    # The plus keeps SQLite from looking each record up once for every match.
    parts = [
        f"+n.number {'IN' if one.wanted else 'NOT IN'} "
        f"(SELECT t.rowid / {FIELDS} FROM isogloss_text t WHERE {one.condition}{within})"
        for one in asked
    ]
    return Sql(" AND ".join(parts), tuple(value for one in asked for value in (one.value, *more)))


def condition(given: Any) -> Sql:
    """One of Argilla's filters as a condition on ``records r``.

    Raises:
        ValueError: If it is of a kind that this engine doesn't know.
    """
    if isinstance(given, AndFilter):
        parts = [condition(one) for one in given.filters]
        if not parts:
            return Sql("1")
        return Sql(
            " AND ".join(f"({part.text})" for part in parts),
            tuple(value for part in parts for value in part.values),
        )
    scope = given.scope
    if isinstance(scope, RecordFilterScope):
        return _on_record(str(scope.property), given)
    if isinstance(scope, MetadataFilterScope):
        path = _path(scope.metadata_property)
        return _exists("json_each(r.metadata, ?) v", (path,), _test("v.value", given))
    if isinstance(scope, SuggestionFilterScope):
        column, extra = _suggestion_column(str(scope.property))
        source = f"suggestions s JOIN questions q ON q.id = s.question_id{extra}"
        where = Sql("s.record_id = r.id AND q.name = ?", (scope.question,))
        return _exists(source, (), _both(where, _test(column, given)))
    if isinstance(scope, ResponseFilterScope):
        return _on_response(scope, given)
    raise ValueError(f"unknown scope of a filter: {scope}")


def ordering(order: Order) -> Sql:
    """One of Argilla's orders as an expression of ORDER BY; what is missing comes last."""
    way = "DESC" if str(order.order) == "desc" else "ASC"
    scope = order.scope
    if isinstance(scope, RecordFilterScope):
        inner = Sql(_column(str(scope.property)))
    elif isinstance(scope, MetadataFilterScope):
        inner = Sql("json_extract(r.metadata, ?)", (_path(scope.metadata_property),))
    elif isinstance(scope, SuggestionFilterScope):
        column, extra = _suggestion_column(str(scope.property))
        inner = Sql(
            f"(SELECT min({column}) FROM suggestions s JOIN questions q ON q.id = s.question_id"
            f"{extra} WHERE s.record_id = r.id AND q.name = ?)",
            (scope.question,),
        )
    elif isinstance(scope, ResponseFilterScope):
        value = Sql("min(p.status)")
        if scope.question:
            answer, path = 'json_extract(p."values", ?)', _path(scope.question, "value")
            # Of several raters' numbers the mean; labels and texts have none.
            mean = (
                f"CASE typeof(min({answer})) WHEN 'text' THEN min({answer}) ELSE avg({answer}) END"
            )
            value = Sql(mean, (path, path, path))
        mine = _mine(scope)
        inner = Sql(
            f"(SELECT {value.text} FROM responses p WHERE p.record_id = r.id{mine.text})",
            (*value.values, *mine.values),
        )
    else:
        raise ValueError(f"unknown scope of an order: {scope}")
    return Sql(f"{inner.text} {way} NULLS LAST", inner.values)


def _on_record(name: str, given: Any) -> Sql:
    column = _column(name)
    if name == "id" and isinstance(given, TermsFilter):
        return _among(column, [str(value).replace("-", "").lower() for value in given.values])
    if name in _TIMES and isinstance(given, RangeFilter):
        low, high = (None if end is None else _time(end) for end in (given.ge, given.le))
        return _between(column, low, high)
    return _test(column, given)


def _on_response(scope: ResponseFilterScope, given: Any) -> Sql:
    mine = _mine(scope)
    here = Sql(f"p.record_id = r.id{mine.text}", mine.values)
    if scope.question:
        source = 'responses p, json_each(p."values", ?) v'
        path = (_path(scope.question, "value"),)
        return _exists(source, path, _both(here, _test("v.value", given)))
    if scope.property != "status" or not isinstance(given, TermsFilter):
        raise ValueError(f"responses can't be filtered by {scope.property}")
    statuses = [str(value) for value in given.values if str(value) != _PENDING]
    parts = []
    if statuses:
        parts.append(_exists("responses p", (), _both(here, _among("p.status", statuses))))
    if len(statuses) < len(given.values):
        answered = _exists("responses p", (), here)
        parts.append(Sql(f"NOT {answered.text}", answered.values))
    return Sql(
        " OR ".join(part.text for part in parts),
        tuple(value for part in parts for value in part.values),
    )


def _mine(scope: ResponseFilterScope) -> Sql:
    return Sql(" AND p.user_id = ?", (scope.user.id.hex,)) if scope.user else Sql("")


def _suggestion_column(name: str) -> tuple[str, str]:
    """The column of a property of suggestions, and what has to be joined for it."""
    if name == "value":
        return "v.value", ", json_each(s.value) v"
    if name in ("agent", "type"):
        return f"s.{name}", ""
    if name == "score":
        return "v.value", ", json_each(s.score) v"
    raise ValueError(f"suggestions have no {name}")


def _test(column: str, given: Any) -> Sql:
    if isinstance(given, TermsFilter):
        return _among(f"CAST({column} AS TEXT)", [str(value) for value in given.values])
    if isinstance(given, RangeFilter):
        return _between(column, given.ge, given.le)
    raise ValueError(f"unknown kind of filter: {given}")


def _among(column: str, values: Sequence[str]) -> Sql:
    return Sql(f"{column} IN ({', '.join('?' * len(values))})", tuple(values))


def _between(column: str, low: Any, high: Any) -> Sql:
    ends = [(">=", low), ("<=", high)]
    given = [(sign, end) for sign, end in ends if end is not None]
    if not given:
        return Sql("1")
    return Sql(
        " AND ".join(f"{column} {sign} ?" for sign, _ in given), tuple(end for _, end in given)
    )


def _exists(source: str, values: tuple[Any, ...], where: Sql) -> Sql:
    return Sql(f"EXISTS (SELECT 1 FROM {source} WHERE {where.text})", (*values, *where.values))


def _both(one: Sql, other: Sql) -> Sql:
    return Sql(f"{one.text} AND ({other.text})", (*one.values, *other.values))


def _column(name: str) -> str:
    if name not in _PROPERTIES:
        raise ValueError(f"records have no {name}")
    return f"r.{name}"


def _path(*names: str) -> str:
    """A path into JSON; names come from people, so they are quoted."""
    return "$" + "".join('."' + name.replace('"', '\\"') + '"' for name in names)


def _time(value: Any) -> str:
    """A time as the database spells it: UTC, without a zone."""
    if isinstance(value, int | float):
        moment = datetime.fromtimestamp(value / 1000, UTC)
    else:
        moment = datetime.fromisoformat(str(value))
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return moment.strftime("%Y-%m-%d %H:%M:%S.%f")
