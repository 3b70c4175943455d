"""Measure spending (GOAL-P7, GOAL-P8): as the product's functions do it, against pgbench with the same SQL.

And what a wallet with years of entries costs its owner, to a young one (GOAL-P18).
"""

from __future__ import annotations

import asyncio
import itertools
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID, uuid4

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
# With a monthly cap: as many credits, but a month of use, and years.
YOUNG, OLD = WALLETS + 2, WALLETS + 3
YOUNG_ENTRIES, OLD_ENTRIES, YOUNG_LOTS, OLD_LOTS = 1_000, 100_000, 100, 2_000
CALLS, FLAT = 1_000, 1.3

# Wallets without an account, of this measurement alone. They have a past, and Postgres knows of it, as it does of every
# database a minute after its first rows: plans made for empty tables read a whole wallet to find one hold.
SET_UP = """
create schema bench;
grant usage on schema bench to service_role;
create function bench.wallet(_number integer) returns uuid language sql immutable
  as $$ select ('00000000-0000-4000-9000-' || lpad(_number::text, 12, '0'))::uuid $$;
create function bench.spend(_wallet integer, _key text) returns void language plpgsql
  as $$ begin perform private.settle_hold((private.hold_credits(bench.wallet(_wallet), 1, _key)).id, 1, _key); end $$;
insert into public.credit_wallets (user_id) select bench.wallet(n) from generate_series(1, 203) as n;
select private.grant_credits(bench.wallet(n), 100000000, 'bonus', 'promo', 'bench') from generate_series(1, 200) as n;
select private.grant_credits(bench.wallet(201), 500, 'bonus', 'promo', 'bench');
select private.grant_credits(bench.wallet(n), 1000000, 'bonus', 'promo', 'bench') from generate_series(202, 203) as n;
select bench.spend(n, 'before ' || nth) from generate_series(1, 200) as n, generate_series(1, 10) as nth;
analyze public.credit_wallets, public.credit_lots, public.credit_holds, public.hold_lots, public.credit_ledger;
"""
# Lots that are spent, and pairs of a grant and its use in them; the balance stays as it is.
SPENT_LOTS = """
insert into public.credit_lots (user_id, kind, amount, remaining)
  select $1, 'bonus', 1, 0 from generate_series(1, $2::integer)
"""
ENTRIES = """
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
# A wallet without an account has no settings either.
CAPPED = """
insert into public.credit_settings (user_id, monthly_cap) values ($1, 1000000)
  on conflict (user_id) do update set monthly_cap = excluded.monthly_cap
"""
PGBENCH = "\\set wallet random(1, {wallets})\nselect bench.spend(:wallet, gen_random_uuid()::text);\n"


async def spends(database_url: str) -> list[Result]:
    """Measure GOAL-P7 on one wallet, and the thousand at once; GOAL-P8 over many; GOAL-P18 of one with years of use."""
    connection = await asyncpg.connect(database_url)
    try:
        await connection.execute(SET_UP)
        # The product's event loop is not the bench's.
        found = await asyncio.to_thread(uvloop.run, _spends(database_url))
        return [*found, *await _grown(connection)]
    finally:
        await connection.close()


async def age(connection: asyncpg.Connection[Any], user_id: UUID, entries: int, lots: int) -> None:
    """Give a wallet a past of `entries` in `lots` that are spent, and a monthly cap; in a transaction."""
    await connection.execute("set local session_replication_role = replica")
    await connection.execute(CAPPED, user_id)
    await connection.execute(SPENT_LOTS, user_id, lots)
    await connection.execute(ENTRIES, user_id, entries, lots)
    await connection.execute("set local session_replication_role = origin")
    await connection.execute("analyze public.credit_lots; analyze public.credit_ledger")


async def _grown(connection: asyncpg.Connection[Any]) -> list[Result]:
    wallets = {n: await connection.fetchval("select bench.wallet($1)", n) for n in (YOUNG, OLD)}
    async with connection.transaction():
        await age(connection, wallets[YOUNG], YOUNG_ENTRIES, YOUNG_LOTS)
        await age(connection, wallets[OLD], OLD_ENTRIES, OLD_LOTS)
    keys = (f"grown {n}" for n in itertools.count())

    async def spend(number: int) -> float:
        return await _took_ms(lambda: connection.execute("select bench.spend($1, $2)", number, next(keys)))

    async def read(number: int) -> float:
        async with connection.transaction():
            await db.become(connection, {"role": "authenticated", "sub": str(wallets[number])})
            return await _took_ms(lambda: connection.fetch("select * from public.credit_statement()"))

    results = []
    for what, call in (("capped spend", spend), ("page of the statement", read)):
        # One call each, so that what else the machine does in a second meets both.
        pairs = [(await call(OLD), await call(YOUNG)) for _ in range(CALLS)]
        old_ms, young_ms = (statistics.median(taken) for taken in zip(*pairs, strict=True))
        what = f"{what}, {OLD_ENTRIES:,} entries to {YOUNG_ENTRIES:,}"
        details = f"{old_ms:.2f} ms to {young_ms:.2f}; {OLD_LOTS:,} spent lots to {YOUNG_LOTS}"
        results.append(Result("P18", what, old_ms / young_ms, FLAT, details))
    return results


async def _took_ms(call: Callable[[], Awaitable[Any]]) -> float:
    began_s = time.perf_counter()
    await call()
    return (time.perf_counter() - began_s) * 1000


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
