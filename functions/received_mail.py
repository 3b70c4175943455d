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
from functions._shared.received_mail import body, opening


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401, 404 and 405."""
    requests.only(request, "POST")
    requests.caller(context)
    path, is_certified = await _place(context, await api.json_object(request))
    try:
        raw = await context.storage.download(cache.BUCKET, path)
    except api.PlatformError as error:
        if error.status not in (400, 404):
            raise
        raise no_such_mail() from error
    html, has_hidden_pictures = await asyncio.to_thread(_shown, raw, is_certified)
    return api.JSONResponse({"html": html, "has_hidden_pictures": has_hidden_pictures})


async def _place(context: api.Context, asked: dict[str, object]) -> tuple[str, bool]:
    """Find the raw form of a mail, and whether that is an envelope."""
    try:
        mail_id = UUID(str(asked.get("id")))
    except ValueError as error:
        raise no_such_mail() from error
    async with context.as_caller() as connection:
        row = await connection.fetchrow(
            "select storage_path, certificate is not null as is_certified from public.received_mails where id = $1",
            mail_id,
        )
    if row is None or row["storage_path"] is None:
        raise no_such_mail()
    return row["storage_path"], row["is_certified"]


def no_such_mail() -> api.Refused:
    """Make the refusal, the same for another person's mail."""
    return api.Refused(404, "not_found", "Questa email non c’è più nella sua forma originale")


def _shown(raw: bytes, is_certified: bool) -> tuple[str | None, bool]:
    mail = opening.shown(raw, is_certified=is_certified)
    if mail.html is None:
        return None, False
    pictures = {
        file.content_id: f"data:{file.mime};base64,{base64.b64encode(file.content).decode()}"
        for file in mail.files
        if file.content_id and file.mime in body.PICTURES and len(file.content) <= body.MAX_PICTURE_BYTES
    }
    return body.harmless(mail.html, pictures)
