"""`POST /functions/v1/transcribe_voice`: have a voice note of WhatsApp become text.

{id, max_credits}    202 {}                     it waits for its text, or has it; again is the same
                     400 validation_failed
                     402 insufficient_credits, monthly_cap, daily_cap
                     403 consent_needed         the caller has not agreed to the provider
                     403 local_only, frozen
                     404 not_found              the caller has no such voice note
                     409 price_changed          it costs more than `max_credits`
                     409 too_long
                     503 no_transcription       the installation has no model that hears
                     503 ai_stopped             an admin has stopped the AI for everybody

private.ask_transcript decides and holds the price; jobs/whatsapp_voice.py does the work.
"""

from __future__ import annotations

from uuid import UUID

import asyncpg

from backend.edge import api
from functions._shared import requests
from functions._shared.assistant import listening, provider
from functions._shared.whatsapp import voice

REFUSALS = {
    "PT404": (404, "not_found", "Questo messaggio vocale non c’è più"),
    "SA005": (409, "price_changed", "Il prezzo è cambiato: ricarica la pagina e riprova"),
    "SA006": (403, "consent_needed", "Prima serve il tuo consenso al fornitore dell’IA"),
    "SA007": (403, "local_only", "Hai scelto «solo modalità locale»: niente va a un fornitore di IA"),
    "SA008": (503, "ai_stopped", provider.STOPPED),
    "SD001": (403, "frozen", "Hai limitato il trattamento dei tuoi dati: togli il limite in Privacy"),
    "SW012": (409, "too_long", "Dura più di 20 minuti: è troppo lungo da trascrivere"),
    "SC002": (402, "insufficient_credits", "I crediti non bastano per trascriverlo"),
    "SC003": (402, "insufficient_credits", "I crediti non bastano per trascriverlo"),
    "SC005": (402, "monthly_cap", "Hai raggiunto il tetto mensile di crediti"),
    "SC009": (402, "daily_cap", "Per oggi hai usato i crediti che Socio permette in un giorno: riprova domani"),
}


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401, 402, 403, 404, 405, 409 and 503."""
    requests.only(request, "POST")
    user_id = requests.caller(context)
    asked = await api.json_object(request)
    try:
        message_id = UUID(str(asked.get("id")))
    except ValueError as error:
        raise api.Refused(*REFUSALS["PT404"]) from error
    most = asked.get("max_credits")
    if not isinstance(most, int) or isinstance(most, bool) or not 0 <= most < 2**31:
        raise api.Refused(400, "validation_failed", "Manca il prezzo che hai visto")
    chosen = listening.choice(context)
    if chosen is None:
        raise api.Refused(503, "no_transcription", "Qui Socio non può trascrivere i messaggi vocali")
    try:
        async with context.as_service() as connection:
            if await connection.fetchval(
                "select private.ask_transcript($1, $2, $3, $4)", UUID(user_id), message_id, chosen.host, most
            ):
                await voice.enqueue(connection, user_id, message_id)
    except asyncpg.PostgresError as error:
        if error.sqlstate not in REFUSALS:
            raise
        raise api.Refused(*REFUSALS[error.sqlstate]) from error
    return api.JSONResponse({}, 202)
