"""What is attached to a person's mail or message, read when that is sent: documents, and the PDF of an invoice."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared import smtp
from functions._shared.documents import cache
from functions._shared.fatturapa import Invoice, paper

# Most providers take 25 MB, and base64 adds a third.
MAX_BYTES = 18 * 1024 * 1024


@dataclass(frozen=True)
class Attachment:
    """A file as the recipient gets it."""

    name: str
    mime: str
    content: bytes = field(repr=False)


async def of(context: api.Context, mail: Mapping[str, Any]) -> list[Attachment]:
    """Read all attachments of a mail. Raises smtp.Failure when one is gone or they are too large."""
    own_ids = [mail["invoice_id"]] if mail["invoice_id"] is not None and mail["attaches_invoice"] else []
    return await read(context, mail["user_id"], mail["document_ids"], [*own_ids, *mail["more_invoice_ids"]], MAX_BYTES)


async def read(
    context: api.Context, user_id: UUID, documents: Sequence[UUID], invoice_ids: Sequence[UUID], max_bytes: int
) -> list[Attachment]:
    """Read documents and invoices of a person. Raises smtp.Failure when one is gone or they are too large."""
    document_ids = list(documents)
    if not (invoice_ids or document_ids):
        return []
    attached = []
    async with context.as_service() as connection:
        for invoice_id in invoice_ids:
            invoice = await connection.fetchrow(INVOICE, user_id, invoice_id)
            if invoice is None:
                raise smtp.Failure("attachment")
            if invoice["content"] is None:
                # Made from a scan: the document is the invoice.
                document_ids.insert(0, invoice["document_id"])
            else:
                attached.append(await _paper(dict(invoice)))
        files = await connection.fetch(DOCUMENTS, user_id, document_ids)
    if len(files) != len(set(document_ids)):
        raise smtp.Failure("attachment")
    if sum(len(each.content) for each in attached) + sum(row["bytes"] or 0 for row in files) > max_bytes:
        raise smtp.Failure("attachment")
    return attached + [await _file(context, dict(row)) for row in files]


INVOICE = """
select content, counterparty_name, document_id from public.invoices
join public.documents on documents.user_id = $1 and documents.id = document_id and deleted_at is null
where invoices.user_id = $1 and invoices.id = $2
"""
DOCUMENTS = """
select filename, mime, bytes, storage_path from public.documents
where user_id = $1 and id = any ($2::uuid[]) and deleted_at is null order by array_position($2, id)
"""


async def _paper(invoice: Mapping[str, Any]) -> Attachment:
    parsed = Invoice.from_json(invoice["content"])
    name = paper.filename(parsed, invoice["counterparty_name"])
    return Attachment(name, "application/pdf", await asyncio.to_thread(paper.pdf, parsed))


async def _file(context: api.Context, row: Mapping[str, Any]) -> Attachment:
    try:
        content = await context.storage_as_service.download(cache.BUCKET, row["storage_path"])
    except api.PlatformError as error:
        # A storage that is away now is no reason to lose the mail.
        is_gone = error.status in (400, 404)
        raise smtp.Failure("attachment", is_temporary=not is_gone) from error
    return Attachment(row["filename"], row["mime"] or "application/octet-stream", content)
