"""`POST /functions/v1/received_mail`: show a received mail of the caller as it was formatted.

    {id}    200 {html, has_hidden_pictures}    html without scripts, styles and anything from elsewhere; null: text only
            404 not_found                      the caller has no such mail, or its raw form was not kept

Made of the raw mail each time: what cleaning removes can be changed for old mails too.
"""

from __future__ import annotations

import asyncio
import base64
from uuid import UUID

from backend.edge import api
from functions._shared import requests
from functions._shared.documents import cache
from functions._shared.received_mail import body, message


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401, 404 and 405."""
    requests.only(request, "POST")
    requests.caller(context)
    path = await _path(context, await api.json_object(request))
    try:
        raw = await context.storage.download(cache.BUCKET, path)
    except api.PlatformError as error:
        if error.status not in (400, 404):
            raise
        raise no_such_mail() from error
    html, has_hidden_pictures = await asyncio.to_thread(_shown, raw)
    return api.JSONResponse({"html": html, "has_hidden_pictures": has_hidden_pictures})


async def _path(context: api.Context, asked: dict[str, object]) -> str:
    try:
        mail_id = UUID(str(asked.get("id")))
    except ValueError as error:
        raise no_such_mail() from error
    async with context.as_caller() as connection:
        path: str | None = await connection.fetchval(
            "select storage_path from public.received_mails where id = $1", mail_id
        )
    if path is None:
        raise no_such_mail()
    return path


def no_such_mail() -> api.Refused:
    """Make the refusal, the same for another person's mail."""
    return api.Refused(404, "not_found", "Questa email non c’è più nella sua forma originale")


def _shown(raw: bytes) -> tuple[str | None, bool]:
    mail = message.read(raw)
    if mail.html is None:
        return None, False
    pictures = {
        file.content_id: f"data:{file.mime};base64,{base64.b64encode(file.content).decode()}"
        for file in mail.files
        if file.content_id and file.mime in body.PICTURES and len(file.content) <= body.MAX_PICTURE_BYTES
    }
    return body.harmless(mail.html, pictures)
