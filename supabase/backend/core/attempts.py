"""How often each job was started: counted before it runs and on its own, so that a killed worker counts as well."""

from __future__ import annotations

from datetime import timedelta

from backend.core import db


async def count(pool: db.Pool, job_id: int) -> int:
    """Count one more attempt of a job and return its number."""
    async with db.connection(pool) as connection:
        started: int = await connection.fetchval(
            """
            insert into jobs.attempts as known (job_id, started) values ($1, 1)
            on conflict (job_id) do update set started = known.started + 1, started_at = now()
            returning started
            """,
            job_id,
        )
        return started


async def take_back(pool: db.Pool, job_id: int) -> timedelta:
    """Uncounts one; returns how long the job has been in the queue."""
    async with db.transaction(pool) as connection:
        await connection.execute("delete from jobs.attempts where job_id = $1 and started = 1", job_id)
        await connection.execute("update jobs.attempts set started = started - 1 where job_id = $1", job_id)
        waited: timedelta | None = await connection.fetchval(
            "select now() - created from jobs.pgqueuer where id = $1", job_id
        )
        return waited or timedelta()


async def forget(pool: db.Pool, job_id: int) -> None:
    """For a job that is done."""
    async with db.connection(pool) as connection:
        await connection.execute("delete from jobs.attempts where job_id = $1", job_id)
