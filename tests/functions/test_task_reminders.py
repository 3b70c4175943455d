"""Reminders of tasks: told once each, by the database's clock, and never of what is done or gone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from backend.core import db, jobs
from backend.core.resources import Resources
from backend.edge import tasks
from tests.backend.core.test_jobs import until_empty, working
from tests.conftest import Clock
from tests.db import accounts, work

pytestmark = pytest.mark.anyio


async def run(resources: Resources, times: int = 1) -> None:
    async with db.transaction(resources.pool) as connection:
        for _ in range(times):
            await jobs.enqueue(connection, "task_reminders", {})
    async with working(resources, **tasks.of_product(resources.settings)):
        await until_empty(resources)


async def overdue(connection: db.Connection, user_id: UUID, ago: timedelta, **columns: Any) -> asyncpg.Record:
    """A task whose reminders came while nobody worked: chosen a day before, `ago` and twice as long ago."""
    now = datetime.now(UTC)
    row = await work.task(connection, user_id, **{"remind_at": [now + ago, now + 2 * ago], **columns})
    # As if so much time had gone by.
    async with connection.transaction():
        await connection.execute("set local session_replication_role = replica")
        await connection.execute(
            """
            update public.tasks set remind_at = array[$2::timestamptz, $3::timestamptz],
              reminded_at = $2::timestamptz - interval '1 day',
              next_remind_at = case when next_remind_at is not null then $2::timestamptz end
            where id = $1
            """,
            row["id"],
            now - 2 * ago,
            now - ago,
        )
    return row


async def told(connection: db.Connection, user_id: UUID) -> list[tuple[str, str, str]]:
    rows = await connection.fetch(
        "select title, message, action_url from public.notifications where user_id = $1 and title ~ '^Promemoria'",
        user_id,
    )
    return [tuple(row) for row in rows]


async def test_each_moment_is_told_once_to_its_owner(resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        anna, luca = [await accounts.create(connection) for _ in range(2)]
        due = datetime(2026, 7, 1, 13, 30, tzinfo=UTC)
        task = await overdue(connection, anna, timedelta(minutes=5), title="x" * 200, due_at=due, due_is_allday=False)
        await run(resources, times=2)
        await run(resources)
        title, message, action_url = (
            "Promemoria: " + "x" * 188,
            "Scade il 01/07/2026 alle 15:30.",
            f"/tasks?attivita={task['id']}",
        )
        assert await told(connection, anna) == [(title, message, action_url)] * 2
        assert await told(connection, luca) == []


async def test_nobody_is_reminded_of_what_is_done_gone_or_still_to_come(resources: Resources, now: Clock) -> None:
    async with db.connection(resources.pool) as connection:
        anna = await accounts.create(connection)
        await overdue(connection, anna, timedelta(minutes=5), state="fatto")
        await overdue(connection, anna, timedelta(minutes=5), deleted_at=datetime.now(UTC))
        # The clock of a process that is wrong reminds nobody early; a moment that was over when chosen is not told.
        minute = timedelta(minutes=1)
        await work.task(connection, anna, remind_at=[datetime.now(UTC) + 60 * minute, datetime.now(UTC) - minute])
        now.advance(days=2)
        await run(resources)
        assert await told(connection, anna) == []


async def test_a_reminder_that_is_due_is_told_although_another_is_chosen(resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        anna = await accounts.create(connection)
        row = await overdue(connection, anna, timedelta(minutes=5))
        # The first is taken away, the second stays, one that is long over and one to come are chosen.
        day = timedelta(days=1)
        await connection.execute(
            "update public.tasks set remind_at = array[remind_at[2], now() - $2::interval, now() + $2::interval]"
            " where id = $1",
            row["id"],
            day,
        )
        await run(resources, times=2)
        assert len(await told(connection, anna)) == 1


async def test_a_task_that_is_opened_again_tells_only_what_is_to_come(resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        anna = await accounts.create(connection)
        row = await overdue(connection, anna, timedelta(minutes=5), state="fatto")
        await connection.execute("update public.tasks set state = 'da_fare' where id = $1", row["id"])
        await run(resources)
        assert await told(connection, anna) == []
