"""The queue: work that happens after the answer, enqueued in the caller's transaction and run by the worker.

pgqueuer keeps and leases the jobs (core.queue). Around it stand our own rules:

* users take turns: a user with two hundred jobs does not keep another one's waiting, and two jobs of one user and name
  never run at the same time; a higher priority goes before everything else;
* an attempt is counted before the handler runs, so that a job which kills its worker is not retried for ever;
* a failure waits exponentially longer, with jitter; after MAX_ATTEMPTS, or at once when the handler raises
  PermanentError, the job moves to `jobs.dead_letters` and stays there until a person tries it again or drops it;
* somebody else's outage (Away) costs no attempt: the job waits as long again as it has waited, for a day;
* a job of a dead worker is taken over when its lease has run out, so a handler may run twice: it must bear that;
* a worker asked to stop hands back what it could not finish.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

from pgqueuer.core.qm import QueueManager
from pgqueuer.domain.errors import RetryRequested
from pgqueuer.domain.models import Job

from backend.core import attempts as attempts_made
from backend.core import db, dead_letters, endless, log, periodic, queue, tracing
from backend.core.errors import ServiceUnavailable
from backend.core.job_times import Outcome
from backend.core.resources import Resources

logger = logging.getLogger("backend.jobs")

# One number for a job that fails and for one that takes its worker with it (FAULT-29).
MAX_ATTEMPTS = 5
FIRST_DELAY_S = 4
# 4 s, 24 s, 2.4 min, 14.4 min: a fault of ours that a restart or a quick fix ends.
DELAY_FACTOR = 6
LONGEST_DELAY_S = 15 * 60
# How long somebody else may be away before a job is given up.
AWAY_LIMIT = timedelta(days=1)
# A dead worker's jobs are taken over after this time.
LEASE = timedelta(seconds=30)
# How long a worker that heard nothing waits before it looks by itself (a notification may be lost).
IDLE_POLL = timedelta(seconds=2)
BATCH_SIZE = 10
# What is not finished this long after the worker was told to stop is handed back.
DRAIN_LIMIT_S = 20

Handler = Callable[[Resources, dict[str, Any]], Awaitable[None]]


class PermanentError(Exception):
    """Raised by a handler when another try cannot help; the message goes to the dead letter."""


class Away(Exception):
    """Raised by a handler when a service we depend on cannot be reached now; another try will help."""


@dataclass(frozen=True)
class Task:
    """How jobs of one name are done: `every` makes it periodic, `given_up` is told of a job that became a dead letter.

    `timeout_s` bounds one attempt. `run_in_worker` runs in each worker as long as the worker does.
    """

    handler: Handler
    every: timedelta | None = None
    given_up: Handler | None = None
    timeout_s: float = 600
    run_in_worker: Callable[[Resources], Awaitable[None]] | None = None


@dataclass(frozen=True)
class Run:
    """The job a handler is working on."""

    job_id: int
    name: str
    attempt: int
    user_id: str | None


# Set while a handler runs.
current: ContextVar[Run] = ContextVar("current_job")


async def enqueue(
    connection: db.Connection,
    name: str,
    payload: Mapping[str, Any],
    *,
    delay_s: float = 0,
    dedupe_key: str | None = None,
    user_id: str | None = None,
    priority: int = 0,
) -> None:
    """Add a job in the caller's transaction, unless one with the same key waits or runs.

    Jobs of one `user_id` and name run one after another, and users take turns. Higher priorities go first.
    The connection must be prepared (`db.prepare`), as the pool's are.
    """
    await connection.fetch(
        queue.BUILDER.build_enqueue_query("skip"),
        [priority],
        [name],
        [json.dumps(payload).encode()],
        [timedelta(seconds=delay_s)],
        [dedupe_key],
        [_headers(user_id)],
    )


def _headers(user_id: str | None) -> dict[str, str] | None:
    """Say whom a job is for, and where in a trace it was enqueued."""
    found = {"user_id": user_id, "traceparent": tracing.traceparent()}
    return {name: value for name, value in found.items() if value is not None} or None


async def work(resources: Resources, tasks: Mapping[str, Task], stopping: asyncio.Event) -> None:
    """Run jobs until `stopping` is set; go on after a restart of Postgres."""
    await endless.keep_up(partial(_session, resources, tasks, stopping), logger, "queue connection lost", stopping)


async def _session(resources: Resources, tasks: Mapping[str, Task], stopping: asyncio.Event) -> None:
    """One connection's worth of work; raises when it is lost."""
    connection = await db.connect(resources.settings)
    try:
        manager = QueueManager(queries=queue.queries(connection), channel=queue.NAMES.channel)
        running: set[asyncio.Task[Any]] = set()
        background = asyncio.Lock()
        for name, task in tasks.items():
            manager.entrypoint(name, accepts_context=False)(_attempt(resources, name, task, running, background))
        due = {name: task.every for name, task in tasks.items() if task.every is not None}
        chores = [
            *_kept(resources, tasks),
            asyncio.create_task(_stop_with(manager, stopping, running)),
            asyncio.create_task(periodic.keep_enqueueing(resources, due, enqueue)),
        ]
        try:
            await manager.run(
                dequeue_timeout=IDLE_POLL,
                batch_size=BATCH_SIZE,
                max_concurrent_tasks=2 * BATCH_SIZE,
                heartbeat_timeout=LEASE,
            )
        finally:
            await endless.end(*chores)
    finally:
        connection.terminate()


def _kept(resources: Resources, tasks: Mapping[str, Task]) -> list[asyncio.Task[None]]:
    return [
        asyncio.create_task(
            endless.keep_up(partial(task.run_in_worker, resources), logger, f"{name} is not kept running")
        )
        for name, task in tasks.items()
        if task.run_in_worker is not None
    ]


