"""`POST /functions/v1/send_mail`: queue a mail of the caller to a contact, and wake the job that sends it.

    {key, contact_id, recipient, subject, body, basis, invoice_id, attaches_invoice, sale_id, is_at_once, not_before,
     thread_id}
    200 {id, not_before}            the same key again returns the first mail
    400 validation_failed           a value that is none
    404 not_found                   the caller has no such contact or thread
    409 not_connected, not_an_address, suppressed, no_consent, no_sale, daily_cap, unfilled, no_attachment
    409 shared_limit, shared_promotion, shared_paused, unconfirmed      what the shared sender does not send now

public.queue_mail decides, also when it leaves: recipients have their rest. An answer in a thread of received mails goes
through public.answer_mail. A wake-up that is lost costs at most two minutes: the job looks by itself.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg

from backend.edge import api
from functions._shared import requests, shared_sender

BODY_LIMIT_BYTES = 256 * 1024
REFUSALS = {
    "PT404": (404, "not_found", "Questo contatto non esiste più"),
    "SM001": (409, "not_connected", "Scegli prima da dove inviare in Impostazioni → Canali"),
    "SM002": (409, "not_an_address", "Questo indirizzo non è fra quelli del contatto"),
    "SM003": (409, "suppressed", "Questo indirizzo non vuole ricevere email da te"),
    "SM004": (409, "no_consent", "Manca il consenso a ricevere promozioni per email"),
    "SM005": (409, "daily_cap", "Oggi hai raggiunto il numero massimo di email"),
    "SM006": (409, "unfilled", "Nel testo c’è un punto da completare"),
    "SM007": (409, "no_attachment", "L’allegato non c’è più"),
    "SM009": (409, "no_sale", "Scegli una fattura che hai emesso a questo contatto"),
    "23514": (400, "validation_failed", "Controlla oggetto e testo: mancano o sono troppo lunghi"),
    "22P02": (400, "validation_failed", "La richiesta non si capisce"),
}
QUEUE = """
select id, not_before, greatest(extract(epoch from not_before - now()), 0)::float8 as delay_s
from public.queue_mail(
  $1, $2, $3, $4, $5, $6, _invoice_id => $7, _sale_id => $8, _is_at_once => $9, _not_before => $10,
  _attaches_invoice => $11
)
"""
ANSWER = """
select id, not_before, greatest(extract(epoch from not_before - now()), 0)::float8 as delay_s
from public.answer_mail($1, _thread_id => $6, _contact_id => $2, _recipient => $3, _subject => $4, _body => $5)
"""
BASES = ("contratto", "consenso", "soft_spam")
# What leaves later is found by the job, which looks each minute.
NEAR_S = 3600


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401, 404, 405 and 409."""
    requests.only(request, "POST")
    user_id = requests.caller(context)
    statement, asked = arguments(await api.json_object(request))
    try:
        async with context.as_caller() as connection:
            mail = await connection.fetchrow(statement, *asked)
    except asyncpg.PostgresError as error:
        refusal = REFUSALS.get(error.sqlstate or "") or shared_sender.refusal(error)
        if refusal is None:
            raise
        raise api.Refused(*refusal) from error
    assert mail is not None
    if mail["delay_s"] < NEAR_S:
        async with context.as_service() as connection:
            await api.enqueue(connection, "mail_outbox", {"user_id": user_id}, delay_s=mail["delay_s"], user_id=user_id)
    return api.JSONResponse({"id": str(mail["id"]), "not_before": mail["not_before"].isoformat()})


def arguments(body: dict[str, Any]) -> tuple[str, list[Any]]:
    """Read the statement and its arguments. Raises Refused 400."""
    try:
        key, contact_id = UUID(body["key"]), UUID(body["contact_id"])
        invoice_id, sale_id, thread_id = [
            UUID(body[name]) if body.get(name) else None for name in ("invoice_id", "sale_id", "thread_id")
        ]
        texts = [body["recipient"], body["subject"], body["body"], body.get("basis", "contratto")]
        not_before = datetime.fromisoformat(body["not_before"]) if body.get("not_before") else None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise api.Refused(*REFUSALS["22P02"]) from error
    wishes = [body.get("is_at_once", False), body.get("attaches_invoice", True)]
    is_whole = all(isinstance(text, str) for text in texts) and texts[3] in BASES
    is_whole = is_whole and all(isinstance(wish, bool) for wish in wishes)
    if not is_whole or (not_before and not_before.tzinfo is None):
        raise api.Refused(*REFUSALS["22P02"])
    if thread_id is not None:
        return ANSWER, [key, contact_id, *texts[:3], thread_id]
    return QUEUE, [key, contact_id, *texts, invoice_id, sale_id, wishes[0], not_before, wishes[1]]
