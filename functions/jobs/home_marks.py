"""Compute the homes of people whose rows have changed, once for many changes.

An open home does not wait for it: the page computes itself when it is read. This is for what is told elsewhere.
"""

from datetime import timedelta
from typing import Any

from backend.edge import api
from functions._shared import homes

EVERY = timedelta(minutes=1)
AT_MOST = 1000
# Somebody who is at work is left to finish, but not for ever.
CHANGED = """
select user_id from private.insight_marks group by user_id
having max(marked_at) < now() - interval '15 seconds' or min(marked_at) < now() - interval '5 minutes'
order by min(marked_at) limit $1
"""
MOVED = "select private.moving_windows($1) as user_id"


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Enqueue a job for each person; whoever is left over is first in a minute."""
    async with context.as_service() as connection:
        people = await connection.fetch(CHANGED, AT_MOST)
        people += await connection.fetch(MOVED, AT_MOST)
        await homes.enqueue(connection, [row["user_id"] for row in people])
