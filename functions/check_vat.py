"""`POST /functions/v1/check_vat {contact_id}`: asks VIES about the partita IVA of a contact and keeps the answer.

200 {registered, name, checked_at}   asked now, or within the last minute
404                                  a contact that is not the caller's, or none at all
422 no_vat_number                    there is nothing to ask about
503 vies_unavailable                 no answer: nothing is changed, a former answer stays
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared import requests, vies

TIMEOUT_S = 30
# A second click asks nobody.
FRESH = timedelta(minutes=1)
# Contacts have Italian numbers only (private.is_vat_number).
COUNTRY = "IT"


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401, 404, 405, 422 and 503."""
    requests.only(request, "POST")
    user_id = requests.caller(context)
    contact = await _contact(context, (await api.json_object(request)).get("contact_id"))
    number, checked_at = contact["vat_number"], contact["vies_checked_at"]
    if number is None:
        raise api.Refused(422, "no_vat_number", "Questo contatto non ha una partita IVA: aggiungila e riprova")
    if contact["vies_vat_number"] == number and context.now() - checked_at < FRESH:
        return _answer(contact["vies_registered"], contact["vies_name"], checked_at)
    try:
        entry = await vies.ask(context, COUNTRY, number)
    except vies.Unavailable as error:
        context.log.warning("VIES gave no answer", extra={"reason": str(error)})
        sentence = "Il VIES non risponde in questo momento: riprova fra qualche minuto. Il contatto resta com’è"
        raise api.Refused(503, "vies_unavailable", sentence) from error
    async with context.as_service() as connection:
        # Only about the number that was asked about: it may have been changed meanwhile.
        await connection.execute(
            "update public.contacts set vies_vat_number = vat_number, vies_registered = $4, vies_name = $5, "
            "vies_checked_at = $6 where user_id = $1 and id = $2 and vat_number = $3",
            UUID(user_id), contact["id"], number, entry.registered, entry.name, context.now(),
        )  # fmt: skip
    return _answer(entry.registered, entry.name, context.now())


async def _contact(context: api.Context, contact_id: object) -> Any:
    """The row, with the caller's rights. Raises Refused 400 or 404."""
    try:
        key = UUID(str(contact_id))
    except ValueError as error:
        raise api.Refused(400, "validation_failed", "Manca l’id del contatto") from error
    async with context.as_caller() as connection:
        row = await connection.fetchrow(
            "select id, vat_number, vies_vat_number, vies_registered, vies_name, vies_checked_at "
            "from public.contacts where id = $1 and deleted_at is null",
            key,
        )
    if row is None:
        raise api.Refused(404, "not_found", "Questo contatto non esiste")
    return row


def _answer(registered: bool, name: str | None, checked_at: Any) -> api.Response:
    return api.JSONResponse({"registered": registered, "name": name, "checked_at": checked_at.isoformat()})
