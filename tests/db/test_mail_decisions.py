"""What its owner decides about a conversation: that it goes on in another one, and that it is a deal."""

from __future__ import annotations

from uuid import UUID, uuid4

import asyncpg
import pytest

from tests.db import access, channels
from tests.db.accounts import Connection
from tests.db.home import ME, ROLE
from tests.db.test_mail_notices import finish, reader

pytestmark = pytest.mark.anyio


async def decide(connection: Connection, thread_id: UUID, is_same: bool, role: str = ROLE) -> UUID:
    async with access.acting(connection, role):
        stays: UUID = await connection.fetchval("select public.decide_thread($1, $2)", thread_id, is_same)
    return stays


async def make_deal(connection: Connection, thread_id: UUID) -> UUID:
    async with access.acting(connection, ROLE):
        deal_id: UUID = await connection.fetchval("select public.make_thread_deal($1)", thread_id)
    return deal_id


async def two_threads(connection: Connection) -> tuple[UUID, UUID]:
    """Receive two mails of one subject that nothing else connects; the second suggests the first."""
    first = (await channels.receive(connection, ME, subject="Cucina", body="Prima"))["thread_id"]
    second = (await channels.receive(connection, ME, subject="R: Cucina", body="Dopo"))["thread_id"]
    return first, second


async def test_a_suggested_thread_takes_over_its_mails(connection: Connection) -> None:
    await reader(connection)
    first, second = await two_threads(connection)
    await finish(connection, first)
    assert await decide(connection, second, True) == first
    kept = await connection.fetchrow("select * from public.mail_threads where user_id = $1", ME)
    assert kept is not None
    assert (kept["id"], kept["snippet"], kept["is_done"]) == (first, "Dopo", False)
    subjects = await connection.fetch(
        "select subject::text from public.received_mails where thread_id = $1 order by message_uid", first
    )
    assert [row["subject"] for row in subjects] == ["Cucina", "R: Cucina"]


async def test_a_refused_suggestion_is_not_made_again(connection: Connection) -> None:
    await reader(connection)
    _, second = await two_threads(connection)
    assert await decide(connection, second, False) == second
    threads = await connection.fetch("select suggested_thread_id from public.mail_threads where user_id = $1", ME)
    assert [row["suggested_thread_id"] for row in threads] == [None, None]
    # Nothing is suggested any more, so that nothing is joined.
    assert await decide(connection, second, True) == second


async def test_a_stranger_decides_nothing(connection: Connection) -> None:
    await reader(connection)
    _, second = await two_threads(connection)
    for thread_id, role in ((second, "stranger"), (uuid4(), ROLE)):
        with pytest.raises(asyncpg.PostgresError, match="no such thread"):
            async with connection.transaction():
                await decide(connection, thread_id, True, role)


async def test_a_thread_becomes_one_deal_of_its_contact_while_that_is_there(connection: Connection) -> None:
    contact_id = await reader(connection)
    thread_id = (await channels.receive(connection, ME, subject="Preventivo cucina"))["thread_id"]
    deal_id = await make_deal(connection, thread_id)
    assert await make_deal(connection, thread_id) == deal_id
    deal = await connection.fetchrow(
        "select title::text, contact_id, origin::text from public.deals where id = $1", deal_id
    )
    assert deal is not None
    assert tuple(deal) == ("Preventivo cucina", contact_id, "email")
    await connection.execute("update public.deals set deleted_at = now() where id = $1", deal_id)
    assert await make_deal(connection, thread_id) != deal_id
