"""Read uploaded files that no tab registered, and continue documents that stopped halfway.

Both are harmless when nothing is wrong: a path is registered once, and a job that waits or runs is not queued twice.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from backend.edge import api
from functions._shared.documents import cache, care, names, queries

EVERY = timedelta(minutes=5)
BATCH = 100


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Register files until none is left, then enqueue the documents that stopped."""
    while await _registered(context):
        pass
    async with context.as_service() as connection:
        for document in await care.standing_still(connection):
            await care.go_on(connection, document)
    await cache.sweep(context)


async def _registered(context: api.Context) -> int:
    async with context.as_service() as connection:
        found = await care.unregistered(connection, BATCH)
        for each in found:
            name = names.of_key(each["path"])
            await queries.register(connection, each["user_id"], each["path"], name, each["size_bytes"], each["mime"])
    return len(found)
