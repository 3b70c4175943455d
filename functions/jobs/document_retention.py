"""Erase documents after thirty days in the trash, and files that no row names.

The file is deleted before the row, so that no file stays without a row. Profile pictures are included.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from backend.edge import api
from functions._shared.documents import cache, care

EVERY = timedelta(days=1)
KEPT_DAYS = 30
BATCH = 100
AVATARS = "avatars"


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """By the database's clock, which wrote when a document went into the trash."""
    while await _erased(context):
        pass
    for bucket in (cache.BUCKET, AVATARS):
        while await _strays_removed(context, bucket):
            pass


async def _erased(context: api.Context) -> int:
    async with context.as_service() as connection:
        rows = await care.long_in_the_trash(connection, KEPT_DAYS, BATCH)
    if rows:
        await _remove(context, cache.BUCKET, [row["storage_path"] for row in rows])
        async with context.as_service() as connection:
            await care.erase(connection, [row["id"] for row in rows])
    return len(rows)


async def _strays_removed(context: api.Context, bucket: str) -> int:
    async with context.as_service() as connection:
        paths = await care.strays(connection, bucket, BATCH)
    if paths:
        await _remove(context, bucket, paths)
    return len(paths)


async def _remove(context: api.Context, bucket: str, paths: list[str]) -> None:
    try:
        await context.storage_as_service.remove(bucket, paths)
    except api.PlatformError as error:
        raise api.Away(str(error)) from error