def _attempt(
    resources: Resources, name: str, task: Task, running: set[asyncio.Task[Any]], background: asyncio.Lock
) -> Callable[[Job], Awaitable[None]]:
    """Wrap the task for pgqueuer: count attempts, limit them, log and bury failures."""

    async def run(job: Job) -> None:
        ours = asyncio.current_task()
        assert ours is not None
        running.add(ours)
        payload = json.loads(job.payload or b"{}")
        user_id, traceparent = ((job.headers or {}).get(key) for key in ("user_id", "traceparent"))
        request_id = f"job-{job.id}"
        token = log.request_id.set(request_id)
        try:
            # They come by the thousand, and whoever is at work would feel it if every core were busy with them.
            async with background if job.priority < 0 else nullcontext():
                with (
                    tracing.root(
                        resources.tracer,
                        f"job {name}",
                        tracing.Kind.JOB,
                        {"request_id": request_id},
                        str(traceparent or ""),
                    ),
                    resources.job_times.attempt(name) as attempt,
                ):
                    attempts = await attempts_made.count(resources.pool, job.id)
                    current.set(Run(job.id, name, attempts, None if user_id is None else str(user_id)))
                    if attempts > MAX_ATTEMPTS:
                        await _bury(resources, task, job, payload, MAX_ATTEMPTS, "the worker died in each attempt")
                        attempt.outcome = "given_up"
                    else:
                        attempt.outcome = await _try(resources, task, job, payload, attempts)
        except asyncio.CancelledError:
            # pgqueuer would take a cancelled job for one nobody wants any more.
            raise RetryRequested(reason="the worker stopped") from None
        except ServiceUnavailable as error:
            raise RetryRequested(delay=timedelta(seconds=FIRST_DELAY_S), reason=error.message) from error
        finally:
            running.discard(ours)
            log.request_id.reset(token)

    return run


async def _try(resources: Resources, task: Task, job: Job, payload: dict[str, Any], attempts: int) -> Outcome:
    """Make one attempt. Raises RetryRequested for a job that is put off."""
    try:
        async with asyncio.timeout(task.timeout_s):
            await task.handler(resources, payload)
    except PermanentError as error:
        await _bury(resources, task, job, payload, attempts, str(error))
    except (Away, ServiceUnavailable) as error:
        await _postpone(resources, task, job, payload, attempts, error)
    except Exception as error:
        await _fail(resources, task, job, payload, attempts, error)
    else:
        await attempts_made.forget(resources.pool, job.id)
        logger.info("job done", extra={"job": job.entrypoint, "attempts": attempts})
        return "done"
    return "given_up"


async def _fail(
    resources: Resources, task: Task, job: Job, payload: dict[str, Any], attempts: int, error: Exception
) -> None:
    cause = f"{type(error).__name__}: {error}"
    if attempts >= MAX_ATTEMPTS:
        await _bury(resources, task, job, payload, attempts, cause)
        return
    _put_off(job, attempts, back_off_s(attempts), cause, error)


async def _postpone(
    resources: Resources, task: Task, job: Job, payload: dict[str, Any], attempts: int, error: Exception
) -> None:
    """Take the attempt back and put the job off, because the outage of another service is no fault of the job."""
    cause = f"{type(error).__name__}: {error}"
    waited = await attempts_made.take_back(resources.pool, job.id)
    if waited > AWAY_LIMIT:
        await _bury(resources, task, job, payload, attempts, cause)
        return
    _put_off(job, attempts, away_s(waited), cause, error)


def _put_off(job: Job, attempts: int, delay_s: float, cause: str, error: Exception) -> None:
    """Log the failure and raise the exception that makes pgqueuer queue the job again."""
    tracing.fail(type(error).__name__)
    logger.warning(
        "job failed, will be tried again",
        extra={"job": job.entrypoint, "attempts": attempts, "delay_s": round(delay_s, 1), "cause": cause},
    )
    raise RetryRequested(delay=timedelta(seconds=delay_s), reason=type(error).__name__) from error


def back_off_s(attempts: int) -> float:
    """Return the wait after so many attempts: growing, bounded, and random so that retries do not coincide."""
    longest = min(FIRST_DELAY_S * DELAY_FACTOR ** (attempts - 1), LONGEST_DELAY_S)
    return random.uniform(longest / 2, longest)


def away_s(waited: timedelta) -> float:
    """Return the wait for a service that has been away for `waited`: as long again, bounded and random."""
    longest = min(max(waited.total_seconds(), FIRST_DELAY_S), LONGEST_DELAY_S)
    return random.uniform(longest / 2, longest)


async def _bury(resources: Resources, task: Task, job: Job, payload: dict[str, Any], attempts: int, error: str) -> None:
    """Keep the job as a dead letter; pgqueuer then removes it as done. Calling it again changes nothing."""
    tracing.fail("given_up")
    async with db.transaction(resources.pool) as connection:
        await dead_letters.bury(
            connection,
            job_id=job.id,
            name=job.entrypoint,
            payload=payload,
            attempts=attempts,
            error=error,
            user_id=(job.headers or {}).get("user_id"),
            priority=job.priority,
        )
    logger.error("job given up", extra={"job": job.entrypoint, "attempts": attempts, "cause": error})
    if task.given_up is not None:
        try:
            await task.given_up(resources, payload)
        except Exception:
            # The letter is kept whatever happens to who is told of it.
            logger.exception("nobody could be told of a job given up", extra={"job": job.entrypoint})


async def _stop_with(manager: QueueManager, stopping: asyncio.Event, running: set[asyncio.Task[Any]]) -> None:
    await stopping.wait()
    manager.shutdown.set()
    await asyncio.sleep(DRAIN_LIMIT_S)
    for task in running:
        task.cancel()
