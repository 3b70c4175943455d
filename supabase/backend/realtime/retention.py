"""Delete messages sent from the database after 72 hours, as upstream does (REALTIME-04)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from backend.core import db
from backend.core.resources import Resources

JOB = "realtime.forget"
EVERY = timedelta(hours=1)


async def forget(resources: Resources, _payload: dict[str, Any]) -> None:
    """Delete the old messages."""
    async with db.connection(resources.pool) as connection:
        await connection.execute("delete from realtime.messages where inserted_at < now() - interval '72 hours'")
        await connection.execute("delete from realtime.parcels where created_at < now() - interval '1 minute'")
