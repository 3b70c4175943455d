"""Who is told what: invoices, documents, proposals, credits, and the briefing of the morning."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from tests.db import accounts
from tests.db.accounts import Connection
from tests.db.home import ME, invoice, overview, pay, today
from tests.db.test_notification_delivery import claim, switch

pytestmark = pytest.mark.anyio


async def told(connection: Connection, user_id: UUID = ME) -> list[tuple[str, str, bool]]:
    """List what a person was told, but for the welcome."""
    rows = await connection.fetch(
        "select kind, title, is_read from public.notifications where user_id = $1 and kind <> 'benvenuto'"
        " order by kind, title",
        user_id,
    )
    return [tuple(row) for row in rows]


async def test_an_invoice_that_falls_due_is_told_once_and_settled_when_paid(connection: Connection) -> None:
    invoice_id = await invoice(connection, "12", due_on=today(-1).isoformat())
    for _ in range(2):
        await overview(connection)
    assert await told(connection) == [("fattura_scaduta", "Scaduta: Fattura 12, Rossi srl", False)]
    await pay(connection, invoice_id, today())
    # Who said so themselves is not called: the row is there, and read.
    assert await told(connection) == [
        ("fattura_pagata", "Fattura 12 incassata", True),
        ("fattura_scaduta", "Scaduta: Fattura 12, Rossi srl", True),
    ]
    assert await claim(connection, datetime(2199, 1, 15, 18, tzinfo=UTC)) == []


async def test_a_payment_that_somebody_else_found_is_told(connection: Connection) -> None:
    invoice_id = await invoice(connection, "12", due_on=today(20).isoformat())
    await connection.execute("update public.invoices set paid_on = $2 where id = $1", invoice_id, today())
    assert await told(connection) == [("fattura_pagata", "Fattura 12 incassata", False)]


async def test_years_of_old_invoices_tell_nothing_and_many_new_ones_are_one_row(connection: Connection) -> None:
    for number in range(30):
        await invoice(connection, f"vecchia {number}", due_on=today(-40 - number).isoformat())
    for number in range(4):
        await invoice(connection, f"nuova {number}", cents=500_000, due_on=today(-2).isoformat())
    await invoice(connection, "presto", due_on=today(3).isoformat())
    await overview(connection)
    assert [row[:2] for row in await told(connection)] == [
        ("fattura_scaduta", "4 fatture scadute"),
        ("in_scadenza", "In scadenza: Fattura presto, Rossi srl"),
    ]


@pytest.mark.parametrize(
    ("state", "ago", "kind"),
    [
        ("da_verificare", "1 second", "documento_da_verificare"),
        ("pronto", "2 minutes", "analisi_conclusa"),
        ("pronto", "1 second", None),
        ("ocr", "2 minutes", None),
    ],
)
async def test_a_document_is_told_when_it_is_to_check_or_took_long(
    state: str, ago: str, kind: str | None, connection: Connection
) -> None:
    user_id = await accounts.create(connection)
    document_id = await connection.fetchval(
        """
        insert into public.documents (user_id, storage_path, filename, state, created_at)
        values ($1::uuid, $1::uuid || '/a.pdf', 'a.pdf', $2::text::public.document_state, now() - $3::text::interval)
        returning id
        """,
        user_id,
        state,
        ago,
    )
    for _ in range(2):
        await connection.execute("select private.notify_document($1)", document_id)
    assert [row[0] for row in await told(connection, user_id)] == ([kind] if kind else [])


async def proposal(connection: Connection, user_id: UUID, ago: timedelta) -> UUID:
    """Lay a proposal before somebody, so long ago."""
    call_id: UUID = await connection.fetchval(
        """
        with talk as (
          insert into public.conversations (user_id) values ($1) returning id
        ), message as (
          insert into public.messages (user_id, conversation_id, role, content, status)
            select $1, id, 'user', 'Fai', 'done' from talk returning id, conversation_id
        )
        insert into public.tool_calls (user_id, conversation_id, message_id, seq, tool, args, preview, risk, created_at)
          select $1, conversation_id, id, 1, 'add_task', '{}', '{"title": "Nuova attività"}', 'basso',
            now() - $2::interval from message
        returning id
        """,
        user_id,
        ago,
    )
    return call_id


async def test_a_proposal_is_told_when_it_waits_and_settled_when_decided(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    call_id = await proposal(connection, user_id, timedelta(minutes=11))
    await proposal(connection, user_id, timedelta(minutes=9))
    for _ in range(2):
        await connection.execute("select private.notify_proposals()")
    assert await told(connection, user_id) == [("approvazione", "Da approvare: Nuova attività", False)]
    await connection.execute(
        "update public.tool_calls set state = 'rejected', decided_at = now() where id = $1", call_id
    )
    assert await told(connection, user_id) == [("approvazione", "Da approvare: Nuova attività", True)]


async def spend(connection: Connection, user_id: UUID, used: int, key: str) -> None:
    """Use credits for some work."""
    hold = await connection.fetchrow("select * from private.hold_credits($1, $2, $3)", user_id, used, key)
    assert hold is not None
    await connection.execute("select private.settle_hold($1, $2, $3)", hold["id"], used, f"{key}:s")


async def test_few_credits_are_told_once_on_the_way_down(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    balance = await connection.fetchval("select balance from public.credit_wallets where user_id = $1", user_id)
    await spend(connection, user_id, balance - 5, "a")
    assert await told(connection, user_id) == []
    await spend(connection, user_id, 1, "b")
    await spend(connection, user_id, 1, "c")
    assert await told(connection, user_id) == [("crediti_bassi", "Ti restano 4 crediti", False)]


async def test_the_monthly_cap_is_told_at_four_fifths_and_when_reached(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    await connection.execute(
        "update public.credit_settings set monthly_cap = 10, low_threshold = 0 where user_id = $1", user_id
    )
    for number, used in enumerate((7, 1, 1, 1)):
        await spend(connection, user_id, used, f"w{number}")
    assert [row[1] for row in await told(connection, user_id)] == [
        "Hai usato 10 dei 10 crediti del mese",
        "Hai usato 8 dei 10 crediti del mese",
    ]


async def brief(connection: Connection, at: datetime) -> list[dict[str, Any]]:
    """Brief everybody at a moment; answers what the mail of a later moment says."""
    while await connection.fetchval("select private.brief_person($1)", at):
        pass
    items = await claim(connection, datetime(2199, 1, 15, 18, tzinfo=UTC))
    return [item for item in items if item["kind"] == "briefing"]


def rome(day: date, hour: int) -> datetime:
    """Return an hour of a day of winter in Rome."""
    return datetime(day.year, day.month, day.day, hour - 1, tzinfo=UTC)


async def test_the_briefing_comes_once_a_day_at_its_hour(connection: Connection) -> None:
    await invoice(connection, "12")
    day = date(2026, 11, 26)
    assert await brief(connection, rome(day, 9)) == []
    await switch(connection, ME, "briefing", "mail", True)
    assert await brief(connection, rome(day, 7)) == []
    [item] = await brief(connection, rome(day, 8))
    assert (item["kind"], item["title"]) == ("briefing", "La tua giornata")
    assert "In ritardo" in item["message"]
    assert await brief(connection, rome(day, 9)) == []
    assert len(await brief(connection, rome(day + timedelta(days=1), 8))) == 1
    # Too late for a morning.
    assert await brief(connection, rome(day + timedelta(days=2), 16)) == []


async def test_an_empty_day_has_no_briefing(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    await switch(connection, user_id, "briefing", "mail", True)
    assert await brief(connection, rome(date(2026, 11, 26), 8)) == []


async def test_the_hour_is_that_of_the_persons_zone(connection: Connection) -> None:
    await invoice(connection, "12")
    await switch(connection, ME, "briefing", "mail", True)
    await connection.execute(
        "insert into public.notification_settings (user_id, zone) values ($1, 'America/New_York')", ME
    )
    day = date(2026, 11, 26)
    assert await brief(connection, rome(day, 8)) == []
    assert len(await brief(connection, datetime(2026, 11, 26, 13, tzinfo=UTC))) == 1
