"""Jobs given up on: kept until a person tries them again or drops them (`python -m backend jobs`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from backend.core import db


@dataclass(frozen=True)
class DeadLetter:
    """One job, why it was given up and when."""

    job_id: int
    name: str
    payload: Mapping[str, Any]
    attempts: int
    error: str
    user_id: str | None
    priority: int
    died_at: datetime


async def bury(
    connection: db.Connection,
    *,
    job_id: int,
    name: str,
    payload: Mapping[str, Any],
    attempts: int,
    error: str,
    user_id: object,
    priority: int,
) -> None:
    """Keep a job as a dead letter; calling it again changes nothing.

    Its attempts stay counted (core.housekeeping), so that a worker that dies before the job has left the queue does not
    start them again.
    """
    await connection.execute(
        """
        insert into jobs.dead_letters (job_id, name, payload, attempts, error, user_id, priority)
        values ($1, $2, $3, $4, $5, $6, $7)
        on conflict (job_id) do nothing
        """,
        job_id,
        name,
        payload,
        attempts,
        error,
        user_id,
        priority,
    )


async def newest(connection: db.Connection, limit: int = 100) -> list[DeadLetter]:
    """List the dead letters, the latest first."""
    rows = await connection.fetch(
        """
        select job_id, name, payload, attempts, error, user_id, priority, died_at
        from jobs.dead_letters order by died_at desc, job_id desc limit $1
        """,
        limit,
    )
    return [DeadLetter(**row) for row in rows]


async def take(connection: db.Connection, job_id: int) -> DeadLetter | None:
    """Remove and return a dead letter, to run it again or to drop it; None for an unknown id."""
    row = await connection.fetchrow(
        """
        delete from jobs.dead_letters where job_id = $1
        returning job_id, name, payload, attempts, error, user_id, priority, died_at
        """,
        job_id,
    )
    return None if row is None else DeadLetter(**row)
