"""Delete errors after 90 days and notifications 12 months after they were read.

The privacy notice promises both.
"""

from datetime import timedelta
from typing import Any

from backend.edge import api
from functions._shared import batches

EVERY = timedelta(days=1)
OLD = {
    "error_logs": "created_at < now() - interval '90 days'",
    "notifications": "is_read and coalesce(read_at, created_at) < now() - interval '12 months'",
}


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Delete in batches until no row is too old, by the clock of the database."""
    for table, is_old in OLD.items():
        total = await batches.until_none_is_left(
            context,
            f"""
            with gone as (
              delete from public.{table} where id in (select id from public.{table} where {is_old} limit $1)
              returning id
            )
            select count(*) from gone
            """,  # noqa: S608 - constants
        )
        if total:
            context.log.info("old rows deleted", extra={"table": table, "count": total})
