"""Mail of a person to contacts, for tests: a connected account, a contact with an address, queued mails."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from itertools import count
from typing import Any
from uuid import UUID, uuid4

import asyncpg

from tests.db import crm
from tests.db.accounts import Connection, Executor

ADDRESS = "anna@example.it"
NUMBERS = count(1)


async def connect(connection: Executor, user_id: UUID, **more: Any) -> UUID:
    """Connect an account; answers its id."""
    values = {"host": "127.0.0.1", "port": 2525, "from_address": "io@studio.example", "sealed": "", **more}
    account_id: UUID = await connection.fetchval(
        "select private.save_mail_account($1, $2, $3, 'starttls', 'io', $4, 'Studio Io', $5, $6, $7)",
        user_id,
        values["host"],
        values["port"],
        values["from_address"],
        values.get("signature"),
        values["sealed"],
        values.get("is_certified", False),
    )
    return account_id


async def reachable(connection: Executor, user_id: UUID, address: str = ADDRESS) -> UUID:
    """Make a contact with an address."""
    contact_id = await crm.contact(connection, user_id)
    await connection.execute(
        "insert into public.contact_emails (user_id, contact_id, value) values ($1, $2, $3)",
        user_id,
        contact_id,
        address,
    )
    return contact_id


async def queue(connection: Executor, contact_id: UUID, **more: Any) -> asyncpg.Record:
    """Queue a mail as the person that the connection acts for."""
    row = await connection.fetchrow(
        """
        select * from public.queue_mail(
          $1, $2, $3, $4, $5, $6, _invoice_id => $7, _document_ids => $8, _not_before => $9, _is_at_once => $10,
          _sale_id => $11, _is_automatic => $12, _attaches_invoice => $13
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
        more.get("is_automatic", False),
        more.get("attaches_invoice", True),
    )
    assert row is not None
    return row


async def open_inbox(connection: Executor, user_id: UUID, port: int = 1143) -> None:
    """Have the mail of a connected account read from this port."""
    await connection.execute("select private.save_mail_inbox($1, '127.0.0.1', $2, 'starttls', false)", user_id, port)


async def open_address(connection: Executor, user_id: UUID, token: str = "owner") -> None:
    """Give a person an address for forwarded mails."""
    await connection.execute(
        "select private.save_mail_address($1, $2, 'sealed')", user_id, hashlib.sha256(token.encode()).digest()
    )


async def receive(connection: Executor, user_id: UUID, **more: Any) -> asyncpg.Record:
    """Keep a mail as the job does; answers what became of it."""
    number = next(NUMBERS)
    told = {
        "id": str(uuid4()), "folder": "ricevuti", "folder_name": "INBOX", "uidvalidity": 1, "message_uid": number,
        "message_id": f"<{number}@example.it>", "sha256": f"{number:064x}", "reference_ids": [], "kind": "persona",
        "sender": ADDRESS, "recipients": ["io@studio.example"], "party": ADDRESS, "subject": "Un saluto",
        "body": "Buongiorno.", "quoted": "", "warnings": [], "files": [], "is_whole": True, "bytes": 100,
        "at": datetime.now(UTC).isoformat(), **more,
    }  # fmt: skip
    row = await connection.fetchrow(
        "select * from private.keep_received_mail($1, $2::text::jsonb)", user_id, json.dumps(told)
    )
    assert row is not None
    return row


async def connect_whatsapp(connection: Executor, user_id: UUID, **more: Any) -> UUID:
    """Connect a WhatsApp number; answers its id."""
    account_id: UUID = more.get("account_id") or uuid4()
    await connection.execute(
        "select private.save_whatsapp_account($1, $2, 'portfolio', '77', $3, '+39 02 1234567', $4, $5)",
        account_id,
        user_id,
        more.get("phone_number_id", str(next(NUMBERS))),
        more.get("sealed_token", ""),
        more.get("sealed_app_secret", ""),
    )
    return account_id


async def receive_whatsapp(connection: Executor, user_id: UUID, **more: Any) -> UUID | None:
    """Keep a WhatsApp message as the job does; answers its id."""
    told = {
        "message_id": f"wamid.{next(NUMBERS)}", "bsuid": "IT.1", "phone": None, "name": "Giulia Galli",
        "username": None, "kind": "text",
        "body": "Buongiorno", "summary": "Buongiorno", "refers_to": None, "content": {},
        "at": datetime.now(UTC).isoformat(), **more,
    }  # fmt: skip
    kept: UUID | None = await connection.fetchval(
        "select private.keep_whatsapp_message(id, $2::text::jsonb) from public.whatsapp_accounts where user_id = $1",
        user_id,
        json.dumps(told),
    )
    return kept


async def add_template(connection: Executor, user_id: UUID, **more: Any) -> UUID:
    """Add an approved template with the place `nome`; answers its id."""
    told = {
        "template_id": "1", "name": "promemoria", "language": "it", "category": "UTILITY", "state": "APPROVED",
        "body": "Gentile {{nome}}, ci sentiamo domani.", "is_named": True, "places": ["nome"], "is_usable": True,
        **more,
    }  # fmt: skip
    await connection.execute(
        "select private.save_whatsapp_templates(id, $2::text::jsonb, false) from public.whatsapp_accounts"
        " where user_id = $1",
        user_id,
        json.dumps([told]),
    )
    template_id: UUID = await connection.fetchval(
        "select id from public.whatsapp_templates where user_id = $1 and name = $2", user_id, told["name"]
    )
    return template_id


async def populate(connection: Connection, owner: UUID, contact_id: UUID) -> dict[str, str]:
    """Insert a row of each table for the owner; answers the names that cells use."""
    await connect(connection, owner)
    await connection.execute(
        "insert into public.mail_suppressions (user_id, address) values ($1, 'mai@example.it')", owner
    )
    await connection.execute(
        "insert into public.mail_templates (user_id, name, body) values ($1, 'Primo contatto', 'Ciao {{nome}}')", owner
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
    await open_inbox(connection, owner)
    await open_address(connection, owner)
    thread_id = (await receive(connection, owner))["thread_id"]
    outgoing_id = await connection.fetchval("select id from public.outgoing_mails where user_id = $1", owner)
    await connection.execute(
        "insert into public.mail_thread_letters (outgoing_id, user_id, thread_id) values ($1, $2, $3)",
        outgoing_id,
        owner,
        thread_id,
    )
    await connection.execute(
        "select private.note_mail_report($1, '<1@studio.example>', 'ritardo', null, '4.4.1', 'busy', $2, now())",
        owner,
        "0" * 64,
    )
    await connect_whatsapp(connection, owner)
    await connection.execute("insert into public.whatsapp_settings (user_id) values ($1)", owner)
    await receive_whatsapp(connection, owner)
    await add_template(connection, owner)
    await connection.execute(
        "insert into public.whatsapp_rates (market, category, valid_from, currency, amount_micros)"
        " values ('39', 'marketing', '2026-01-01', 'EUR', 1)"
    )
    channel_id = await connection.fetchval("select id from public.contact_channels where user_id = $1", owner)
    return {
        "owner_thread": str(thread_id),
        "owner_outgoing_mail": str(outgoing_id),
        "owner_channel": str(channel_id),
    }
