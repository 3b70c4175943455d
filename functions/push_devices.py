"""`/functions/v1/push_devices`: the browsers that a person wants notified.

    GET                        200 {key}   what a browser needs to subscribe
    POST {endpoint, keys}      201 {id}    a subscription as `PushSubscription.toJSON()` gives it; the newest ten stay
    400 validation_failed                  keys or endpoint that no push service gives

A device is removed in its table, by its owner.
"""

from __future__ import annotations

from uuid import UUID

from backend.edge import api
from functions._shared import requests, web_push

BODY_LIMIT_BYTES = 8 * 1024
ENDPOINT_LENGTH = 1000


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401 and 405."""
    requests.only(request, "GET", "POST")
    user_id = UUID(requests.caller(context))
    if request.method == "GET":
        return api.JSONResponse({"key": web_push.public_key(context)})
    browser = asked(await api.json_object(request), context)
    device = await context.call(
        "private.keep_push_subscription", user_id, browser.endpoint, browser.p256dh, browser.auth
    )
    return api.JSONResponse({"id": str(device)}, status_code=201)


def asked(body: dict[str, object], context: api.Context) -> web_push.Browser:
    """Read a subscription. Raises Refused 400."""
    endpoint, keys = body.get("endpoint"), body.get("keys")
    p256dh, auth = (keys.get("p256dh"), keys.get("auth")) if isinstance(keys, dict) else (None, None)
    if not (isinstance(endpoint, str) and isinstance(p256dh, str) and isinstance(auth, str)):
        raise refused()
    if len(endpoint) > ENDPOINT_LENGTH:
        raise refused()
    browser = web_push.Browser(endpoint, p256dh.rstrip("="), auth.rstrip("="))
    try:
        context.http.refuse_bad(browser.endpoint)
        web_push.encrypted(b"", browser)
    except (api.OutwardError, web_push.BadKeys) as error:
        raise refused() from error
    return browser


def refused() -> api.Refused:
    """Make the refusal of any subscription that cannot be used."""
    return api.Refused(400, "validation_failed", "Questo browser non può ricevere notifiche push")
