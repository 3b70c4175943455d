"""The trash: thirty days, not one less, and what hangs on a row goes with it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from backend.core import db, jobs
from backend.core.resources import Resources
from backend.edge import tasks
from backend.edge.api import Context
from functions._shared import batches
from functions._shared import retention as rules
from functions.jobs import retention
from tests.backend.core.test_jobs import until_empty, working
from tests.conftest import Clock
from tests.db import accounts, work

pytestmark = pytest.mark.anyio


async def test_what_was_in_the_trash_for_thirty_days_is_erased(resources: Resources, now: Clock) -> None:
    old, young = [datetime.now(UTC) - timedelta(days=days) for days in (31, 29)]
    async with db.connection(resources.pool) as connection:
        anna = await accounts.create(connection)
        for deleted_at in (None, young, old):
            await connection.execute(
                "insert into public.contacts (user_id, first_name, deleted_at) values ($1, 'Anna', $2)",
                anna,
                deleted_at,
            )
            await connection.execute(
                """
                with anna as (select user_id, id from public.contacts where user_id = $1 and deleted_at is null),
                draft as (
                  insert into public.drafts (user_id, contact_id, channel, body, deleted_at)
                  select user_id, id, 'email', 'B', $2 from anna
                )
                insert into public.notes (user_id, contact_id, body, deleted_at) select user_id, id, 'N', $2 from anna
                """,
                anna,
                deleted_at,
            )
            await work.project(connection, anna, deleted_at=deleted_at)
            parent = await work.task(connection, anna, deleted_at=deleted_at)
            await work.task(connection, anna, parent_id=parent["id"])
            await connection.execute(
                """
                with stage as (
                  insert into public.stages (user_id, name, position, probability) values ($1, 'S', 1, 1) returning id
                )
                insert into public.deals (user_id, title, stage_id, deleted_at) select $1, 'D', id, $2 from stage
                """,
                anna,
                deleted_at,
            )
        async with db.transaction(resources.pool) as transaction:
            await jobs.enqueue(transaction, "retention", {})
        now.advance(days=10)
        async with working(resources, **tasks.of_product(resources.settings)):
            await until_empty(resources)
        left = {
            table: await connection.fetchval(f"select count(*) from public.{table}") for table in rules.TRASH_TABLES
        }
    assert left == {"contacts": 2, "deals": 2, "drafts": 2, "notes": 2, "projects": 2, "tasks": 4}


async def test_every_table_with_a_trash_is_emptied(resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        tables = await connection.fetch(
            """
            select relname from pg_attribute join pg_class on pg_class.oid = attrelid
            where attname = 'deleted_at' and relnamespace = 'public'::regnamespace and relkind = 'r' order by relname
            """
        )
    # Documents have a rule of their own: the file goes before its row.
    assert [table["relname"] for table in tables] == sorted([*rules.TRASH_TABLES, "documents"])


async def test_a_table_that_cannot_be_emptied_keeps_no_other_from_it(
    resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    # More than one piece of everything.
    monkeypatch.setattr(batches, "BATCH", 2)
    context = Context("test", {"role": "service_role"}, "", resources)
    async with db.connection(resources.pool) as connection:
        anna = await accounts.create(connection)
        await connection.execute(
            "insert into public.contacts (user_id, first_name, deleted_at)"
            " select $1, 'Anna', now() - interval '31 days' from generate_series(1, 5)",
            anna,
        )
        for _ in range(5):
            await work.task(connection, anna, deleted_at=datetime.now(UTC) - timedelta(days=31))
        await connection.execute(
            """
            create function public.keep() returns trigger language plpgsql as
              $$ begin raise exception 'kept on purpose'; end $$;
            create trigger keep before delete on public.contacts for each row execute function public.keep();
            """
        )
        with pytest.raises(ExceptionGroup, match="not every retention rule"):
            await retention.handler({}, context)
        assert await connection.fetchval("select count(*) from public.tasks") == 0
        await connection.execute("drop trigger keep on public.contacts")
        await retention.handler({}, context)
        assert await connection.fetchval("select count(*) from public.contacts") == 0
