"""`GET /functions/v1/contact_pdf?id=…`: all that is kept about a contact of the caller, as a sheet of paper.
`…?erasure=…`: the certificate of a contact that was erased.

200 application/pdf   «Scheda di Anna Verdi.pdf», «Certificato di cancellazione A. V..pdf», to be saved
404                   a contact or certificate that is not the caller's, or none at all
"""

import asyncio
import json
from typing import Any
from uuid import UUID

import asyncpg

from backend.edge import api
from functions._shared import attachments, contact_sheet, erasure_certificate, requests

TIMEOUT_S = 60
NO_SUCH_CONTACT = "PT404"


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Answers the PDF. Refuses with 400, 401, 404 and 405."""
    requests.only(request, "GET")
    requests.caller(context, "Devi accedere")
    if erasure_id := request.query_params.get("erasure"):
        erasure = await erased(context, erasure_id)
        body = await asyncio.to_thread(erasure_certificate.pdf, erasure)
        name = attachments.tidy(f"Certificato di cancellazione {erasure.initials}") + ".pdf"
    else:
        export = await found(context, request.query_params.get("id", ""))
        body = await asyncio.to_thread(contact_sheet.pdf, export)
        name = attachments.tidy(f"Scheda di {export['contact']['name']}") + ".pdf"
    return api.Response(body, media_type="application/pdf", headers=attachments.headers(name))


def identifier(text: str) -> UUID:
    """Read an id. Raises Refused 400."""
    try:
        return UUID(text)
    except ValueError as error:
        raise api.Refused(400, "validation_failed", "Manca l’id del contatto") from error


async def erased(context: api.Context, erasure_id: str) -> erasure_certificate.Erasure:
    """Read a certificate of the caller. Raises Refused 400 or 404."""
    key = identifier(erasure_id)
    async with context.as_caller() as connection:
        row = await connection.fetchrow(
            """
            select erasures.id, initials, lines, erasures.created_at, contact_name, received_on,
              to_jsonb(profiles) as profile
            from public.contact_erasures as erasures
            left join public.contact_requests as requests on requests.id = request_id
            left join public.profiles on profiles.user_id = erasures.user_id
            where erasures.id = $1
            """,
            key,
        )
    if row is None:
        raise api.Refused(404, "not_found", "Questo certificato non esiste")
    return erasure_certificate.Erasure.from_row(dict(row))


async def found(context: api.Context, contact_id: str) -> dict[str, Any]:
    """What is kept. Raises Refused 400 or 404."""
    key = identifier(contact_id)
    try:
        async with context.as_caller() as connection:
            export = await connection.fetchval("select public.export_contact($1)", key)
    except asyncpg.PostgresError as error:
        if error.sqlstate != NO_SUCH_CONTACT:
            raise
        raise api.Refused(404, "not_found", "Questo contatto non esiste") from error
    read: dict[str, Any] = json.loads(export) if isinstance(export, str) else export
    return read
