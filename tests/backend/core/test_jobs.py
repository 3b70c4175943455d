"""core.jobs: a job runs after its transaction, again after a failure, and is never lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import asyncpg
import pytest

from backend.core import attempts as attempts_made
from backend.core import db, dead_letters, jobs
from backend.core.resources import Resources

pytestmark = pytest.mark.anyio

PATIENCE_S = 20


class Seen:
    """A handler that remembers what it was called with, and does what the test wants."""

    def __init__(self, act: Callable[[dict[str, Any]], Awaitable[None]] | None = None) -> None:
        self.payloads: list[dict[str, Any]] = []
        self._act = act
        self._called = asyncio.Condition()

    async def __call__(self, _resources: Resources, payload: dict[str, Any]) -> None:
        async with self._called:
            self.payloads.append(payload)
            self._called.notify_all()
        if self._act is not None:
            await self._act(payload)

    async def times(self, count: int) -> None:
        async with asyncio.timeout(PATIENCE_S), self._called:
            await self._called.wait_for(lambda: len(self.payloads) >= count)


@asynccontextmanager
async def working(resources: Resources, **handlers: jobs.Handler | jobs.Task) -> AsyncIterator[asyncio.Event]:
    stopping = asyncio.Event()
    tasks = {name: each if isinstance(each, jobs.Task) else jobs.Task(each) for name, each in handlers.items()}
    task = asyncio.create_task(jobs.work(resources, tasks, stopping))
    try:
        yield stopping
    finally:
        stopping.set()
        async with asyncio.timeout(PATIENCE_S):
            await task


async def test_what_a_job_keeps_running_runs_beside_jobs_and_again_after_a_failure(resources: Resources) -> None:
    runs: asyncio.Queue[int] = asyncio.Queue()

    async def run_in_worker(_resources: Resources) -> None:
        await runs.put(1)
        if runs.qsize() == 1:
            raise OSError("the database is away")
        await asyncio.Event().wait()

    async with working(resources, job=jobs.Task(Seen(), run_in_worker=run_in_worker)), asyncio.timeout(PATIENCE_S):
        while runs.qsize() < 2:  # noqa: ASYNC110 - it tells by its second run
            await asyncio.sleep(0.01)


async def add(resources: Resources, name: str = "job", **more: Any) -> None:
    async with db.transaction(resources.pool) as connection:
        await jobs.enqueue(connection, name, {"n": 1}, **more)


async def rows(resources: Resources, sql: str) -> list[asyncpg.Record]:
    async with db.connection(resources.pool) as connection:
        return await connection.fetch(sql)


async def until_empty(resources: Resources, table: str = "jobs.pgqueuer") -> None:
    """The worker takes a job off the queue a moment after its handler; polls the table until it has."""
    async with asyncio.timeout(PATIENCE_S):
        while await rows(resources, f"select from {table}"):  # noqa: ASYNC110 - nothing tells when pgqueuer is done
            await asyncio.sleep(0.02)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "back_off_s", lambda _attempts: 0.0)


async def fail(_payload: dict[str, Any]) -> None:
    raise ValueError("not today")


async def test_a_job_runs_when_its_transaction_commits_and_only_then(resources: Resources) -> None:
    async def rolled_back() -> None:
        async with db.transaction(resources.pool) as connection:
            await jobs.enqueue(connection, "job", {"n": "rolled back"})
            raise ValueError

    handler = Seen()
    async with working(resources, job=handler):
        with pytest.raises(ValueError):
            await rolled_back()
        await add(resources)
        await handler.times(1)
    assert handler.payloads == [{"n": 1}]
    await until_empty(resources)


async def test_a_second_job_with_the_same_key_is_left_out_while_the_first_waits(resources: Resources) -> None:
    await add(resources, dedupe_key="once")
    await add(resources, dedupe_key="once")
    handler = Seen()
    async with working(resources, job=handler):
        await handler.times(1)
        await until_empty(resources)
        await add(resources, dedupe_key="once")
        await handler.times(2)
    assert len(handler.payloads) == 2


async def test_a_delayed_job_waits(resources: Resources) -> None:
    await add(resources, "later", delay_s=3600)
    await add(resources, "now")
    later, now = Seen(), Seen()
    async with working(resources, later=later, now=now):
        await now.times(1)
    assert later.payloads == []


async def test_a_failing_job_is_tried_again_until_it_works(resources: Resources, at_once: None) -> None:
    async def third_time_lucky(_payload: dict[str, Any]) -> None:
        if len(handler.payloads) < 3:
            raise ConnectionError("away")

    handler = Seen(third_time_lucky)
    await add(resources)
    async with working(resources, job=handler):
        await handler.times(3)
        await until_empty(resources)
    assert await rows(resources, "select from jobs.dead_letters") == []
    assert await rows(resources, "select from jobs.attempts") == []


async def test_a_job_that_never_works_ends_as_a_dead_letter(resources: Resources, at_once: None) -> None:
    handler = Seen(fail)
    await add(resources)
    async with working(resources, job=handler):
        await handler.times(jobs.MAX_ATTEMPTS)
        await until_empty(resources)
    assert len(handler.payloads) == jobs.MAX_ATTEMPTS
    [letter] = await rows(resources, "select * from jobs.dead_letters")
    assert (letter["name"], letter["payload"], letter["attempts"]) == ("job", {"n": 1}, jobs.MAX_ATTEMPTS)
    assert letter["error"] == "ValueError: not today"


async def test_a_hopeless_job_is_given_up_at_once(resources: Resources) -> None:
    async def hopeless(_payload: dict[str, Any]) -> None:
        raise jobs.PermanentError("no such person")

    handler = Seen(hopeless)
    await add(resources)
    async with working(resources, job=handler):
        await handler.times(1)
        await until_empty(resources)
    [letter] = await rows(resources, "select * from jobs.dead_letters")
    assert (letter["attempts"], letter["error"]) == (1, "no such person")


async def test_the_job_of_a_dead_worker_is_taken_over_and_its_attempts_count(resources: Resources) -> None:
    """What a kill -9 leaves: rows in other hands whose heartbeat stopped, and the attempts counted before."""
    await add(resources)
    await add(resources, "poison")
    async with db.connection(resources.pool) as connection:
        await connection.execute(
            """
            update jobs.pgqueuer
            set status = 'picked', queue_manager_id = gen_random_uuid(), heartbeat = now() - interval '1 hour'
            """
        )
        await connection.execute(
            "insert into jobs.attempts (job_id, started) select id, $1 from jobs.pgqueuer where entrypoint = 'poison'",
            jobs.MAX_ATTEMPTS,
        )
    handler, poison = Seen(), Seen()
    async with working(resources, job=handler, poison=poison):
        await handler.times(1)
        await until_empty(resources)
    assert poison.payloads == []
    assert [row["name"] for row in await rows(resources, "select name from jobs.dead_letters")] == ["poison"]


async def test_a_job_that_was_given_up_is_not_run_again_when_its_worker_dies_in_that_moment(
    resources: Resources,
) -> None:
    await add(resources)
    async with db.connection(resources.pool) as connection:
        job_id = await connection.fetchval(
            """
            update jobs.pgqueuer
            set status = 'picked', queue_manager_id = gen_random_uuid(), heartbeat = now() - interval '1 hour'
            returning id
            """
        )
        for _ in range(jobs.MAX_ATTEMPTS):
            await attempts_made.count(resources.pool, job_id)
        await dead_letters.bury(
            connection, job_id=job_id, name="job", payload={"n": 1}, attempts=5, error="x", user_id=None, priority=0
        )
    handler = Seen()
    async with working(resources, job=handler):
        await until_empty(resources)
    assert handler.payloads == []
    assert [row["error"] for row in await rows(resources, "select error from jobs.dead_letters")] == ["x"]


async def test_a_worker_that_stops_hands_back_what_it_could_not_finish(
    resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def endless(_payload: dict[str, Any]) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(jobs, "DRAIN_LIMIT_S", 0.05)
    handler = Seen(endless)
    await add(resources)
    async with working(resources, job=handler):
        await handler.times(1)
    assert [row["status"] for row in await rows(resources, "select status from jobs.pgqueuer")] == ["queued"]


async def test_the_worker_outlives_a_restart_of_postgres(resources: Resources) -> None:
    handler = Seen()
    async with working(resources, job=handler):
        await add(resources)
        await handler.times(1)
        await until_empty(resources)
        async with db.connection(resources.pool) as connection:
            await connection.execute(
                """
                select pg_terminate_backend(pid) from pg_stat_activity
                where datname = current_database() and pid <> pg_backend_pid()
                """
            )
        await add(resources)
        await handler.times(2)


def test_waits_double_and_are_spread_and_bounded() -> None:
    for attempts in range(1, 30):
        longest = min(jobs.FIRST_DELAY_S * jobs.DELAY_FACTOR ** (attempts - 1), jobs.LONGEST_DELAY_S)
        assert longest / 2 <= jobs.back_off_s(attempts) <= longest


@pytest.mark.long
async def test_somebody_elses_outage_costs_no_attempt(resources: Resources, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away_for_long(_payload: dict[str, Any]) -> None:
        if len(handler.payloads) < 2 * jobs.MAX_ATTEMPTS:
            raise jobs.Away("nobody at home")

    monkeypatch.setattr(jobs, "away_s", lambda _waited: 0.0)
    handler = Seen(away_for_long)
    await add(resources)
    async with working(resources, job=handler):
        await handler.times(2 * jobs.MAX_ATTEMPTS)
        await until_empty(resources)
    assert await rows(resources, "select from jobs.dead_letters") == []


async def test_an_outage_of_more_than_a_day_ends_the_job_and_whoever_cares_is_told(resources: Resources) -> None:
    async def away(_payload: dict[str, Any]) -> None:
        raise jobs.Away("nobody at home")

    told = Seen()
    await add(resources)
    await rows(resources, "update jobs.pgqueuer set created = now() - interval '25 hours' returning id")
    async with working(resources, job=jobs.Task(Seen(away), given_up=told)):
        await told.times(1)
        await until_empty(resources)
    assert [row["error"] for row in await rows(resources, "select error from jobs.dead_letters")] == [
        "Away: nobody at home"
    ]


async def test_an_attempt_that_takes_too_long_is_a_failure(resources: Resources, at_once: None) -> None:
    async def hang_at_first(_payload: dict[str, Any]) -> None:
        if len(handler.payloads) == 1:
            await asyncio.Event().wait()

    handler = Seen(hang_at_first)
    await add(resources)
    async with working(resources, job=jobs.Task(handler, timeout_s=0.05)):
        await handler.times(2)
        await until_empty(resources)


def test_waiting_for_somebody_doubles_and_is_bounded() -> None:
    assert jobs.away_s(timedelta()) <= jobs.FIRST_DELAY_S
    assert 30 <= jobs.away_s(timedelta(seconds=60)) <= 60
    assert jobs.away_s(timedelta(days=1)) <= jobs.LONGEST_DELAY_S
