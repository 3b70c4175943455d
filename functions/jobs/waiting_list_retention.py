"""Delete expired addresses, counters and tokens of the waiting list.

Unconfirmed addresses are kept for a week, confirmed ones for 24 months, counted requests for an hour, and tokens of
people who left for a week.
"""

from datetime import timedelta
from typing import Any

from backend.edge import api

EVERY = timedelta(hours=1)
UNCONFIRMED_KEPT = timedelta(days=7)
CONFIRMED_KEPT_MONTHS = 24
REQUESTS_KEPT = timedelta(hours=1)
LEFT_KEPT = timedelta(days=7)


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Delete expired rows of each kind."""
    async with context.as_service() as connection:
        await connection.execute(
            """
            delete from public.waiting_list
            where (confirmed_at is null and mailed_at < $1)
               or confirmed_at < $2::timestamptz - make_interval(months => $3)
            """,
            context.now() - UNCONFIRMED_KEPT,
            context.now(),
            CONFIRMED_KEPT_MONTHS,
        )
        await connection.execute(
            "delete from private.waiting_list_requests where requested_at < $1", context.now() - REQUESTS_KEPT
        )
        await connection.execute("delete from private.waiting_list_left where left_at < $1", context.now() - LEFT_KEPT)
