"""`GET /functions/v1/invoice_pdf?id=…`: an electronic invoice of the caller as a sheet of paper.

200 application/pdf   «Fattura 12-2026 Rossi srl.pdf», to be saved
404                   an invoice that is not the caller's, or none at all
409 no_content        an invoice made from a scan: its document is the paper
413                   more lines than a person reads on paper
"""

import asyncio
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared import attachments, requests
from functions._shared.fatturapa import Invoice, paper

TIMEOUT_S = 60
# Each takes a millisecond or two.
MAX_LINES = 5_000


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Answers the PDF. Refuses with 400, 401, 404, 405, 409 and 413."""
    requests.only(request, "GET")
    requests.caller(context, "Devi accedere")
    row = await found(context, request.query_params.get("id", ""))
    if row["content"] is None:
        raise api.Refused(409, "no_content", "Questa fattura viene da una scansione: apri il documento originale")
    invoice = Invoice.from_json(row["content"])
    if len(invoice.lines) > MAX_LINES:
        raise api.Refused(413, "request_entity_too_large", f"La fattura ha più di {MAX_LINES} righe: apri il file XML")
    body = await asyncio.to_thread(paper.pdf, invoice)
    return api.Response(
        body,
        media_type="application/pdf",
        headers=attachments.headers(paper.filename(invoice, row["counterparty_name"])),
    )


async def found(context: api.Context, invoice_id: str) -> dict[str, Any]:
    """The caller's invoice. Raises Refused 400 or 404."""
    try:
        key = UUID(invoice_id)
    except ValueError as error:
        raise api.Refused(400, "validation_failed", "Manca l’id della fattura") from error
    async with context.as_caller() as connection:
        row = await connection.fetchrow("select content, counterparty_name from public.invoices where id = $1", key)
    if row is None:
        raise api.Refused(404, "not_found", "Questa fattura non esiste")
    return dict(row)
