"""Periodic jobs: enqueued when they are due, once for all workers together.

The next moment lies in `jobs.periodic`, on the database's clock. Whichever worker sees it pass enqueues one job and
moves it on in the same transaction; what was missed while no worker ran is caught up once. No moment lies further
ahead than the job's own time: a clock that was wrong for a while would silence it until then.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Protocol

from backend.core import db, endless
from backend.core.resources import Resources

logger = logging.getLogger("backend.jobs")

LOOK_EVERY_S = 30


class Enqueue(Protocol):
    """core.jobs.enqueue, handed in because that module stands above this one."""

    async def __call__(
        self, connection: db.Connection, name: str, payload: Mapping[str, Any], *, dedupe_key: str | None = None
    ) -> None: ...


async def keep_enqueueing(resources: Resources, due: Mapping[str, timedelta], enqueue: Enqueue) -> None:
    """Enqueue the jobs that are due, again and again until cancelled."""

    async def look() -> None:
        async with db.transaction(resources.pool) as connection:
            await enqueue_due(connection, due, enqueue)
        await asyncio.sleep(LOOK_EVERY_S * random.uniform(0.8, 1.2))

    await endless.keep_up(look, logger, "periodic jobs are not enqueued")


async def enqueue_due(connection: db.Connection, due: Mapping[str, timedelta], enqueue: Enqueue) -> list[str]:
    """Enqueues what is due and returns its names; a job that still waits or runs is not doubled."""
    await connection.execute(
        """
        insert into jobs.periodic (name, due_at) select unnest($1::text[]), now() on conflict (name) do nothing
        """,
        list(due),
    )
    # A job that no running version of the code knows: ten looks have passed it by, and it would count as late for ever.
    await connection.execute(
        "delete from jobs.periodic where name <> all ($1::text[]) and due_at < now() - interval '5 minutes'", list(due)
    )
    rows = await connection.fetch(
        """
        with to_move as (
          select known.name, step.every, known.due_at <= now() as has_passed
          from jobs.periodic as known
          join unnest($1::text[], $2::interval[]) as step (name, every) on step.name = known.name
          where known.due_at <= now() or known.due_at > now() + step.every
          order by known.name for update of known skip locked
        )
        update jobs.periodic as moved
        set due_at = now() + to_move.every
        from to_move
        where moved.name = to_move.name
        returning moved.name, to_move.has_passed
        """,
        list(due),
        list(due.values()),
    )
    names = [row["name"] for row in rows if row["has_passed"]]
    for name in names:
        await enqueue(connection, name, {}, dedupe_key=f"periodic:{name}")
    return names
