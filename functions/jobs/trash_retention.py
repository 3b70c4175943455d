"""Every day: what has been in the trash for thirty days is erased, with what hangs on it, as the screens promise."""

from datetime import timedelta
from typing import Any

from backend.edge import api

EVERY = timedelta(days=1)
KEPT_DAYS = 30
TABLES = ("contacts", "deals", "drafts", "notes", "projects", "tasks")


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Deletes by the database's clock, which wrote when it went into the trash."""
    for table in TABLES:
        async with context.as_service() as connection:
            await connection.execute(
                f"delete from public.{table} where deleted_at < now() - make_interval(days => $1)",  # noqa: S608
                KEPT_DAYS,
            )
