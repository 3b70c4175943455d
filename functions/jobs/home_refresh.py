"""Compute the insights of one person and their page /home again."""

from typing import Any
from uuid import UUID

from backend.edge import api


async def handler(payload: dict[str, Any], context: api.Context) -> None:
    """Bears being repeated: the same again changes nothing."""
    await context.call("private.refresh_home", UUID(payload["user_id"]))
