"""Delete the progress of jobs that has not changed for a week."""

from datetime import timedelta
from typing import Any

from backend.edge import api

EVERY = timedelta(days=1)
KEPT_DAYS = 7


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Delete rows that have not changed for a week, finished or not."""
    async with context.as_service() as connection:
        await connection.execute(
            "delete from public.job_progress where updated_at < now() - make_interval(days => $1)", KEPT_DAYS
        )
