"""The search engine against a plain loop over all records, by the real server's own requests."""

from __future__ import annotations

import functools
import itertools
import random
import re
import time
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from isogloss.tests.annotation.made import project, question
from isogloss.tests.annotation.served.command import PATIENCE
from isogloss.tests.annotation.served.site import Asked, Site
from scipy.stats import spearmanr

pytestmark = pytest.mark.slow

RATERS = ["search-ada", "search-grace", "search-joan"]
PROJECT = project(
    question("natural"),
    question("rated", "scale"),
    question("said", "text", required=False),
    name="search",
)
WORDS = (
    "Haus Häus haus Häuser Bou håd hàd дом мой Дома been bin AND OR NEAR not Straße strasse café "
    "cafe walk-in walk in rock'n'roll don't a*b x^2 title:one (so) \"quoted 10 100 über uber 😀"
).split()
QUERIES = [
    *WORDS,
    "hau*",
    "HÄU*",
    "-haus",
    "bou -håd",
    '"walk in"',
    '"in walk"',
    '"been bin"',
    '"unbalanced',
    'say "been',
    "been AND bin",
    "been OR nothing",
    "NEAR(been bin)",
    "-been -bin",
    "do*",
    "*",
    "?!",
    "^been",
    "text:been",
    "dialect:been",
    "'); DROP TABLE records; --",
    "{been}",
    "been + bin",
    "мо*",
    "nothing",
    "10",
    "1*",
    "been\0bin",
    "\0",
    "😀",
    "-😀",
    "been 😀",
    "😀 ?",
    "been ?",
    "(",
    "^",
    "-(",
    "— “",
]
AGENTS = ["first-model", "second-model"]
METADATA: Mapping[str, tuple[str, bool]] = {
    "source": ("terms", True),
    "secret": ("terms", False),
    "tags": ("terms", True),
    "length": ("integer", True),
    "score": ("float", False),
}
HIDDEN = {name for name, (_, visible) in METADATA.items() if not visible}
Response = tuple[str, Mapping[str, Any]]


@dataclass
class Row:
    """A record as the oracle knows it."""

    fields: dict[str, str]
    metadata: dict[str, Any]
    suggestions: dict[str, tuple[Any, str, float]]
    responses: dict[str, Response]
    id: str = ""
    external_id: str = ""
    status: str = ""
    inserted_at: str = ""
    updated_at: str = ""
    place: int = field(default=0)


# --- the oracle


def tokens(text: str) -> list[str]:
    """The words of a text: letters and digits in small letters; Latin ones without marks."""
    folded = []
    for sign in unicodedata.normalize("NFC", text):
        small = sign.lower()
        base = unicodedata.normalize("NFD", small)[0]
        folded.append(base if base.isascii() else small)
    return re.findall(r"[^\W_]+", "".join(folded))


def has(text: str, wanted: Sequence[str], *, begins: bool) -> bool:
    """Whether words stand in a text one after another; the last may be a beginning."""
    there = tokens(text)
    for at in range(len(there) - len(wanted) + 1):
        part = there[at : at + len(wanted)]
        if part[:-1] == wanted[:-1] and (
            part[-1].startswith(wanted[-1]) if begins else part[-1] == wanted[-1]
        ):
            return True
    return False


def contains(signs: str, text: str) -> bool:
    return signs in text


def by_text(query: str, name: str | None) -> Callable[[Row], bool]:
    terms: list[tuple[bool, Callable[[str], bool]]] = []
    punctuation: list[tuple[bool, Callable[[str], bool]]] = []
    for quoted, word in re.findall(r'"([^"]*)"|([^\s\0]+)', query):
        absent = not quoted and word.startswith("-")
        signs = quoted or word.lstrip("-").rstrip("*")
        if wanted := tokens(quoted or word):
            begins = not quoted and word.endswith("*")
            terms.append((absent, functools.partial(has, wanted=wanted, begins=begins)))
        elif signs:
            mere = re.fullmatch(r"[\x00-\x7f—“]+", signs)
            (punctuation if mere else terms).append((absent, functools.partial(contains, signs)))

    def found(row: Row) -> bool:
        texts = row.fields.values() if name is None else [row.fields.get(name, "")]
        asked = terms or punctuation
        return bool(asked) and all(absent != any(map(test, texts)) for absent, test in asked)

    return found


