"""`/functions/v1/whatsapp_webhook?account=<id>`: what Meta delivers about a person's WhatsApp number.

Without an account it is the address of the operator's app, where Meta delivers what belongs to no number: changes of
templates, and connections that their owner has ended. Its verify token is the id of the app's configuration.

    GET   hub.mode, hub.verify_token, hub.challenge
        200 <challenge>             Meta makes sure that the address is ours
        403 forbidden               another token
    POST  X-Hub-Signature-256       HMAC-SHA256 of the body as it came, by the secret of the person's app
        200                         kept; jobs/whatsapp_deliveries.py reads it
        400 bad_signature
        404 not_found               no such number is connected

Each number has its own address because a person may bring an own app, whose secret signs. Meta repeats for seven days
what was not answered with 200, and expects the answer within 250 ms, so nothing is read here.
"""

from __future__ import annotations

import hmac
import json
from uuid import UUID

from backend.edge import api
from functions._shared import requests
from functions._shared.whatsapp import meta_app, numbers, payloads

TIMEOUT_S = 20
# Meta sends up to 3 MB: many messages in one delivery.
BODY_LIMIT_BYTES = 3 * 1024 * 1024


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 403, 404 and 405."""
    requests.only(request, "POST", "GET")
    if "account" not in request.query_params:
        return await of_app(request, context)
    account_id = asked(request)
    if request.method == "GET":
        return verified(request, numbers.verify_token(context, account_id))
    body = await request.body()
    async with context.as_service() as connection:
        number = await numbers.read(context, connection, account_id)
        if number is None or not number.app_secret:
            raise missing()
        check(request, number.app_secret, body)
        await keep(connection, account_id, number.user_id, body)
    return api.Response()


async def of_app(request: api.Request, context: api.Context) -> api.Response:
    """Answer at the address of the operator's app. Raises Refused 400, 403, 404."""
    app = meta_app.of(context)
    if app is None:
        raise missing()
    if request.method == "GET":
        return verified(request, app.configuration_id)
    body = await request.body()
    check(request, app.secret, body)
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return api.Response()
    # One delivery may be about accounts of several people: each keeps its own part.
    for waba_id, part in payloads.entries(told):
        async with context.as_service() as connection:
            for row in await connection.fetch("select * from private.whatsapp_accounts_of_app($1)", waba_id):
                await keep(connection, row["account_id"], row["user_id"], json.dumps(part).encode())
    return api.Response()


async def keep(connection: api.Connection, account_id: UUID, user_id: UUID, body: bytes) -> None:
    """Keep a delivery and have it read."""
    # Postgres keeps no NUL; the signature was checked on what came.
    text = body.decode(errors="replace").replace("\0", "")
    delivery_id = await connection.fetchval("select private.keep_whatsapp_delivery($1, $2)", account_id, text)
    if delivery_id is not None:
        await api.enqueue(connection, "whatsapp_deliveries", {"delivery_id": delivery_id}, user_id=str(user_id))


def check(request: api.Request, secret: str, body: bytes) -> None:
    """Check the signature of a delivery. Raises Refused 400."""
    given = request.headers.get("x-hub-signature-256", "")
    if not hmac.compare_digest(numbers.signature(secret, body).encode(), given.encode()):
        raise api.Refused(400, "bad_signature", "The signature does not fit")


def asked(request: api.Request) -> UUID:
    """Read which number the address is for. Raises Refused 404."""
    try:
        return UUID(request.query_params.get("account", ""))
    except ValueError as error:
        raise missing() from error


def verified(request: api.Request, expected: str) -> api.Response:
    """Answer the challenge to whoever knows the verify token. Raises Refused 403."""
    asked = request.query_params
    is_known = hmac.compare_digest(expected.encode(), asked.get("hub.verify_token", "").encode())
    if asked.get("hub.mode") != "subscribe" or not is_known:
        raise api.Refused(403, "forbidden", "The verify token does not fit")
    return api.Response(asked.get("hub.challenge", ""), media_type="text/plain")


def missing() -> api.Refused:
    """Make the refusal of an address that is none."""
    return api.Refused(404, "not_found", "No such number is connected")
