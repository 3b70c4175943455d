"""Delete notifications 12 months after they were read, as the privacy notice promises, and deliveries after 90 days."""

from datetime import timedelta
from typing import Any

from backend.edge import api
from functions._shared import batches

EVERY = timedelta(days=1)


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Delete in batches until none is too old, by the clock of the database."""
    total = await batches.until_none_is_left(
        context,
        """
        with gone as (
          delete from public.notifications where id in (
            select id from public.notifications
            where is_read and coalesce(read_at, created_at) < now() - interval '12 months' limit $1
          )
          returning id
        )
        select count(*) from gone
        """,
    )
    for forget in ("forget_deliveries", "forget_deleted_notifications"):
        total += await batches.until_none_is_left(context, f"select private.{forget}($1)")
    if total:
        context.log.info("old notifications deleted", extra={"count": total})