def values(row: Row, scope: Mapping[str, Any], raters: Sequence[str]) -> list[Any]:
    """What a record has where a filter or an order looks."""
    match scope:
        case {"entity": "record", "property": name}:
            return [getattr(row, name)]
        case {"entity": "metadata", "metadata_property": name}:
            value = row.metadata.get(name)
            return value if isinstance(value, list) else [] if value is None else [value]
        case {"entity": "suggestion", "question": name, "property": what}:
            if name not in row.suggestions:
                return []
            return [row.suggestions[name][("value", "agent", "score").index(what)]]
        case {"entity": "response", "question": name}:
            given = [row.responses[one][1] for one in raters if one in row.responses]
            return [one[name] for one in given if name in one]
        case {"entity": "response", "property": "status"}:
            return [row.responses[one][0] for one in raters if one in row.responses] or ["pending"]
    raise AssertionError(scope)


def by_filter(given: Mapping[str, Any], raters: Sequence[str]) -> Callable[[Row], bool]:
    def found(row: Row) -> bool:
        there = values(row, given["scope"], raters)
        if given["type"] == "terms":
            return any(str(value) in given["values"] for value in there)
        low, high = given.get("ge"), given.get("le")
        return any(
            (low is None or value >= low) and (high is None or value <= high) for value in there
        )

    return found


def ordered(rows: list[Row], sort: Sequence[Mapping[str, Any]], raters: Sequence[str]) -> list[Row]:
    """Sorted by several orders; what is missing comes last, and ties go by id."""
    rows = sorted(rows, key=lambda row: row.id)
    for order in reversed(sort):
        keyed = [(row, values(row, order["scope"], raters)) for row in rows]
        missing = [row for row, there in keyed if not there]
        kept = [(row, there) for row, there in keyed if row not in missing]

        def key(one: tuple[Row, list[Any]]) -> Any:
            there = one[1]
            return min(there) if isinstance(there[0], str) else sum(there) / len(there)

        kept.sort(key=key, reverse=order["order"] == "desc")
        rows = [row for row, _ in kept] + missing
    return rows


def expected(rows: Sequence[Row], body: Mapping[str, Any], rater: str | None) -> list[Row]:
    """All that a search finds; of what isn't sorted, the order is the caller's matter."""
    raters = RATERS if rater is None else [rater]
    scopes = [
        one["scope"] for one in (*body.get("filters", {}).get("and", ()), *body.get("sort", ()))
    ]
    if rater is not None and any(scope.get("metadata_property") in HIDDEN for scope in scopes):
        return []
    conditions = [by_filter(one, raters) for one in body.get("filters", {}).get("and", ())]
    if "query" in body:
        text = body["query"]["text"]
        conditions.append(by_text(text["q"], text.get("field")))
    found = [row for row in rows if all(condition(row) for condition in conditions)]
    return ordered(found, body["sort"], raters) if "sort" in body else found


# --- the records


def row(draw: random.Random, at: int) -> Row:
    def text() -> str:
        return " ".join(draw.choices(WORDS, k=draw.randint(1, 6)))

    fields = {"dialect": f"{text()} nr{at}", "standard": text()}
    if draw.random() < 0.4:
        fields["note"] = text()
    metadata: dict[str, Any] = {
        "source": draw.choice(["tweet", 'Wiki\'s "page"', "глава"]),
        "secret": draw.choice(["kept-apart", "set-aside"]),
        "tags": draw.sample(["rain", "sun", "snow", "wind"], k=draw.randint(1, 3)),
        "length": draw.randint(-3, 12),
        "score": round(draw.random(), 2),
    }
    for name in draw.sample(list(metadata), k=draw.choice([0, 0, 1, 2])):
        del metadata[name]
    suggestions: dict[str, tuple[Any, str, float]] = {}
    for name, choices in (("natural", ["yes", "no"]), ("rated", range(1, 6))):
        if draw.random() < 0.6:
            score = round(draw.random(), 2)
            suggestions[name] = draw.choice(list(choices)), draw.choice(AGENTS), score
    return Row(fields, metadata, suggestions, dict(responses(draw)))


def responses(draw: random.Random) -> list[tuple[str, Response]]:
    found: list[tuple[str, Response]] = []
    for rater in RATERS:
        status = draw.choice(["submitted", "submitted", "draft", "discarded", ""])
        given: dict[str, Any] = {
            "natural": draw.choice(["yes", "no"]),
            "rated": draw.randint(1, 5),
            "said": draw.choice(["good", "läuft", "passt so"]),
        }
        if status != "submitted":
            given = {name: given[name] for name in draw.sample(list(given), k=draw.randint(0, 3))}
        elif draw.random() < 0.3:
            del given["said"]
        if status:
            found.append((rater, (status, given)))
    return found


