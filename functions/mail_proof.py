"""`GET /functions/v1/mail_proof?id=…`: the proof of a certified mail of the caller, with the receipts that came so far.

200 octets            a ZIP: the mail as it left, its receipts byte by byte, and their SHA-256 sums
404 not_found         no such mail, or nothing of it was kept
"""

from __future__ import annotations

import asyncio
from uuid import UUID

from backend.edge import api
from functions._shared import attachments, pec, requests
from functions._shared.documents import cache

TIMEOUT_S = 60
PARTS = """
select storage_path, 'messaggio' as name, null::timestamptz as at from public.outgoing_mails
where id = $1 and is_certified
union all
select storage_path, kind::text, at from public.mail_reports where outgoing_id = $1
order by at nulls first, name
limit 50
"""


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Answers the ZIP. Refuses with 401, 404 and 405."""
    requests.only(request, "GET")
    requests.caller(context, "Devi accedere")
    try:
        mail_id = UUID(request.query_params.get("id", ""))
    except ValueError as error:
        raise nothing() from error
    async with context.as_caller() as connection:
        subject = await connection.fetchval("select subject from public.outgoing_mails where id = $1", mail_id)
        parts = await connection.fetch(PARTS, mail_id)
    files = [(row["name"], await context.storage.download(cache.BUCKET, row["storage_path"]))
             for row in parts if row["storage_path"]]  # fmt: skip
    if not files:
        raise nothing()
    content = await asyncio.to_thread(pec.proof, files)
    # The official client reads it as bytes; of application/zip it would make a text.
    name = attachments.tidy(f"Prova PEC {subject}") + ".zip"
    return api.Response(content, media_type="application/octet-stream", headers=attachments.headers(name))


def nothing() -> api.Refused:
    """Make the refusal."""
    return api.Refused(404, "not_found", "Di questa email non c’è ancora una prova")
