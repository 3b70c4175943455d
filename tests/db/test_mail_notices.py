"""Received mail is told: in the bell, where its sender is a contact, and on the home, as many as the inbox lists."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from tests.db import access, channels
from tests.db.accounts import Connection
from tests.db.home import ME, ROLE, overview
from tests.db.test_notices import told

pytestmark = pytest.mark.anyio


async def reader(connection: Connection) -> UUID:
    """Have the person's mail be read; answers a contact with an address, called Bianchi."""
    await channels.connect(connection, ME)
    await channels.open_inbox(connection, ME)
    contact_id = await channels.reachable(connection, ME)
    await connection.execute(
        "update public.contacts set type = 'azienda', business_name = 'Bianchi srl' where id = $1", contact_id
    )
    return contact_id


async def finish(connection: Connection, thread_id: UUID) -> None:
    async with access.acting(connection, ROLE):
        await connection.execute("update public.mail_threads set is_done = true where id = $1", thread_id)


async def test_a_mail_of_a_contact_is_told_until_its_thread_is_done(connection: Connection) -> None:
    await reader(connection)
    row = await channels.receive(connection, ME, subject="Il preventivo")
    kept = "select message, action_url from public.notifications where user_id = $1 and kind = 'email_ricevuta'"
    assert await told(connection) == [("email_ricevuta", "Email da Bianchi srl", False)]
    shown = await connection.fetchrow(kept, ME)
    assert shown is not None
    assert tuple(shown) == ("Il preventivo", f"/crm?vista=posta&conversazione={row['thread_id']}")
    await finish(connection, row["thread_id"])
    assert await told(connection) == [("email_ricevuta", "Email da Bianchi srl", True)]


async def test_mails_that_come_soon_after_each_other_are_one_notice_and_a_warning_is_told(
    connection: Connection,
) -> None:
    await reader(connection)
    warned = await channels.receive(
        connection, ME, subject="Nuovo IBAN", warnings=[{"kind": "iban", "value": "IT1", "known": "IT2"}]
    )
    message = await connection.fetchval(
        "select message from public.notifications where entity_id = $1", warned["thread_id"]
    )
    assert message == "Controlla chi scrive prima di rispondere: Nuovo IBAN"
    await channels.receive(connection, ME)
    assert await told(connection) == [("email_ricevuta", "2 email ricevute", False)]


@pytest.mark.parametrize(
    "change",
    [
        {"party": "ignoto@example.it", "sender": "ignoto@example.it"},
        {"kind": "lista"},
        {"folder": "inviati", "folder_name": "Sent"},
        {"at": (datetime.now(UTC) - timedelta(days=3)).isoformat()},
    ],
    ids=["of a stranger", "of a list", "sent", "old"],
)
async def test_nothing_is_told_of_a_mail(change: dict[str, Any], connection: Connection) -> None:
    await reader(connection)
    await channels.receive(connection, ME, **change)
    assert await told(connection) == []


async def test_the_home_counts_what_the_inbox_lists(connection: Connection) -> None:
    await reader(connection)
    assert (await overview(connection))["mail"] == {"count": 0, "threads": []}
    rows = [await channels.receive(connection, ME, subject=f"Domanda {number}") for number in range(4)]
    await channels.receive(connection, ME, kind="lista")
    await finish(connection, rows[0]["thread_id"])
    async with access.acting(connection, ROLE):
        listed = await connection.fetch(
            "select id, subject from public.mail_threads where not is_done order by last_at desc, id"
        )
    mail = (await overview(connection))["mail"]
    assert mail["count"] == len(listed) == 3
    assert [(each["id"], each["subject"], each["party"]) for each in mail["threads"]] == [
        (str(row["id"]), row["subject"], "Bianchi srl") for row in listed
    ]
