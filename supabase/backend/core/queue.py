"""pgqueuer (https://pgqueuer.readthedocs.io) as we use it: its tables in the schema `jobs`, our own way of choosing.

pgqueuer gives the table, the lease with its heartbeat, the wake-up and the loop. Which job is next is decided by
`jobs.claim` (queue.sql), because pgqueuer's own order is first come, first served: one user's two hundred pages would
stand before everybody else's one.
"""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import asyncpg
from pgqueuer.adapters.drivers.asyncpg import AsyncpgDriver
from pgqueuer.adapters.persistence import qb
from pgqueuer.adapters.persistence.composer import ComposedQuery
from pgqueuer.adapters.persistence.queries import Queries
from pgqueuer.domain.settings import DBSettings
from pgqueuer.domain.types import Channel, QueueEntrypoint, QueueManagerId
from pgqueuer.ports.driver import NotifyCallback

NAMES = DBSettings(db_schema="jobs", channel=Channel("jobs_changed"))
SQL = Path(__file__).with_name("queue.sql")
# How long after a notification the commits that left it to that one may become visible: usual ones, and on a slow disk.
LATE_COMMITS_S = (0.1, 0.5)


class FairBuilder(qb.QueryQueueBuilder):
    """pgqueuer's statements, but for the claim."""

    def build_dequeue_query(
        self,
        *,
        batch_size: int,
        entrypoints: list[QueueEntrypoint],
        concurrency_limits: list[int],  # noqa: ARG002 - pgqueuer's; ours are lanes
        queue_manager_id: QueueManagerId,
        global_concurrency_limit: int | None,
        heartbeat_timeout: timedelta,
    ) -> ComposedQuery:
        """Up to `batch_size` jobs, the users in turn."""
        limit = batch_size if global_concurrency_limit is None else global_concurrency_limit
        arguments = (batch_size, entrypoints, queue_manager_id, limit, heartbeat_timeout)
        return ComposedQuery("select * from jobs.claim($1, $2, $3, $4, $5)", arguments)


BUILDER = FairBuilder(settings=NAMES)


class Driver(AsyncpgDriver):
    """pgqueuer's driver, which repeats each notification for the transactions that kept silent beside its own.

    See `jobs.notify_worker` (queue.sql).
    """

    async def add_listener(self, channel: str, callback: NotifyCallback) -> None:
        """Call `callback` for each notification of a channel, and again when others may have committed."""
        loop = asyncio.get_running_loop()
        repeats: list[asyncio.TimerHandle] = []

        def heard(payload: str | bytes | bytearray) -> None:
            # A later notification is later than all that these were for, or comes with repeats of its own.
            while repeats:
                repeats.pop().cancel()
            callback(payload)
            repeats.extend(loop.call_later(late_s, callback, payload) for late_s in LATE_COMMITS_S)

        await super().add_listener(channel, heard)


def queries(connection: asyncpg.Connection[asyncpg.Record]) -> Queries:
    """pgqueuer's repository on one connection."""
    return Queries(
        Driver(connection),
        qbe=qb.QueryBuilderEnvironment(settings=NAMES),
        qbq=BUILDER,
        qbs=qb.QuerySchedulerBuilder(settings=NAMES),
    )


async def install(connection: asyncpg.Connection[asyncpg.Record]) -> None:
    """Create or upgrade pgqueuer's tables, then our objects that depend on them."""
    repository = queries(connection)
    if await repository.schema_is_installed():
        await repository.upgrade()
    else:
        await repository.install()
    await connection.execute(SQL.read_text(encoding="utf-8"))
