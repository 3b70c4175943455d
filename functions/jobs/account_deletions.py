"""Remind of deletions that are a week away, and erase the accounts whose thirty days are over.

Each batch is a transaction of its own, so a process that dies goes on where it was, and a second run finds nothing. It
takes a quarter of a core, for others work meanwhile.
The list of erased accounts is written first, so that a restored backup erases them again. Files go before the rows that
name them, the sign-in goes last, and the certificate is in the transaction that ends it.
"""

from __future__ import annotations

import asyncio
import time
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared import italian_dates, letters
from functions._shared.assistant.local import italian

EVERY = timedelta(minutes=10)
TIMEOUT_S = 3600.0
BATCH = 200
# Times as long as a batch took: whoever asks while a core is busy waits longer.
REST = 3


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Remind, then erase one account after the other, and what Stripe told about them since."""
    while await remind(context):
        pass
    while request := await begin(context):
        await erase(context, request)
    await context.call("private.forget_late_payers")


async def remind(context: api.Context) -> bool:
    """Write to the owner of one account; False when none waits."""
    async with context.as_service() as connection:
        row = await connection.fetchrow("select * from private.claim_deletion_reminder($1)", context.now())
        if row is not None and row["email"]:
            mail = letters.message(row["email"], reminder(row["due_at"], context.site_url), "deletion reminder")
            await api.send_mail(connection, mail)
    return row is not None


async def begin(context: api.Context) -> dict[str, Any] | None:
    """Return the account to erase next; None when none is due."""
    async with context.as_service() as connection:
        row = await connection.fetchrow("select * from private.begin_erasure($1)", context.now())
    return None if row is None or row["id"] is None else dict(row)


async def erase(context: api.Context, request: dict[str, Any]) -> None:
    """Erase files, rows and sign-in of an account. Raises PlatformError while the storage is away, OSError."""
    await context.note_erased(request["user_id"])
    while True:
        async with context.as_service() as connection:
            files = await connection.fetch("select * from private.files_to_erase($1, $2)", request["user_id"], BATCH)
        for bucket in {row["bucket_id"] for row in files}:
            names = [row["name"] for row in files if row["bucket_id"] == bucket]
            await context.storage_as_service.remove(bucket, names)
        if not files:
            break
    async with context.as_service() as connection:
        tables = [row[0] for row in await connection.fetch("select private.tables_to_erase()")]
    # Rows that go may leave a trace in another table: until all of them are empty.
    while sum([await _erase_table(context, request["id"], table) for table in tables]):
        pass
    async with context.as_service() as connection:
        await connection.execute("discard plans")
        email = await connection.fetchval("select private.finish_erasure($1, $2)", request["id"], context.now())
        if email:
            await api.send_mail(
                connection, letters.message(email, certificate(request, context.now()), "deletion done")
            )
    context.log.info("account erased", extra={"request": str(request["id"])})


async def _erase_table(context: api.Context, request_id: UUID, table: str) -> int:
    """Erase the rows of this account in a table; return how many there were."""
    total, erased = 0, BATCH
    while erased == BATCH:
        began_s = time.monotonic()
        async with context.as_service() as connection:
            # Plans made while tables were small would look for what hangs on a row among all rows of everybody.
            await connection.execute("discard plans")
            erased = await connection.fetchval("select private.erase_rows($1, $2, $3)", request_id, table, BATCH)
        total += erased
        if erased == BATCH:
            await asyncio.sleep(REST * (time.monotonic() - began_s))
    return total


def reminder(due_at: datetime, site_url: str) -> letters.Letter:
    """Say that one week is left."""
    return letters.Letter(
        title="Manca una settimana all’eliminazione del tuo account",
        paragraphs=(
            f"il {italian_dates.moment(due_at)} elimineremo il tuo account Socio con tutti i tuoi dati.",
            "Dopo non si può tornare indietro. Se hai cambiato idea, accedi e premi «Annulla l’eliminazione».",
        ),
        button="Annulla l’eliminazione",
        link=f"{site_url}/home",
    )


def certificate(request: dict[str, Any], now: datetime) -> letters.Letter:
    """Say what was erased, when, and what is kept for how long."""
    asked = request["requested_at"].astimezone(italian_dates.ROME)
    rows = italian.count(sum(request["found_rows"].values()), "riga", "righe")
    files = italian.count(request["found_files"], "file", "file")
    return letters.Letter(
        title="Il tuo account è stato eliminato",
        paragraphs=(
            f"Certificato {request['id']}.",
            f"Eliminazione chiesta il {italian_dates.long_day(asked)}, conclusa il {italian_dates.moment(now)}.",
            f"Abbiamo eliminato {rows} di dati e {files}.",
            "Restano 10 anni dall’ultimo movimento, come vuole la legge, i tuoi ordini e il registro dei crediti.",
            "Sono senza il tuo indirizzo; i dati di chi compra restano solo dove c’è una fattura.",
            "Senza il tuo nome restano anche il registro etico, 12 mesi, e questo certificato, 10 anni.",
            "Di questa casella resta un’impronta, che serve solo a non dare due volte i crediti di benvenuto.",
            "Le copie di sicurezza durano 90 giorni: se ne ripristiniamo una, il tuo account viene eliminato di nuovo.",
        ),
        greeting="",
        small="Conserva questa email: è l’ultima che ti scriviamo.",
    )
