"""Have Meta deliver nothing more about WhatsApp numbers that were disconnected, replaced or erased."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from backend.edge import api
from functions._shared.whatsapp import connecting, numbers

EVERY = timedelta(minutes=5)
TIMEOUT_S = 900


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Tell Meta of what is due; what fails, or cannot be decrypted, is due again in ten minutes, for a week."""
    async with context.as_service() as connection:
        due = await connection.fetch("select * from private.due_whatsapp_releases()")
    for row in due:
        await connecting.release(context, numbers.decrypted(context, dict(row)))