@dataclass(frozen=True)
class Searched:
    """A data set, and all its records as the oracle knows them."""

    asked: Asked
    rows: list[Row]

    def search(self, rater: str | None, body: Any, **params: Any) -> tuple[list[str], int]:
        """Ids and total; as a rater, or as the owner."""
        if rater is not None:
            found = self.asked.search(rater, body, **{"limit": 1000, **params})
        else:
            found = self.asked.owner.request(
                "POST",
                f"/datasets/{self.asked.dataset()}/records/search",
                json=body,
                params={"limit": 1000, **params},
            )
        return [one["record"]["id"] for one in found["items"]], found["total"]

    def refresh(self) -> None:
        """Reads status and times as the server has them."""
        by_id = {one["id"]: one for one in self.asked.owner.records(self.asked.dataset())}
        for one in self.rows:
            there = by_id[one.id]
            one.status = there["status"]
            one.inserted_at, one.updated_at = there["inserted_at"], there["updated_at"]

    def add(self, rows: Sequence[Row]) -> None:
        """Sends records with everything about them, as an owner may."""
        asked = self.asked
        path = f"/datasets/{asked.dataset()}"
        questions = {
            one["name"]: one["id"]
            for one in asked.owner.request("GET", f"{path}/questions")["items"]
        }
        given = [
            {
                "external_id": f"row-{len(self.rows) + at}",
                "fields": one.fields,
                "metadata": one.metadata,
                "suggestions": [
                    {"question_id": questions[name], "value": value, "agent": agent, "score": score}
                    for name, (value, agent, score) in one.suggestions.items()
                ],
                "responses": [
                    {
                        "user_id": asked.raters[rater].id,
                        "status": status,
                        "values": {name: {"value": value} for name, value in answers.items()},
                    }
                    for rater, (status, answers) in one.responses.items()
                ],
            }
            for at, one in enumerate(rows)
        ]
        made = asked.owner.request("POST", f"{path}/records/bulk", json={"items": given})["items"]
        for one, sent, there in zip(rows, given, made, strict=True):
            one.id, one.external_id = there["id"], str(sent["external_id"])
            one.place = len(self.rows)
            self.rows.append(one)
        self.refresh()


@pytest.fixture(scope="module")
def searched(site: Site) -> Searched:
    asked = site.asked(PROJECT, raters=RATERS, number=1, min_raters=2)
    (pushed,) = asked.owner.records(asked.dataset())
    asked.owner.request("DELETE", f"/records/{pushed['id']}")
    for name, (kind, visible) in METADATA.items():
        asked.owner.request(
            "POST",
            f"/datasets/{asked.dataset()}/metadata-properties",
            json={
                "name": name,
                "title": name,
                "settings": {"type": kind},
                "visible_for_annotators": visible,
            },
        )
    found = Searched(asked, [])
    draw = random.Random(8)
    for _ in range(3):
        found.add([row(draw, len(found.rows) + at) for at in range(20)])
    return found


# --- what is asked


def filters(draw: random.Random, rows: Sequence[Row]) -> dict[str, Any]:
    """A filter that finds some, and now and then none."""
    one = draw.choice(rows)
    scope: dict[str, Any] = draw.choice(
        [
            {"entity": "record", "property": draw.choice(["status", "external_id", "id"])},
            {"entity": "record", "property": draw.choice(["inserted_at", "updated_at"])},
            {"entity": "metadata", "metadata_property": draw.choice(list(METADATA))},
            {"entity": "metadata", "metadata_property": draw.choice(["tags", "length"])},
            {
                "entity": "suggestion",
                "question": draw.choice(["natural", "rated"]),
                "property": draw.choice(["value", "agent", "score"]),
            },
            {"entity": "response", "property": "status"},
            {"entity": "response", "property": "status"},
            {"entity": "response", "question": draw.choice(["natural", "rated", "said"])},
        ]
    )
    if scope.get("property") == "status":
        statuses = ["pending", "draft", "discarded", "submitted"]
        if scope["entity"] == "record":
            statuses = ["pending", "completed"]
        chosen = draw.sample(statuses, k=draw.randint(1, 2))
        return {"type": "terms", "scope": scope, "values": chosen}
    there = [value for row in (one, draw.choice(rows)) for value in values(row, scope, RATERS)]
    there = [value for value in there if value != "pending"] or ["nothing"]
    times = scope.get("property") in ("inserted_at", "updated_at")
    numbers = all(isinstance(value, int | float) for value in there)
    if times or (numbers and draw.random() < 0.7):
        low, high = min(there), max(there)
        ends = draw.choice([{"ge": low}, {"le": high}, {"ge": low, "le": high}])
        return {"type": "range", "scope": scope, **ends}
    return {"type": "terms", "scope": scope, "values": [str(value) for value in there]}


