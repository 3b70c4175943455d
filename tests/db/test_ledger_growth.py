"""What a wallet with years of entries costs: the same as a young one, counted in buffers."""

from __future__ import annotations

import json
from uuid import UUID

import pytest

from scripts.bench import wallet
from tests.db import ledger
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

ENTRIES, SPENT_LOTS, FLAT = 10_000, 2_000, 1.3


async def test_a_long_ledger_costs_no_more(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 1_000)
    await connection.execute("update public.credit_settings set monthly_cap = 1000000 where user_id = $1", user_id)
    for number in range(60):
        await _spend(connection, user_id, f"first {number}")
    small = await _buffers(connection, user_id, "small")
    await wallet.age(connection, user_id, ENTRIES, SPENT_LOTS)
    large = await _buffers(connection, user_id, "large")
    ratios = {name: large[name] / small[name] for name in small}
    assert {name: ratio for name, ratio in ratios.items() if ratio > FLAT} == {}, (small, large)


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
