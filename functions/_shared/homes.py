"""The queue of `home_refresh`: one job for each person, however often it is asked for."""

from collections.abc import Iterable
from uuid import UUID

from backend.edge import api

# Behind all other work: many are due at once, at midnight everybody's, and a message or a page is waited for.
PRIORITY = -1


async def enqueue(connection: api.Connection, people: Iterable[UUID]) -> None:
    """Enqueue a refresh for each person who has none waiting."""
    for user_id in map(str, people):
        key = f"home_refresh:{user_id}"
        await api.enqueue(
            connection, "home_refresh", {"user_id": user_id}, dedupe_key=key, user_id=user_id, priority=PRIORITY
        )
