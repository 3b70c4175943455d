"""`GET /functions/v1/page_picture?document=…&page=…`: a page as WebP, for what browsers cannot show (TIFF, HEIC).

200 image/webp   drawn in the sandbox, `width` pixels wide (200 to 2400, else 1400)
304              to If-None-Match: a page never changes
404              another's document, or no such page
429 busy         too many pages are being drawn
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared import requests
from functions._shared.documents import cache, reading
from functions._shared.documents.errors import Unreadable

TIMEOUT_S = 90
WIDTH, NARROWEST, WIDEST = 1400, 200, 2400
# Each takes a core and a copy of the document on the disk.
PLACES = api.Places(at_once=os.cpu_count() or 1)


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400 invalid_request, 404, 405, 422 with the reason why the page cannot be drawn, 429 busy."""
    requests.only(request, "GET", "HEAD")
    no, width = _number(request, "page", 1), _number(request, "width", WIDTH)
    document = await _document(context, request.query_params.get("document", ""))
    if not 1 <= no <= (document["pages"] or 0):
        raise no_such_page()
    width = max(NARROWEST, min(WIDEST, width))
    tag = f'"{document["sha256"][:32]}-{no}-{width}"'
    headers = {"ETag": tag, "Cache-Control": "private, max-age=86400"}
    if tag in request.headers.get("if-none-match", ""):
        return api.Response(status_code=304, headers=headers)
    try:
        return api.Response(await _drawn(context, document, no, width), media_type="image/webp", headers=headers)
    except Unreadable as reason:
        raise api.Refused(422, reason.code, reason.sentence) from reason
    except api.Full as error:
        raise api.Refused(
            429, "busy", "Troppe pagine insieme: riprova tra poco", headers={"Retry-After": "1"}
        ) from error


def no_such_page() -> api.Refused:
    """404: the same for another's document."""
    return api.Refused(404, "not_found", "Questa pagina non esiste")


def _number(request: api.Request, name: str, otherwise: int) -> int:
    text = request.query_params.get(name, str(otherwise))
    if not (text.isascii() and text.isdecimal() and len(text) < 6):
        raise api.Refused(400, "invalid_request", f"{name} non è un numero")
    return int(text)


async def _document(context: api.Context, text: str) -> dict[str, Any]:
    """The caller's document, once somebody has seen what it is. Raises Refused 404."""
    try:
        document_id = UUID(text)
    except ValueError as error:
        raise no_such_page() from error
    if context.user_id is None:
        raise no_such_page()
    async with context.as_caller() as connection:
        row = await connection.fetchrow(
            "select storage_path, mime, pages, sha256 from public.documents where id = $1 and sha256 is not null",
            document_id,
        )
    if row is None:
        raise no_such_page()
    return dict(row)


async def _drawn(context: api.Context, document: dict[str, Any], no: int, width: int) -> bytes:
    async with PLACES.one(context.user_id or context.client_ip):
        return await _drawn_now(context, document, no, width)


async def _drawn_now(context: api.Context, document: dict[str, Any], no: int, width: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "file"
        with file.open("xb") as output:
            await cache.save(context.storage, document["storage_path"], output)
        return await reading.picture(file, reading.format_of(document["mime"]), no, width)
