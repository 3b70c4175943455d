"""Compute everybody's home for a new day in Italy: what falls due, is late or has been silent for too long."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared import batches, homes

# Whatever the hour of the first run, the day begins within one.
EVERY = timedelta(hours=1)
YESTERDAYS = """
select user_id from private.home_pages
where day < (now() at time zone 'Europe/Rome')::date and user_id > $1 order by user_id limit $2
"""


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Enqueue a job for each person, some people in each transaction."""
    last: UUID | None = UUID(int=0)
    while last is not None:
        async with context.as_service() as connection:
            people = [row["user_id"] for row in await connection.fetch(YESTERDAYS, last, batches.BATCH)]
            await homes.enqueue(connection, people)
        last = people[-1] if people else None
