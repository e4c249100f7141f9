"""Argilla's search engine, answered from Argilla's own tables.

Argilla writes to its search engine after each commit, and reads from it: which records come
next, how far a rater is. This engine has no index of its own that could lag behind or get
lost; its reads are SQL, and there is nothing to write.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from typing import Any, ClassVar
from uuid import UUID

from argilla_server.search_engine.base import (
    FloatMetadataMetrics,
    IntegerMetadataMetrics,
    SearchEngine,
    SearchResponseItem,
    SearchResponses,
    TermsMetrics,
    TextQuery,
)

from .privacy import scopes
from .query import Sql, condition, ordering, search, text_condition
from .reader import Reader

__all__ = ["NAME", "TablesEngine"]

#: Its name in Argilla's settings.
NAME = "isogloss"


@SearchEngine.register(NAME)
class TablesEngine(SearchEngine):  # type: ignore[misc]
    """Answers Argilla's searches by SQL.

    Attributes:
        reader: Reads the database; set before the server starts.
    """

    reader: ClassVar[Reader]

    @classmethod
    async def new_instance(cls) -> TablesEngine:
        """An engine for one request; it holds nothing."""
        return cls()

    async def close(self) -> None:
        """There is nothing to close."""

    async def ping(self) -> bool:
        """Whether the tables can be read."""
        return bool(await self.reader.rows("SELECT count(*) FROM isogloss_records"))

    async def info(self) -> dict[str, Any]:
        """What this is."""
        return {"name": NAME, "version": 1}

    async def create_index(self, dataset: Any) -> None:
        """The tables are the index."""

    async def delete_index(self, dataset: Any) -> None:
        """The tables are the index."""

    async def configure_metadata_property(self, dataset: Any, metadata_property: Any) -> None:
        """The tables are the index."""

    async def configure_index_vectors(self, vector_settings: Any) -> None:
        """Vectors are stored by Argilla, but not searched here."""

    async def index_records(self, dataset: Any, records: Iterable[Any]) -> None:
        """Triggers did it inside the transaction."""

    async def partial_record_update(self, record: Any, **update: Any) -> None:
        """The tables are the index."""

    async def delete_records(self, dataset: Any, records: Iterable[Any]) -> None:
        """Triggers did it inside the transaction."""

    async def update_record_response(self, response: Any) -> None:
        """The tables are the index."""

    async def delete_record_response(self, response: Any) -> None:
        """The tables are the index."""

    async def update_record_suggestion(self, suggestion: Any) -> None:
        """The tables are the index."""

    async def delete_record_suggestion(self, suggestion: Any) -> None:
        """The tables are the index."""

    async def get_dataset_progress(self, dataset: Any) -> dict[str, int]:
        """Records in all and by status; nothing for a draft."""
        if dataset.is_draft:
            return {}
        rows = await self.reader.rows(
            "SELECT status, count(*) FROM records WHERE dataset_id = ? GROUP BY status",
            (dataset.id.hex,),
        )
        return {"total": sum(count for _, count in rows), **dict(rows)}

    async def get_dataset_user_progress(self, dataset: Any, user: Any) -> dict[str, int]:
        """A user's responses in all and by status; nothing for a draft."""
        if dataset.is_draft:
            return {}
        rows = await self.reader.rows(
            "SELECT p.status, count(*) FROM responses p JOIN records r ON r.id = p.record_id "
            "WHERE r.dataset_id = ? AND p.user_id = ? GROUP BY p.status",
            (dataset.id.hex, user.id.hex),
        )
        return {"total": sum(count for _, count in rows), **dict(rows)}

    async def search(
        self,
        dataset: Any,
        query: TextQuery | str | None = None,
        filter: Any = None,  # noqa: A002 - Argilla's name
        sort: list[Any] | None = None,
        offset: int = 0,
        limit: int = 100,
        user_id: UUID | str | None = None,
    ) -> SearchResponses:
        """A page of records, and how many there are in all."""
        conditions: list[Sql] = []
        if query is not None:
            asked = TextQuery(q=query) if isinstance(query, str) else query
            conditions.append(text_condition(asked.q, asked.field))
        if filter is not None:
            conditions.append(condition(filter))
        if user_id is not None and await self._asks_for_hidden(dataset, user_id, filter, sort):
            return SearchResponses(items=[], total=0)
        order = [ordering(one) for one in sort or ()]
        user = None if user_id is None else UUID(str(user_id)).hex
        page, count = search(
            dataset.id.hex, conditions, order, user=user, limit=limit, offset=offset
        )
        rows, counted = await asyncio.gather(
            self.reader.rows(page.text, page.values), self.reader.rows(count.text, count.values)
        )
        items = [SearchResponseItem(record_id=UUID(row[0]), score=None) for row in rows]
        return SearchResponses(items=items, total=counted[0][0])

    async def _asks_for_hidden(
        self, dataset: Any, user_id: UUID | str, given: Any, sort: list[Any] | None
    ) -> bool:
        """Whether a rater's search would tell the values of metadata that raters don't see."""
        named = scopes(given, sort)
        if not named:
            return False
        rows = await self.reader.rows(
            "SELECT role FROM users WHERE id = ?", (UUID(str(user_id)).hex,)
        )
        role = rows[0][0] if rows else ""
        hidden = {
            one.name
            for one in dataset.metadata_properties
            if role not in {str(allowed) for allowed in one.allowed_roles}
        }
        return role != "owner" and bool(named & hidden)

    async def similarity_search(self, *_given: Any, **_named: Any) -> SearchResponses:
        """Vectors can't be searched here.

        Raises:
            ValueError: Always.
        """
        raise ValueError("this server has no search by similarity")

    async def compute_metrics_for(self, metadata_property: Any) -> Any:
        """The values of a metadata property: counts of terms, or the range of numbers."""
        values = await self.reader.rows(
            "SELECT v.value FROM records r, json_each(r.metadata, ?) v WHERE r.dataset_id = ?",
            (f'$."{metadata_property.name}"', metadata_property.dataset_id.hex),
        )
        present = [value for (value,) in values if value is not None]
        if metadata_property.is_terms:
            counts = Counter(map(str, present)).most_common()
            terms = [TermsMetrics.TermCount(term=term, count=count) for term, count in counts]
            return TermsMetrics(total=len(present), values=terms)
        kind = IntegerMetadataMetrics if metadata_property.is_integer else FloatMetadataMetrics
        return kind(min=min(present, default=None), max=max(present, default=None))
