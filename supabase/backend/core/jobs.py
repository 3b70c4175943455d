"""The queue: work that happens after the answer, enqueued in the caller's transaction and run by the worker.

pgqueuer (https://pgqueuer.readthedocs.io) gives the table, the claim with SKIP LOCKED, the lease with its heartbeat
and the wake-up; its tables live in the schema `jobs`, which PostgREST does not expose. Around it stand our own rules:

* an attempt is counted before the handler runs, so that a job which kills its worker is not retried for ever;
* a failure waits exponentially longer, with jitter; after MAX_ATTEMPTS, or at once when the handler raises
  PermanentError, the job moves to `jobs.dead_letters` and stays there;
* a job of a dead worker is taken over when its lease has run out, so a handler may run twice: it must bear that;
* a worker asked to stop hands back what it could not finish.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any

import asyncpg
from pgqueuer.adapters.drivers.asyncpg import AsyncpgDriver
from pgqueuer.adapters.persistence import qb
from pgqueuer.adapters.persistence.queries import Queries
from pgqueuer.core.qm import QueueManager
from pgqueuer.domain.errors import RetryRequested
from pgqueuer.domain.models import Job
from pgqueuer.domain.settings import DBSettings
from pgqueuer.domain.types import Channel

from backend.core import db, log
from backend.core.errors import ServiceUnavailable
from backend.core.resources import Resources

logger = logging.getLogger("backend.jobs")

NAMES = DBSettings(db_schema="jobs", channel=Channel("jobs_changed"))
BUILDER = qb.QueryQueueBuilder(settings=NAMES)

MAX_ATTEMPTS = 8
FIRST_DELAY_S = 2
LONGEST_DELAY_S = 15 * 60
# A dead worker's jobs are taken over after this time.
LEASE = timedelta(seconds=30)
# How long a worker that heard nothing waits before it looks by itself (a notification may be lost).
IDLE_POLL = timedelta(seconds=2)
BATCH_SIZE = 10
RECONNECT_LONGEST_S = 5
HOUSEKEEPING_S = 3600
FORGOTTEN_AFTER_DAYS = (
    ("pgqueuer_log", "created", 7),
    ("pgqueuer_statistics", "created", 90),
    ("mails", "created_at", 90),
    ("sms", "created_at", 90),
)
# What is not finished this long after the worker was told to stop is handed back.
DRAIN_LIMIT_S = 20

# A function enqueues in its own transaction, as service_role; no other API role comes near.
GRANTS = """
grant usage on schema jobs to service_role;
grant select, insert on jobs.pgqueuer, jobs.pgqueuer_log to service_role;
grant usage on all sequences in schema jobs to service_role;
"""

Handler = Callable[[Resources, dict[str, Any]], Awaitable[None]]


class PermanentError(Exception):
    """Raised by a handler when another try cannot help; the message goes to the dead letter."""


async def install(connection: asyncpg.Connection[asyncpg.Record]) -> None:
    """Makes pgqueuer's tables, or brings those of an older release up to date."""
    queries = _queries(connection)
    if await queries.schema_is_installed():
        await queries.upgrade()
    else:
        await queries.install()
    await connection.execute(GRANTS)


async def enqueue(
    connection: db.Connection,
    name: str,
    payload: Mapping[str, Any],
    *,
    delay_s: float = 0,
    dedupe_key: str | None = None,
) -> None:
    """Adds a job in the caller's transaction; while one with the same key waits or runs, it is left out."""
    await connection.fetch(
        BUILDER.build_enqueue_query("skip"),
        [0],
        [name],
        [json.dumps(payload).encode()],
        [timedelta(seconds=delay_s)],
        [dedupe_key],
        [None],
    )


async def work(resources: Resources, handlers: Mapping[str, Handler], stopping: asyncio.Event) -> None:
    """Runs jobs until `stopping` is set; outlives restarts of Postgres."""
    delay_s = 0.1
    while not stopping.is_set():
        try:
            await _session(resources, handlers, stopping)
        except Exception as error:
            # Whatever it is, the queue must not stand still; only a fault of our own is worth a traceback.
            known = isinstance(error, (OSError, asyncpg.PostgresError, asyncpg.InterfaceError))
            cause = f"{type(error).__name__}: {error}"
            logger.warning("queue connection lost", extra={"cause": cause}, exc_info=None if known else error)
            await _wait(stopping, delay_s * random.uniform(0.5, 1))
            delay_s = min(delay_s * 2, RECONNECT_LONGEST_S)


async def _session(resources: Resources, handlers: Mapping[str, Handler], stopping: asyncio.Event) -> None:
    """One connection's worth of work; raises when it is lost."""
    connection = await db.connect(resources.settings)
    try:
        manager = QueueManager(queries=_queries(connection), channel=NAMES.channel)
        running: set[asyncio.Task[Any]] = set()
        for name, handler in handlers.items():
            manager.entrypoint(name, accepts_context=False)(_attempt(resources, name, handler, running))
        chores = [
            asyncio.create_task(_stop_with(manager, stopping, running)),
            asyncio.create_task(_keep_house(resources)),
        ]
        try:
            await manager.run(
                dequeue_timeout=IDLE_POLL,
                batch_size=BATCH_SIZE,
                max_concurrent_tasks=2 * BATCH_SIZE,
                heartbeat_timeout=LEASE,
            )
        finally:
            for chore in chores:
                chore.cancel()
            await asyncio.gather(*chores, return_exceptions=True)
    finally:
        connection.terminate()


