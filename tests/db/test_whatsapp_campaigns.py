"""A template to several contacts by WhatsApp: who is left out and why, E-02, the room Meta leaves, pauses, prices."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from datetime import datetime, time, timedelta
from typing import Any
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import asyncpg
import pytest

from tests.db import access, channels, crm
from tests.db.access import PEOPLE
from tests.db.accounts import rolled_back
from tests.db.conftest import World

pytestmark = pytest.mark.anyio

OWNER = PEOPLE["owner"]
ROME = ZoneInfo("Europe/Rome")
OFFER = {
    "name": "offerta", "category": "MARKETING", "places": ["nome", "novita"],
    "body": "Ciao {{nome}}, {{novita}}. A presto.", "footer": "Rispondi STOP per non ricevere altri messaggi",
}  # fmt: skip
VALUES = {"nome": "{{nome}}", "novita": "da lunedì siamo aperti"}
REMINDER = {
    "name": "avviso",
    "category": "UTILITY",
    "body": "Buongiorno {{nome}}, domani siamo chiusi.",
    "places": ["nome"],
}
OFTEN = """
insert into public.interactions (user_id, contact_id, kind, direction, at, summary)
select user_id, contact_id, 'email', 'uscita', now(), 'x'
from (select * from public.whatsapp_messages limit 1) as one, generate_series(1, 3)
"""


@pytest.fixture
async def sender(world: World) -> AsyncIterator[World]:
    """Connect a number that has sent nothing; all is rolled back."""
    async with rolled_back(world.connection):
        for table in ("whatsapp_messages", "contact_channels", "mail_batches", "contact_phones", "whatsapp_accounts"):
            await world.connection.execute(f"delete from public.{table}")
        await channels.connect_whatsapp(world.connection, OWNER)
        yield world


async def contact(world: World, number: int | None = None, agreed: Sequence[str] = (), **columns: Any) -> UUID:
    contact_id = await crm.contact(world.connection, OWNER, **({"first_name": "Anna"} | columns))
    if number is not None:
        await world.connection.execute(
            "insert into public.contact_phones (user_id, contact_id, value, norm) values ($1, $2, $3::text, $3::text)",
            OWNER,
            contact_id,
            f"+39333{number:07}",
        )
    await decide(world, contact_id, agreed)
    return contact_id


async def decide(world: World, contact_id: UUID, purposes: Sequence[str], state: str = "dato") -> None:
    async with access.acting(world.connection, "owner"):
        for purpose in purposes:
            await world.connection.execute(
                "select public.record_consent($1, 'whatsapp', $2, $3)", contact_id, purpose, state
            )


async def writer(world: World, number: int, body: str = "Buongiorno", **more: Any) -> UUID:
    """Have a client write; answers the contact."""
    message_id = await channels.receive_whatsapp(
        world.connection, OWNER, bsuid=f"IT.{number}", phone=f"+39333{number:07}", body=body, **more
    )
    contact_id: UUID = await world.connection.fetchval(
        "select contact_id from public.whatsapp_messages where id = $1", message_id
    )
    return contact_id


async def crowd(world: World, size: int) -> list[UUID]:
    return [await contact(world, number, ["marketing"]) for number in range(size)]


async def offer(world: World, **more: Any) -> UUID:
    return await channels.add_template(world.connection, OWNER, **(OFFER | more))


async def preview(world: World, ids: Sequence[UUID], template_id: UUID, **more: Any) -> dict[str, Any]:
    async with access.acting(world.connection, "owner"):
        found: dict[str, Any] = json.loads(
            await world.connection.fetchval(
                "select public.preview_whatsapp_campaign($1, $2, $3::text::jsonb, $4, $5)",
                ids,
                template_id,
                json.dumps(more.get("values", VALUES)),
                more.get("with_often", False),
                more.get("not_before"),
            )
        )
    return found


async def queue(
    world: World, ids: Sequence[UUID], template_id: UUID, role: str = "owner", **more: Any
) -> asyncpg.Record:
    async with access.acting(world.connection, role):
        row = await world.connection.fetchrow(
            "select * from public.queue_whatsapp_campaign($1, $2, $3, $4::text::jsonb, $5, $6, $7, $8)",
            more.get("key", uuid4()),
            ids,
            template_id,
            json.dumps(more.get("values", VALUES)),
            more.get("with_often", False),
            more.get("typed"),
            more.get("over_days", False),
            more.get("not_before"),
        )
    assert row is not None
    return row


async def refused(world: World, *arguments: Any, call: Any = queue, **more: Any) -> tuple[str, str | None]:
    with pytest.raises(asyncpg.PostgresError) as caught:
        async with world.connection.transaction():
            await call(world, *arguments, **more)
    return str(caught.value.sqlstate), caught.value.detail


async def states(world: World) -> dict[str, int]:
    rows = await world.connection.fetch(
        "select state::text, count(*) from public.whatsapp_messages where direction = 'uscita' group by 1"
    )
    return {row["state"]: row["count"] for row in rows}


async def progress(world: World) -> asyncpg.Record:
    async with access.acting(world.connection, "owner"):
        row = await world.connection.fetchrow("select * from public.campaign_progress()")
    assert row is not None
    return row


def reasons(found: dict[str, Any]) -> dict[UUID, str]:
    return {UUID(each["contact_id"]): each["reason"] for each in found["excluded"]}


async def test_each_contact_gets_its_own_template_and_the_others_are_left_out_with_the_reason(sender: World) -> None:
    template_id = await offer(sender)
    reached = await contact(sender, 1, ["marketing"], last_name="Aiello")
    silent = await contact(sender, None, ["marketing"])
    unasked = await contact(sender, 2)
    refuser = await contact(sender, 3)
    await decide(sender, refuser, ["marketing"], "negato")
    nameless = await contact(sender, 4, ["marketing"], type="azienda", business_name="Neri srl", first_name=None)
    stopped = await writer(sender, 5)
    await decide(sender, stopped, ["marketing"])
    await writer(sender, 5, "STOP")
    opposed = await contact(sender, 6, ["marketing"])
    async with access.acting(sender.connection, "owner"):
        await sender.connection.execute("select public.register_contact_request($1, 'opposizione')", opposed)
    everybody = [reached, silent, unasked, refuser, nameless, stopped, opposed]
    found = await preview(sender, [*everybody, reached, uuid4()], template_id)
    assert [(each["recipient"], each["body"]) for each in found["letters"]] == [
        ("+393330000001", "Ciao Anna, da lunedì siamo aperti. A presto.")
    ]
    assert reasons(found) == {
        silent: "no_number",
        unasked: "consent",
        refuser: "objected",
        nameless: "unfilled",
        stopped: "stopped",
        opposed: "objected",
    }
    await sender.connection.execute("delete from public.whatsapp_messages where direction = 'uscita'")
    batch = await queue(sender, everybody, template_id)
    assert (batch["recipients"], batch["excluded"], batch["basis"]) == (1, 6, "consenso")
    [message] = await sender.connection.fetch("select * from public.whatsapp_messages where direction = 'uscita'")
    assert (message["contact_id"], message["body"]) == (reached, "Ciao Anna, da lunedì siamo aperti. A presto.")
    assert json.loads(message["template"])["values"] == [["nome", "Anna"], ["novita", "da lunedì siamo aperti"]]
    async with access.acting(sender.connection, "owner"):
        rows = await sender.connection.fetch("select * from public.campaign_recipients($1)", batch["id"])
    told = {row["contact_id"]: row["reason"] for row in rows if row["state"] == "excluded"}
    assert told == reasons(found)


async def test_a_first_message_needs_an_agreement_and_whoever_wrote_has_given_one(sender: World) -> None:
    template_id = await channels.add_template(sender.connection, OWNER, **REMINDER)
    wrote = await writer(sender, 1)
    never, agreed, withdrawn = await contact(sender, 2), await contact(sender, 3, ["servizio"]), await writer(sender, 4)
    await decide(sender, withdrawn, ["servizio"], "revocato")
    found = await preview(sender, [wrote, never, agreed, withdrawn], template_id, values={"nome": "{{nome}}"})
    assert reasons(found) == {never: "never_wrote", withdrawn: "objected"}
    assert found["count"] == 2
    # Only those outside their window count for the limit of a day.
    assert found["outside"] == 1


async def test_three_messages_in_a_week_leave_a_contact_out_until_its_person_says_otherwise(sender: World) -> None:
    template_id = await offer(sender)
    [often, seldom] = await crowd(sender, 2)
    for contact_id, count in ((often, 3), (seldom, 2)):
        for _ in range(count):
            await sender.connection.execute(
                "insert into public.interactions (user_id, contact_id, kind, direction, at, summary)"
                " values ($1, $2, 'email', 'uscita', now() - interval '1 day', 'x')",
                OWNER,
                contact_id,
            )
    assert reasons(await preview(sender, [often, seldom], template_id)) == {often: "often"}
    assert reasons(await preview(sender, [often, seldom], template_id, with_often=True)) == {}
    await queue(sender, [often, seldom], template_id)
    # What waits counts, too.
    assert reasons(await preview(sender, [seldom], template_id)) == {seldom: "often"}


async def test_more_than_a_hundred_are_typed_and_wait_ten_minutes_and_fewer_when_meta_allows_fewer(
    sender: World,
) -> None:
    template_id, ids = await offer(sender), await crowd(sender, 101)
    assert not (await preview(sender, ids[:100], template_id))["is_to_be_typed"]
    assert (await preview(sender, ids, template_id))["is_to_be_typed"]
    for typed in (None, 100):
        assert await refused(sender, ids, template_id, typed=typed) == ("SM011", "101")
    key = uuid4()
    batch, again = [await queue(sender, ids, template_id, typed=101, key=key) for _ in range(2)]
    assert (batch["id"], await states(sender)) == (again["id"], {"queued": 101})
    rows = await sender.connection.fetch(
        "select not_before - now() >= interval '10 minutes'"
        " and not_before = private.allowed_mail_time(not_before) as ok"
        " from public.whatsapp_messages"
    )
    assert all(row["ok"] for row in rows)
    async with access.acting(sender.connection, "owner"):
        await sender.connection.execute("select public.cancel_campaign($1)", batch["id"])
    assert await states(sender) == {"cancelled": 101}
    assert (await progress(sender))["failed"] == 0
    await sender.connection.execute("update public.whatsapp_accounts set people_a_day = 2")
    assert (await preview(sender, ids[:3], template_id))["is_to_be_typed"]


async def test_more_people_than_meta_allows_follow_on_later_days_only_when_that_was_agreed_to(sender: World) -> None:
    template_id, ids = await offer(sender), await crowd(sender, 7)
    await sender.connection.execute("update public.whatsapp_accounts set people_a_day = 3")
    await queue(sender, ids[:1], template_id)
    found = await preview(sender, ids[1:], template_id)
    assert (found["outside"], found["left"], found["a_day"]) == (6, 2, 3)
    assert await refused(sender, ids[1:], template_id, typed=6) == ("SW008", "2")
    await queue(sender, ids[1:], template_id, typed=6, over_days=True)
    # Whatever the hour and the day: so many are due now, a day later, and two days later.
    times = await sender.connection.fetch(
        "select private.campaign_time('2026-11-24 10:00+01', place, true, 2, 3)::date - date '2026-11-24' as day"
        " from generate_series(0, 5) as place"
    )
    assert [row["day"] for row in times] == [0, 0, 1, 1, 1, 2]
    await sender.connection.execute("update public.whatsapp_accounts set people_a_day = 0")
    assert (await refused(sender, ids, template_id, typed=7, over_days=True))[0] == "SW008"


async def test_the_limit_of_a_day_holds_when_messages_are_sent(sender: World) -> None:
    """Days of rest may push the messages of two days together."""
    template_id, ids = await offer(sender), await crowd(sender, 3)
    await queue(sender, ids, template_id)
    await sender.connection.execute("update public.mail_batches set started_at = now()")
    await sender.connection.execute("update public.whatsapp_accounts set people_a_day = 2")
    await sender.connection.execute("update public.whatsapp_messages set not_before = now()")
    for _ in range(2):
        claimed = await sender.connection.fetchrow("select * from private.claim_whatsapp($1)", OWNER)
        assert claimed is not None
        await sender.connection.execute(
            "select private.settle_whatsapp($1, $2, $3)", claimed["id"], claimed["attempts"], str(claimed["id"])
        )
    assert await sender.connection.fetch("select * from private.claim_whatsapp($1)", OWNER) == []
    assert await states(sender) == {"sent": 2, "queued": 1}
    assert await sender.connection.fetchval(
        "select not_before >= now() + interval '1 hour' and expires_at > not_before"
        " from public.whatsapp_messages where state = 'queued'"
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("state = 'PAUSED'", "in pausa per qualità"),
        ("state = 'REJECTED'", "non approva più"),
        ("category = 'UTILITY'", "ha cambiato la categoria"),
        ("body = 'Ciao {{nome}}, tutto a metà prezzo.'", "Il testo del modello è cambiato"),
    ],
)
async def test_a_template_that_changes_pauses_its_campaign_until_it_may_be_sent_again(
    sender: World, change: str, words: str
) -> None:
    template_id, ids = await offer(sender), await crowd(sender, 2)
    batch = await queue(sender, ids, template_id)
    await sender.connection.execute("update public.whatsapp_messages set not_before = now()")
    await sender.connection.execute(f"update public.whatsapp_templates set {change}")
    row = await progress(sender)
    assert words in row["pause_reason"]
    assert await sender.connection.fetch("select * from private.claim_whatsapp($1)", OWNER) == []
    assert await sender.connection.fetch("select * from private.due_whatsapp_senders()") == []
    assert await sender.connection.fetchval(
        "select count(*) from public.notifications where user_id = $1 and title = 'Un invio WhatsApp è in pausa'", OWNER
    ) == 1  # fmt: skip

    async def resume(world: World) -> None:
        async with access.acting(world.connection, "owner"):
            await world.connection.execute("select public.resume_campaign($1)", batch["id"])

    if "state" in change:
        assert (await refused(sender, call=resume))[0] == "SW004"
        await sender.connection.execute("update public.whatsapp_templates set state = 'APPROVED'")
    elif "body" in change:
        assert await refused(sender, call=resume) == ("SW004", "CHANGED")
        return
    await resume(sender)
    assert (await progress(sender))["paused_at"] is None
    await sender.connection.execute("update public.whatsapp_messages set not_before = now()")
    claimed = await sender.connection.fetchrow("select * from private.claim_whatsapp($1)", OWNER)
    assert claimed is not None
    category = await sender.connection.fetchval("select category from public.whatsapp_templates")
    assert json.loads(claimed["template"])["category"] == category


async def rows_read(world: World) -> int:
    """Count the messages that this transaction has read, along an index or not."""
    return int(
        await world.connection.fetchval(
            "select seq_tup_read + idx_tup_fetch from pg_stat_xact_user_tables where relname = 'whatsapp_messages'"
        )
    )


async def test_a_paused_campaign_is_not_read_by_those_that_look_for_the_next_message(sender: World) -> None:
    template_id, ids = await offer(sender), await crowd(sender, 90)
    await queue(sender, ids, template_id)
    await sender.connection.execute("update public.whatsapp_messages set not_before = now()")
    await sender.connection.execute("update public.whatsapp_templates set state = 'PAUSED'")
    reminder = await channels.add_template(sender.connection, OWNER, **(REMINDER | {"template_id": "2"}))
    agreed = await contact(sender, 200, ["servizio"])
    await queue(sender, [agreed], reminder, values={"nome": "Lei"})
    # What is asked once, when a campaign starts, is behind it.
    await sender.connection.execute("update public.mail_batches set started_at = now()")
    await sender.connection.execute(
        "update public.whatsapp_messages set not_before = now() - interval '1 minute' where contact_id = $1", agreed
    )
    # As autovacuum does. Without figures two indexes cost the same, and chance decides.
    await sender.connection.execute("analyze public.whatsapp_messages")
    for call, found in (
        ("select user_id from private.due_whatsapp_senders() as user_id", OWNER),
        ("select contact_id from private.claim_whatsapp($1)", agreed),
        ("select private.next_whatsapp_s($1) is null", True),
    ):
        before = await rows_read(sender)
        assert await sender.connection.fetchval(call, *([OWNER] if "$1" in call else [])) == found
        assert await rows_read(sender) - before < 20, call


async def test_a_message_that_comes_back_to_a_paused_campaign_waits_with_it(sender: World) -> None:
    template_id, ids = await offer(sender), await crowd(sender, 2)
    batch = await queue(sender, ids, template_id)
    await sender.connection.execute("update public.whatsapp_messages set not_before = now()")
    claimed = await sender.connection.fetchrow("select * from private.claim_whatsapp($1)", OWNER)
    assert claimed is not None
    taken = await sender.connection.fetchrow("select * from private.claim_whatsapp($1)", OWNER)
    assert taken is not None
    assert await sender.connection.fetch("select * from private.begin_whatsapp($1, 1)", claimed["id"])
    await sender.connection.execute("update public.whatsapp_templates set state = 'PAUSED'")
    # Leased before the pause, and not on its way yet: it stays.
    assert await sender.connection.fetch("select * from private.begin_whatsapp($1, 1)", taken["id"]) == []
    # Meta asks to slow down: the message would be sent again.
    await sender.connection.execute("select private.settle_whatsapp($1, 1, null, 131056, 'no')", claimed["id"])
    await sender.connection.execute("update public.whatsapp_messages set not_before = now(), leased_until = null")
    assert await states(sender) == {"queued": 2}
    assert await sender.connection.fetch("select * from private.claim_whatsapp($1)", OWNER) == []
    await sender.connection.execute("update public.whatsapp_templates set state = 'APPROVED'")
    async with access.acting(sender.connection, "owner"):
        await sender.connection.execute("select public.resume_campaign($1)", batch["id"])
    await sender.connection.execute("update public.whatsapp_messages set not_before = now()")
    for _ in ids:
        assert await sender.connection.fetch("select * from private.claim_whatsapp($1)", OWNER)


@pytest.mark.parametrize("code", [132015, 132001, 131048])
async def test_a_refusal_that_is_about_the_template_pauses_the_campaign_and_loses_nobody(
    sender: World, code: int
) -> None:
    template_id, ids = await offer(sender), await crowd(sender, 2)
    batch = await queue(sender, ids, template_id)
    await sender.connection.execute("update public.whatsapp_messages set not_before = now()")
    claimed = await sender.connection.fetchrow("select * from private.claim_whatsapp($1)", OWNER)
    assert claimed is not None
    begin, settle = "select private.begin_whatsapp($1, 1)", "select private.settle_whatsapp($1, 1, null, $2, 'no')"
    await sender.connection.execute(begin, claimed["id"])
    await sender.connection.execute(settle, claimed["id"], code)
    assert (await progress(sender))["pause_reason"]
    assert await states(sender) == {"queued": 2}
    # Cancelled while one is on its way: it does not come back.
    await sender.connection.execute(
        "update public.whatsapp_messages set state = 'sending', leased_until = now() where id = $1", claimed["id"]
    )
    async with access.acting(sender.connection, "owner"):
        await sender.connection.execute("select public.cancel_campaign($1)", batch["id"])
    await sender.connection.execute(settle, claimed["id"], code)
    assert await states(sender) == {"cancelled": 2}


async def planned(world: World, size: int) -> tuple[list[UUID], asyncpg.Record]:
    """Plan a promotion for a Wednesday that is no holiday, some days ahead, at ten in the morning."""
    template_id, ids = await offer(world), await crowd(world, size)
    start = await world.connection.fetchval(
        """
        select (day::timestamp + interval '10 hours') at time zone 'Europe/Rome'
        from generate_series(current_date + 3, current_date + 30, interval '1 day') as day
        where extract(isodow from day) = 3 and not private.is_holiday(day::date) limit 1
        """
    )
    return ids, await queue(world, ids, template_id, not_before=start)


async def test_a_campaign_begins_at_the_day_and_hour_that_its_person_chose(sender: World) -> None:
    _, batch = await planned(sender, 2)
    row = await progress(sender)
    assert row["next_at"].astimezone(ROME).time() == time(10)
    assert row["next_at"] - batch["created_at"] > timedelta(days=2)
    assert await sender.connection.fetch("select * from private.claim_whatsapp($1)", OWNER) == []
    # Planned for the night, it waits for the morning of a day that is no holiday.
    template_id = await sender.connection.fetchval("select template_id from public.mail_batches")
    night = row["next_at"] + timedelta(hours=13)
    resting = await queue(sender, [await contact(sender, 500, ["marketing"])], template_id, not_before=night)
    due = await sender.connection.fetchval(
        "select min(not_before) from public.whatsapp_messages where batch_id = $1", resting["id"]
    )
    assert due > night
    assert due.astimezone(ROME).time() == time(8)


async def test_the_room_of_the_day_and_the_window_are_those_of_the_start(sender: World) -> None:
    template_id = await offer(sender)
    await sender.connection.execute("update public.whatsapp_accounts set people_a_day = 3")
    wrote = await writer(sender, 900)
    await decide(sender, wrote, ["marketing"])
    later = datetime.now(ROME) + timedelta(days=40)
    today = await crowd(sender, 3)
    await queue(sender, today, template_id)
    assert (await preview(sender, [wrote], template_id))["outside"] == 0
    found = await preview(sender, [wrote], template_id, not_before=later)
    # Its window is closed by then, and what leaves today takes no room then.
    assert (found["outside"], found["left"]) == (1, 3)
    batch = await queue(sender, [wrote], template_id, not_before=later)
    assert await sender.connection.fetchval(
        "select is_outside_window from public.whatsapp_messages where batch_id = $1", batch["id"]
    )
    assert (await preview(sender, [wrote], template_id))["left"] == 0
    assert (await preview(sender, [wrote], template_id, not_before=later))["left"] == 2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("update public.whatsapp_accounts set people_a_day = 2", "a meno persone"),
        ("update public.whatsapp_accounts set templates_stopped_until = now() + interval '1 hour'", "ha fermato"),
        ("update public.whatsapp_templates set is_usable = false", "non approva più"),
        (OFTEN, "3 messaggi in 7 giorni"),
    ],
)
async def test_what_was_approved_is_asked_again_when_a_campaign_starts(sender: World, change: str, words: str) -> None:
    ids, batch = await planned(sender, 3)
    await sender.connection.execute(change)
    await sender.connection.execute("update public.whatsapp_messages set not_before = now()")
    assert await sender.connection.fetch("select * from private.claim_whatsapp($1)", OWNER) == []
    row = await progress(sender)
    assert (row["waiting"], row["sent"]) == (3, 0)
    assert words in row["pause_reason"]
    if change == OFTEN:
        # Going on is the agreement, as the tick is that was there when it was planned.
        async with access.acting(sender.connection, "owner"):
            await sender.connection.execute("select public.resume_campaign($1)", batch["id"])
        await sender.connection.execute("update public.whatsapp_messages set not_before = now()")
        assert len(await sender.connection.fetch("select * from private.claim_whatsapp($1)", OWNER)) == 1
        again = await queue(sender, ids, batch["template_id"], with_often=True)
        assert (again["recipients"], again["may_be_often"]) == (3, True)
    if "people_a_day" not in change:
        return
    # Going on is the agreement: two today, the third when there is room again.
    async with access.acting(sender.connection, "owner"):
        await sender.connection.execute("select public.resume_campaign($1)", batch["id"])
    await sender.connection.execute("update public.whatsapp_messages set not_before = now()")
    for _ in range(2):
        claimed = await sender.connection.fetchrow("select * from private.claim_whatsapp($1)", OWNER)
        assert claimed is not None
        await sender.connection.execute(
            "select private.settle_whatsapp($1, $2, $3)", claimed["id"], claimed["attempts"], str(claimed["id"])
        )
    assert await sender.connection.fetch("select * from private.claim_whatsapp($1)", OWNER) == []
    assert (await progress(sender))["paused_at"] is None


async def test_a_planned_campaign_leaves_out_whoever_objected_or_is_in_the_trash_meanwhile(sender: World) -> None:
    [objecting, withdrawing, trashed, staying], _ = await planned(sender, 4)
    async with access.acting(sender.connection, "owner"):
        await sender.connection.execute("select public.register_contact_request($1, 'opposizione')", objecting)
    await decide(sender, withdrawing, ["marketing"], "revocato")
    await sender.connection.execute("update public.contacts set deleted_at = now() where id = $1", trashed)
    await sender.connection.execute("update public.whatsapp_messages set not_before = now()")
    begun = {}
    for _ in range(4):
        claimed = await sender.connection.fetchrow("select * from private.claim_whatsapp($1)", OWNER)
        assert claimed is not None
        rows = await sender.connection.fetch("select * from private.begin_whatsapp($1, 1)", claimed["id"])
        begun[claimed["contact_id"]] = len(rows)
    assert begun == {objecting: 0, withdrawing: 0, trashed: 0, staying: 1}
    assert await states(sender) == {"failed": 2, "cancelled": 1, "sending": 1}


async def test_a_campaign_that_is_late_keeps_the_rest_of_its_recipients(sender: World) -> None:
    await planned(sender, 2)
    await sender.connection.execute("update public.whatsapp_messages set not_before = now() - interval '1 hour'")
    # Whatever the hour of the test, it is a holiday.
    await sender.connection.execute(
        "create or replace function private.is_holiday(_day date) returns boolean language sql immutable"
        " as 'select _day <= current_date'"
    )
    assert await sender.connection.fetch("select * from private.claim_whatsapp($1)", OWNER) == []
    row = await progress(sender)
    assert (row["waiting"], row["paused_at"]) == (2, None)
    assert row["next_at"].astimezone(ROME).time() == time(8)
    assert row["next_at"] > datetime.now(ROME)


async def test_stop_takes_a_person_out_of_a_campaign_that_waits(sender: World) -> None:
    template_id = await offer(sender)
    stopping, staying = [await writer(sender, number) for number in (1, 2)]
    for contact_id in (stopping, staying):
        await decide(sender, contact_id, ["marketing"])
    await queue(sender, [stopping, staying], template_id, values={"nome": "Lei", "novita": "siamo aperti"})
    await writer(sender, 1, "STOP")
    rows = await sender.connection.fetch(
        "select contact_id, state::text, error::text from public.whatsapp_messages where batch_id is not null"
    )
    assert {tuple(row) for row in rows} == {(stopping, "cancelled", "stopped"), (staying, "queued", None)}
    row = await progress(sender)
    assert (row["waiting"], row["failed"]) == (1, 1)


async def test_the_price_is_that_of_the_table_and_an_unknown_one_is_not_invented(sender: World) -> None:
    await sender.connection.execute("delete from public.whatsapp_rates")
    template_id = await channels.add_template(sender.connection, OWNER, **REMINDER)
    ids = [await writer(sender, 1), await contact(sender, 2, ["servizio"]), await contact(sender, 3, ["servizio"])]
    found = await preview(sender, ids, template_id, values={"nome": "Lei"})
    assert found["price"] == {"sums": [], "unpriced": 3}
    await sender.connection.execute(
        "insert into public.whatsapp_rates (market, category, valid_from, currency, amount_micros)"
        " values ('39', 'utility', '2026-01-01', 'EUR', 30000)"
    )
    found = await preview(sender, ids, template_id, values={"nome": "Lei"})
    # The first is inside the window, where Meta may charge nothing.
    assert found["price"] == {
        "sums": [{"currency": "EUR", "least_micros": 60000, "most_micros": 90000}],
        "unpriced": 0,
    }


async def test_a_promotion_that_does_not_say_how_to_stop_it_goes_to_nobody(sender: World) -> None:
    template_id, ids = await offer(sender, footer=None), await crowd(sender, 1)
    assert (await refused(sender, ids, template_id))[0] == "SW009"
    assert (await refused(sender, ids, template_id, call=preview))[0] == "SW009"


async def test_more_than_five_thousand_contacts_are_refused(sender: World) -> None:
    template_id, ids = await offer(sender), [uuid4() for _ in range(5001)]
    assert (await refused(sender, ids, template_id))[0] == "SW010"
    assert (await refused(sender, ids, template_id, call=preview))[0] == "SW010"


async def test_strangers_reach_no_contact_no_template_and_no_campaign(sender: World) -> None:
    template_id, ids = await offer(sender), await crowd(sender, 1)
    batch = await queue(sender, ids, template_id)
    assert (await refused(sender, ids, template_id, "stranger"))[0] == "SW001"
    await channels.connect_whatsapp(sender.connection, PEOPLE["stranger"])
    assert (await refused(sender, ids, template_id, "stranger"))[0] == "PT404"
    own = await channels.add_template(sender.connection, PEOPLE["stranger"], **OFFER)
    assert (await refused(sender, ids, own, "stranger"))[0] == "SM010"
    assert (await refused(sender, ids, template_id, "anon"))[0] == "42501"
    async with access.acting(sender.connection, "stranger"):
        assert await sender.connection.fetch("select * from public.campaign_recipients($1)", batch["id"]) == []
    for name in ("resume_campaign", "cancel_campaign"):
        with pytest.raises(asyncpg.PostgresError) as caught:
            async with sender.connection.transaction(), access.acting(sender.connection, "stranger"):
                await sender.connection.execute(f"select public.{name}($1)", batch["id"])
        assert caught.value.sqlstate == "PT404"
