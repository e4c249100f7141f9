"""Leaves out work of Argilla's that nobody has anything of.

Argilla describes every record and every response it writes as an event for webhooks, with its
whole dataset around it, and only then looks whether there is a webhook. Here it looks first.
And each time it reads the settings of a question or a metadata property it builds the reader
of that type anew; here it keeps it.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any

from argilla_server.models import Webhook, database
from argilla_server.webhooks.v1 import datasets, records, responses
from sqlalchemy import event, func, select

__all__ = ["keep_type_adapters", "skip_unheard_events"]


class _Nobody:
    """An event that nobody gets."""

    async def notify(self, _db: Any) -> list[Any]:
        return []


_heard: bool | None = None


def skip_unheard_events() -> None:
    """Changes how Argilla makes events, in this process."""
    for change in ("after_insert", "after_update", "after_delete"):
        event.listen(Webhook, change, _look_again)
    for module, name in (
        (datasets, "build_dataset_event"),
        (records, "build_record_event"),
        (responses, "build_response_event"),
    ):
        _replace(module, name)


def keep_type_adapters() -> None:
    """Builds the reader of each type of settings once, in this process."""
    database.TypeAdapter = cache(database.TypeAdapter)


def _replace(module: ModuleType, name: str) -> None:
    original = getattr(module, name)

    async def build(db: Any, kind: Any, subject: Any) -> Any:
        return await original(db, kind, subject) if await _anybody(db) else _Nobody()

    setattr(module, name, build)


async def _anybody(db: Any) -> bool:
    global _heard
    if _heard is None:
        found = await db.scalar(select(func.count(Webhook.id)).where(Webhook.enabled.is_(True)))
        _heard = bool(found)
    return _heard


def _look_again(*_given: Any) -> None:
    global _heard
    _heard = None
