"""core.periodic: due once for all workers together, and what was missed is caught up once."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from backend import worker
from backend.core import db, housekeeping, jobs, periodic
from backend.core.resources import Resources
from tests.backend.core.test_jobs import Seen, add, rows, until_empty, working

pytestmark = pytest.mark.anyio

DUE = {"daily": timedelta(days=1), "hourly": timedelta(hours=1)}


async def look(resources: Resources) -> list[str]:
    async with db.transaction(resources.pool) as connection:
        return await periodic.enqueue_due(connection, DUE, jobs.enqueue)


async def finish_all(resources: Resources) -> None:
    await rows(resources, "delete from jobs.pgqueuer returning id")


async def test_a_new_periodic_job_is_due_at_once_and_then_after_its_time(resources: Resources) -> None:
    assert sorted(await look(resources)) == ["daily", "hourly"]
    assert await look(resources) == []
    await finish_all(resources)
    await rows(resources, "update jobs.periodic set due_at = due_at - interval '61 minutes' returning name")
    assert await look(resources) == ["hourly"]


async def test_missed_moments_are_caught_up_once(resources: Resources) -> None:
    await look(resources)
    await finish_all(resources)
    await rows(resources, "update jobs.periodic set due_at = due_at - interval '30 days' returning name")
    assert sorted(await look(resources)) == ["daily", "hourly"]
    assert await look(resources) == []


async def test_a_clock_that_was_far_ahead_silences_no_job(resources: Resources) -> None:
    await look(resources)
    await finish_all(resources)
    await rows(resources, "update jobs.periodic set due_at = now() + interval '30 years' returning name")
    assert await look(resources) == []
    await rows(resources, "update jobs.periodic set due_at = due_at - interval '61 minutes' returning name")
    assert await look(resources) == ["hourly"]


async def test_a_job_that_no_code_knows_any_more_is_forgotten_after_five_minutes(resources: Resources) -> None:
    for name, age in (("retired", "6 minutes"), ("of another version", "4 minutes")):
        await rows(resources, f"insert into jobs.periodic values ('{name}', now() - interval '{age}') returning name")
    await look(resources)
    names = [row["name"] for row in await rows(resources, "select name from jobs.periodic order by name")]
    assert names == ["daily", "hourly", "of another version"]


async def test_many_workers_enqueue_one_job(resources: Resources) -> None:
    await asyncio.gather(*(look(resources) for _ in range(8)))
    names = [row["entrypoint"] for row in await rows(resources, "select entrypoint from jobs.pgqueuer order by 1")]
    assert names == ["daily", "hourly"]


async def test_one_that_still_waits_is_not_doubled(resources: Resources) -> None:
    await look(resources)
    await rows(resources, "update jobs.periodic set due_at = now() - interval '1 second' returning name")
    await look(resources)
    assert len(await rows(resources, "select from jobs.pgqueuer")) == 2


async def test_the_worker_runs_periodic_jobs(resources: Resources) -> None:
    handler = Seen()
    async with working(resources, tidy=jobs.Task(handler, every=timedelta(hours=1))):
        await handler.times(1)
        await until_empty(resources)
    assert handler.payloads == [{}]


async def test_the_core_forgets_what_is_old(resources: Resources) -> None:
    assert worker.TASKS[housekeeping.JOB].every == housekeeping.EVERY
    for age in ("1 day", "8 days"):
        await rows(
            resources,
            f"""
            insert into jobs.pgqueuer_log (created, job_id, status, entrypoint, priority)
            values (now() - interval '{age}', 1, 'successful', 'job', 0) returning id
            """,
        )
    await add(resources)
    await rows(
        resources, "insert into jobs.attempts (job_id, started) select id, 1 from jobs.pgqueuer returning started"
    )
    await rows(resources, "insert into jobs.attempts (job_id, started) values (0, 5) returning started")
    await housekeeping.forget(resources, {})
    assert len(await rows(resources, "select from jobs.pgqueuer_log where status = 'successful'")) == 1
    assert len(await rows(resources, "select from jobs.attempts")) == 1
