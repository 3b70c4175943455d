"""What a wallet with years of entries costs: the same as a young one, counted in buffers."""

from __future__ import annotations

import json
from uuid import UUID

import pytest

from tests.db import ledger
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

ENTRIES, SPENT_LOTS, FLAT = 10_000, 2_000, 1.3

# Pairs of a grant and its use, in lots that are spent; the balance stays as it is.
SPENT = """
insert into public.credit_lots (user_id, kind, amount, remaining)
  select $1, 'bonus', 1, 0 from generate_series(1, $2::integer)
"""
PAIRS = """
insert into public.credit_ledger
  (user_id, kind, amount, account, lot_id, idempotency_key, hold_id, balance_after)
  select $1, entry.kind::public.credit_entry_kind, amount, account::public.credit_account, lots.id,
    entry.kind || n, case entry.kind when 'settle' then $1 end, balance + greatest(amount, 0)
  from generate_series(1, $2 / 2) as n
  cross join (values (1, 'grant', 1, 'promo'), (2, 'settle', -1, 'usage')) as entry (part, kind, amount, account)
  join (select id, row_number() over () as place from public.credit_lots where user_id = $1 and remaining = 0) as lots
    on place = 1 + n % $3
  cross join (select balance from public.credit_wallets where user_id = $1) as wallet
  order by n, part
"""


async def test_a_long_ledger_costs_no_more(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 1_000)
    await connection.execute("update public.credit_settings set monthly_cap = 1000000 where user_id = $1", user_id)
    for number in range(60):
        await _spend(connection, user_id, f"first {number}")
    small = await _buffers(connection, user_id, "small")
    await _age(connection, user_id)
    large = await _buffers(connection, user_id, "large")
    ratios = {name: large[name] / small[name] for name in small}
    assert {name: ratio for name, ratio in ratios.items() if ratio > FLAT} == {}, (small, large)


async def _age(connection: Connection, user_id: UUID) -> None:
    await connection.execute("set local session_replication_role = replica")
    await connection.execute(SPENT, user_id, SPENT_LOTS)
    await connection.execute(PAIRS, user_id, ENTRIES, SPENT_LOTS)
    await connection.execute("set local session_replication_role = origin")
    await connection.execute("analyze public.credit_lots; analyze public.credit_ledger")


async def _spend(connection: Connection, user_id: UUID, key: str) -> None:
    await ledger.settle(connection, (await ledger.hold(connection, user_id, 2, key))["id"], 1, f"settle {key}")


async def _buffers(connection: Connection, user_id: UUID, key: str) -> dict[str, int]:
    """Count buffers of a spend and of a page of the statement, each after one run that made its plans."""
    spend = f"select private.settle_hold((private.hold_credits('{user_id}', 2, '{{0}}')).id, 1, '{{0}} settled')"
    await _spend(connection, user_id, f"{key} warm")
    explain = "explain (analyze, buffers, format json) "
    spent = await connection.fetchval(explain + spend.format(key))
    [page] = await ledger.as_owner(connection, user_id, explain + "select * from public.credit_statement()")
    return {name: _touched(plan) for name, plan in {"spend": spent, "statement": page[0]}.items()}


def _touched(explained: str) -> int:
    plan = json.loads(explained)[0]["Plan"]
    return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])
