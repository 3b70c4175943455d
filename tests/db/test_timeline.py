"""The timeline of a contact: all that happened with it, its owner's eyes only."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import pytest

from tests.db import access, crm, documents
from tests.db.access import PEOPLE
from tests.db.accounts import Connection, rolled_back
from tests.db.conftest import World

pytestmark = pytest.mark.anyio


async def test_calls_notes_and_consents_stand_in_one_list_latest_first(world: World) -> None:
    contact_id = UUID(world.values["owner_contact"])
    async with rolled_back(world.connection), access.acting(world.connection, "owner"):
        await world.connection.execute(
            "insert into public.interactions (contact_id, kind, direction, at, summary)"
            " values ($1, 'email', 'entrata', now() - interval '1 year', 'Preventivo')",
            contact_id,
        )
        rows = await world.connection.fetch(
            "select * from public.timeline where contact_id = $1"
            " and ref_type in ('interaction', 'note', 'consent_event') order by at desc, id desc",
            contact_id,
        )
        assert sorted((row["kind"], row["title"], row["body"]) for row in rows) == [
            ("chiamata", "Chiamata", None),
            ("consenso", "Consenso dato", None),
            ("email", "Email", "Preventivo"),
            ("email", "Email", "Un saluto\n\nBuongiorno."),
            ("nota", "Nota", "Chiamare il mattino"),
        ]
        assert rows[-1]["kind"] == "email"
        assert rows[-1]["data"] == '{"direction": "entrata"}'
        assert {row["id"].partition(":")[2] for row in rows} == {str(row["ref_id"]) for row in rows}


async def test_the_timeline_of_a_stranger_is_empty(world: World) -> None:
    async with rolled_back(world.connection), access.acting(world.connection, "stranger"):
        for condition in (f"contact_id = '{world.values['owner_contact']}'", f"user_id = '{PEOPLE['owner']}'"):
            assert await world.connection.fetch(f"select id from public.timeline where {condition}") == []


async def test_a_note_in_the_trash_is_neither_shown_nor_copied_until_it_is_taken_back(world: World) -> None:
    contact_id = UUID(world.values["owner_contact"])
    async with rolled_back(world.connection), access.acting(world.connection, "owner"):
        for deleted_at, shown in (("now()", 0), ("null", 1)):
            await world.connection.execute(
                f"update public.notes set deleted_at = {deleted_at} where contact_id = $1", contact_id
            )
            listed = await world.connection.fetchval(
                "select count(*) from public.timeline where contact_id = $1 and ref_type = 'note'", contact_id
            )
            copied = await world.connection.fetchval(
                "select jsonb_array_length(public.export_contact($1) -> 'notes')", contact_id
            )
            assert (listed, copied) == (shown, shown)


async def test_a_refunded_credit_note_is_negative_and_a_second_file_is_no_second_payment(
    connection: Connection,
) -> None:
    contact_id = await crm.contact(connection, PEOPLE["owner"])
    paid: dict[str, Any] = {"direction": "attiva", "paid_on": "2026-04-01", "counterparty_name": "Rossi srl"}
    for invoice in (paid, paid, {**paid, "number": "13/2026", "type_code": "TD04"}):
        document_id = await documents.document(connection, PEOPLE["owner"], kind="fattura", contact_id=contact_id)
        await documents.store_invoices(connection, document_id, invoice)
    async with access.acting(connection, "owner"):
        rows = await connection.fetch(
            "select title, body, data from public.timeline where contact_id = $1 and kind = 'pagamento' order by body",
            contact_id,
        )
    assert [(row["title"], row["body"], json.loads(row["data"])["total_cents"]) for row in rows] == [
        ("Fattura incassata", "Fattura 12/2026", 122_000),
        ("Nota di credito rimborsata", "Nota di credito 13/2026", -122_000),
    ]
