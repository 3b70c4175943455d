"""Ways to spend one credit of a wallet: the right one, and the designs that lose money when many do it at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias
from uuid import UUID

import asyncpg

from tests.db import ledger

Pool: TypeAlias = "asyncpg.Pool[asyncpg.Record]"
# Whether the spend was accepted; `key` names it.
Spend: TypeAlias = Callable[[Pool, UUID, str], Awaitable[bool]]

NOT_ENOUGH = "SC003"
READ = "select balance from public.credit_wallets where user_id = $1"
LOT = "select id from public.credit_lots where user_id = $1"
WRITE = """
with wallet as (update public.credit_wallets set balance = $2 where user_id = $1),
  lot as (update public.credit_lots set remaining = $2 where user_id = $1)
insert into public.credit_ledger (user_id, kind, amount, account, lot_id, idempotency_key, balance_after, reason)
values ($1, 'adjust', -1, 'adjustment', $3, $4, $2, 'Spesa')
"""
KNOWN = "select exists (select from public.credit_ledger where user_id = $1 and idempotency_key = $2)"


async def held_and_settled(pool: Pool, user_id: UUID, key: str) -> bool:
    """The product's: a hold, then its settlement, each a transaction of its own."""
    try:
        hold = await pool.fetchrow("select id from private.hold_credits($1, 1, $2)", user_id, key)
    except asyncpg.PostgresError as error:
        if error.sqlstate != NOT_ENOUGH:
            raise
        return False
    assert hold is not None
    await pool.execute("select private.settle_hold($1, 1, $2)", hold["id"], key)
    return True


async def read_check_write(pool: Pool, user_id: UUID, key: str) -> bool:
    """Naive: what was read may be old by the time it is written."""
    balance = await pool.fetchval(READ, user_id)
    if balance < 1:
        return False
    await pool.execute(WRITE, user_id, balance - 1, await pool.fetchval(LOT, user_id), key)
    return True


async def select_then_insert(pool: Pool, user_id: UUID, key: str) -> bool:
    """Looks whether the key is known and then writes: two who look at once both write."""
    async with pool.acquire() as connection, connection.transaction():
        if await connection.fetchval(KNOWN, user_id, key):
            return True
        # Even with the wallet locked: the look came before.
        balance = await connection.fetchval(READ + " for update", user_id)
        if balance < 1:
            return False
        lot_id = await connection.fetchval(LOT, user_id)
        await connection.execute(WRITE, user_id, balance - 1, lot_id, key)
    return True


@dataclass(frozen=True)
class Outcome:
    """What came of many spends at once."""

    accepted: int
    # Neither accepted nor refused for want of credits.
    failed: int
    charged: int
    balance: int
    broken: list[str]


async def at_once(pools: list[Pool], user_id: UUID, spend: Spend, keys: list[str]) -> Outcome:
    """Everybody spends at the same time, over several pools as over several servers."""
    had = await pools[0].fetchval(READ, user_id)
    spends = (spend(pools[n % len(pools)], user_id, key) for n, key in enumerate(keys))
    answers = await asyncio.gather(*spends, return_exceptions=True)
    owned = await pools[0].fetchval("select sum(amount) from public.credit_ledger where user_id = $1", user_id)
    balance = await pools[0].fetchval(READ, user_id)
    failed = sum(isinstance(answer, BaseException) for answer in answers)
    return Outcome(answers.count(True), failed, int(had - owned), balance, sorted(await ledger.broken(pools[0])))
