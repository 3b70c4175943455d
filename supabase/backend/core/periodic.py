"""Periodic jobs: enqueued when they are due, once for all workers together.

The next moment lies in `jobs.periodic`, on the database's clock. Whichever worker sees it pass enqueues one job and
moves it on in the same transaction; what was missed while no worker ran is caught up once.
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
    """Looks again and again until it is cancelled."""

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
    # A job that no version of the code knows any more.
    await connection.execute(
        "delete from jobs.periodic where name <> all ($1::text[]) and due_at < now() - interval '7 days'", list(due)
    )
    rows = await connection.fetch(
        """
        with passed as (
          select name from jobs.periodic where name = any ($1::text[]) and due_at <= now()
          order by name for update skip locked
        )
        update jobs.periodic as moved
        set due_at = now() + step.every
        from passed join unnest($1::text[], $2::interval[]) as step (name, every) on step.name = passed.name
        where moved.name = passed.name
        returning moved.name
        """,
        list(due),
        list(due.values()),
    )
    for row in rows:
        await enqueue(connection, row["name"], {}, dedupe_key=f"periodic:{row['name']}")
    return [row["name"] for row in rows]
