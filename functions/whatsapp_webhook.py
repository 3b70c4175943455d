"""`/functions/v1/whatsapp_webhook`: what Meta delivers about the WhatsApp numbers of people.

The address of the operator's app, whose verify token is the id of the app's configuration. With `?account=<id>` it is
that of one number with an own app.

    GET   hub.mode, hub.verify_token, hub.challenge
        200 <challenge>             Meta makes sure that the address is ours
        403 forbidden               another token
    POST  X-Hub-Signature-256       HMAC-SHA256 of the body as it came, by the secret of an app
        200                         kept; jobs/whatsapp_deliveries.py reads it
        400 bad_signature
        404 not_found               it names no number that is connected

Meta has one address for each account and app, and delivers there about all numbers of the account, whoever has them.
So a change belongs to the number that it names, at whichever address it came, if the app of that number signed it.
What names no number (templates) belongs to the numbers of its account with that app.

Meta repeats for seven days what was not answered with 200, and expects the answer within 250 ms: a job reads it. A
delivery that could be kept for some of its numbers only comes again, and each message is kept once.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared import requests
from functions._shared.whatsapp import meta_app, numbers, payloads

TIMEOUT_S = 20
# Meta sends up to 3 MB: many messages in one delivery.
BODY_LIMIT_BYTES = 3 * 1024 * 1024
# A stranger may name numbers of many apps, and each signature reads the whole body.
MOST_SECRETS = 10


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 403, 404 and 405."""
    requests.only(request, "POST", "GET")
    address = asked(request)
    if request.method == "GET":
        return verified(request, verify_token(context, address))
    body = await request.body()
    connected = await numbers.named(context, address, payloads.ids(body))
    secret = signer(request, body, possible_secrets(context, address, connected))
    signed = [number for number in connected if number.app_secret == secret]
    parts = shares(body, address, connected, signed)
    for number, part in parts:
        # Postgres keeps no NUL; the signature was checked on what came.
        text = part.decode(errors="replace").replace("\0", "")
        await context.call("private.keep_whatsapp_delivery", number.id, text)
    if not parts:
        context.log.info("whatsapp delivery about no connected number")
    return api.Response()


def possible_secrets(context: api.Context, address: UUID | None, connected: Sequence[numbers.Number]) -> list[str]:
    """List the secrets that may have signed a delivery. Raises Refused 404 when there are none."""
    app = meta_app.of(context) if address is None else None
    found = [app.secret] if app else []
    # One that is empty belongs to an app that the operator no longer has.
    found += [number.app_secret for number in connected if number.app_secret]
    if not found:
        raise missing()
    return list(dict.fromkeys(found))[:MOST_SECRETS]


def signer(request: api.Request, body: bytes, secrets: Sequence[str]) -> str:
    """Return the secret that signed a delivery. Raises Refused 400."""
    given = request.headers.get("x-hub-signature-256", "").encode()
    for secret in secrets:
        if hmac.compare_digest(numbers.signature(secret, body).encode(), given):
            return secret
    raise api.Refused(400, "bad_signature", "The signature does not fit")


def shares(
    body: bytes, address: UUID | None, connected: Sequence[numbers.Number], signed: Sequence[numbers.Number]
) -> list[tuple[numbers.Number, bytes]]:
    """Divide a delivery among the numbers whose app has signed it.

    The number of the address takes what nobody can read, or what names a number that is not connected: a dead letter.
    """
    own = next((number for number in signed if number.id == address), None)
    try:
        parts = list(payloads.parts(json.loads(body)))
    except (ValueError, RecursionError):
        parts = []
    known = {number.phone_number_id for number in connected}
    found: dict[UUID, list[dict[str, Any]]] = {}
    for waba_id, named, entry in parts:
        if named and named not in known:
            receivers = [own] if own else []
        else:
            receivers = [one for one in signed if (one.phone_number_id == named if named else one.waba_id == waba_id)]
        for number in receivers:
            found.setdefault(number.id, []).append(entry)
    if own and (not parts or (len(found) == 1 and len(found.get(own.id, [])) == len(parts))):
        return [(own, body)]
    return [
        (number, json.dumps(payloads.delivery(found[number.id])).encode()) for number in signed if number.id in found
    ]


def asked(request: api.Request) -> UUID | None:
    """Read which number the address is for; None for that of the operator's app. Raises Refused 404."""
    told = request.query_params.get("account")
    if told is None:
        return None
    try:
        return UUID(told)
    except ValueError as error:
        raise missing() from error


def verify_token(context: api.Context, address: UUID | None) -> str:
    """Return the verify token of an address. Raises Refused 404."""
    if address is not None:
        return numbers.verify_token(context, address)
    app = meta_app.of(context)
    if app is None:
        raise missing()
    return app.configuration_id


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
