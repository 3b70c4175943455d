"""What an owner reads of their credits."""

from __future__ import annotations

from uuid import uuid4

import asyncpg
import pytest

from tests.db import access, ledger
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio


async def test_statement_says_when_what_from_which_lot_how_much_and_what_was_left(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    order_id = uuid4()
    order = {"kind": "acquisto", "order_id": order_id, "paid_cents": 999, "expires": "1 year"}
    await ledger.grant(connection, user_id, 100, "pack", **order)
    await ledger.settle(connection, (await ledger.hold(connection, user_id, 5))["id"], 3)
    await ledger.grant(connection, await ledger.empty(connection), 7, "of somebody else")
    rows = await ledger.as_owner(connection, user_id, "select * from public.credit_statement()")
    assert [(row["kind"], row["amount"], row["balance_after"], row["lot_kind"], row["order_id"]) for row in rows] == [
        ("settle", -3, 97, "acquisto", order_id),
        ("grant", 100, 100, "acquisto", order_id),
    ]
    assert all(row["lot_expires_at"] > row["created_at"] for row in rows)


async def test_statement_goes_on_from_where_a_page_ended(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    for number in range(5):
        await ledger.grant(connection, user_id, 1 + number, f"gift-{number}")
    page = "select id, amount from public.credit_statement($1, 2)"
    first = await ledger.as_owner(connection, user_id, page, None)
    second = await ledger.as_owner(connection, user_id, page, first[-1]["id"])
    third = await ledger.as_owner(connection, user_id, page, second[-1]["id"])
    assert [row["amount"] for row in (*first, *second, *third)] == [5, 4, 3, 2, 1]


async def test_statement_page_costs_a_page_however_long_the_ledger(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    for number in range(1200):
        await ledger.grant(connection, user_id, 1, f"gift-{number}")
    assert len(await ledger.as_owner(connection, user_id, "select from public.credit_statement(null, 1000000)")) == 1000


async def test_overview_tells_the_next_lot_to_end_and_what_the_month_has_used(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    overview = "select * from public.credit_overview()"
    assert [tuple(row) for row in await ledger.as_owner(connection, user_id, overview)] == [
        (0, 0, None, None, None, 0, 5, None)
    ]
    order = {"kind": "acquisto", "order_id": uuid4(), "paid_cents": 999, "expires": "1 year"}
    await ledger.grant(connection, user_id, 100, "pack", **order)
    await ledger.grant(connection, user_id, 10, "plan", kind="piano", expires="1 month")
    held = await ledger.hold(connection, user_id, 5)
    [row] = await ledger.as_owner(connection, user_id, overview)
    assert (row["balance"], row["held"], row["used_this_month"]) == (105, 5, 0)
    assert (row["next_expiry_credits"], row["next_expiry_extends"]) == (5, False)
    await ledger.settle(connection, held["id"], 5)
    await ledger.settle(connection, (await ledger.hold(connection, user_id, 5, "more"))["id"], 5, "more")
    [row] = await ledger.as_owner(connection, user_id, overview)
    assert (row["next_expiry_credits"], row["next_expiry_extends"], row["used_this_month"]) == (100, True, 10)


async def test_overview_counts_all_that_ends_on_the_same_day(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    order_id = uuid4()
    await ledger.grant(
        connection, user_id, 500, "pack", kind="acquisto", order_id=order_id, paid_cents=3999, expires="1 year"
    )
    await ledger.grant(connection, user_id, 50, "pack's bonus", kind="bonus", order_id=order_id, expires="1 year")
    await ledger.grant(connection, user_id, 7, "later", kind="bonus", expires="2 years")
    [row] = await ledger.as_owner(connection, user_id, "select * from public.credit_overview()")
    assert (row["next_expiry_credits"], row["next_expiry_extends"]) == (550, True)


async def test_what_was_used_last_month_does_not_count(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 100)
    await ledger.settle(connection, (await ledger.hold(connection, user_id, 8))["id"], 8)
    await connection.execute("set local session_replication_role = replica")
    await connection.execute(
        """
        update public.credit_ledger set created_at =
          date_trunc('month', now() at time zone 'Europe/Rome') at time zone 'Europe/Rome' - interval '1 second'
        where user_id = $1 and kind = 'settle'
        """,
        user_id,
    )
    await connection.execute("set local session_replication_role = origin")
    await connection.execute(
        "update public.credit_wallets set used_month = (used_month - interval '1 month')::date where user_id = $1",
        user_id,
    )
    await connection.execute("update public.credit_settings set monthly_cap = 10 where user_id = $1", user_id)
    await ledger.hold(connection, user_id, 10, "this month")
    [row] = await ledger.as_owner(connection, user_id, "select used_this_month from public.credit_overview()")
    assert row["used_this_month"] == 0


async def test_owner_sets_threshold_and_cap_within_reason(connection: Connection) -> None:
    owner = access.PEOPLE["owner"]
    change = (
        "update public.credit_settings set low_threshold = $1, monthly_cap = $2 where user_id = $3 returning user_id"
    )
    assert len(await ledger.as_owner(connection, owner, change, 20, 300, owner)) == 1
    [row] = await ledger.as_owner(connection, owner, "select low_threshold, monthly_cap from public.credit_overview()")
    assert tuple(row) == (20, 300)
    for threshold, cap in ((-1, None), (1_000_001, None), (5, -1)):
        with pytest.raises(asyncpg.CheckViolationError):
            async with connection.transaction():
                await ledger.as_owner(connection, owner, change, threshold, cap, owner)
