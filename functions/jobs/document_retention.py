"""Every day: documents that have been in the trash for thirty days are erased, the file first and then the row, so that
nothing is left that nobody knows of; and files that came in documents which are gone.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from backend.edge import api
from functions._shared.documents import cache, care

EVERY = timedelta(days=1)
KEPT_DAYS = 30
BATCH = 100


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """By the database's clock, which wrote when a document went into the trash."""
    while await _erased(context):
        pass
    while await _orphans_removed(context):
        pass


async def _erased(context: api.Context) -> int:
    async with context.as_service() as connection:
        rows = await care.long_in_the_trash(connection, KEPT_DAYS, BATCH)
    if rows:
        await _remove(context, [row["storage_path"] for row in rows])
        async with context.as_service() as connection:
            await care.erase(connection, [row["id"] for row in rows])
    return len(rows)


async def _orphans_removed(context: api.Context) -> int:
    async with context.as_service() as connection:
        paths = await care.orphans(connection, BATCH)
    if paths:
        await _remove(context, paths)
    return len(paths)


async def _remove(context: api.Context, paths: list[str]) -> None:
    try:
        await context.storage_as_service.remove(cache.BUCKET, paths)
    except api.PlatformError as error:
        raise api.Away(str(error)) from error
