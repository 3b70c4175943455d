"""Mails are found by their words, and stand at the contact, company, deal and invoice that they are about."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from tests.db import access, channels, crm, pipeline
from tests.db.accounts import Connection
from tests.db.home import ME, ROLE, invoice
from tests.db.test_mail_notices import reader

pytestmark = pytest.mark.anyio


async def found(connection: Connection, query: str, role: str = ROLE) -> list[str]:
    """List the subjects of the mails that a search finds."""
    async with access.acting(connection, role):
        rows = await connection.fetch("select subject from public.search_mails($1)", query)
    return [row["subject"] for row in rows]


async def related(connection: Connection, **about: UUID) -> list[tuple[str, bool]]:
    """List subjects of what is at a record, and whether each is a conversation."""
    [(name, id_)] = about.items()
    async with access.acting(connection, ROLE):
        rows = await connection.fetch(f"select * from public.related_mails(_{name} => $1)", id_)
    return [(row["subject"], row["thread_id"] is not None) for row in rows]


async def queue(connection: Connection, contact_id: UUID, **more: Any) -> UUID:
    async with access.acting(connection, ROLE):
        row = await channels.queue(connection, contact_id, **more)
    mail_id: UUID = row["id"]
    return mail_id


async def test_a_mail_is_found_by_subject_text_correspondent_and_attachment(connection: Connection) -> None:
    contact_id = await reader(connection)
    told = {"subject": "Preventivo sito", "body": "Vi mando le misure della cucina.", "sender_name": "Carla Neri"}
    await channels.receive(connection, ME, **told, files=[{"name": "planimetria.pdf", "mime": "x", "bytes": 1}])
    await queue(connection, contact_id, subject="Saldo lavori", body="Il cantiere è finito.")
    for words in ("preventivo", "misure cucina", "carla", "planimetria", "misura"):
        assert await found(connection, words) == ["Preventivo sito"], words
    assert await found(connection, "cantiere") == ["Saldo lavori"]
    assert await found(connection, "cucina cantiere") == await found(connection, "  ") == []
    assert await found(connection, "cucina", role="stranger") == []


async def test_a_conversation_is_found_once_by_its_latest_mail(connection: Connection) -> None:
    await reader(connection)
    first = await channels.receive(connection, ME, message_id="<a@example.it>", subject="Cucina")
    at = (datetime.now(UTC) + timedelta(seconds=1)).isoformat()
    again = await channels.receive(connection, ME, reference_ids=["<a@example.it>"], subject="R: Cucina", at=at)
    assert first["thread_id"] == again["thread_id"]
    assert await found(connection, "cucina") == ["R: Cucina"]


async def test_mails_are_at_the_contact_the_company_the_deal_and_the_invoice(connection: Connection) -> None:
    company_id = await reader(connection)
    person_id = await employee(connection, company_id)
    stages = await pipeline.stages(connection, ROLE)
    deal_id = await pipeline.deal(connection, ME, stages["Contatto"], contact_id=company_id)
    invoice_id = await invoice(connection, "12")
    old = (datetime.now(UTC) - timedelta(days=40)).isoformat()
    before = await channels.receive(connection, ME, subject="Prima della trattativa", at=old)
    await channels.receive(connection, ME, subject="Dopo", party="ugo@rossi.it", sender="ugo@rossi.it")
    sent_id = await queue(connection, company_id, subject="Sollecito", invoice_id=invoice_id)
    assert await related(connection, invoice_id=invoice_id) == [("Sollecito", False)]
    assert await related(connection, contact_id=person_id) == [("Dopo", True)]
    whole = await related(connection, contact_id=company_id)
    assert sorted(whole) == [("Dopo", True), ("Prima della trattativa", True), ("Sollecito", False)]
    assert sorted(await related(connection, deal_id=deal_id)) == [("Dopo", True), ("Sollecito", False)]
    # The answer to the reminder is one conversation with it.
    message_id = await connection.fetchval("select message_id from public.outgoing_mails where id = $1", sent_id)
    await channels.receive(connection, ME, subject="R: Sollecito", reference_ids=[message_id])
    assert await related(connection, invoice_id=invoice_id) == [("Sollecito", True)]
    await connection.execute("update public.mail_threads set deal_id = $1 where id = $2", deal_id, before["thread_id"])
    assert ("Prima della trattativa", True) in await related(connection, deal_id=deal_id)


async def employee(connection: Connection, company_id: UUID) -> UUID:
    """Make a person with an address who works for a company."""
    person_id = await crm.contact(connection, ME, company_id=company_id)
    await connection.execute(
        "insert into public.contact_emails (user_id, contact_id, value) values ($1, $2, 'ugo@rossi.it')", ME, person_id
    )
    return person_id
