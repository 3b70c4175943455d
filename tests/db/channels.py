"""Mail of a person to contacts, for tests: a connected account, a contact with an address, queued mails."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import asyncpg

from tests.db import crm
from tests.db.accounts import Connection, Executor

ADDRESS = "anna@example.it"


async def connect(connection: Executor, user_id: UUID, **more: Any) -> UUID:
    """Connect an account; answers its id."""
    values = {"host": "127.0.0.1", "port": 2525, "from_address": "io@studio.example", "sealed": "", **more}
    account_id: UUID = await connection.fetchval(
        "select private.save_mail_account($1, $2, $3, 'starttls', 'io', $4, 'Studio Io', $5, $6)",
        user_id,
        values["host"],
        values["port"],
        values["from_address"],
        values.get("signature"),
        values["sealed"],
    )
    return account_id


async def reachable(connection: Executor, user_id: UUID) -> UUID:
    """Make a contact with an address."""
    contact_id = await crm.contact(connection, user_id)
    await connection.execute(
        "insert into public.contact_emails (user_id, contact_id, value) values ($1, $2, $3)",
        user_id,
        contact_id,
        ADDRESS,
    )
    return contact_id


async def queue(connection: Executor, contact_id: UUID, **more: Any) -> asyncpg.Record:
    """Queue a mail as the person that the connection acts for."""
    row = await connection.fetchrow(
        """
        select * from public.queue_mail(
          $1, $2, $3, $4, $5, $6, _invoice_id => $7, _document_ids => $8, _not_before => $9, _is_at_once => $10,
          _sale_id => $11
        )
        """,
        more.get("key", uuid4()),
        contact_id,
        more.get("recipient", ADDRESS),
        more.get("subject", "Promemoria di pagamento"),
        more.get("body", "Gentile Anna,\n\nLe ricordo la fattura 12."),
        more.get("basis", "contratto"),
        more.get("invoice_id"),
        more.get("document_ids", []),
        more.get("not_before"),
        # At whatever hour the tests run.
        more.get("is_at_once", True),
        more.get("sale_id"),
    )
    assert row is not None
    return row


async def populate(connection: Connection, owner: UUID, contact_id: UUID) -> None:
    """Insert a row of each table for the owner."""
    await connect(connection, owner)
    await connection.execute(
        "insert into public.mail_suppressions (user_id, address) values ($1, 'mai@example.it')", owner
    )
    await connection.execute(
        """
        insert into public.mail_batches (user_id, key, subject, body, basis, recipients, excluded)
        values ($1, gen_random_uuid(), 'Auguri', 'Buone feste', 'contratto', 1, 0)
        """,
        owner,
    )
    await connection.execute(
        """
        insert into public.outgoing_mails (
          user_id, contact_id, key, recipient, subject, body, basis, message_id, not_before, expires_at
        )
        values ($1, $2, gen_random_uuid(), $3, 'Saluti', 'Ciao', 'contratto', '<1@studio.example>', now(), now())
        """,
        owner,
        contact_id,
        ADDRESS,
    )
