"""core.queue: users take turns, and a user's jobs of one name follow one another."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from uuid import UUID, uuid4

import pytest

from backend.core import db, jobs, queue
from backend.core.resources import Resources
from tests.backend.core.test_jobs import Seen, rows, until_empty, working

pytestmark = pytest.mark.anyio


async def add(resources: Resources, user_id: str | None, *numbers: int, name: str = "page", priority: int = 0) -> None:
    async with db.transaction(resources.pool) as connection:
        for number in numbers:
            payload = {"user": user_id, "n": number}
            await jobs.enqueue(connection, name, payload, user_id=user_id, priority=priority)


async def claim(
    resources: Resources, *names: str, batch: int = 10, limit: int = 20, worker: UUID | None = None
) -> list[tuple[str | int | None, int]]:
    """Return what a worker gets, a new one unless it is given, as (user, number of the job)."""
    async with db.connection(resources.pool) as connection:
        found = await connection.fetch(
            "select * from jobs.claim($1, $2, $3, $4, $5)",
            batch,
            list(names) or ["page"],
            worker or uuid4(),
            limit,
            jobs.LEASE,
        )
    payloads = [json.loads(row["payload"]) for row in sorted(found, key=lambda row: row["id"])]
    return [(payload["user"], payload["n"]) for payload in payloads]


async def test_one_page_does_not_wait_behind_two_hundred_of_somebody_else(resources: Resources) -> None:
    done_before_b: list[str] = []
    b_is_done = asyncio.Event()

    async def read(payload: dict[str, Any]) -> None:
        if payload["user"] == "b":
            b_is_done.set()
        elif not b_is_done.is_set():
            done_before_b.append(payload["user"])

    await add(resources, "a", *range(200))
    await add(resources, "b", 1)
    async with working(resources, page=Seen(read)):
        async with asyncio.timeout(20):
            await b_is_done.wait()
    assert len(done_before_b) <= 1


async def test_jobs_of_one_user_and_name_never_run_together(resources: Resources) -> None:
    await add(resources, "a", 1, 2, 3)
    await add(resources, "b", 4, 5)
    await add(resources, "a", 6, name="mail")
    assert await claim(resources, "page", "mail") == [("a", 1), ("b", 4), ("a", 6)]
    assert await claim(resources, "page", "mail") == []
    await rows(resources, "delete from jobs.pgqueuer where status = 'picked' returning id")
    assert await claim(resources, "page", "mail") == [("a", 2), ("b", 5)]


async def test_jobs_of_nobody_run_side_by_side_and_take_their_turn(resources: Resources) -> None:
    await add(resources, None, *range(30))
    await add(resources, "b", 100)
    claimed = await claim(resources)
    assert len(claimed) == 10
    assert ("b", 100) in claimed


async def test_who_has_work_running_comes_after_who_has_none(resources: Resources) -> None:
    await add(resources, None, *range(30))
    assert len(await claim(resources, batch=5)) == 5
    await add(resources, "b", 100)
    assert await claim(resources, batch=1) == [("b", 100)]


async def test_a_higher_priority_goes_first_and_a_worker_takes_no_more_than_it_may(resources: Resources) -> None:
    await add(resources, None, *range(5))
    await add(resources, None, 100, priority=1)
    assert await claim(resources, limit=1) == [(None, 100)]
    assert await claim(resources, limit=0) == []


async def test_jobs_that_can_wait_leave_half_of_a_worker_to_others(resources: Resources) -> None:
    for number in range(12):
        await add(resources, f"user {number}", number, priority=-1)
    await add(resources, "z", 100)
    ours = uuid4()
    assert len(await claim(resources, worker=ours)) == 10
    assert await claim(resources, worker=ours) == []
    await add(resources, "y", 101)
    assert await claim(resources, worker=ours) == [("y", 101)]
    assert await claim(resources) == [("user 9", 9), ("user 10", 10), ("user 11", 11)]


async def test_jobs_that_can_wait_are_done_one_after_the_other_beside_others(resources: Resources) -> None:
    counts: list[tuple[int, int]] = []
    running: list[int] = []
    all_started = asyncio.Event()

    async def work(payload: dict[str, Any]) -> None:
        running.append(payload["n"])
        waiting = sum(number < 100 for number in running)
        counts.append((waiting, len(running) - waiting))
        if counts.count((1, 3)):
            all_started.set()
        async with asyncio.timeout(20):
            await all_started.wait()
        running.remove(payload["n"])

    for number in range(6):
        await add(resources, f"user {number}", number, priority=-1)
    await add(resources, None, 100, 101, 102)
    async with working(resources, page=Seen(work)):
        await until_empty(resources)
    assert max(waiting for waiting, _ in counts) == 1


async def test_simultaneous_workers_never_share_a_user(resources: Resources) -> None:
    for user in range(10):
        await add(resources, f"user {user}", *range(4))
    claimed = [each for batch in await asyncio.gather(*(claim(resources) for _ in range(8))) for each in batch]
    assert sorted(map(str, claimed)) == [str((f"user {user}", 0)) for user in range(10)]


async def test_among_very_many_users_the_urgent_and_the_oldest_go_first_and_all_are_served(
    resources: Resources,
) -> None:
    await add(resources, "zz", -2)
    await rows(
        resources,
        """
        insert into jobs.pgqueuer (priority, entrypoint, payload, headers, status)
        select 0, 'page', convert_to(jsonb_build_object('user', n, 'n', n)::text, 'UTF8'),
          jsonb_build_object('user_id', n::text), 'queued'
        from generate_series(1, 1200) as n returning id
        """,
    )
    await add(resources, "zzz", -1, priority=1)
    assert await claim(resources, batch=3) == [("zz", -2), (1, 1), ("zzz", -1)]
    claimed: list[int] = []
    while some := await claim(resources, batch=100, limit=100):
        claimed += [number for _, number in some]
    assert claimed == list(range(2, 1201))


async def test_many_jobs_that_are_not_due_do_not_hide_one_user_behind_another(resources: Resources) -> None:
    await rows(
        resources,
        """
        insert into jobs.pgqueuer (priority, entrypoint, payload, headers, status, execute_after)
        select 0, 'page', '{}', jsonb_build_object('user_id', n::text), 'queued', now() + interval '1 hour'
        from generate_series(1, 600) as n returning id
        """,
    )
    await add(resources, "a", *range(600))
    await add(resources, "b", 1)
    assert await claim(resources) == [("a", 0), ("b", 1)]


async def test_the_whole_backlog_of_a_user_is_done_in_order(resources: Resources) -> None:
    await add(resources, "a", *range(5))
    handler = Seen()
    async with working(resources, page=handler):
        await handler.times(5)
        await until_empty(resources)
    assert [payload["n"] for payload in handler.payloads] == list(range(5))


async def test_installing_again_changes_nothing(resources: Resources) -> None:
    connection = await db.connect(resources.settings)
    try:
        await queue.install(connection)
        await queue.install(connection)
    finally:
        await connection.close()
    await add(resources, "a", 1)
    assert await claim(resources) == [("a", 1)]
