"""Delete the progress of finished jobs after a week."""

from datetime import timedelta
from typing import Any

from backend.edge import api

EVERY = timedelta(days=1)
KEPT_DAYS = 7


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Deletes rows that have not moved for so long, finished or not."""
    async with context.as_service() as connection:
        await connection.execute(
            "delete from public.job_progress where updated_at < now() - make_interval(days => $1)", KEPT_DAYS
        )
