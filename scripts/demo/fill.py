"""Fill the demo account: its clients and work by the product's sample data, then papers, talks and what follows."""

from __future__ import annotations

import json
import logging
from datetime import date
from pathlib import Path
from typing import Any
from uuid import UUID

from backend.core import config, db, migrate, production
from backend.core.config import Settings
from backend.core.db import Connection
from backend.storage import blobs
from backend.storage.backends import Backend
from scripts.demo import account, aims, books, electronic, filing, talks
from scripts.demo.electronic import Party

logger = logging.getLogger("scripts.demo")

LOCK = 7_203_118
ACCOUNTS: Path = config.ROOT / "db" / "seed" / "10_demo.sql"


async def fill(settings: Settings) -> bool:
    """Fill the demo account when it is due; the same again changes nothing. Raises ConfigError on a public site."""
    production.require_no_demo(settings)
    connection = await db.connect(settings)
    await db.prepare(connection)
    try:
        await connection.execute("select pg_advisory_lock($1)", LOCK)
        user_id, filled_on = await account.state(connection)
        today = await account.today(connection)
        if user_id is None or filled_on == today:
            return False
        if filled_on is not None:
            if not await account.is_untouched(connection, user_id):
                return False
            await account.remove(connection, user_id)
            await migrate.seed(connection, [ACCOUNTS])
            user_id, _ = await account.state(connection)
            assert user_id is not None
        async with blobs.opened(settings) as store, connection.transaction():
            await write(connection, store, user_id, today)
        return True
    finally:
        await connection.close()


async def write(connection: Connection, store: Backend, user_id: UUID, today: date) -> None:
    """Write everything into a new account, in the transaction of the caller."""
    await _introduce(connection, user_id)
    await _clients(connection, user_id)
    contacts = await companies(connection, user_id)
    made = filing.files({name: party for name, (_, party) in contacts.items()}, today)
    await filing.store(connection, store, user_id, made)
    await filing.register(connection, user_id, {name: contact_id for name, (contact_id, _) in contacts.items()}, made)
    await _link_quotes(connection, user_id)
    await talks.hold(connection, user_id, today)
    await talks.remember(connection, user_id)
    await aims.propose(connection, user_id)
    await connection.execute("select private.refresh_home($1)", user_id)
    await _tell(connection, user_id)
    await account.mark(connection, user_id, today)


async def _introduce(connection: Connection, user_id: UUID) -> None:
    """Say who she is: of an invoice with her VAT number she is the issuer."""
    await connection.execute(
        """
        update public.profiles set vat_number = $2, tax_code = $3, iban = $4, address = $5::text::jsonb,
          pec = 'giulia.ferri@pec.example', sdi_code = 'DEMO000', ateco = '74.12.01', business_phone = '+39051220117'
        where user_id = $1
        """,
        user_id,
        books.OWNER_VAT,
        books.OWNER_TAX_CODE,
        books.OWNER_IBAN,
        json.dumps(electronic.OWNER_ADDRESS),
    )
    # The seed of an older version told of clients that she does not have.
    await connection.execute(
        "delete from public.notifications where user_id = $1 and kind = 'avviso' and action_url <> '/store'", user_id
    )
    await connection.execute(
        "insert into public.flat_rate_choices (user_id, activity, is_startup)"
        " values ($1, 'redditivita_professioni', true)",
        user_id,
    )


async def _clients(connection: Connection, user_id: UUID) -> None:
    """Add the sample data as her own: nobody shall take it away with a click."""
    claims = json.dumps({"sub": str(user_id), "role": "authenticated"})
    await connection.execute("select set_config('request.jwt.claims', $1, true)", claims)
    await connection.execute("select public.add_demo_data()")
    for table in ("contacts", "deals", "projects", "tasks"):
        await connection.execute(f"update public.{table} set origin = 'manuale' where user_id = $1", user_id)  # noqa: S608
    await connection.execute("delete from private.demo_rows where user_id = $1", user_id)
    # One client asked for a copy of their data: it is not due soon, so the home says nothing of it.
    await connection.execute(
        """
        select public.register_contact_request(id, 'copia', private.today() - 9, 'email')
        from public.contacts where user_id = $1 and type = 'persona' order by name, id limit 1
        """,
        user_id,
    )
    await connection.execute("select set_config('request.jwt.claims', '', true)")


async def companies(connection: Connection, user_id: UUID) -> dict[str, tuple[UUID, Party]]:
    """Return the companies by name, with the id of their contact."""
    rows = await connection.fetch(
        "select id, name, vat_number, address, sdi_code from public.contacts where user_id = $1 and type = 'azienda'",
        user_id,
    )
    return {
        row["name"]: (row["id"], Party(row["name"], row["vat_number"], row["address"], row["sdi_code"])) for row in rows
    }


async def _link_quotes(connection: Connection, user_id: UUID) -> None:
    """Link each quote to the deal it was written for."""
    await connection.execute(
        """
        insert into public.document_links (user_id, document_id, deal_id)
        select documents.user_id, documents.id, deals.id
        from public.documents
        join public.deals on deals.user_id = documents.user_id and deals.contact_id = documents.contact_id
        where documents.user_id = $1 and documents.kind = 'preventivo'
        """,
        user_id,
    )


async def _tell(connection: Connection, user_id: UUID) -> None:
    """Add the notices of what happened, each about a row that is there; those of insights are there already."""
    await connection.execute(
        "select private.notify_document(id) from public.documents where user_id = $1 and state = 'da_verificare'",
        user_id,
    )
    unread = await connection.fetchrow(
        "select id, filename, error from public.documents where user_id = $1 and state = 'errore'", user_id
    )
    assert unread is not None
    await _notify(
        connection, user_id, "documento_illeggibile", f"Non letto: {unread['filename']}", unread["error"], unread["id"]
    )
    await connection.execute(
        "update public.notifications set type = 'error' where user_id = $1 and kind = 'documento_illeggibile'", user_id
    )
    paid = await connection.fetch(
        """
        select number, contact_name, paid_cents, document_id, paid_on from public.invoice_register
        where user_id = $1 and direction = 'attiva' and paid_on is not null order by paid_on desc limit 2
        """,
        user_id,
    )
    for row in paid:
        euros = await connection.fetchval("select private.euros($1, 'EUR')", row["paid_cents"])
        title, text = f"Fattura {row['number']} incassata", f"{row['contact_name']}: {euros}."
        await _notify(connection, user_id, "fattura_pagata", title, text, row["document_id"])
    # As if they had come over the last day.
    await connection.execute(
        """
        update public.notifications set created_at = now() - place * interval '97 minutes'
        from (
          select id, row_number() over (order by kind, title) as place from public.notifications
          where user_id = $1 and kind not in ('avviso', 'benvenuto')
        ) as told
        where notifications.id = told.id
        """,
        user_id,
    )


async def _notify(connection: Connection, user_id: UUID, kind: str, title: str, text: str, document_id: Any) -> None:
    await connection.execute(
        "select private.notify($1, $2, $3, $4, $5, $6, 'document', $7)",
        user_id, kind, title, text, f"/documents/{document_id}", f"demo:{kind}:{document_id}", document_id,
    )  # fmt: skip
