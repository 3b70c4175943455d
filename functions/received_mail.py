"""`POST /functions/v1/received_mail`: show a received mail of the caller as it was formatted.

    {id, with_pictures}
    200 {html, has_hidden_pictures}    html without scripts, styles and anything from elsewhere; null: text only
    404 not_found                      the caller has no such mail, or its raw form was not kept

Pictures from elsewhere are fetched by the server, and only when they are asked for: their sender learns that the mail
was read.

Made of the raw mail each time: what cleaning removes can be changed for old mails too.
"""

from __future__ import annotations

import asyncio
import base64
from uuid import UUID

from backend.edge import api
from functions._shared import requests
from functions._shared.documents import cache
from functions._shared.received_mail import body, message, opening, pictures


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401, 404 and 405."""
    requests.only(request, "POST")
    requests.caller(context)
    asked = await api.json_object(request)
    path, is_certified = await _place(context, asked)
    try:
        raw = await context.storage.download(cache.BUCKET, path)
    except api.PlatformError as error:
        if error.status not in (400, 404):
            raise
        raise no_such_mail() from error
    mail = await asyncio.to_thread(opening.shown, raw, is_certified=is_certified)
    if mail.html is None:
        return api.JSONResponse({"html": None, "has_hidden_pictures": False})
    shown = _own_pictures(mail)
    html, left_out = await asyncio.to_thread(body.harmless, mail.html, shown)
    if asked.get("with_pictures") is True and left_out:
        shown |= await pictures.fetch(context, [each for each in left_out if each.lower().startswith("http")])
        html, left_out = await asyncio.to_thread(body.harmless, mail.html, shown)
    return api.JSONResponse({"html": html, "has_hidden_pictures": bool(left_out)})


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


def _own_pictures(mail: message.Mail) -> dict[str, str]:
    """Return the pictures that came in the mail, by what its HTML calls them."""
    return {
        f"cid:{file.content_id}": f"data:{file.mime};base64,{base64.b64encode(file.content).decode()}"
        for file in mail.files
        if file.content_id and file.mime in body.PICTURES and len(file.content) <= body.MAX_PICTURE_BYTES
    }
