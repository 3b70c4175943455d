"""Many spends of one wallet at once (quality.md F8, F9), and the designs that this must catch."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

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


async def thousand(replicas: list[Pool], spend: Spend) -> Outcome:
    user_id = await ledger.empty(replicas[0])
    await ledger.grant(replicas[0], user_id, COVERED)
    return await spending.at_once(replicas, user_id, spend, [f"work-{number}" for number in range(2 * COVERED)])


async def fifty_with_one_key(replicas: list[Pool], spend: Spend) -> Outcome:
    user_id = await ledger.empty(replicas[0])
    await ledger.grant(replicas[0], user_id, COVERED)
    return await spending.at_once(replicas, user_id, spend, ["work"] * 50)


async def test_thousand_spends_at_once_of_a_wallet_for_half_of_them_accept_exactly_half(replicas: list[Pool]) -> None:
    outcome = await thousand(replicas, spending.held_and_settled)
    assert outcome == Outcome(accepted=COVERED, failed=0, charged=COVERED, balance=0, broken=[])


async def test_same_key_fifty_times_at_once_is_one_charge_and_one_answer(replicas: list[Pool]) -> None:
    outcome = await fifty_with_one_key(replicas, spending.held_and_settled)
    assert outcome == Outcome(accepted=50, failed=0, charged=1, balance=COVERED - 1, broken=[])
    holds = await replicas[0].fetch("select state::text, captured from public.credit_holds")
    assert [tuple(hold) for hold in holds] == [("settled", 1)]


async def test_reading_checking_and_writing_accepts_too_many(replicas: list[Pool]) -> None:
    outcome = await thousand(replicas, spending.read_check_write)
    assert outcome.accepted > COVERED
    assert outcome.broken


async def test_selecting_and_then_inserting_charges_one_key_twice(replicas: list[Pool]) -> None:
    await replicas[0].execute(WITHOUT_UNIQUE_KEY)
    outcome = await fifty_with_one_key(replicas, spending.select_then_insert)
    assert outcome.charged > 1


async def test_ledger_that_does_not_lock_the_wallet_is_noticed(replicas: list[Pool]) -> None:
    """The lock is the heart of every verb: without it the checks of the verb itself, or the sums, must say so."""
    source = await replicas[0].fetchval("select pg_get_functiondef('private.lock_wallet(uuid)'::regprocedure)")
    assert " for update" in source
    await replicas[0].execute(source.replace(" for update", ""))
    outcome = await thousand(replicas, spending.held_and_settled)
    assert outcome.failed or outcome.broken
