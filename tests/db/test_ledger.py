"""Holding, settling and releasing credits: what each verb does, answers again, and refuses."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import uuid4

import asyncpg
import pytest

from tests.db import ledger
from tests.db.accounts import Connection, rolled_back
from tests.db.ledger import refused

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
async def every_invariant_holds_afterwards(connection: Connection) -> AsyncIterator[None]:
    yield
    assert await ledger.broken(connection) == {}


async def test_hold_moves_credits_from_spendable_to_held(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 10)
    held = await ledger.hold(connection, user_id, 4)
    assert (held["amount"], held["captured"], held["state"]) == (4, 0, "open")
    assert await ledger.wallet(connection, user_id) == (6, 4)
    assert await ledger.entries(connection, user_id) == [("grant", 10, 10)]


async def test_settling_takes_what_was_used_and_gives_the_rest_back(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 10)
    held = await ledger.hold(connection, user_id, 4)
    settled = await ledger.settle(connection, held["id"], 3)
    assert (settled["state"], settled["captured"]) == ("settled", 3)
    assert await ledger.wallet(connection, user_id) == (7, 0)
    assert await ledger.entries(connection, user_id) == [("grant", 10, 10), ("settle", -3, 7)]


async def test_whole_wallet_can_be_held_and_settled(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 10)
    held = await ledger.hold(connection, user_id, 10)
    await ledger.settle(connection, held["id"], 10)
    assert await ledger.wallet(connection, user_id) == (0, 0)


async def test_work_that_used_nothing_costs_nothing(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 10)
    held = await ledger.hold(connection, user_id, 4)
    assert (await ledger.settle(connection, held["id"], 0))["state"] == "settled"
    assert await ledger.wallet(connection, user_id) == (10, 0)
    assert await ledger.entries(connection, user_id) == [("grant", 10, 10)]


async def test_release_gives_everything_back_to_its_lots(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 3, "a")
    await ledger.grant(connection, user_id, 3, "b")
    held = await ledger.hold(connection, user_id, 5)
    assert (await ledger.release(connection, held["id"]))["state"] == "released"
    assert await ledger.lots(connection, user_id) == [(3, 0), (3, 0)]
    assert (await ledger.release(connection, held["id"]))["state"] == "released"
    assert await ledger.wallet(connection, user_id) == (6, 0)


async def test_earliest_expiry_goes_first_then_free_before_paid_then_oldest(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    order_id = uuid4()
    await ledger.grant(connection, user_id, 1, "never")
    await ledger.grant(
        connection, user_id, 1, "paid", kind="acquisto", expires="2 days", order_id=order_id, paid_cents=10
    )
    await ledger.grant(connection, user_id, 1, "free", expires="2 days", order_id=order_id)
    await ledger.grant(connection, user_id, 1, "soon", expires="1 day")
    # One transaction has one now(): the age of lots is told apart by hand.
    await connection.execute(
        "update public.credit_lots set created_at = created_at - interval '1 day' where user_id = $1", user_id
    )
    await ledger.grant(connection, user_id, 1, "younger")
    spent = []
    for number in range(5):
        held = await ledger.hold(connection, user_id, 1, f"work-{number}")
        await ledger.settle(connection, held["id"], 1, f"done-{number}")
        spent.append([remaining for remaining, _ in await ledger.lots(connection, user_id)])
    assert spent == [[1, 1, 1, 0, 1], [1, 1, 0, 0, 1], [1, 0, 0, 0, 1], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]]


async def test_movement_over_several_lots_is_a_row_for_each(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 3, "a", expires="1 day")
    await ledger.grant(connection, user_id, 3, "b", expires="2 days")
    await ledger.grant(connection, user_id, 3, "c")
    held = await ledger.hold(connection, user_id, 8)
    await ledger.settle(connection, held["id"], 4)
    assert (await ledger.entries(connection, user_id))[3:] == [("settle", -3, 6), ("settle", -1, 5)]
    assert await ledger.lots(connection, user_id) == [(0, 0), (2, 0), (3, 0)]
    parts = await connection.fetch("select part, hold_id from public.credit_ledger where idempotency_key = 'done'")
    assert [tuple(part) for part in parts] == [(1, held["id"]), (2, held["id"])]


async def test_hold_beyond_the_balance_is_refused(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 5)
    await ledger.hold(connection, user_id, 3, "first")
    await refused("SC003", ledger.hold, connection, user_id, 3, "second")
    assert await ledger.wallet(connection, user_id) == (2, 3)


@pytest.mark.parametrize("amount", [0, -1])
async def test_hold_of_nothing_is_refused(amount: int, connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 5)
    await refused("23514", ledger.hold, connection, user_id, amount)


async def test_hold_longer_than_a_day_is_refused(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 5)
    with pytest.raises(asyncpg.CheckViolationError, match="a_hold_lasts_a_day_at_most"):
        async with connection.transaction():
            await connection.execute(
                "select private.hold_credits($1, 1, 'work', null, null, now() + interval '25 hours')", user_id
            )


async def test_same_key_holds_once_and_answers_the_hold_as_it_is_by_now(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 5)
    first = await ledger.hold(connection, user_id, 2)
    assert await ledger.hold(connection, user_id, 2) == first
    settled = await ledger.settle(connection, first["id"], 1)
    assert await ledger.hold(connection, user_id, 2) == settled
    assert await ledger.wallet(connection, user_id) == (4, 0)


async def test_key_of_another_hold_is_refused(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 5)
    await ledger.hold(connection, user_id, 2)
    await refused("SC001", ledger.hold, connection, user_id, 3)


async def test_settling_twice_charges_once(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 5)
    held = await ledger.hold(connection, user_id, 2)
    first = await ledger.settle(connection, held["id"], 2)
    assert await ledger.settle(connection, held["id"], 2) == first
    assert await ledger.wallet(connection, user_id) == (3, 0)


@pytest.mark.parametrize(("used", "key"), [(1, "done"), (2, "other")])
async def test_settling_otherwise_than_before_is_refused(used: int, key: str, connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 5)
    held = await ledger.hold(connection, user_id, 2)
    await ledger.settle(connection, held["id"], 2)
    await refused("SC001", ledger.settle, connection, held["id"], used, key)
    assert await ledger.wallet(connection, user_id) == (3, 0)


async def test_key_of_a_grant_settles_nothing(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 5, "gift")
    held = await ledger.hold(connection, user_id, 2)
    await refused("SC001", ledger.settle, connection, held["id"], 2, "gift")


@pytest.mark.parametrize("used", [-1, 3, None])
async def test_more_than_was_held_or_less_than_nothing_is_refused(used: int, connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 5)
    held = await ledger.hold(connection, user_id, 2)
    await refused("22023", ledger.settle, connection, held["id"], used)
    assert await ledger.wallet(connection, user_id) == (3, 2)


async def test_settling_a_released_hold_is_refused(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 5)
    held = await ledger.hold(connection, user_id, 2)
    await ledger.release(connection, held["id"])
    await refused("SC004", ledger.settle, connection, held["id"], 2)
    assert await ledger.wallet(connection, user_id) == (5, 0)


async def test_releasing_a_settled_hold_changes_nothing(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 5)
    held = await ledger.hold(connection, user_id, 2)
    settled = await ledger.settle(connection, held["id"], 2)
    assert await ledger.release(connection, held["id"]) == settled


async def test_unknown_hold_is_refused(connection: Connection) -> None:
    await refused("SC008", ledger.settle, connection, uuid4(), 1)
    await refused("SC008", ledger.release, connection, uuid4())


async def test_overdue_hold_is_swept_and_settling_it_late_is_refused(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 5)
    late = await ledger.hold(connection, user_id, 2, "late")
    in_time = await ledger.hold(connection, user_id, 1, "in time")
    await ledger.overdue(connection, late["id"])
    assert await connection.fetchval("select private.sweep_holds()") == 1
    assert await connection.fetchval("select private.sweep_holds()") == 0
    await refused("SC004", ledger.settle, connection, late["id"], 2)
    assert await ledger.wallet(connection, user_id) == (4, 1)
    await ledger.settle(connection, in_time["id"], 1)
    assert await ledger.entries(connection, user_id) == [("grant", 5, 5), ("settle", -1, 4)]


async def test_overdue_hold_that_nobody_swept_can_still_be_settled(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 5)
    held = await ledger.hold(connection, user_id, 2)
    await ledger.overdue(connection, held["id"])
    await ledger.settle(connection, held["id"], 2)
    assert await connection.fetchval("select private.sweep_holds()") == 0
    assert await ledger.wallet(connection, user_id) == (3, 0)


async def test_monthly_cap_counts_what_was_used_and_what_is_held(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 100)
    await connection.execute("update public.credit_settings set monthly_cap = 10 where user_id = $1", user_id)
    held = await ledger.hold(connection, user_id, 6, "first")
    await ledger.settle(connection, held["id"], 4)
    await ledger.hold(connection, user_id, 3, "second")
    await refused("SC005", ledger.hold, connection, user_id, 4, "third")
    await ledger.hold(connection, user_id, 3, "third")
    await connection.execute("update public.credit_settings set monthly_cap = null where user_id = $1", user_id)
    await ledger.hold(connection, user_id, 50, "fourth")


@pytest.mark.parametrize(("month", "counted"), [("- interval '1 month'", 4), ("+ interval '1 month'", 8)])
async def test_usage_starts_again_in_a_new_month_and_never_goes_back(
    month: str, counted: int, connection: Connection
) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 100)
    await ledger.settle(connection, (await ledger.hold(connection, user_id, 8, "first"))["id"], 8, "first used")
    # What another transaction wrote: an older month, or the next one, which began while this transaction waited.
    async with rolled_back(connection):
        await connection.execute(
            f"update public.credit_wallets set used_month = (used_month {month})::date where user_id = $1",
            user_id,
        )
        await ledger.settle(connection, (await ledger.hold(connection, user_id, 4, "second"))["id"], 4, "second used")
        used = "select used_in_month from public.credit_wallets where user_id = $1"
        assert await connection.fetchval(used, user_id) == counted


@pytest.mark.parametrize(
    "drift",
    [
        "update public.credit_wallets set balance = balance + 1 where user_id = $1",
        "update public.credit_wallets set held = held + 1 where user_id = $1",
        "update public.credit_lots set remaining = remaining - 1 where user_id = $1",
        "update public.credit_ledger set balance_after = balance_after + 1 where user_id = $1",
    ],
)
async def test_drift_stops_every_movement(drift: str, connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 100)
    held = await ledger.hold(connection, user_id, 10)
    # What is broken by hand is undone before the invariants are asked.
    async with rolled_back(connection):
        await connection.execute("set local session_replication_role = replica")
        await connection.execute(drift, user_id)
        await connection.execute("set local session_replication_role = origin")
        await refused("SC007", ledger.grant, connection, user_id, 1, "more")
        await refused("SC007", ledger.hold, connection, user_id, 1, "more")
        await refused("SC007", ledger.settle, connection, held["id"], 1)
        await refused("SC007", ledger.release, connection, held["id"])
