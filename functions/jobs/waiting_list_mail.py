"""Puts an address on the waiting list and writes to it: a link to confirm, or word that it is on the list already.

A person gets one such mail an hour at most, however often somebody types the address: that also makes a second run of
the job harmless. Each mail has a new token, and only its digest is kept: the newest confirms, all of them lead out of
the list.
"""

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import Any

from backend.edge import api
from functions._shared import letters

MAIL_EVERY = timedelta(hours=1)
PAGE = "/lista-attesa"


async def handler(payload: dict[str, Any], context: api.Context) -> None:
    """One mail, in the transaction that takes the token down."""
    token = secrets.token_urlsafe(32)
    async with context.as_service() as connection:
        row = await connection.fetchrow(
            """
            insert into public.waiting_list as known (email, consent_at, consent_version, token_hash, mailed_at)
            values ($1, $2, $3, $4, $5)
            on conflict (email) do update
            set token_hash = excluded.token_hash, mailed_at = excluded.mailed_at,
                -- Of somebody who is written to for ever the newest fifty.
                earlier_token_hashes = (known.earlier_token_hashes || known.token_hash)
                  [greatest(1, cardinality(known.earlier_token_hashes) - 48):],
                -- Somebody else's typing does not replace the consent that its owner confirmed.
                consent_at = case when known.confirmed_at is null then excluded.consent_at else known.consent_at end,
                consent_version = case
                  when known.confirmed_at is null then excluded.consent_version else known.consent_version
                end
            where known.mailed_at <= $6
            returning confirmed_at is not null as is_confirmed
            """,
            payload["email"],
            datetime.fromisoformat(payload["consent_at"]),
            payload["consent_version"],
            hashlib.sha256(token.encode()).digest(),
            context.now(),
            context.now() - MAIL_EVERY,
        )
        if row is not None:
            link = f"{context.site_url}{PAGE}?token={token}"
            mail = letters.message(
                payload["email"], letter(payload["email"], link, row["is_confirmed"]), "waiting_list"
            )
            await api.send_mail(connection, mail)


def letter(email: str, link: str, is_confirmed: bool) -> letters.Letter:
    """For somebody new, or for somebody who confirmed before."""
    if is_confirmed:
        return letters.Letter(
            title="Sei già nella lista d’attesa",
            paragraphs=(
                f"{email} è già nella lista d’attesa di Socio: non devi fare altro.",
                "Ti scriviamo quando si aprono nuovi posti alle condizioni early bird.",
            ),
            button="Vedi la tua iscrizione",
            link=link,
            small="Hai cambiato idea? Dalla stessa pagina puoi toglierti dalla lista quando vuoi.",
        )
    return letters.Letter(
        title="Conferma il tuo posto in lista d’attesa",
        paragraphs=(
            f"qualcuno, speriamo tu, ha chiesto di mettere {email} nella lista d’attesa di Socio.",
            "Conferma che è tuo: ti scriviamo solo quando si aprono nuovi posti alle condizioni early bird.",
        ),
        button="Conferma l’indirizzo",
        link=link,
        small="Il link vale sette giorni. Se non l’hai chiesto tu, ignora questa email: dopo sette giorni cancelliamo "
        "l’indirizzo. Dalla stessa pagina puoi toglierti dalla lista quando vuoi.",
    )
