"""Delete events after 24 months and errors after 90 days, and the oldest of both beyond a number of rows.

The privacy notice promises the ages. The numbers bound what strangers can fill the disk with between two runs.
"""

from datetime import timedelta
from typing import Any

from backend.edge import api
from functions._shared import batches

EVERY = timedelta(hours=1)
KEPT = {"analytics_events": "24 months", "error_logs": "90 days"}
KEPT_ROWS = {"analytics_events": 2_000_000, "error_logs": 20_000}


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Delete in small transactions until no row is too old or too many, by the clock of the database."""
    async with context.as_service() as connection:
        await connection.execute("delete from private.telemetry_networks where day < current_date")
    for table, age in KEPT.items():
        too_old = await _deleted(context, table, f"created_at < now() - interval '{age}'")
        async with context.as_service() as connection:
            border = await connection.fetchval(
                f"select id from public.{table} order by id desc offset $1 limit 1",  # noqa: S608 - constants
                KEPT_ROWS[table],
            )
        too_many = 0 if border is None else await _deleted(context, table, f"id <= {border}")
        if too_old or too_many:
            context.log.info("old telemetry deleted", extra={"table": table, "too_old": too_old, "too_many": too_many})


async def _deleted(context: api.Context, table: str, condition: str) -> int:
    return await batches.until_none_is_left(
        context,
        f"""
        with gone as (
          delete from public.{table} where id in (select id from public.{table} where {condition} limit $1)
          returning id
        )
        select count(*) from gone
        """,  # noqa: S608 - constants and a number
    )
