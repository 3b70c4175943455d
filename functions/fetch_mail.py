"""`POST /functions/v1/fetch_mail`: have the caller's mailbox read now.

{}      200 {}
        404 not_connected           no mailbox is read
        429 too_many_requests       a moment after the last one
"""

from __future__ import annotations

from uuid import UUID

from backend.edge import api
from functions._shared import requests

PAUSE_S = 5


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 401, 404, 405 and 429."""
    requests.only(request, "POST")
    user_id = UUID(requests.caller(context))
    async with context.as_caller() as connection:
        if not await connection.fetchval("select count(*) from public.mail_inboxes"):
            raise api.Refused(404, "not_connected", "Non hai ancora collegato una casella da leggere")
    if await context.call("private.take_lease", user_id, "fetch mail", PAUSE_S) is None:
        raise api.Refused(429, "too_many_requests", "Aspetta qualche secondo e riprova")
    async with context.as_service() as connection:
        await api.enqueue(connection, "mail_fetch", {"user_id": str(user_id)}, user_id=str(user_id))
    return api.JSONResponse({})
