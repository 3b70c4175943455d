"""Measure spending (GOAL-P7, GOAL-P8): as the product's functions do it, against pgbench with the same SQL."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from uuid import uuid4

import asyncpg
import uvloop

from backend.core import config, db
from backend.core.errors import ServiceUnavailable
from functions._shared.assistant import gate
from scripts import postgres
from scripts.bench.goals import Result, alternately
from scripts.bench.stage import spread

SPENDS = 1000
WIDTH = 20
WALLETS = 200
# The wallet of the thousand at once; it covers half of them.
SHORT, COVERED = WALLETS + 1, 500
NOT_ENOUGH = "SC003"

# Wallets without an account, of this measurement alone. They have a past, and Postgres knows of it, as it does of every
# database a minute after its first rows: plans made for empty tables read a whole wallet to find one hold.
SET_UP = """
create schema bench;
grant usage on schema bench to service_role;
create function bench.wallet(_number integer) returns uuid language sql immutable
  as $$ select ('00000000-0000-4000-9000-' || lpad(_number::text, 12, '0'))::uuid $$;
create function bench.spend(_wallet integer, _key text) returns void language plpgsql
  as $$ begin perform private.settle_hold((private.hold_credits(bench.wallet(_wallet), 1, _key)).id, 1, _key); end $$;
insert into public.credit_wallets (user_id) select bench.wallet(n) from generate_series(1, 201) as n;
select private.grant_credits(bench.wallet(n), 100000000, 'bonus', 'promo', 'bench') from generate_series(1, 200) as n;
select private.grant_credits(bench.wallet(201), 500, 'bonus', 'promo', 'bench');
select bench.spend(n, 'before ' || nth) from generate_series(1, 200) as n, generate_series(1, 10) as nth;
analyze public.credit_wallets, public.credit_lots, public.credit_holds, public.hold_lots, public.credit_ledger;
"""
PGBENCH = "\\set wallet random(1, {wallets})\nselect bench.spend(:wallet, gen_random_uuid()::text);\n"


async def spends(database_url: str) -> list[Result]:
    """Measure GOAL-P7 on one wallet, and the thousand at once; GOAL-P8 over many."""
    connection = await asyncpg.connect(database_url)
    await connection.execute(SET_UP)
    await connection.close()
    # The product's event loop is not the bench's.
    return await asyncio.to_thread(uvloop.run, _spends(database_url))


async def _spends(database_url: str) -> list[Result]:
    async with db.create_pool(config.load()) as pool:
        return [
            await _against_pgbench(pool, database_url, "P7", "spends a second on one wallet, to pgbench", 1, 0.7),
            await _at_once(pool),
            await _against_pgbench(pool, database_url, "P8", "spends a second over many, to pgbench", WALLETS, 0.35),
        ]


async def _spend(pool: db.Pool, wallet: int, key: str) -> bool:
    """One spend through the gate of the chat's, sent again while the server is busy; whether it was accepted."""
    try:
        async with gate.passed(str(wallet)):
            await db.call_as_service(pool, "bench.spend", wallet, key)
    except ServiceUnavailable:
        return await _spend(pool, wallet, key)
    except asyncpg.PostgresError as error:
        if error.sqlstate != NOT_ENOUGH:
            raise
        return False
    return True


async def _against_pgbench(
    pool: db.Pool, database_url: str, goal: str, what: str, wallets: int, at_least: float
) -> Result:
    async def ours() -> float:
        async def one(number: int) -> None:
            await _spend(pool, 1 + number % wallets, str(uuid4()))

        began_s = time.perf_counter()
        await spread(SPENDS, WIDTH, one)
        return SPENDS / (time.perf_counter() - began_s)

    with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
        script.write(PGBENCH.format(wallets=wallets))
        script.flush()
        here, there = await alternately(ours, lambda: _pgbench(database_url, script.name))
    return Result(goal, what, here / there, at_least, f"{here:.0f}/s to {there:.0f}/s", at_least=True)


async def _pgbench(database_url: str, script: str) -> float:
    """Spends a second with as many clients."""
    command = [postgres.client_tools() / "pgbench", "-n", "-M", "prepared", "-c", WIDTH, "-t", SPENDS // WIDTH]
    process = await asyncio.create_subprocess_exec(
        *map(str, command), "-f", script, database_url, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    if process.returncode:
        raise RuntimeError(f"pgbench ended with {process.returncode}")
    return float(next(line for line in output.decode().splitlines() if line.startswith("tps = ")).split()[2])


async def _at_once(pool: db.Pool) -> Result:
    """Spend a thousand times from a wallet that covers half (FAULT-08). Raise unless exactly half is accepted."""

    async def one() -> tuple[bool, float]:
        began_s = time.perf_counter()
        accepted = await _spend(pool, SHORT, str(uuid4()))
        return accepted, time.perf_counter() - began_s

    answers = await asyncio.gather(*(one() for _ in range(SPENDS)))
    accepted = sum(was_accepted for was_accepted, _ in answers)
    if accepted != COVERED:
        raise RuntimeError(f"{accepted} of {COVERED} spends were accepted")
    p99_s = statistics.quantiles([taken_s for _, taken_s in answers], n=100)[98]
    return Result("P7", "p99 of a thousand at once, to 1 s", p99_s, 1, f"{p99_s * 1000:.0f} ms")
