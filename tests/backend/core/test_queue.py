"""core.queue: of the transactions that commit at once one notifies the worker, which finds the jobs of all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from backend.core import db, jobs, queue
from backend.core.resources import Resources

pytestmark = pytest.mark.anyio

PATIENCE_S = 20
AT_COMMIT = "set constraints all immediate"
ENQUEUE_MANY = """
insert into jobs.pgqueuer (priority, entrypoint, payload, status)
select 0, 'job', '{}', 'queued' from generate_series(1, 1000)
"""


@pytest.fixture
async def heard(resources: Resources) -> AsyncIterator[asyncio.Queue[str]]:
    """Collect the notifications that a worker gets."""
    found: asyncio.Queue[str] = asyncio.Queue()
    connection = await db.connect(resources.settings)
    await connection.add_listener(queue.NAMES.channel, lambda *event: found.put_nowait(event[3]))
    yield found
    connection.terminate()


async def all_of(heard: asyncio.Queue[str], resources: Resources) -> int:
    """Count the notifications of all that committed before; the last one is our own."""
    async with resources.pool.acquire() as connection:
        await connection.execute("select pg_notify('jobs_changed', 'end')")
    count = 0
    async with asyncio.timeout(PATIENCE_S):
        while await heard.get() != "end":
            count += 1
    return count


async def test_a_transaction_notifies_once_however_many_jobs_it_enqueues(
    resources: Resources, heard: asyncio.Queue[str]
) -> None:
    async with resources.pool.acquire() as connection:
        await connection.execute(ENQUEUE_MANY)
    assert await all_of(heard, resources) == 1


async def test_a_long_transaction_that_enqueued_silences_nobody(
    resources: Resources, heard: asyncio.Queue[str]
) -> None:
    async with db.transaction(resources.pool) as long:
        await jobs.enqueue(long, "job", {})
        async with db.transaction(resources.pool) as short:
            await jobs.enqueue(short, "job", {})
        assert await all_of(heard, resources) == 1


async def test_whoever_commits_beside_a_notifying_transaction_is_silent(
    resources: Resources, heard: asyncio.Queue[str]
) -> None:
    async with db.transaction(resources.pool) as first:
        await jobs.enqueue(first, "job", {})
        await first.execute(AT_COMMIT)
        async with db.transaction(resources.pool) as second:
            await jobs.enqueue(second, "job", {})
        assert await all_of(heard, resources) == 0
    assert await all_of(heard, resources) == 1


async def test_the_worker_finds_the_job_of_a_silent_transaction(
    resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "IDLE_POLL", timedelta(seconds=2 * PATIENCE_S))
    done, stopping, listening = asyncio.Event(), asyncio.Event(), asyncio.Event()
    add_listener = queue.Driver.add_listener

    async def handler(_resources: Resources, _payload: dict[str, Any]) -> None:
        done.set()

    async def listen(driver: queue.Driver, channel: str, callback: Any) -> None:
        await add_listener(driver, channel, callback)
        listening.set()

    monkeypatch.setattr(queue.Driver, "add_listener", listen)

    worker = asyncio.create_task(jobs.work(resources, {"job": jobs.Task(handler)}, stopping))
    try:
        async with asyncio.timeout(PATIENCE_S):
            await listening.wait()
        # Its first look is over.
        await asyncio.sleep(0.5)
        async with db.transaction(resources.pool) as silent:
            async with db.transaction(resources.pool) as first:
                # Another name: what follows a job that has run would look again as well.
                await jobs.enqueue(first, "other", {})
                await first.execute(AT_COMMIT)
                await jobs.enqueue(silent, "job", {})
                await silent.execute(AT_COMMIT)
            # The worker has looked, and found nothing.
            await asyncio.sleep(queue.LATE_COMMITS_S[0] / 2)
        async with asyncio.timeout(PATIENCE_S):
            await done.wait()
    finally:
        stopping.set()
        async with asyncio.timeout(PATIENCE_S):
            await worker
