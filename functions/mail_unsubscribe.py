"""`/functions/v1/mail_unsubscribe?da=…&chiave=…`: a recipient of promotions wants no more of them (RFC 8058).

POST    200 {state: "unsubscribed"}    by a mail program or the page's button, without a sign-in; again is the same
GET     303                            to the page with the button: scanners open links, so a GET changes nothing
404 not_found                          a link that is none of ours, or incomplete
"""

from __future__ import annotations

from urllib.parse import urlencode

from backend.edge import api
from functions._shared import requests, unsubscribing

BODY_LIMIT_BYTES = 4096


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 404 and 405."""
    requests.only(request, "POST", "GET", "HEAD")
    writer, token = (request.query_params.get(name, "") for name in ("da", "chiave"))
    found = unsubscribing.asked(context, writer, token)
    if found is None:
        raise api.Refused(404, "not_found", "Questo link non vale: aprilo dall’ultima email che hai ricevuto")
    if request.method != "POST":
        page = unsubscribing.page_of(context, urlencode({"da": writer, "chiave": token}))
        return api.Response(status_code=303, headers={"Location": page, "Cache-Control": "no-store"})
    user_id, address = found
    await context.call("private.suppress_mail", user_id, address, "disiscritto")
    return api.JSONResponse({"state": "unsubscribed"})
