"""`/functions/v1/ocr`: reads one picture or one page at once, without keeping it.

    POST an image or a PDF                 200 {text, words, confidence, language}
    POST {path, page?} of the own files    the same

Words are [text, x0, y0, x1, y1, confidence] in 1/10000 of the page as it is shown; confidence is from 0 to 100, null
where nothing had to be recognised. One at a time for each person.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared import requests
from functions._shared.documents import cache, languages, limits, reading
from functions._shared.documents.errors import Code, Unreadable
from functions._shared.documents.formats import Format

TIMEOUT_S = 240
BODY_LIMIT_BYTES = limits.MAX_BYTES
PAGED = (Format.PDF, Format.PICTURE)
# Longer than a reading may take: a process that dies leaves its lease, which ends by then.
LEASE_S = TIMEOUT_S + 30


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401, 405, 422 and a reason of the list, 429 busy, 503 ocr_unavailable."""
    requests.only(request, "POST")
    user_id = requests.caller(context, "Accedi per leggere un’immagine")
    try:
        async with _alone(context, user_id), _file(request, context) as (file, no):
            return api.JSONResponse(await _read(file, no))
    except Unreadable as reason:
        status = 503 if reason.code is Code.OCR_UNAVAILABLE else 422
        raise api.Refused(status, reason.code, reason.sentence) from reason
    except api.Away as error:
        raise api.Refused(503, "service_unavailable", "Il servizio non è disponibile: riprova tra poco") from error


@asynccontextmanager
async def _alone(context: api.Context, user_id: str) -> AsyncIterator[None]:
    """Hold the person's lease, in the database, for it counts in every process: nobody takes every core.

    Raises Refused 429.
    """
    lease = await context.call("private.take_lease", UUID(user_id), "ocr", LEASE_S)
    if lease is None:
        raise api.Refused(429, "busy", "Una lettura è già in corso: aspetta che finisca")
    try:
        yield
    finally:
        # Also when the caller is gone: the work behind it is over.
        await asyncio.shield(context.call("private.end_lease", lease))


@asynccontextmanager
async def _file(request: api.Request, context: api.Context) -> AsyncIterator[tuple[Path, int]]:
    """What is to be read, and which page of it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "file"
        no = 1
        with file.open("xb") as output:
            if request.headers.get("content-type", "").startswith("application/json"):
                path, no = _asked(await api.json_object(request))
                await cache.save(context.storage, path, output)
            else:
                async for piece in request.stream():
                    output.write(piece)
        yield file, no


def _asked(body: dict[str, Any]) -> tuple[str, int]:
    path, no = body.get("path"), body.get("page", 1)
    if not isinstance(path, str) or not path or type(no) is not int or not 1 <= no <= limits.MAX_PAGES:
        raise api.Refused(400, "invalid_request", "Servono il percorso del file e, se vuoi, la pagina")
    return path, no


async def _read(file: Path, no: int) -> dict[str, Any]:
    found = await reading.inspected(file, file.name)
    if found.format not in PAGED:
        raise Unreadable(Code.UNSUPPORTED, "Serve un’immagine o un PDF.")
    if no > found.pages:
        raise Unreadable(Code.UNSUPPORTED, "Questa pagina non esiste.")
    [page, *_] = await reading.pages(file, found.format, no, most=1)
    return {
        "text": page.text,
        "words": page.words,
        "confidence": page.confidence,
        "language": languages.of(page.text),
    }
