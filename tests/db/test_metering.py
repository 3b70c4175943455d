"""Only whole answers are charged (FAULT-10, FAULT-11): whatever the provider, the client or kill -9 does meanwhile."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from uuid import UUID

import asyncpg
import pytest

from scripts.paths import ROOT
from tests.db import ledger, metering
from tests.db.metering import DESIGNS, Pool

pytestmark = pytest.mark.anyio

CHATS = 210
ANSWERS_BEFORE_THE_KILL = 60
WRONG = sorted(set(DESIGNS) - {"reserved"})


@pytest.fixture
async def pool(database: str) -> AsyncIterator[Pool]:
    async with asyncpg.create_pool(database, min_size=metering.WIDTH, max_size=metering.WIDTH) as opened:
        yield opened


async def charged(pool: Pool, user_id: UUID) -> set[str]:
    rows = await pool.fetch(
        "select idempotency_key from public.credit_ledger where user_id = $1 and kind = 'settle'", user_id
    )
    return {row["idempotency_key"] for row in rows}


async def sweep(pool: Pool) -> None:
    """As when every hold's time is over."""
    for hold in await pool.fetch("select id from public.credit_holds where state = 'open'"):
        await ledger.overdue(pool, hold["id"])
    await pool.execute("select private.sweep_holds()")


async def faults(pool: Pool, design: str, credits_: int = CHATS) -> tuple[set[str], set[str], tuple[int, int]]:
    """Who got a whole answer, who paid, and the wallet after the sweep."""
    user_id = await ledger.empty(pool)
    await ledger.grant(pool, user_id, credits_)
    whole: set[str] = set()
    await metering.chats(pool, user_id, iter(range(CHATS)), DESIGNS[design], whole.add)
    await sweep(pool)
    return whole, await charged(pool, user_id), await ledger.wallet(pool, user_id)


async def killed(database: str, pool: Pool, design: str) -> tuple[set[str], set[str], tuple[int, int]]:
    """The same with kill -9 of the whole program in the middle."""
    user_id = await ledger.empty(pool)
    await ledger.grant(pool, user_id, 1_000_000)
    program = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.db.metering", database, str(user_id), design),
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=asyncio.subprocess.PIPE,
    )
    assert program.stdout is not None
    lines = [await program.stdout.readline() for _ in range(ANSWERS_BEFORE_THE_KILL)]
    program.send_signal(signal.SIGKILL)
    lines += (await program.stdout.read()).splitlines()
    await program.wait()
    await _connections_gone(pool)
    await sweep(pool)
    whole = {line.decode().strip() for line in lines}
    return whole, await charged(pool, user_id), await ledger.wallet(pool, user_id)


async def _connections_gone(pool: Pool) -> None:
    """What Postgres still does for the dead program comes to its end."""
    others = """
        select count(*) from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and state <> 'idle'
          and pid <> pg_backend_pid()
    """
    while await pool.fetchval(others):
        pass


async def test_whole_answers_are_charged_and_no_others(pool: Pool) -> None:
    whole, paid, wallet = await faults(pool, "reserved")
    assert paid == whole
    assert len(whole) == CHATS * metering.FAULTS.count("none") // len(metering.FAULTS)
    assert wallet == (CHATS - len(paid), 0)
    assert await ledger.broken(pool) == {}


async def test_answers_end_when_the_credits_do(pool: Pool) -> None:
    whole, paid, wallet = await faults(pool, "reserved", credits_=30)
    assert paid == whole
    assert wallet == (30 - len(paid), 0)


@pytest.mark.long
async def test_kill_in_the_middle_charges_nobody_for_nothing(database: str, pool: Pool) -> None:
    whole, paid, (_, held) = await killed(database, pool, "reserved")
    assert paid <= whole
    # Delivered, and killed before it was settled.
    assert len(whole - paid) <= metering.WIDTH
    assert held == 0
    assert await ledger.broken(pool) == {}


@pytest.mark.long
@pytest.mark.parametrize("design", WRONG)
async def test_wrong_design_is_caught(design: str, pool: Pool) -> None:
    whole, paid, _ = await faults(pool, design, credits_=30 if design == "charged_afterwards" else CHATS)
    assert paid != whole


@pytest.mark.long
async def test_charging_first_is_caught_by_the_kill(database: str, pool: Pool) -> None:
    whole, paid, _ = await killed(database, pool, "charged_first")
    assert not paid <= whole
