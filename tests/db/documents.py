"""Documents for the database tests: a row of each table for one person, and bare documents, pages and fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from tests.db import access
from tests.db.accounts import Connection, Executor

WORD_WIDTH, LINE_HEIGHT, WORDS_A_LINE = 900, 200, 10


async def document(connection: Executor, user_id: UUID, **columns: Any) -> UUID:
    """Inserts a document and answers its id."""
    values = {
        "user_id": user_id,
        "storage_path": f"{user_id}/{uuid4()}.pdf",
        "filename": "scansione.pdf",
        "state": "pronto",
        **columns,
    }
    places = ", ".join(f"${place}" for place in range(1, len(values) + 1))
    document_id: UUID = await connection.fetchval(
        f"insert into public.documents ({', '.join(values)}) values ({places}) returning id", *values.values()
    )
    return document_id


def words_of(text: str) -> list[list[Any]]:
    """The words of a text as a page holds them: ten in a line, each with its box."""
    return [
        [
            word,
            place % WORDS_A_LINE * 1000,
            place // WORDS_A_LINE * LINE_HEIGHT,
            place % WORDS_A_LINE * 1000 + WORD_WIDTH,
            place // WORDS_A_LINE * LINE_HEIGHT + 150,
            95,
        ]
        for place, word in enumerate(text.split())
    ]


async def page(connection: Connection, document_id: UUID, text: str, no: int = 1) -> None:
    """Inserts a page that was read, with its words."""
    await connection.execute(
        """
        insert into public.document_pages (user_id, document_id, no, state, source, text, words, width, height)
        select user_id, id, $2, 'letta', 'testo', $3, $4::text::jsonb, 595, 842 from public.documents where id = $1
        """,
        document_id,
        no,
        text,
        json.dumps(words_of(text)),
    )


async def field(
    connection: Connection, document_id: UUID, key: str, value: str, confidence: float = 0.9, **columns: Any
) -> None:
    """Inserts a field as the extraction writes it."""
    values = {"key": key, "value": value, "confidence": confidence, "source": "ocr", **columns}
    places = ", ".join(f"${place}" for place in range(2, len(values) + 2))
    await connection.execute(
        f"""
        insert into public.document_fields (user_id, document_id, {", ".join(values)})
        select user_id, id, {places} from public.documents where id = $1
        """,
        document_id,
        *values.values(),
    )


async def store_invoices(connection: Executor, document_id: UUID, *invoices: Mapping[str, Any]) -> list[UUID]:
    """Writes invoices as the job does, each complete but for what is told; answers their ids by number of the body."""
    known = {"direction": "passiva", "number": "12/2026", "issued_on": "2026-03-01", "total_cents": 122_000}
    await connection.execute(
        "select private.store_invoice($1, (select user_id from public.documents where id = $1), $2::text::jsonb)",
        document_id,
        json.dumps([{**known, **invoice} for invoice in invoices]),
    )
    rows = await connection.fetch("select id from public.invoices where document_id = $1 order by body_no", document_id)
    return [row["id"] for row in rows]


async def populate(connection: Connection, owner: UUID, names: Mapping[str, str]) -> Mapping[str, str]:
    """A row of each table for the owner; answers the names that cells use."""
    document_id = await document(
        connection, owner, filename="fattura.pdf", kind="fattura", supplier='{"name": "Rossi srl"}'
    )
    second = await document(connection, owner)
    strangers = await document(connection, access.PEOPLE["stranger"])
    await document(connection, owner, filename="cestino.pdf", deleted_at=datetime.now(UTC))
    await page(connection, document_id, "Fattura numero 12 di Rossi srl")
    await field(connection, document_id, "number", "12", 0.5)
    schedule = {"due_on": "2026-03-31", "amount_cents": 122_000}
    invoices = await store_invoices(connection, document_id, {"schedules": [schedule]})
    await connection.execute(
        "insert into public.sdi_notices (user_id, document_id, file_name, kind, is_refused, sentence, sha256, at)"
        " values ($1, $2, 'fattura.pdf', 'RC', false, 'Consegnata.', repeat('0', 64), now())",
        owner,
        document_id,
    )
    await connection.execute(
        f"""
        insert into public.document_tags (user_id, document_id, tag_id)
          values ('{owner}', '{document_id}', '{names["owner_tag"]}');
        insert into public.document_corrections (user_id, vat_number, key, label)
          values ('{owner}', '00743110157', 'total', 'Totale');
        insert into public.document_aliases (user_id, contact_id, kind, value, state)
          values ('{owner}', '{names["owner_contact"]}', 'name', 'rossisrl', 'confermato');
        insert into public.document_links (user_id, document_id, deal_id)
          values ('{owner}', '{document_id}', '{names["owner_deal"]}');
        insert into public.dismissed_parties (user_id, party_key) values ('{owner}', 'name:anybody');
        insert into public.insight_prefs (user_id, kind) values ('{owner}', 'doppioni');
        insert into public.notification_prefs values ('{owner}', 'incassi', 'mail', false);
        insert into public.notification_settings (user_id) values ('{owner}');
        insert into public.flat_rate_choices (user_id, activity) values ('{owner}', 'redditivita_professioni');
        insert into public.data_exports (user_id, domains, with_files) values ('{owner}', '{{profilo}}', true);
        insert into public.data_imports (user_id, storage_path, state, finished_at)
        values ('{owner}', '{owner}/archivio.zip', 'fatto', now());
        insert into public.deletion_requests (user_id, fiscal_archive, requested_at, due_at, cancelled_at)
        values ('{owner}', 'empty', now(), now(), now());
        insert into public.push_subscriptions (user_id, endpoint, p256dh, auth_secret)
        values ('{owner}', 'https://push.example/owner', repeat('B', 87), repeat('A', 22));
        insert into public.insights (user_id, kind, entity_type, entity_id, since, title, body, score)
          values ('{owner}', 'da_pagare', 'invoice', '{invoices[0]}', '2026-03-31', 'Fattura 12', 'Da pagare.', 1);
        """
    )
    return {
        "owner_document": str(document_id),
        "owner_second_document": str(second),
        "stranger_document": str(strangers),
        "owner_invoice": str(invoices[0]),
    }
