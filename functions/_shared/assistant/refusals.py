"""Why a turn does not begin: what the database or the provider says, as the person reads it."""

from __future__ import annotations

import math

import asyncpg

from backend.edge import api
from functions._shared.assistant import provider

# Somebody with three answers under way waits about so long for one of them.
BUSY_RETRY_S = 5


def not_found() -> api.Refused:
    """404: the same for another's."""
    return api.Refused(404, "not_found", "Questa conversazione, o ciò che le hai allegato, non esiste più")


def unavailable(error: provider.Unavailable) -> api.Refused:
    """503: the provider is known not to answer, or wrongly set."""
    headers = {"Retry-After": str(math.ceil(error.retry_after_s))} if error.retry_after_s else {}
    return api.Refused(503, "ai_unavailable", error.message_it, cause=error.cause, headers=headers)


def not_agreed() -> api.Refused:
    """403: a question goes to no provider before its person has agreed to it."""
    sentence = "Prima di usare l’IA serve il tuo consenso al suo fornitore: invia di nuovo la domanda e te lo chiedo"
    return api.Refused(403, "consent_needed", sentence)


def local_only() -> api.Refused:
    """403: the person wants nothing sent to a provider."""
    sentence = "Hai scelto «solo modalità locale»: niente va a un fornitore di IA. Puoi cambiarlo in Privacy"
    return api.Refused(403, "local_only", sentence)


def stopped() -> api.Refused:
    """503: an admin has stopped the AI for everybody."""
    return api.Refused(503, "ai_stopped", provider.STOPPED)


# Those that say the same whatever the detail.
_PLAIN = {"SA006": not_agreed, "SA007": local_only, "SA008": stopped, "PT404": not_found}


def of_database(error: asyncpg.PostgresError) -> Exception:
    """The refusal that `private.begin_turn` means; the error itself where it means none."""
    detail = getattr(error, "detail", None) or ""
    if plain := _PLAIN.get(error.sqlstate or ""):
        return plain()
    match error.sqlstate:
        case "SA001":
            return _too_many(int(detail))
        case "SA002":
            sentence = "Sto già rispondendo in questa conversazione: aspetta la fine, o ferma la risposta"
            return api.Refused(409, "busy", sentence, details={"run_id": detail})
        case "SA003":
            sentence = "Hai già tre risposte in corso: aspetta che una finisca"
            return api.Refused(429, "too_many_requests", sentence, headers={"Retry-After": str(BUSY_RETRY_S)})
        case "SA004":
            return api.Refused(400, "validation_failed", "Scrivi una domanda, al massimo di 20.000 caratteri")
        case "SA005":
            return _dearer(int(detail))
        case "SD001":
            sentence = "Hai limitato il trattamento dei tuoi dati: per usare l’assistente togli il limite in Privacy"
            return api.Refused(403, "frozen", sentence)
        case "SC002" | "SC003":
            sentence = "I crediti non bastano per questa domanda: ricarica, o usa la modalità locale (0 crediti)"
            return api.Refused(402, "insufficient_credits", sentence)
        case "SC005":
            sentence = "Hai raggiunto il tetto mensile di crediti: alzalo, o usa la modalità locale (0 crediti)"
            return api.Refused(402, "monthly_cap", sentence)
        case "SC009":
            return _daily_cap(int(detail))
    return error


def _dearer(price: int) -> api.Refused:
    costs = "1 credito" if price == 1 else f"{price} crediti"
    sentence = f"Il prezzo è cambiato: questa risposta costa al massimo {costs}. Se va bene, invia di nuovo la domanda"
    return api.Refused(409, "price_changed", sentence, details={"credits": price})


def _daily_cap(cap: int) -> api.Refused:
    sentence = (
        f"Per oggi hai usato i crediti che Socio permette in un giorno, {cap}: il limite riparte a mezzanotte. "
        "Intanto usa la modalità locale (0 crediti)"
    )
    return api.Refused(402, "daily_cap", sentence, details={"credits": cap})


def _too_many(wait_s: int) -> api.Refused:
    if wait_s < 120:
        wait = f"{wait_s} secondi"
    elif wait_s < 7200:
        wait = f"{math.ceil(wait_s / 60)} minuti"
    else:
        wait = f"{math.ceil(wait_s / 3600)} ore"
    sentence = f"Hai fatto molte domande in poco tempo: riprova fra {wait}"
    return api.Refused(429, "too_many_requests", sentence, headers={"Retry-After": str(wait_s)})
