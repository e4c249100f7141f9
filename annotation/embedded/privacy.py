"""Keeps from raters what would colour or betray a judgement: others' answers, hidden metadata.

Argilla hides both in its pages and in most of its API. These are the ways around that are left.
And what people write stays in the database: no text of an item or an answer gets into the log.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Annotated, Any
from uuid import UUID

from argilla_server.api.policies.v1 import DatasetPolicy, RecordPolicy, authorize
from argilla_server.api.routes import api_v1
from argilla_server.api.schemas.v1.datasets import UsersProgress
from argilla_server.contexts import datasets
from argilla_server.database import async_engine, get_async_db
from argilla_server.models import Dataset
from argilla_server.search_engine.base import AndFilter, MetadataFilterScope
from argilla_server.security import auth
from fastapi import APIRouter, Depends, Security
from fastapi.exceptions import RequestValidationError

__all__ = [
    "keep_progress_of_others_from_raters", "keep_records_whole_from_raters",
    "keep_texts_out_of_the_log", "scopes",
]  # fmt: skip


def keep_records_whole_from_raters() -> None:
    """Gives a record with everybody's responses and all metadata only to those who manage it.

    Raters get records by search, without either.
    """

    def get(record: Any) -> Callable[[Any], Awaitable[bool]]:
        async def is_allowed(actor: Any) -> bool:
            if actor.is_owner:
                return True
            return bool(actor.is_admin and await actor.is_member(record.dataset.workspace_id))

        return is_allowed

    RecordPolicy.get = get


def keep_progress_of_others_from_raters() -> None:
    """Shows raters how far they are themselves, and not who else there is.

    The route goes before Argilla's own.
    """
    router = APIRouter()
    router.get("/datasets/{dataset_id}/users/progress", response_model=UsersProgress)(_progress)
    api_v1.router.routes[:0] = router.routes


async def _progress(
    dataset_id: UUID,
    db: Annotated[Any, Depends(get_async_db)],
    current_user: Annotated[Any, Security(auth.get_current_user)],
) -> Any:
    dataset = await Dataset.get_or_raise(db, dataset_id)
    await authorize(current_user, DatasetPolicy.get(dataset))
    progress = await datasets.get_dataset_users_progress(db, dataset)
    if not (current_user.is_owner or current_user.is_admin):
        progress = [one for one in progress if one["username"] == current_user.username]
    return UsersProgress(users=progress)


def keep_texts_out_of_the_log() -> None:
    """Argilla logs a request that it can't read with all that is in it, and SQL with its values."""
    logging.getLogger("argilla").addFilter(_without_input)
    async_engine.sync_engine.hide_parameters = True


def _without_input(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, RequestValidationError):
        places = {".".join(map(str, one["loc"][:4])): one["type"] for one in error.errors()}
        record.msg = f"a request can't be read: {places}"
        record.args, record.exc_info = (), None
    return True


def scopes(given: Any, sort: list[Any] | None) -> set[str]:
    """The metadata properties that a search filters or sorts by: results tell their values."""
    found: list[Any] = list(sort or ())
    waiting = [given] if given is not None else []
    while waiting:
        one = waiting.pop()
        if isinstance(one, AndFilter):
            waiting += one.filters
        else:
            found.append(one)
    return {
        one.scope.metadata_property for one in found if isinstance(one.scope, MetadataFilterScope)
    }
