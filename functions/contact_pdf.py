"""`GET /functions/v1/contact_pdf?id=…`: all that is kept about a contact of the caller, as a sheet of paper.

200 application/pdf   «Scheda di Anna Verdi.pdf», to be saved
404                   a contact that is not the caller's, or none at all
"""

import asyncio
import json
from typing import Any
from uuid import UUID

import asyncpg

from backend.edge import api
from functions._shared import attachments, contact_sheet, requests

TIMEOUT_S = 60
NO_SUCH_CONTACT = "PT404"


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Answers the PDF. Refuses with 400, 401, 404 and 405."""
    requests.only(request, "GET")
    requests.caller(context, "Devi accedere")
    export = await found(context, request.query_params.get("id", ""))
    body = await asyncio.to_thread(contact_sheet.pdf, export)
    name = attachments.tidy(f"Scheda di {export['contact']['name']}") + ".pdf"
    return api.Response(body, media_type="application/pdf", headers=attachments.headers(name))


async def found(context: api.Context, contact_id: str) -> dict[str, Any]:
    """What is kept. Raises Refused 400 or 404."""
    try:
        key = UUID(contact_id)
    except ValueError as error:
        raise api.Refused(400, "validation_failed", "Manca l’id del contatto") from error
    try:
        async with context.as_caller() as connection:
            export = await connection.fetchval("select public.export_contact($1)", key)
    except asyncpg.PostgresError as error:
        if error.sqlstate != NO_SUCH_CONTACT:
            raise
        raise api.Refused(404, "not_found", "Questo contatto non esiste") from error
    read: dict[str, Any] = json.loads(export) if isinstance(export, str) else export
    return read