def _queries(connection: asyncpg.Connection[asyncpg.Record]) -> Queries:
    return Queries(
        AsyncpgDriver(connection),
        qbe=qb.QueryBuilderEnvironment(settings=NAMES),
        qbq=BUILDER,
        qbs=qb.QuerySchedulerBuilder(settings=NAMES),
    )


def _attempt(
    resources: Resources, name: str, handler: Handler, running: set[asyncio.Task[Any]]
) -> Callable[[Job], Awaitable[None]]:
    """The handler with our rules around it, as pgqueuer calls it."""

    async def run(job: Job) -> None:
        task = asyncio.current_task()
        assert task is not None
        running.add(task)
        payload = json.loads(job.payload or b"{}")
        token = log.request_id.set(f"job-{job.id}")
        try:
            attempts = await _count(resources, job.id)
            if attempts > MAX_ATTEMPTS:
                await _bury(resources, job, payload, MAX_ATTEMPTS, "the worker died in each attempt")
                return
            try:
                await handler(resources, payload)
            except PermanentError as error:
                await _bury(resources, job, payload, attempts, str(error))
            except Exception as error:
                await _fail(resources, job, payload, attempts, error)
            else:
                await _forget(resources, job.id)
                logger.info("job done", extra={"job": name, "attempts": attempts})
        except asyncio.CancelledError:
            # pgqueuer would take a cancelled job for one nobody wants any more.
            raise RetryRequested(reason="the worker stopped") from None
        except ServiceUnavailable as error:
            raise RetryRequested(delay=timedelta(seconds=FIRST_DELAY_S), reason=error.message) from error
        finally:
            running.discard(task)
            log.request_id.reset(token)

    return run


async def _fail(resources: Resources, job: Job, payload: dict[str, Any], attempts: int, error: Exception) -> None:
    cause = f"{type(error).__name__}: {error}"
    if attempts >= MAX_ATTEMPTS:
        await _bury(resources, job, payload, attempts, cause)
        return
    delay_s = back_off_s(attempts)
    logger.warning(
        "job failed, will be tried again",
        extra={"job": job.entrypoint, "attempts": attempts, "delay_s": round(delay_s, 1), "cause": cause},
    )
    raise RetryRequested(delay=timedelta(seconds=delay_s), reason=type(error).__name__) from error


def back_off_s(attempts: int) -> float:
    """The wait after so many attempts: doubled each time, bounded, spread so that failures do not march in step."""
    longest = min(FIRST_DELAY_S * 2 ** (attempts - 1), LONGEST_DELAY_S)
    return random.uniform(longest / 2, longest)


async def _count(resources: Resources, job_id: int) -> int:
    async with db.connection(resources.pool) as connection:
        started: int = await connection.fetchval(
            """
            insert into jobs.attempts as known (job_id, started) values ($1, 1)
            on conflict (job_id) do update set started = known.started + 1, started_at = now()
            returning started
            """,
            job_id,
        )
        return started


async def _forget(resources: Resources, job_id: int) -> None:
    async with db.connection(resources.pool) as connection:
        await connection.execute("delete from jobs.attempts where job_id = $1", job_id)


async def _bury(resources: Resources, job: Job, payload: dict[str, Any], attempts: int, error: str) -> None:
    """Keeps the job as a dead letter; pgqueuer then takes it from the queue as done. Bears being repeated."""
    async with db.transaction(resources.pool) as connection:
        await connection.execute(
            """
            insert into jobs.dead_letters (job_id, name, payload, attempts, error)
            values ($1, $2, $3, $4, $5)
            on conflict (job_id) do nothing
            """,
            job.id,
            job.entrypoint,
            payload,
            attempts,
            error,
        )
        await connection.execute("delete from jobs.attempts where job_id = $1", job.id)
    logger.error("job given up", extra={"job": job.entrypoint, "attempts": attempts, "cause": error})


async def _stop_with(manager: QueueManager, stopping: asyncio.Event, running: set[asyncio.Task[Any]]) -> None:
    await stopping.wait()
    manager.shutdown.set()
    await asyncio.sleep(DRAIN_LIMIT_S)
    for task in running:
        task.cancel()


async def _keep_house(resources: Resources) -> None:
    """pgqueuer logs every step and never forgets by itself."""
    while True:
        with suppress(ServiceUnavailable):
            async with db.connection(resources.pool) as connection:
                for table, column, days in FORGOTTEN_AFTER_DAYS:
                    limit = f"now() - interval '{days} days'"
                    await connection.execute(f"delete from jobs.{table} where {column} < {limit}")  # noqa: S608
        await asyncio.sleep(HOUSEKEEPING_S * random.uniform(0.9, 1.1))


async def _wait(event: asyncio.Event, timeout_s: float) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), timeout_s)
