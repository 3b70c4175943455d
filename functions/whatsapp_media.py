"""`POST /functions/v1/whatsapp_media`: fetch the missing file of a received WhatsApp message again.

{id}    200 {}
        404 not_found    the caller has no such message, or its file is there
"""

from __future__ import annotations

from uuid import UUID

import asyncpg

from backend.edge import api
from functions._shared import requests
from functions._shared.whatsapp import media


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401, 404 and 405."""
    requests.only(request, "POST")
    user_id = requests.caller(context)
    asked = await api.json_object(request)
    missing = api.Refused(404, "not_found", "Questo file non c’è più")
    try:
        message_id = UUID(str(asked.get("id")))
        async with context.as_caller() as connection:
            await connection.execute("select public.retry_whatsapp_media($1)", message_id)
    except ValueError as error:
        raise missing from error
    except asyncpg.PostgresError as error:
        if error.sqlstate != "PT404":
            raise
        raise missing from error
    async with context.as_service() as connection:
        await media.enqueue(connection, user_id, message_id)
    return api.JSONResponse({})