def orders(draw: random.Random) -> dict[str, Any]:
    scope: dict[str, Any] = draw.choice(
        [
            {"entity": "record", "property": draw.choice(["inserted_at", "external_id", "status"])},
            {
                "entity": "metadata",
                "metadata_property": draw.choice(["source", "length", "score"]),
            },
            {
                "entity": "suggestion",
                "question": draw.choice(["natural", "rated"]),
                "property": draw.choice(["value", "agent", "score"]),
            },
            {"entity": "response", "question": draw.choice(["natural", "rated", "said"])},
        ]
    )
    return {"scope": scope, "order": draw.choice(["asc", "desc"])}


def bodies(draw: random.Random, rows: Sequence[Row]) -> dict[str, Any]:
    body: dict[str, Any] = {}
    if draw.random() < 0.5:
        text = {"q": draw.choice(QUERIES)}
        if draw.random() < 0.3:
            text["field"] = draw.choice(["dialect", "standard", "note"])
        body["query"] = {"text": text}
    if number := draw.choice([0, 1, 1, 2, 3]):
        body["filters"] = {"and": [filters(draw, rows) for _ in range(number)]}
    if draw.random() < 0.5:
        body["sort"] = [orders(draw) for _ in range(draw.choice([1, 1, 2]))]
    return body


def check(searched: Searched, rater: str | None, body: Mapping[str, Any]) -> list[str]:
    """Asks the server and the oracle; gives what both have found, as the server orders it."""
    wanted = [one.id for one in expected(searched.rows, body, rater)]
    found, total = searched.search(rater, body)
    assert total == len(wanted), (rater, body)
    if "sort" in body:
        assert found == wanted, (rater, body)
    else:
        assert sorted(found) == sorted(wanted), (rater, body)
    return found


def test_what_random_searches_find(searched: Searched) -> None:
    draw = random.Random(80)
    base = {rater: searched.search(rater, {})[0] for rater in RATERS}
    found = []
    for at in range(100):
        body = bodies(draw, searched.rows)
        found.append(len(check(searched, None, body)))
        rater = RATERS[at % 3]
        there = check(searched, rater, body)
        if "sort" not in body:
            # What is filtered out leaves the others in the rater's own order.
            assert there == [one for one in base[rater] if one in set(there)]
    # The searches are worth something: most find some, and not all.
    assert sum(0 < number < len(searched.rows) for number in found) > 50


@pytest.mark.parametrize("query", QUERIES)
def test_what_words_find(searched: Searched, query: str) -> None:
    for name in (None, "dialect"):
        text = {"q": query} if name is None else {"q": query, "field": name}
        check(searched, None, {"query": {"text": text}})
        check(searched, RATERS[0], {"query": {"text": text}})


def test_no_number_of_words_is_too_many(searched: Searched) -> None:
    been = check(searched, None, {"query": {"text": {"q": "been"}}})
    assert 0 < len(been) < len(searched.rows)
    for query in (
        "been " * 5_000,
        "been " + " ".join(f"-zz{at}" for at in range(3_000)),
        'been "' + "zz " * 5_000,
        "been " + "z" * 100_000,
    ):
        wanted = [] if query.endswith(("zz ", "z")) else been
        for rater in (None, RATERS[0]):
            found, total = searched.search(rater, {"query": {"text": {"q": query}}})
            assert (sorted(found), total) == (sorted(wanted), len(wanted))


