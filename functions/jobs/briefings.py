"""Put the briefing of the day on its way to everybody whose hour has come, once for each local day."""

from datetime import timedelta
from typing import Any

from backend.edge import api

EVERY = timedelta(minutes=5)


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Brief one person in each transaction until nobody is left."""
    while await context.call("private.brief_person"):
        pass
