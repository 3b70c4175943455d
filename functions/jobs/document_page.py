"""Reads some pages of a document: all that have their text with them, or the one that must be recognised.

Each run enqueues the next one in the transaction that keeps what it has read, so documents of one person take turns and
a crash costs one page. A page that cannot be read is marked, and the others go on.
"""

from __future__ import annotations

from typing import Any

from backend.edge import api
from functions._shared.documents import cache, queries, reading
from functions._shared.documents.errors import Code, Unreadable
from functions._shared.documents.words import Page

# The wait for a core and the file; what reads the page has a limit of its own.
TIMEOUT_S = 1800


async def handler(payload: dict[str, Any], context: api.Context) -> None:
    """Bears being repeated: a page that was read is not read again."""
    async with context.as_service() as connection:
        document = await _document(connection, payload)
    if document is None:
        return
    try:
        pages = await _read(context, document, payload["no"])
    except Unreadable as reason:
        await _lose(context, payload, reason)
        return
    async with context.as_service() as connection:
        if await _document(connection, payload) is not None:
            await queries.keep_pages(connection, document, payload["no"], pages)
            await queries.enqueue_next(connection, document)


async def given_up(payload: dict[str, Any], context: api.Context) -> None:
    """The page that took its worker with it, five times."""
    await _lose(context, payload, Unreadable(Code.GAVE_UP))


async def _document(connection: api.Connection, payload: dict[str, Any]) -> queries.Row | None:
    """The document, locked against a cancellation until the transaction ends; None when its reading is over."""
    row = await connection.fetchrow(
        """
        select documents.* from public.documents
        join public.document_pages as page on page.document_id = documents.id and page.no = $2
        where documents.id = $1 and documents.state in ('lettura', 'ocr') and page.state = 'attesa'
          and deleted_at is null
        for update of documents
        """,
        payload["document_id"],
        payload["no"],
    )
    return None if row is None else dict(row)


async def _read(context: api.Context, document: queries.Row, no: int) -> list[Page]:
    """From page `no` on. Raises Unreadable when it is this page that cannot be read."""
    file = await cache.file_of(context, document)
    kind = reading.format_of(document["mime"])
    try:
        return await reading.pages(file, kind, no)
    except Unreadable as reason:
        if reason.code is Code.OCR_UNAVAILABLE:
            raise
    return await reading.pages(file, kind, no, most=1)


async def _lose(context: api.Context, payload: dict[str, Any], reason: Unreadable) -> None:
    async with context.as_service() as connection:
        document = await _document(connection, payload)
        if document is None:
            return
        if reason.code in (Code.OCR_UNAVAILABLE, Code.MISSING_FILE):
            # No page fares better; those that were read stay for another try.
            await queries.fail(connection, document, reason)
        else:
            await queries.lose_page(connection, document, payload["no"], reason)
            await queries.enqueue_next(connection, document)
