"""The queue of jobs on a new day, when everybody waits for a home: what it costs the worker to choose the next."""

from __future__ import annotations

import statistics
import time

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
