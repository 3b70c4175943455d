"""Many spends of one wallet at once (FAULT-08, FAULT-09), and the designs that this must catch."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from uuid import uuid4

import asyncpg
import pytest

from tests.db import ledger, spending
from tests.db.spending import Outcome, Pool, Spend

pytestmark = pytest.mark.anyio

REPLICAS = 3
COVERED = 500
# For the wrong designs: what would refuse their second row.
WITHOUT_UNIQUE_KEY = "alter table public.credit_ledger drop constraint credit_ledger_user_id_idempotency_key_part_key"


@pytest.fixture
async def replicas(database: str) -> AsyncIterator[list[Pool]]:
    """The connections of three servers."""
    async with AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(asyncpg.create_pool(database, min_size=10, max_size=10))
            for _ in range(REPLICAS)
        ]


async def twice_as_many(replicas: list[Pool], spend: Spend, covered: int = COVERED) -> Outcome:
    """Spend one credit each, twice as many at once as the wallet has."""
    user_id = await ledger.empty(replicas[0])
    await ledger.grant(replicas[0], user_id, covered)
    return await spending.at_once(replicas, user_id, spend, [f"work-{number}" for number in range(2 * covered)])


async def fifty_with_one_key(replicas: list[Pool], spend: Spend) -> Outcome:
    user_id = await ledger.empty(replicas[0])
    await ledger.grant(replicas[0], user_id, COVERED)
    return await spending.at_once(replicas, user_id, spend, ["work"] * 50)


@pytest.mark.long
async def test_thousand_spends_at_once_of_a_wallet_for_half_of_them_accept_exactly_half(replicas: list[Pool]) -> None:
    outcome = await twice_as_many(replicas, spending.held_and_settled)
    assert outcome == Outcome(accepted=COVERED, failed=0, charged=COVERED, balance=0, broken=[])


async def test_same_key_fifty_times_at_once_is_one_charge_and_one_answer(replicas: list[Pool]) -> None:
    outcome = await fifty_with_one_key(replicas, spending.held_and_settled)
    assert outcome == Outcome(accepted=50, failed=0, charged=1, balance=COVERED - 1, broken=[])
    holds = await replicas[0].fetch("select state::text, captured from public.credit_holds")
    assert [tuple(hold) for hold in holds] == [("settled", 1)]


async def test_work_that_ends_while_it_is_swept_is_charged_or_given_back_and_never_both(replicas: list[Pool]) -> None:
    user_id = await ledger.empty(replicas[0])
    await ledger.grant(replicas[0], user_id, COVERED)
    holds = [await ledger.hold(replicas[0], user_id, 2, f"work-{number}") for number in range(100)]
    for hold in holds:
        await ledger.overdue(replicas[0], hold["id"])

    async def settle(number: int) -> bool:
        try:
            await ledger.settle(replicas[number % REPLICAS], holds[number]["id"], 1, f"done-{number}")
        except asyncpg.PostgresError as error:
            if error.sqlstate != "SC004":
                raise
            return False
        return True

    sweeps = (replicas[number % REPLICAS].fetchval("select private.sweep_holds(5)") for number in range(20))
    answers = await asyncio.gather(*map(settle, range(100)), *sweeps)
    charged, swept = sum(answers[:100]), sum(answers[100:])
    assert charged + swept == 100
    assert await ledger.wallet(replicas[0], user_id) == (COVERED - charged, 0)
    assert await ledger.broken(replicas[0]) == {}


async def test_same_refund_twenty_times_at_once_takes_its_credits_once(replicas: list[Pool]) -> None:
    user_id = await ledger.empty(replicas[0])
    order_id = uuid4()
    await ledger.grant(replicas[0], user_id, 100, kind="acquisto", order_id=order_id, paid_cents=1000)
    refund = "select private.refund_order($1, 300, 'refund')"
    answers = await asyncio.gather(*(replicas[number % REPLICAS].fetchval(refund, order_id) for number in range(20)))
    assert set(answers) == {30}
    assert await ledger.wallet(replicas[0], user_id) == (70, 0)


@pytest.mark.long
async def test_reading_checking_and_writing_accepts_too_many(replicas: list[Pool]) -> None:
    outcome = await twice_as_many(replicas, spending.read_check_write)
    assert outcome.accepted > COVERED
    assert outcome.broken


@pytest.mark.long
async def test_selecting_and_then_inserting_charges_one_key_twice(replicas: list[Pool]) -> None:
    await replicas[0].execute(WITHOUT_UNIQUE_KEY)
    outcome = await fifty_with_one_key(replicas, spending.select_then_insert)
    assert outcome.charged > 1


@pytest.mark.long
async def test_ledger_that_does_not_lock_the_wallet_is_noticed(replicas: list[Pool]) -> None:
    """The lock is the heart of every verb: without it the checks of the verb itself, or the sums, must say so."""
    source = await replicas[0].fetchval("select pg_get_functiondef('private.lock_wallet(uuid)'::regprocedure)")
    assert " for update" in source
    await replicas[0].execute(source.replace(" for update", ""))
    # Those that lock each other out wait a second each to be told.
    outcome = await twice_as_many(replicas, spending.held_and_settled, covered=50)
    assert outcome.failed or outcome.broken
