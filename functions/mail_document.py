"""`POST /functions/v1/mail_document`: file a received mail of the caller, or one of its attachments, as a document.

    {id, file}    200 {document_id}    file: the place of an attachment, from 0; null: the mail itself
                  404 not_found        no such mail or attachment, or its raw form was not kept
                  413 too_large        the person's space is full
                  422 unreadable       what is no document

A person asks for it, so that mails with a warning can be filed too. The same again answers the same document.
"""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared import requests
from functions._shared.documents import cache
from functions._shared.received_mail import keeping, message, opening

MAX_NAME = 150
KEPT = """
select id, subject::text, storage_path, certificate is not null as is_certified
from public.received_mails where id = $1
"""


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401, 404, 405, 413 and 422."""
    requests.only(request, "POST")
    user_id = UUID(requests.caller(context))
    mail, place = await _asked(context, await api.json_object(request))
    file = await _file(context, mail, place)
    mime = keeping.readable(file)
    if mime is None:
        raise api.Refused(422, "unreadable", "Questo file non è un documento che Socio sa leggere")
    path = keeping.document_path(user_id, mail["id"], place, file.name)
    async with context.as_caller() as connection:
        document_id = await connection.fetchval("select id from public.documents where storage_path = $1", path)
    document_id = document_id or await keeping.file_document(context, user_id, mail["id"], place, file, mime)
    if document_id is None:
        raise api.Refused(413, "too_large", "Non c’è più spazio per questo documento")
    return api.JSONResponse({"document_id": str(document_id)})


async def _asked(context: api.Context, body: dict[str, Any]) -> tuple[Any, int | None]:
    """Find the mail, and which attachment is meant. Raises Refused 404."""
    try:
        mail_id, place = UUID(str(body.get("id"))), body.get("file")
        place = None if place is None else int(place)
    except (TypeError, ValueError) as error:
        raise no_such_mail() from error
    async with context.as_caller() as connection:
        mail = await connection.fetchrow(KEPT, mail_id)
    if mail is None or mail["storage_path"] is None:
        raise no_such_mail()
    return mail, place


async def _file(context: api.Context, mail: Any, place: int | None) -> message.File:
    """Read the attachment, or the whole mail. Raises Refused 404."""
    try:
        raw = await context.storage.download(cache.BUCKET, mail["storage_path"])
    except api.PlatformError as error:
        if error.status not in (400, 404):
            raise
        raise no_such_mail() from error
    if place is None:
        return message.File(f"{mail['subject'].replace('/', '-')[:MAX_NAME]}.eml", "message/rfc822", raw)
    files = (await asyncio.to_thread(opening.shown, raw, is_certified=mail["is_certified"])).files
    if not 0 <= place < len(files):
        raise no_such_mail()
    return files[place]


def no_such_mail() -> api.Refused:
    """Make the refusal, the same for another person's mail."""
    return api.Refused(404, "not_found", "Questa email non c’è più nella sua forma originale")
