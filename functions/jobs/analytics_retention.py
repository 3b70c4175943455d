"""Delete analytics events after 24 months, as the privacy notice promises."""

from datetime import timedelta
from typing import Any

from backend.edge import api

EVERY = timedelta(days=1)
KEPT_MONTHS = 24
# Small transactions: nobody waits behind a long one, and a run that is cut short has done its part.
BATCH = 5000


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Delete in batches until no event is too old."""
    total, deleted = 0, BATCH
    while deleted == BATCH:
        async with context.as_service() as connection:
            status = await connection.execute(
                """
                delete from public.analytics_events
                where id in (
                  select id from public.analytics_events
                  where created_at < now() - make_interval(months => $1)
                  order by created_at limit $2
                )
                """,
                KEPT_MONTHS,
                BATCH,
            )
        deleted = int(status.split()[-1])
        total += deleted
    if total:
        context.log.info("old events deleted", extra={"count": total})
