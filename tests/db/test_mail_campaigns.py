"""One text to several contacts: filled in for each, with who is left out and why, and E-02 over 100 recipients."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest

from tests.db import access, channels, crm, documents
from tests.db.access import PEOPLE
from tests.db.accounts import rolled_back
from tests.db.conftest import World

pytestmark = pytest.mark.anyio

OWNER = PEOPLE["owner"]
TEXT = "Ciao {{ Nome }}, auguri a {{azienda}}"


@pytest.fixture
async def sender(world: World) -> AsyncIterator[World]:
    """Connect an account that has sent nothing; all is rolled back."""
    async with rolled_back(world.connection):
        for table in ("outgoing_mails", "mail_batches", "contact_emails", "mail_suppressions"):
            await world.connection.execute(f"delete from public.{table}")
        await channels.connect(world.connection, OWNER)
        yield world


async def contact(world: World, address: str | None, **columns: Any) -> UUID:
    contact_id = await crm.contact(world.connection, OWNER, **columns)
    if address:
        await world.connection.execute(
            "insert into public.contact_emails (user_id, contact_id, value) values ($1, $2, $3)",
            OWNER,
            contact_id,
            address,
        )
    return contact_id


async def crowd(world: World, number: int) -> list[UUID]:
    return [await contact(world, f"cliente{place}@example.it") for place in range(number)]


async def preview(world: World, ids: Sequence[UUID], body: str = "Auguri", basis: str = "contratto") -> dict[str, Any]:
    async with access.acting(world.connection, "owner"):
        found: dict[str, Any] = json.loads(
            await world.connection.fetchval("select public.preview_campaign($1, 'Novità', $2, $3)", ids, body, basis)
        )
    return found


async def queue(world: World, ids: Sequence[UUID], role: str = "owner", **more: Any) -> asyncpg.Record:
    async with access.acting(world.connection, role):
        row = await world.connection.fetchrow(
            "select * from public.queue_campaign($1, $2, 'Novità', $3, $4, $5)",
            more.get("key", uuid4()),
            ids,
            more.get("body", "Auguri"),
            more.get("basis", "contratto"),
            more.get("typed"),
        )
    assert row is not None
    return row


async def refused(world: World, ids: Sequence[UUID], role: str = "owner", **more: Any) -> tuple[str, str | None]:
    with pytest.raises(asyncpg.PostgresError) as caught:
        async with world.connection.transaction():
            await queue(world, ids, role, **more)
    return str(caught.value.sqlstate), caught.value.detail


async def states(world: World) -> dict[str, int]:
    rows = await world.connection.fetch("select state::text, count(*) from public.outgoing_mails group by 1")
    return {row["state"]: row["count"] for row in rows}


async def test_each_contact_gets_its_own_text_and_a_missing_value_leaves_it_out(sender: World) -> None:
    company = await contact(sender, None, type="azienda", business_name=r"Neri \1 & figli")
    anna = await contact(sender, "anna@example.it", company_id=company)
    alone = await contact(sender, "luca@example.it", first_name="Luca")
    tricky = await contact(sender, "x@example.it", first_name="{{cognome", last_name="Verdi", company_id=company)
    found = await preview(sender, [anna, alone, tricky, company, anna, uuid4()], TEXT)
    assert [(each["contact_id"], each["body"]) for each in found["letters"]] == [
        (str(anna), r"Ciao Anna, auguri a Neri \1 & figli")
    ]
    assert {each["contact_id"]: each["reason"] for each in found["excluded"]} == {
        str(alone): "unfilled",
        str(tricky): "unfilled",
        str(company): "no_address",
    }
    batch = await queue(sender, [anna, alone, tricky, company], body=TEXT)
    assert (batch["recipients"], batch["excluded"]) == (1, 3)
    [mail] = await sender.connection.fetch("select recipient, body, batch_id from public.outgoing_mails")
    assert (mail["recipient"], mail["batch_id"]) == ("anna@example.it", batch["id"])
    assert mail["body"].startswith(r"Ciao Anna, auguri a Neri \1 & figli")


async def test_more_than_a_hundred_are_typed_wait_ten_minutes_and_leave_out_who_has_unsubscribed(sender: World) -> None:
    ids = await crowd(sender, 120)
    for place in (3, 77):
        await sender.connection.execute(
            "select private.suppress_mail($1, $2, 'disiscritto')", OWNER, f"cliente{place}@example.it"
        )
    found = await preview(sender, ids)
    assert (len(found["letters"]), found["is_to_be_typed"]) == (118, True)
    assert {each["reason"] for each in found["excluded"]} == {"suppressed"}
    for typed in (None, 120, 117):
        assert await refused(sender, ids, typed=typed) == ("SM011", "118")
    assert await states(sender) == {}
    key = uuid4()
    batch, again = [await queue(sender, ids, typed=118, key=key) for _ in range(2)]
    assert batch["id"] == again["id"]
    assert await states(sender) == {"queued": 118}
    first = await sender.connection.fetchval("select min(not_before) - now() from public.outgoing_mails")
    assert first.total_seconds() >= 600
    # Never in the rest of the recipients, and no faster than the account sends.
    assert await sender.connection.fetchval(
        "select bool_and(not_before = private.allowed_mail_time(not_before)) from public.outgoing_mails"
    )
    progress = await sender.connection.fetch("select * from public.mail_batches")
    assert [(row["recipients"], row["excluded"]) for row in progress] == [(118, 2)]


async def test_a_hundred_need_no_number(sender: World) -> None:
    found = await preview(sender, ids := await crowd(sender, 100))
    assert not found["is_to_be_typed"]
    await queue(sender, ids)
    assert await states(sender) == {"queued": 100}


async def test_a_batch_is_cancelled_as_a_whole_but_for_what_has_left(sender: World) -> None:
    batch = await queue(sender, await crowd(sender, 3))
    await sender.connection.execute(
        "update public.outgoing_mails set state = 'sent', sent_at = now()"
        " where id = (select id from public.outgoing_mails limit 1)"
    )
    for _ in range(2):
        async with access.acting(sender.connection, "owner"):
            await sender.connection.execute("select public.cancel_campaign($1)", batch["id"])
    assert await states(sender) == {"sent": 1, "cancelled": 2}
    async with access.acting(sender.connection, "owner"):
        [row] = await sender.connection.fetch("select * from public.campaign_progress()")
    assert (row["sent"], row["waiting"], row["cancelled_at"] is None) == (1, 0, False)
    with pytest.raises(asyncpg.PostgresError) as caught:
        async with sender.connection.transaction(), access.acting(sender.connection, "stranger"):
            await sender.connection.execute("select public.cancel_campaign($1)", batch["id"])
    assert caught.value.sqlstate == "PT404"


async def test_a_promotion_goes_to_those_who_agreed_or_have_bought(sender: World) -> None:
    agreed, bought, objected, stranger = await crowd(sender, 4)
    for contact_id, number in ((bought, "1"), (objected, "2")):
        document_id = await documents.document(sender.connection, OWNER)
        [invoice_id] = await documents.store_invoices(
            sender.connection, document_id, {"direction": "attiva", "number": number}
        )
        await sender.connection.execute(
            "update public.invoices set contact_id = $2 where id = $1", invoice_id, contact_id
        )
    for contact_id, answer in ((agreed, "dato"), (objected, "negato")):
        async with access.acting(sender.connection, "owner"):
            await sender.connection.execute(
                "select public.record_consent($1, 'email', 'marketing', $2)", contact_id, answer
            )
    everybody = [agreed, bought, objected, stranger]
    for basis, reached, reasons in (
        ("consenso", agreed, {bought: "consent", objected: "consent", stranger: "consent"}),
        ("soft_spam", bought, {agreed: "no_sale", objected: "consent", stranger: "no_sale"}),
    ):
        found = await preview(sender, everybody, basis=basis)
        assert [each["contact_id"] for each in found["letters"]] == [str(reached)]
        assert {UUID(each["contact_id"]): each["reason"] for each in found["excluded"]} == reasons
        await queue(sender, everybody, basis=basis)
    assert (await refused(sender, [stranger], basis="soft_spam"))[0] == "SM010"


async def test_the_daily_cap_holds_for_all_of_them(sender: World) -> None:
    await sender.connection.execute("update public.mail_accounts set daily_cap = 2")
    ids = await crowd(sender, 3)
    assert (await preview(sender, ids))["left"] == 2
    assert (await refused(sender, ids))[0] == "SM005"
    await queue(sender, ids[:2])
    assert (await refused(sender, ids[2:]))[0] == "SM005"


async def test_strangers_reach_no_contact_and_visitors_nothing(sender: World) -> None:
    ids = await crowd(sender, 1)
    assert (await refused(sender, ids, "stranger"))[0] == "SM001"
    await channels.connect(sender.connection, PEOPLE["stranger"])
    assert (await refused(sender, ids, "stranger"))[0] == "SM010"
    assert (await refused(sender, ids, "anon"))[0] == "42501"


async def test_a_campaign_that_is_late_keeps_the_rest_of_its_recipients(sender: World) -> None:
    await queue(sender, await crowd(sender, 3))
    late = "update public.outgoing_mails set not_before = now() - interval '2 hours' + place * interval '1 second'"
    await sender.connection.execute(
        f"{late} from (select id, row_number() over () as place from public.outgoing_mails) as p"
        " where p.id = outgoing_mails.id"
    )
    claim = "select id from private.claim_mail($1) where id is not null"
    # It is night, whatever the clock says.
    await sender.connection.execute(
        "create or replace function private.allowed_mail_time(_at timestamptz) returns timestamptz"
        " language sql immutable set search_path = '' as $$ select _at + interval '5 hours' $$"
    )
    assert await sender.connection.fetch(claim, OWNER) == []
    rows = await sender.connection.fetch(
        "select round(extract(epoch from not_before - now()) / 60)::integer, expires_at > not_before"
        " from public.outgoing_mails"
    )
    assert [tuple(row) for row in rows] == [(300, True)] * 3
    assert await sender.connection.fetchval("select count(distinct not_before) from public.outgoing_mails") == 3
    # What is due at this moment was given its time by day, and some minutes are the pace of the server.
    await sender.connection.execute("update public.outgoing_mails set not_before = now() - interval '4 minutes'")
    assert len(await sender.connection.fetch(claim, OWNER)) == 1