def test_pages_together_are_all_and_an_end_has_its_total(searched: Searched) -> None:
    sort = [{"scope": {"entity": "metadata", "metadata_property": "source"}, "order": "asc"}]
    for rater, body in itertools.product((None, RATERS[1]), ({}, {"sort": sort})):
        whole, total = searched.search(rater, body)
        assert total == len(whole) == len(set(whole)) == len(searched.rows)
        pages = [searched.search(rater, body, limit=7, offset=at) for at in range(0, total, 7)]
        assert [one for page, _ in pages for one in page] == whole
        assert {count for _, count in pages} == {total}
        for far in (total + 50, 2**62, 2**63, 2**80):
            assert searched.search(rater, body, limit=7, offset=far) == ([], total)


def test_times_are_ranges_in_any_zone(searched: Searched) -> None:
    moments = sorted({one.inserted_at for one in searched.rows})
    assert len(moments) >= 3
    middle = datetime.fromisoformat(moments[len(moments) // 2]).replace(tzinfo=UTC)
    wanted = sorted(
        one.id for one in searched.rows if one.inserted_at >= moments[len(moments) // 2]
    )
    assert 0 < len(wanted) < len(searched.rows)
    scope = {"entity": "record", "property": "inserted_at"}
    for start in (middle.isoformat(), middle.isoformat().replace("+00:00", "Z")):
        body = {"filters": {"and": [{"type": "range", "scope": scope, "ge": start}]}}
        assert sorted(searched.search(None, body)[0]) == wanted


def test_each_rater_has_an_order_that_stays(searched: Searched) -> None:
    before = {rater: searched.search(rater, {})[0] for rater in RATERS}
    assert {rater: searched.search(rater, {})[0] for rater in RATERS} == before
    whole = [one.id for one in searched.rows]
    for one, other in itertools.combinations([*before.values(), whole], 2):
        assert sorted(one) == sorted(other)
        ranks = {record: place for place, record in enumerate(other)}
        assert abs(spearmanr(range(len(one)), [ranks[record] for record in one]).statistic) < 0.5
    searched.add([row(random.Random(3), len(searched.rows)) for _ in range(4)])
    for rater, order in before.items():
        after, _ = searched.search(rater, {})
        assert [record for record in after if record in set(order)] == order
        # New records don't all come at the end: their place is as random as any.
        assert len(after) == len(order) + 4
    # The owner's is the order in which they came.
    assert searched.search(None, {})[0] == [one.id for one in searched.rows]


def test_what_changes_is_found_at_once(searched: Searched) -> None:
    one = searched.rows[5]
    owner = searched.asked.owner
    word = {"query": {"text": {"q": "Zwetschgendatschi"}}}
    assert check(searched, None, word) == []
    one.fields["dialect"] = "a Zwetschgendatschi muss her"
    owner.request("PATCH", f"/records/{one.id}", json={"fields": one.fields})
    assert check(searched, None, word) == check(searched, RATERS[0], word) == [one.id]
    one.metadata["length"] = 4711
    owner.request("PATCH", f"/records/{one.id}", json={"metadata": one.metadata})
    scope = {"entity": "metadata", "metadata_property": "length"}
    long = {"filters": {"and": [{"type": "range", "scope": scope, "ge": 4000}]}}
    assert check(searched, RATERS[0], long) == [one.id]
    owner.request("DELETE", f"/records/{one.id}")
    searched.rows.remove(one)
    assert check(searched, None, word) == check(searched, RATERS[0], long) == []
    searched.refresh()
    assert len(check(searched, None, {})) == len(searched.rows)


def test_the_queue_brings_status_up_to_date_when_more_must_answer(searched: Searched) -> None:
    submitted = {
        one.id: sum(status == "submitted" for status, _ in one.responses.values())
        for one in searched.rows
    }
    for number in (3, 1, 2):
        searched.asked.owner.request(
            "PATCH",
            f"/datasets/{searched.asked.dataset()}",
            json={"distribution": {"strategy": "overlap", "min_submitted": number}},
        )
        wanted = {record for record, count in submitted.items() if count >= number}
        deadline = time.monotonic() + PATIENCE
        complete: set[str] = set()
        while complete != wanted and time.monotonic() < deadline:
            searched.refresh()
            complete = {one.id for one in searched.rows if one.status == "completed"}
        assert complete == wanted
        scope = {"entity": "record", "property": "status"}
        done = {"filters": {"and": [{"type": "terms", "scope": scope, "values": ["completed"]}]}}
        assert set(check(searched, RATERS[0], done)) == wanted
    progress = searched.asked.owner.request("GET", f"/datasets/{searched.asked.dataset()}/progress")
    assert progress["completed"] == len(wanted)
