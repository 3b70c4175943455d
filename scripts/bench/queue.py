"""The queue of jobs: what choosing the next costs the worker on a new day, and what enqueuing costs whoever writes."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Sequence
from uuid import uuid4

import asyncpg

from backend.core import db, jobs
from scripts.bench.goals import Result
from scripts.bench.stage import at_rest, connected

FEW, MANY, MOST_MS = 1_000, 100_000, 50
ROUNDS = 5
# A name that no worker asks for.
NAME = "bench"
FILL = """
insert into jobs.pgqueuer (priority, entrypoint, payload, headers, status)
select -1, $1, '{}', jsonb_build_object('user_id', gen_random_uuid()), 'queued' from generate_series(1, $2::integer)
"""
EMPTY = "delete from jobs.pgqueuer where entrypoint = $1"
CLAIM = "select count(*) from jobs.claim($1, array[$2], gen_random_uuid(), $1, $3)"

WRITERS, WRITING_S = 24, 3
ENQUEUE = "select jobs.enqueue($1, '{}', $2)"
SILENCE = "alter table jobs.pgqueuer {} trigger notify_worker"


async def claims(database_url: str) -> Result:
    """Claim a batch of jobs while few and while many people wait, in turn."""
    few, many = [], []
    async with connected(database_url) as connection:
        await at_rest(connection)
        try:
            for _ in range(ROUNDS):
                few.append(await _taken_ms(connection, FEW))
                many.append(await _taken_ms(connection, MANY))
        finally:
            await connection.execute(EMPTY, NAME)
            await connection.execute("vacuum (analyze) jobs.pgqueuer")
    slow, fast = statistics.median(many), statistics.median(few)
    details = f"{slow:.0f} ms for {jobs.BATCH_SIZE} jobs; {fast:.0f} ms while {FEW:,} wait"
    return Result("jobs", f"claim while {MANY:,} people wait, to {MOST_MS} ms", slow / MOST_MS, 1, details)


async def _taken_ms(connection: db.Connection, people: int) -> float:
    """Have so many people wait; return the milliseconds of the second claim, whose plan is known."""
    await connection.execute(EMPTY, NAME)
    await connection.execute(FILL, NAME, people)
    await connection.execute("vacuum (analyze) jobs.pgqueuer")
    taken_s = 0.0
    for _ in range(2):
        began_s = time.perf_counter()
        assert await connection.fetchval(CLAIM, jobs.BATCH_SIZE, NAME, jobs.LEASE) == jobs.BATCH_SIZE
        taken_s = time.perf_counter() - began_s
    return taken_s * 1000


async def writers(database_url: str) -> Result:
    """Have writers enqueue jobs with and without the notification of the worker, in turn (FAULT-41)."""
    notifying, silent = [], []
    async with (
        connected(database_url) as connection,
        asyncpg.create_pool(database_url, min_size=WRITERS, max_size=WRITERS) as pool,
    ):
        await at_rest(connection)
        try:
            for _ in range(ROUNDS):
                notifying.append(await _commits_per_s(connection, pool))
                await connection.execute(SILENCE.format("disable"))
                silent.append(await _commits_per_s(connection, pool))
                await connection.execute(SILENCE.format("enable"))
        finally:
            await connection.execute(SILENCE.format("enable"))
            await connection.execute("vacuum (analyze) jobs.pgqueuer")
    with_it, without = statistics.median(notifying), statistics.median(silent)
    details = f"{with_it:.0f} to {without:.0f} a second; rounds {_span(notifying)} to {_span(silent)}"
    return Result(
        "F41", f"{WRITERS} writers that enqueue, to silent ones", with_it / without, 0.85, details, at_least=True
    )


def _span(rates: Sequence[float]) -> str:
    return f"{min(rates):.0f}–{max(rates):.0f}"


async def _commits_per_s(connection: db.Connection, pool: asyncpg.Pool[asyncpg.Record]) -> float:
    """Have each connection enqueue again and again for a while."""
    user_id, ends_at_s = uuid4(), time.perf_counter() + WRITING_S

    async def write() -> int:
        done = 0
        async with pool.acquire() as writer:
            statement = await writer.prepare(ENQUEUE)
            while time.perf_counter() < ends_at_s:
                await statement.fetch(NAME, user_id)
                done += 1
        return done

    done = sum(await asyncio.gather(*(write() for _ in range(WRITERS))))
    await connection.execute(EMPTY, NAME)
    return done / WRITING_S
