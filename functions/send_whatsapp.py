"""`POST /functions/v1/send_whatsapp`: queue a WhatsApp message of the caller, and wake the job that sends it.

    {key, channel_id, body, refers_to}              a free text, within 24 hours of the contact's last message
    {key, channel_id, body, document_id}            a document with words, within those hours too
    {key, channel_id, body, invoice_id}             the PDF of an invoice
    {key, channel_id, template_id, values, is_at_once}    an approved template with its places
    200 {id, not_before}            the same key again returns the first message
    400 validation_failed           a value that is none
    404 not_found                   the caller has no such conversation, template or file
    409 not_connected, window_closed, stopped, template, limit, no_consent

public.queue_whatsapp decides. A wake-up that is lost costs at most a minute: the job looks by itself.
"""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import asyncpg

from backend.edge import api
from functions._shared import requests

BODY_LIMIT_BYTES = 64 * 1024
REFUSALS = {
    "PT404": (404, "not_found", "Questa conversazione, questo modello o questo file non c’è più"),
    "SW001": (409, "not_connected", "Il numero WhatsApp non può inviare: controlla Impostazioni → Canali"),
    "SW002": (409, "window_closed", "Sono passate 24 ore dall’ultimo messaggio: ora serve un modello"),
    "SW003": (409, "stopped", "Questa persona ha chiesto di non ricevere altri messaggi"),
    "SW004": (409, "template", "Il modello non è approvato o ha un punto da completare"),
    "SW005": (409, "limit", "Oggi hai scritto a tutte le persone nuove che Meta permette"),
    "SW006": (409, "no_consent", "Manca il consenso a ricevere promozioni su WhatsApp"),
    "23514": (400, "validation_failed", "Un messaggio ha da 1 a 4096 caratteri, accanto a un file fino a 1024"),
    "22P02": (400, "validation_failed", "La richiesta non si capisce"),
}
QUEUE = """
select id, not_before, greatest(extract(epoch from not_before - now()), 0)::float8 as delay_s
from public.queue_whatsapp($1, $2, $3, $4, $5::text::jsonb, $6, $7, $8, $9)
"""
# What leaves later is found by the job, which looks each minute.
NEAR_S = 3600


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401, 404, 405 and 409."""
    requests.only(request, "POST")
    user_id = requests.caller(context)
    asked = arguments(await api.json_object(request))
    try:
        async with context.as_caller() as connection:
            message = await connection.fetchrow(QUEUE, *asked)
    except asyncpg.PostgresError as error:
        if error.sqlstate not in REFUSALS:
            raise
        raise api.Refused(*REFUSALS[error.sqlstate]) from error
    assert message is not None
    if message["delay_s"] < NEAR_S:
        async with context.as_service() as connection:
            await api.enqueue(
                connection, "whatsapp_outbox", {"user_id": user_id}, delay_s=message["delay_s"], user_id=user_id
            )
    return api.JSONResponse({"id": str(message["id"]), "not_before": message["not_before"].isoformat()})


def arguments(body: dict[str, Any]) -> list[Any]:
    """Read the arguments. Raises Refused 400."""
    try:
        key, channel_id = UUID(body["key"]), UUID(body["channel_id"])
        template_id, document_id, invoice_id = (
            UUID(body[name]) if body.get(name) else None for name in ("template_id", "document_id", "invoice_id")
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise api.Refused(*REFUSALS["22P02"]) from error
    text, values, refers_to = body.get("body"), body.get("values", {}), body.get("refers_to")
    is_at_once = body.get("is_at_once", False)
    is_whole = (
        isinstance(text, str | None)
        and isinstance(refers_to, str | None)
        and isinstance(is_at_once, bool)
        and isinstance(values, dict)
        and all(isinstance(value, str) for value in values.values())
    )
    if not is_whole:
        raise api.Refused(*REFUSALS["22P02"])
    return [key, channel_id, text, template_id, json.dumps(values), refers_to, is_at_once, document_id, invoice_id]
