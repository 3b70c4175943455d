"""Emptying a bucket, piece by piece, of what was in it when it was asked: the first at once, the others by a job."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from backend.core import db, jobs
from backend.core.db import Connection
from backend.core.resources import Resources
from backend.storage import blobs as stores
from backend.storage import queries
from backend.storage.backends import Backend
from backend.storage.service import SERVICE

JOB = "storage.empty_bucket"
PIECE = 500


async def enqueue(connection: Connection, bucket_id: str, now: datetime) -> None:
    """In the caller's transaction, who must be the service role."""
    until = now.isoformat()
    # Whoever asks again means also what has come since.
    key = f"{JOB} {bucket_id} {until}"
    await jobs.enqueue(connection, JOB, {"bucket": bucket_id, "until": until}, dedupe_key=key)


async def run(resources: Resources, payload: dict[str, Any]) -> None:
    """The job's handler; bears being repeated."""
    until = datetime.fromisoformat(payload["until"])
    async with stores.opened(resources.settings) as blobs:
        while await piece(resources, blobs, payload["bucket"], until):
            pass


async def piece(resources: Resources, blobs: Backend, bucket_id: str, until: datetime) -> int:
    """Remove at most `PIECE` objects that were in the bucket at that moment; return how many it were."""
    told = queries.told("storage.bucket.empty", "POST", "/bucket")
    async with db.as_claims(resources.pool, SERVICE, told) as connection:
        versions = await queries.delete_some_of_bucket(connection, bucket_id, until, PIECE)
    if versions:
        await blobs.delete(versions)
        async with db.as_claims(resources.pool, SERVICE) as connection:
            await queries.forget_superfluous(connection, versions)
    return len(versions)
