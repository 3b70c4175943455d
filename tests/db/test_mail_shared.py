"""The shared sender «tramite Socio»: who may use it, for what, how much, and when it is paused."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest

from tests.db import access, channels
from tests.db.access import PEOPLE
from tests.db.accounts import rolled_back
from tests.db.conftest import World

pytestmark = pytest.mark.anyio

OWNER = PEOPLE["owner"]
SENDER = "invio@socio.example"


@pytest.fixture
async def contact_id(world: World) -> AsyncIterator[UUID]:
    """Yield a contact of a person who sends by the shared sender; all is rolled back."""
    async with rolled_back(world.connection):
        await run(world, "delete from public.mail_accounts")
        await run(world, "delete from private.shared_mails")
        await run(world, "delete from public.outgoing_mails")
        await run(world, "delete from public.contact_emails")
        await run(world, "update auth.users set email_confirmed_at = now() where id = $1", OWNER)
        await run(world, "select private.save_shared_account($1, $2)", OWNER, SENDER)
        yield await channels.reachable(world.connection, OWNER)


async def run(world: World, sql: str, *arguments: Any) -> Any:
    return await world.connection.fetchval(sql, *arguments)


async def queue(world: World, contact_id: UUID, **more: Any) -> asyncpg.Record:
    async with access.acting(world.connection, "owner"):
        return await channels.queue(world.connection, contact_id, **more)


async def refused(world: World, contact_id: UUID, **more: Any) -> tuple[str, str]:
    """Queue a mail that is refused; answers the code and the detail."""
    with pytest.raises(asyncpg.PostgresError) as caught:
        async with world.connection.transaction():
            await queue(world, contact_id, **more)
    return str(caught.value.sqlstate), str(caught.value.as_dict().get("detail", ""))


async def leave(world: World) -> bool:
    """Have the next queued mail leave; false when none is to leave now."""
    await run(world, "update public.outgoing_mails set not_before = now() where state = 'queued'")
    mail = await world.connection.fetchrow("select * from private.claim_mail($1)", OWNER)
    if mail is None:
        return False
    begun: bool = await run(world, "select private.begin_mail_content($1, $2)", mail["id"], mail["attempts"])
    await run(world, "select private.settle_mail($1, $2, 'sent')", mail["id"], mail["attempts"])
    # As if it were a minute ago: an account sends so many mails a minute.
    await run(
        world, "update public.outgoing_mails set sent_at = sent_at - interval '2 minutes' where id = $1", mail["id"]
    )
    return begun


async def came_back(world: World, contact_id: UUID, kind: str, status: str | None, address: str) -> None:
    """Have a mail leave and a server report about it."""
    await run(
        world, "insert into public.contact_emails (user_id, contact_id, value) values ($1, $2, $3)",
        OWNER, contact_id, address,
    )  # fmt: skip
    mail = await queue(world, contact_id, recipient=address)
    assert await leave(world)
    await run(
        world, "select private.note_mail_report($1, $2, $3::public.mail_report_kind, null, $4, 'told', $5, now())",
        OWNER, mail["message_id"], kind, status, mail["id"].hex * 2,
    )  # fmt: skip


async def test_a_mail_by_the_shared_sender_is_a_mail_of_its_domain(world: World, contact_id: UUID) -> None:
    mail = await queue(world, contact_id)
    assert mail["message_id"].endswith("@socio.example>")
    assert await leave(world)
    [account] = await world.connection.fetch("select * from private.mail_account_of($1)", OWNER)
    assert (account["is_shared"], account["host"], account["sealed"]) == (True, None, None)
    state = await world.connection.fetchrow("select * from private.shared_state($1)", OWNER)
    assert state is not None
    assert (state["remaining"], state["pause_reason"]) == (49, None)


async def test_the_shared_address_is_nobodys_own(world: World, contact_id: UUID) -> None:
    assert SENDER not in await run(world, "select private.own_mail_addresses($1)", OWNER)
    assert "socio.example" not in await run(world, "select private.known_mail_domains($1)", OWNER)


async def test_only_a_confirmed_login_may_send(world: World, contact_id: UUID) -> None:
    await queue(world, contact_id)
    await run(world, "update auth.users set email_confirmed_at = null where id = $1", OWNER)
    assert (await refused(world, contact_id))[0] == "SM017"
    assert not await leave(world)
    with pytest.raises(asyncpg.PostgresError) as caught:
        async with world.connection.transaction():
            await run(world, "select private.save_shared_account($1, $2)", OWNER, SENDER)
    assert caught.value.sqlstate == "SM017"


async def test_a_banned_account_sends_nothing(world: World, contact_id: UUID) -> None:
    await queue(world, contact_id)
    await run(world, "update auth.users set banned_until = now() + interval '1 day' where id = $1", OWNER)
    assert not await leave(world)
    assert (await refused(world, contact_id))[0] == "SM017"
    await run(world, "update auth.users set banned_until = null where id = $1", OWNER)
    assert await leave(world)


async def test_promotions_and_campaigns_are_refused(world: World, contact_id: UUID) -> None:
    await run(
        world,
        "insert into public.consents (user_id, contact_id, channel, purpose, state)"
        " values ($1, $2, 'email', 'marketing', 'dato')",
        OWNER, contact_id,
    )  # fmt: skip
    assert (await refused(world, contact_id, basis="consenso"))[0] == "SM015"
    with pytest.raises(asyncpg.PostgresError) as caught:
        async with world.connection.transaction(), access.acting(world.connection, "owner"):
            await run(
                world, "select public.queue_campaign($1, $2, 'Auguri', 'Ciao', 'contratto')", uuid4(), [contact_id]
            )
    assert caught.value.sqlstate == "SM015"
    # Nor does one leave that was queued for a mailbox.
    await queue(world, contact_id)
    await run(world, "update public.outgoing_mails set basis = 'consenso'")
    assert not await leave(world)
    assert await run(world, "select error::text from public.outgoing_mails") == "disconnected"


async def test_a_day_has_a_limit_that_deleting_contacts_does_not_lift(world: World, contact_id: UUID) -> None:
    await run(
        world,
        "insert into private.shared_mails (outgoing_id, user_id, sent_at)"
        " select gen_random_uuid(), $1, now() - interval '1 hour' * no from generate_series(1, 22) as no",
        OWNER,
    )
    for _ in range(28):
        await queue(world, contact_id)
    # 22 have left, 28 wait; the oldest left 22 hours ago.
    code, detail = await refused(world, contact_id)
    until = await run(
        world, "select to_char((now() + interval '2 hours') at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
    )
    assert (code, detail) == ("SM014", until)
    assert await leave(world)
    assert (await refused(world, contact_id))[0] == "SM014"
    other = await channels.reachable(world.connection, OWNER, "altra@example.it")
    await run(world, "delete from public.contacts where id = $1", contact_id)
    assert await run(world, "select private.shared_mails_left($1)", OWNER) == 50 - 23
    await queue(world, other, recipient="altra@example.it")
    # A cancelled mail counts no more, and an own mailbox has no such limit.
    await run(
        world,
        "insert into private.shared_mails (outgoing_id, user_id)"
        " select gen_random_uuid(), $1 from generate_series(1, 60)",
        OWNER,
    )
    assert (await refused(world, other, recipient="altra@example.it"))[0] == "SM014"
    await channels.connect(world.connection, OWNER)
    await queue(world, other, recipient="altra@example.it")


async def test_a_mail_that_is_sent_again_counts_again(world: World, contact_id: UUID) -> None:
    mail = await queue(world, contact_id)
    for left in (49, 48):
        assert await leave(world)
        assert await run(world, "select private.shared_mails_left($1)", OWNER) == left
        await run(world, "update public.outgoing_mails set state = 'failed', sent_at = null, error = 'bounced'")
        async with access.acting(world.connection, "owner"):
            await run(world, "select public.decide_mail($1, false)", mail["id"])


async def test_three_dead_addresses_pause_it_for_a_week(world: World, contact_id: UUID) -> None:
    for no in range(2):
        await came_back(world, contact_id, "rimbalzo", "5.1.1", f"morto{no}@example.it")
    # A mailbox that is full says nothing about the list.
    await came_back(world, contact_id, "rimbalzo", "5.2.2", "piena@example.it")
    await came_back(world, contact_id, "rimbalzo", "5.1.1", "morto3@example.it")
    code, detail = await refused(world, contact_id)
    assert (code, detail.split("|")[0]) == ("SM016", "rimbalzi")
    # Connecting it again does not end the pause; an own mailbox does.
    await run(world, "delete from public.mail_accounts")
    await run(world, "select private.save_shared_account($1, $2)", OWNER, SENDER)
    assert (await refused(world, contact_id))[0] == "SM016"
    await run(world, "update private.shared_mails set bounced_at = bounced_at - interval '8 days'")
    await queue(world, contact_id)
    await run(world, "update private.shared_mails set bounced_at = bounced_at + interval '8 days'")
    assert not await leave(world)
    await channels.connect(world.connection, OWNER)
    assert await leave(world)


async def test_one_complaint_pauses_it_for_two_weeks(world: World, contact_id: UUID) -> None:
    await came_back(world, contact_id, "reclamo", None, "stufo@example.it")
    code, detail = await refused(world, contact_id)
    assert (code, detail.split("|")[0]) == ("SM016", "reclamo")
    assert (
        await run(world, "select reason::text from public.mail_suppressions where address = 'stufo@example.it'")
        == "reclamo"
    )
    await run(world, "update private.shared_mails set complained_at = complained_at - interval '15 days'")
    await queue(world, contact_id)


async def test_an_own_mailbox_is_not_replaced_but_replaces_it(world: World, contact_id: UUID) -> None:
    await channels.connect(world.connection, OWNER)
    row = await world.connection.fetchrow("select is_shared, from_address from public.mail_accounts")
    assert row is not None
    assert tuple(row) == (False, "io@studio.example")
    with pytest.raises(asyncpg.PostgresError) as caught:
        async with world.connection.transaction():
            await run(world, "select private.save_shared_account($1, $2)", OWNER, SENDER)
    assert caught.value.sqlstate == "SM018"


async def test_disconnecting_cancels_what_waits(world: World, contact_id: UUID) -> None:
    await queue(world, contact_id)
    async with access.acting(world.connection, "owner"):
        await run(world, "delete from public.mail_accounts")
    assert await run(world, "select state::text from public.outgoing_mails") == "cancelled"


async def test_an_address_of_a_mail_lives_a_year_and_not_while_the_account_is_frozen(
    world: World, contact_id: UUID
) -> None:
    mail = await queue(world, contact_id)
    assert await run(world, "select user_id from private.shared_mail($1)", mail["id"]) is None
    assert await leave(world)
    assert await run(world, "select is_open from private.shared_mail($1)", mail["id"]) is True
    await run(world, "update public.profiles set limited_since = now() where user_id = $1", OWNER)
    assert await run(world, "select is_open from private.shared_mail($1)", mail["id"]) is False
    await run(world, "update private.shared_mails set sent_at = now() - interval '366 days'")
    assert await run(world, "select user_id from private.shared_mail($1)", mail["id"]) is None
    assert await run(world, "select private.forget_shared_mails(10)") == 1
