"""Payment events that arrive at once: one commit for many, and none answers for another."""

from __future__ import annotations

import asyncio
from typing import Any

import asyncpg
import pytest

from backend.core import db
from backend.core.resources import Resources
from backend.edge.api import Context
from functions._shared import orders
from tests.databases import connected
from tests.db import ledger
from tests.functions.checkout import crash

pytestmark = pytest.mark.anyio


@pytest.fixture
async def connection(resources: Resources) -> Any:
    """A connection beside the pool."""
    async with connected(resources.settings.database_url) as beside:
        yield beside


@pytest.fixture
async def events(connection: Any) -> list[dict[str, Any]]:
    """Paid sessions, each of a buyer of its own."""
    return await crash.payments(connection)


def tell(resources: Resources, *events: dict[str, Any]) -> list[asyncio.Task[str]]:
    context = Context("stripe_webhook", {}, "", resources)
    return [asyncio.create_task(orders.record_event(context, each, crash.text_of(each))) for each in events]


async def balances(resources: Resources) -> list[int]:
    async with db.connection(resources.pool) as connection:
        return [row["balance"] for row in await connection.fetch("select balance from public.credit_wallets")]


async def test_events_that_arrive_at_once_share_a_commit_and_duplicates_grant_once(
    resources: Resources, connection: Any, events: list[dict[str, Any]]
) -> None:
    few = events[:20]
    outcomes = await asyncio.gather(*tell(resources, *few, *few))
    assert outcomes == ["fulfilled"] * len(few) + ["known"] * len(few)
    assert sorted(await balances(resources)) == [0] * (len(events) - len(few)) + [550] * len(few)
    transactions = await connection.fetchval("select count(distinct xmin::text) from public.payment_events")
    assert transactions == 1
    assert await ledger.broken(connection) == {}


async def test_a_wallet_that_is_busy_keeps_only_its_own_event_waiting(
    resources: Resources, connection: Any, events: list[dict[str, Any]]
) -> None:
    async with connection.transaction():
        user_id = events[0]["data"]["object"]["metadata"]["user_id"]
        await connection.execute("select from public.credit_wallets where user_id = $1 for update", user_id)
        busy, *free = tell(resources, *events[:5])
        assert await asyncio.gather(*free) == ["fulfilled"] * 4
        assert not busy.done()
        # It is kept already, for the job, should this process die now.
        stored = await connection.fetchval(
            "select handled_at is null from public.payment_events where id = $1", events[0]["id"]
        )
        assert stored
    assert await busy == "fulfilled"
    assert await ledger.broken(connection) == {}


async def test_an_event_that_cannot_be_stored_is_refused_alone(
    resources: Resources, events: list[dict[str, Any]]
) -> None:
    """NUL is valid JSON that jsonb cannot hold."""
    wrong = {**events[0], "id": "evt_wrong", "livemode": "\0"}
    *told, refused = await asyncio.gather(*tell(resources, *events[1:4], wrong), return_exceptions=True)
    assert told == ["fulfilled"] * 3
    assert isinstance(refused, asyncpg.UntranslatableCharacterError)


SCANS = """
select relname, seq_tup_read from pg_stat_xact_user_tables
where relname in ('credit_ledger', 'credit_lots', 'credit_holds', 'payment_events') and seq_tup_read > 0
"""


async def test_a_plan_made_on_the_first_day_reads_no_table_from_end_to_end(
    connection: Any, events: list[dict[str, Any]]
) -> None:
    """The tables are known to be empty when the connection plans; it keeps its plans while they fill."""
    await connection.execute("analyze public.credit_ledger, public.credit_lots, public.credit_holds")
    await connection.execute("analyze public.payment_events")
    async with connection.transaction():
        for number in range(0, 60, 6):
            few = events[number : number + 6]
            told = [[each["id"] for each in few], [each["type"] for each in few], [crash.text_of(each) for each in few]]
            outcomes = await connection.fetchval("select private.record_payment_events($1, $2, $3)", *told)
            assert outcomes == ["fulfilled"] * len(few)
        user_id = events[0]["data"]["object"]["metadata"]["user_id"]
        for number in range(20):
            held = await ledger.hold(connection, user_id, 2, f"work-{number}")
            await ledger.settle(connection, held["id"], 1, f"done-{number}")
            await ledger.release(connection, (await ledger.hold(connection, user_id, 1, f"other-{number}"))["id"])
        assert await connection.fetch(SCANS) == []
