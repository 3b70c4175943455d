"""`/functions/v1/mail_address`: the address to which the caller forwards mails.

    GET     200 {is_offered, address}   address null: there is none yet; not offered: the operator has set no domain
    POST    200 {is_offered, address}   a new one; the former stops at once
            404 not_offered
            409 frozen                  the account waits for its deletion, or its processing is limited
            429 too_many_requests       a moment after the last one

It is closed in its table, public.mail_addresses, by its owner.
"""

from __future__ import annotations

from uuid import UUID

from backend.edge import api
from functions._shared import requests
from functions._shared.received_mail import address

PAUSE_S = 3


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 401, 404, 405, 409 and 429."""
    requests.only(request, "GET", "POST")
    user_id = UUID(requests.caller(context))
    domain = address.domain(context)
    if request.method == "POST":
        token: str | None = await _renew(context, user_id, domain)
    else:
        sealed = await context.call("private.sealed_mail_address", user_id)
        token = context.unseal_if_possible(address.PURPOSE, user_id, sealed) if sealed else None
    shown = address.written(token, domain) if token and domain else None
    headers = {"Cache-Control": "no-store"}
    return api.JSONResponse({"is_offered": domain is not None, "address": shown}, headers=headers)


async def _renew(context: api.Context, user_id: UUID, domain: str | None) -> str:
    """Make another address. Raises Refused 404, 409 and 429."""
    if domain is None:
        raise api.Refused(404, "not_offered", "Su questo server non ci sono indirizzi per inoltrare le email")
    if await context.call("private.is_frozen", user_id):
        raise api.Refused(409, "frozen", "Il tuo account è sospeso: l’indirizzo si crea quando è di nuovo attivo")
    if await context.call("private.take_lease", user_id, "mail address", PAUSE_S) is None:
        raise api.Refused(429, "too_many_requests", "Aspetta qualche secondo e riprova")
    token = address.new_token()
    sealed = context.seal(address.PURPOSE, user_id, token)
    await context.call("private.save_mail_address", user_id, address.digest(token), sealed)
    return token
