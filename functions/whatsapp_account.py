"""`/functions/v1/whatsapp_account`: a person's WhatsApp number, connected by the token of the person's own Meta app.

    GET
        200 {sandbox, signup}       a number of the fake Meta, with its page; null where there is none. Whether a number
                                    can be connected at Meta without an own app (whatsapp_signup.py)
    PUT {phone_number_id, waba_id, token, app_secret}
        200 {id, display_number}    read from Meta with these, its webhook set to us, and kept encrypted
        400 validation_failed       a value that is none
        409 connected_elsewhere     another account of Socio has this number
        422 refused                 what Meta said
    POST                            read the number again: a number that answers can send again
        200 {display_number}
        404 not_connected
        422 refused
    DELETE                          take the webhook away and forget number and secrets; messages stay
        200 {is_told}               whether Meta knows: a token that is gone cannot tell it, and nothing needs to be
                                    told while another person's number of the same account has the same app
        404 not_connected
    429 too_many_requests           a moment after the last one

The webhook of a number is set by us, and stays while another person's number of the same account and app needs it.
"""

from __future__ import annotations

import hmac
import re
from typing import Any
from uuid import UUID, uuid4

from backend.edge import api
from functions._shared import requests
from functions._shared.whatsapp import connecting, graph, meta_app, numbers, templates

TIMEOUT_S = 120
BODY_LIMIT_BYTES = 16 * 1024
PAUSE_S = 3
ID = re.compile(r"[0-9]{1,40}")
SECRET = re.compile(r"[!-~]{1,1000}")


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401, 404, 405, 409, 422 and 429."""
    requests.only(request, "PUT", "POST", "DELETE", "GET")
    user_id = UUID(requests.caller(context))
    if request.method == "GET":
        return api.JSONResponse({"sandbox": sandbox(context, user_id), "signup": meta_app.of(context) is not None})
    body = await api.json_object(request) if request.method == "PUT" else {}
    # Nobody tries tokens through us.
    if await context.call("private.take_lease", user_id, "whatsapp account", PAUSE_S) is None:
        raise api.Refused(429, "too_many_requests", "Aspetta qualche secondo e riprova")
    if request.method == "PUT":
        return await connect(context, asked(user_id, body))
    number = await numbers.of_person(context, user_id)
    if number is None:
        raise api.Refused(404, "not_connected", "Non hai ancora collegato un numero WhatsApp")
    if request.method == "DELETE":
        return await disconnect(context, number)
    return await check(context, number)


async def connect(context: api.Context, number: numbers.Number) -> api.Response:
    """Read the number with its token, then connect it."""
    try:
        told = await read(graph.Graph(context, number.token), number)
        await connecting.connect(context, number, told)
    except connecting.FAILURES as error:
        raise connecting.refused(error) from error
    return api.JSONResponse({"id": str(number.id), "display_number": told.get("display_phone_number")})


def sandbox(context: api.Context, user_id: UUID) -> dict[str, str] | None:
    """Describe the number of the fake Meta that is a person's; None where there is no fake."""
    if not context.has_secret("WHATSAPP_SANDBOX"):
        return None
    digits = str(user_id.int % 10**12)
    return {
        "page": context.secret("WHATSAPP_SANDBOX"), "phone_number_id": digits, "waba_id": f"9{digits}",
        "token": f"{graph.SANDBOX_TOKEN}{digits}", "app_secret": graph.SANDBOX_SECRET,
    }  # fmt: skip


async def read(way: graph.Graph, number: numbers.Number) -> dict[str, Any]:
    """Find the number among those of its account. Raises graph's errors, and Refused 422 when it is none of them."""
    # Meta refuses a proof by the secret of another app.
    proof = hmac.digest(number.app_secret.encode(), number.token.encode(), "sha256").hex()
    for one in await connecting.listed(way, number.waba_id, proof=f"&appsecret_proof={proof}"):
        if one.get("id") == number.phone_number_id:
            return one
    raise api.Refused(422, "refused", "L’ID del numero non è fra quelli di questo account WhatsApp Business")


async def check(context: api.Context, number: numbers.Number) -> api.Response:
    """Read the number and its templates again."""
    try:
        told = await read(graph.Graph(context, number.token), number)
        await templates.refresh(context, number)
    except connecting.FAILURES as error:
        raise connecting.refused(error) from error
    await connecting.note(context, number, told)
    return api.JSONResponse({"display_number": told.get("display_phone_number")})


async def disconnect(context: api.Context, number: numbers.Number) -> api.Response:
    """Forget the number and take the webhook away at Meta."""
    # First here: of two numbers with one subscription that leave at once, the later one ends it.
    await context.call("private.drop_whatsapp_account", number.user_id)
    return api.JSONResponse({"is_told": await connecting.release(context, number)})


def asked(user_id: UUID, body: dict[str, Any]) -> numbers.Number:
    """Read the number to be connected. Raises Refused 400."""
    told = {name: body.get(name) for name in ("phone_number_id", "waba_id", "token", "app_secret")}
    values = {name: value.strip() if isinstance(value, str) else "" for name, value in told.items()}
    for name, label in (("phone_number_id", "l’ID del numero"), ("waba_id", "l’ID dell’account WhatsApp Business")):
        if not ID.fullmatch(values[name]):
            raise api.Refused(400, "validation_failed", f"Scrivi {label}: sono solo cifre")
    for name, label in (("token", "il token di accesso"), ("app_secret", "la chiave segreta dell’app")):
        if not SECRET.fullmatch(values[name]):
            raise api.Refused(400, "validation_failed", f"Scrivi {label}")
    return numbers.Number(id=uuid4(), user_id=user_id, portfolio="", is_by_app=False, **values)
