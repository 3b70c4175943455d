"""Erase temporary conversations an hour after their last message, if no tab deleted them."""

from datetime import timedelta
from typing import Any

from backend.edge import api

EVERY = timedelta(minutes=10)
KEPT_HOURS = 1


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Erases by the database's clock, which wrote when they were last used."""
    async with context.as_service() as connection:
        await connection.execute(
            """
            delete from public.conversations
            where is_temporary and last_message_at < now() - make_interval(hours => $1)
            """,
            KEPT_HOURS,
        )
