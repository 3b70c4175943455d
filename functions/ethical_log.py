"""`/functions/v1/ethical_log`: whether the caller's ethical log is whole, its hashes and its signed anchors.

GET    200 {entries, is_whole, broken_at, anchors, public_key}
"""

from __future__ import annotations

from typing import Any

from backend.edge import api
from functions._shared import requests
from functions._shared.goals import anchors

TIMEOUT_S = 30


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 401 and 405."""
    requests.only(request, "GET")
    requests.caller(context)
    async with context.as_caller() as connection:
        found: dict[str, Any] = await connection.fetchval("select public.verify_ethical_log()")
    # The one of today may not be signed yet.
    signed = [anchor for anchor in found["anchors"] if anchor["signature"] is not None]
    is_whole = (
        found["broken_at"] is None
        and found["is_complete"]
        and all(anchor["is_met"] and anchors.is_signed(context, anchor) for anchor in signed)
    )
    return api.JSONResponse(
        {
            "entries": found["entries"],
            "is_whole": is_whole,
            "broken_at": found["broken_at"],
            "anchors": signed,
            "public_key": anchors.public_key(context),
        }
    )
