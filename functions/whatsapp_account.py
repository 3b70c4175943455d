"""`/functions/v1/whatsapp_account`: a person's WhatsApp number, connected by the token of the person's own Meta app.

    GET
        200 {sandbox}               a number of the fake Meta, with its page; null where there is none
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
        200 {is_told}               whether Meta knows: a token that is gone cannot tell it
        404 not_connected
    429 too_many_requests           a moment after the last one

The webhook of a number is set by us, so that each number has its own address.
"""

from __future__ import annotations

import hmac
import re
from typing import Any
from uuid import UUID, uuid4

import asyncpg

from backend.edge import api
from functions._shared import requests
from functions._shared.whatsapp import graph, numbers, templates

TIMEOUT_S = 120
BODY_LIMIT_BYTES = 16 * 1024
PAUSE_S = 3
ID = re.compile(r"[0-9]{1,40}")
SECRET = re.compile(r"[!-~]{1,1000}")
FIELDS = "id,display_phone_number,quality_rating,whatsapp_business_manager_messaging_limit"
TIERS = {"TIER_250": 250, "TIER_2K": 2000, "TIER_10K": 10_000, "TIER_100K": 100_000, "TIER_UNLIMITED": 1_000_000}


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401, 404, 405, 409, 422 and 429."""
    requests.only(request, "PUT", "POST", "DELETE", "GET")
    user_id = UUID(requests.caller(context))
    if request.method == "GET":
        return api.JSONResponse({"sandbox": sandbox(context, user_id)})
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
    """Read the number with its token, have Meta deliver to us, then keep it."""
    way = graph.Graph(context, number.token)
    former = await numbers.of_person(context, number.user_id)
    try:
        told = await read(way, number)
        waba = await way.request("GET", f"{number.waba_id}?fields=owner_business_info")
        portfolio = waba.get("owner_business_info")
        await save(context, number, str(portfolio["id"]) if isinstance(portfolio, dict) else number.waba_id, told)
        await way.request(
            "POST",
            f"{number.waba_id}/subscribed_apps",
            {
                "override_callback_uri": numbers.webhook_url(context, number.id),
                "verify_token": numbers.verify_token(context, number.id),
            },
        )
        await templates.refresh(context, number)
    except (graph.Refused, graph.Unreachable, graph.Uncertain) as error:
        if former is None:
            await context.call("private.drop_whatsapp_account", number.user_id)
        raise refused(error) from error
    await note(context, number, told)
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


async def save(context: api.Context, number: numbers.Number, portfolio: str, told: dict[str, Any]) -> None:
    """Keep a number with its secrets. Raises Refused 409."""
    try:
        await context.call(
            "private.save_whatsapp_account", number.id, number.user_id, portfolio, number.waba_id,
            number.phone_number_id, str(told.get("display_phone_number") or ""),
            context.seal(numbers.TOKENS, number.id, number.token),
            context.seal(numbers.APP_SECRETS, number.id, number.app_secret),
        )  # fmt: skip
    except asyncpg.UniqueViolationError as error:
        message = "Questo numero è già collegato a un altro account di Socio"
        raise api.Refused(409, "connected_elsewhere", message) from error


async def read(way: graph.Graph, number: numbers.Number) -> dict[str, Any]:
    """Find the number among those of its account. Raises graph's errors, and Refused 422 when it is none of them."""
    # Meta refuses a proof by the secret of another app.
    proof = hmac.digest(number.app_secret.encode(), number.token.encode(), "sha256").hex()
    answer = await way.request("GET", f"{number.waba_id}/phone_numbers?fields={FIELDS}&appsecret_proof={proof}")
    listed = answer.get("data")
    for one in listed if isinstance(listed, list) else []:
        if isinstance(one, dict) and one.get("id") == number.phone_number_id:
            return one
    raise api.Refused(422, "refused", "L’ID del numero non è fra quelli di questo account WhatsApp Business")


async def check(context: api.Context, number: numbers.Number) -> api.Response:
    """Read the number and its templates again."""
    try:
        told = await read(graph.Graph(context, number.token), number)
        await templates.refresh(context, number)
    except (graph.Refused, graph.Unreachable, graph.Uncertain) as error:
        raise refused(error) from error
    await note(context, number, told)
    return api.JSONResponse({"display_number": told.get("display_phone_number")})


async def disconnect(context: api.Context, number: numbers.Number) -> api.Response:
    """Take the webhook away at Meta and forget the number."""
    is_told = True
    try:
        await graph.Graph(context, number.token).request("DELETE", f"{number.waba_id}/subscribed_apps")
    except (graph.Refused, graph.Unreachable, graph.Uncertain) as error:
        is_told = False
        context.log.warning("Meta still delivers", extra={"cause": str(error)})
    await context.call("private.drop_whatsapp_account", number.user_id)
    return api.JSONResponse({"is_told": is_told})


async def note(context: api.Context, number: numbers.Number, told: dict[str, Any]) -> None:
    """Record what Meta says of a number."""
    await context.call(
        "private.note_whatsapp_number", number.id, str(told.get("display_phone_number") or ""),
        str(told.get("quality_rating") or ""), TIERS.get(str(told.get("whatsapp_business_manager_messaging_limit"))),
    )  # fmt: skip


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
    return numbers.Number(id=uuid4(), user_id=user_id, portfolio="", **values)


def refused(error: graph.Refused | graph.Unreachable | graph.Uncertain) -> api.Refused:
    """Make the refusal of what Meta said, with its own words."""
    if not isinstance(error, graph.Refused):
        return api.Refused(422, "refused", "Meta non risponde: riprova tra qualche minuto")
    if error.code == 190:
        return api.Refused(422, "refused", "Meta non accetta il token: creane uno nuovo e riprova")
    return api.Refused(422, "refused", f"Meta non accetta questi dati. Ha risposto: {error.detail[:200]}")
