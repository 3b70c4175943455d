"""Payment events that arrive at once: each has a transaction of its own, and none disturbs another."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from typing import Any

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


async def test_events_and_duplicates_that_arrive_at_once_grant_once(
    resources: Resources, connection: Any, events: list[dict[str, Any]]
) -> None:
    few = events[:20]
    outcomes = await asyncio.gather(*tell(resources, *few, *few))
    assert sorted(outcomes) == ["fulfilled"] * len(few) + ["known"] * len(few)
    assert sorted(await balances(resources)) == [0] * (len(events) - len(few)) + [550] * len(few)
    assert await ledger.broken(connection) == {}


async def test_a_busy_wallet_delays_only_its_own_event(
    resources: Resources, connection: Any, events: list[dict[str, Any]]
) -> None:
    async with connection.transaction():
        user_id = events[0]["data"]["object"]["metadata"]["user_id"]
        await connection.execute("select from public.credit_wallets where user_id = $1 for update", user_id)
        busy, *free = tell(resources, *events[:5])
        assert await asyncio.gather(*free) == ["fulfilled"] * 4
        assert not busy.done()
    assert await busy == "fulfilled"
    assert await ledger.broken(connection) == {}


async def test_the_success_page_and_the_webhook_learn_of_a_payment_together(
    resources: Resources, connection: Any, events: list[dict[str, Any]], caplog: pytest.LogCaptureFixture
) -> None:
    """Each holds what the other comes to in the end: the page the order, the webhook its event."""
    context = Context("checkout_status", {}, "", resources)
    dice = random.Random(3)

    async def page(event: dict[str, Any]) -> None:
        await asyncio.sleep(dice.random() * 0.004)
        await orders.apply_session(context, event["data"]["object"])

    async def webhook(event: dict[str, Any]) -> str:
        await asyncio.sleep(dice.random() * 0.004)
        return await tell(resources, event)[0]

    for first in range(0, len(events), 6):
        few = events[first : first + 6]
        await asyncio.gather(*map(page, few), *map(webhook, few))
    assert await balances(resources) == [550] * len(events)
    failed = await connection.fetch("select id, error from public.payment_events where outcome = 'failed'")
    assert failed == []
    assert await ledger.broken(connection) == {}


@pytest.mark.parametrize(
    ("wrong", "kept"),
    [("\0\\u0000", "\ufffd\\u0000"), ("\ud83d", "\ufffd"), ({"\0": [float("inf"), 1.5]}, {"\ufffd": [None, 1.5]})],
    ids=["NUL", "half a character", "a number without end"],
)
async def test_what_jsonb_cannot_hold_is_kept_without_it_and_does_its_work(
    resources: Resources,
    connection: Any,
    events: list[dict[str, Any]],
    caplog: pytest.LogCaptureFixture,
    wrong: Any,
    kept: Any,
) -> None:
    strange = {**events[0], "livemode": wrong}
    assert await asyncio.gather(*tell(resources, *events[1:4], strange)) == ["fulfilled"] * 4
    stored = await connection.fetchval("select payload from public.payment_events where id = $1", strange["id"])
    assert json.loads(stored)["livemode"] == kept
    [line] = [record for record in caplog.records if record.getMessage() == "a payment event was cleaned"]
    assert vars(line)["event"] == strange["id"]
    assert await tell(resources, strange)[0] == "known"
    assert await ledger.broken(connection) == {}


async def test_two_orders_of_one_buyer_are_fulfilled_at_once(
    resources: Resources, connection: Any, events: list[dict[str, Any]]
) -> None:
    one, other = (each["data"]["object"] for each in events[:2])
    buyer = one["metadata"]["user_id"]
    await connection.execute(
        "update public.credit_orders set user_id = $1 where id = $2", buyer, other["metadata"]["order_id"]
    )
    other["metadata"]["user_id"] = buyer
    assert await asyncio.gather(*tell(resources, *events[:3])) == ["fulfilled"] * 3
    assert await connection.fetchval("select balance from public.credit_wallets where user_id = $1", buyer) == 1100
    assert await ledger.broken(connection) == {}


async def test_a_fault_undoes_its_own_event_only(
    resources: Resources, connection: Any, events: list[dict[str, Any]]
) -> None:
    """One event fails in the database, two are refused, the others are fulfilled."""
    faulty, cheaper, strange, *fine = events[:6]
    order_id = faulty["data"]["object"]["metadata"]["order_id"]
    # Its document is there already, and a second one of the same reference is impossible.
    await connection.execute(
        "insert into public.fiscal_documents (order_id, kind, amount_cents, reference)"
        " values ($1, 'invoice', 3999, 'order')",
        order_id,
    )
    cheaper["data"]["object"]["amount_total"] = 1
    strange["data"]["object"]["metadata"]["order_id"] = "00000000-0000-4000-8000-000000000000"
    assert await asyncio.gather(*tell(resources, faulty, cheaper, strange, *fine)) == [
        *("failed", "held_back", "held_back"),
        *["fulfilled"] * 3,
    ]
    alerts = await connection.fetch("select kind::text, details from public.payment_alerts order by kind")
    assert [row["kind"] for row in alerts] == ["mismatch", "unknown_order"]
    event = await connection.fetchrow("select * from public.payment_events where id = $1", faulty["id"])
    assert (event["attempts"], event["outcome"], event["handled_at"]) == (1, "failed", None)
    assert "fiscal_documents" in event["error"]
    assert await ledger.broken(connection) == {}


TABLES = [
    *("credit_holds", "credit_ledger", "credit_lots", "credit_orders"),
    *("credit_wallets", "fiscal_documents", "payment_events"),
]
# Rows read from end to end, and all rows read, by table, since the transaction began.
READ = """
select relname, seq_tup_read as scanned, seq_tup_read + coalesce(idx_tup_fetch, 0) as read
from pg_stat_xact_user_tables where schemaname = 'public' and relname = any ($1)
"""


async def rows_read(connection: Any, column: str = "read") -> Counter[str]:
    return Counter({row["relname"]: int(row[column]) for row in await connection.fetch(READ, TABLES)})


async def test_a_plan_made_on_the_first_day_reads_no_table_from_end_to_end(
    connection: Any, events: list[dict[str, Any]]
) -> None:
    """The tables are known to be empty when the connection plans; it keeps its plans while they fill."""
    # A database that an earlier test filled has deep indexes, and a plan would follow how they grow.
    await connection.execute("vacuum (full, analyze) public.credit_ledger, public.credit_lots, public.credit_holds")
    await connection.execute("vacuum (full, analyze) public.payment_events, public.fiscal_documents")
    await connection.execute("select pg_stat_force_next_flush()")
    groups = []
    async with connection.transaction():
        for number in range(0, len(events), 6):
            before = await rows_read(connection)
            few = events[number : number + 6]
            assert [await crash.tell(connection, each) for each in few] == ["fulfilled"] * len(few)
            groups.append(await rows_read(connection) - before)
        # A payment reads its own few rows, some of them several times, and never those of the earlier ones.
        assert groups == [groups[0]] * len(groups)
        user_id = events[0]["data"]["object"]["metadata"]["user_id"]
        for number in range(20):
            held = await ledger.hold(connection, user_id, 2, f"work-{number}")
            await ledger.settle(connection, held["id"], 1, f"done-{number}")
            await ledger.release(connection, (await ledger.hold(connection, user_id, 1, f"other-{number}"))["id"])
        assert not +(await rows_read(connection, "scanned"))
