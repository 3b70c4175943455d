"""Homes in the background: after a change, on a new day, and insights that are thirty days old."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from backend.core import db, jobs
from backend.core.resources import Resources
from backend.edge import tasks
from tests.backend.core.test_jobs import until_empty, working
from tests.conftest import Clock
from tests.db import accounts, work

pytestmark = pytest.mark.anyio

CHANGED = "update private.insight_marks set marked_at = now() - interval '1 minute'"


async def _run(resources: Resources, job: str) -> None:
    async with db.transaction(resources.pool) as connection:
        await jobs.enqueue(connection, job, {})
    async with working(resources, **tasks.of_product(resources.settings)):
        await until_empty(resources)


async def _person(resources: Resources) -> UUID:
    async with db.connection(resources.pool) as connection:
        user_id = await accounts.create(connection)
        await work.task(connection, user_id, due_at=datetime.now(UTC) - timedelta(days=2))
    return user_id


async def _value(resources: Resources, statement: str, *arguments: Any) -> Any:
    async with db.connection(resources.pool) as connection:
        return await connection.fetchval(statement, *arguments)


LATE = "select count(*) from public.insights where user_id = $1 and kind = 'attivita_scadute' and state = 'nuova'"


async def test_a_change_is_computed_once_its_person_has_finished(resources: Resources) -> None:
    anna = await _person(resources)
    await _run(resources, "home_marks")
    assert await _value(resources, LATE, anna) == 0
    await _value(resources, CHANGED)
    await _run(resources, "home_marks")
    assert await _value(resources, LATE, anna) == 1
    assert await _value(resources, "select count(*) from private.insight_marks where user_id = $1", anna) == 0


async def test_somebody_who_never_finishes_is_computed_all_the_same(resources: Resources) -> None:
    anna = await _person(resources)
    await _value(
        resources,
        "insert into private.insight_marks (user_id, marked_at) values ($1, now() - interval '6 minutes')",
        anna,
    )
    await _run(resources, "home_marks")
    assert await _value(resources, LATE, anna) == 1


async def test_many_changes_of_one_person_are_one_job(resources: Resources) -> None:
    anna = await _person(resources)
    await _value(resources, CHANGED)
    async with db.transaction(resources.pool) as connection:
        for _ in range(3):
            await jobs.enqueue(connection, "home_marks", {})
    async with working(resources, **tasks.of_product(resources.settings)):
        await until_empty(resources)
    runs = await _value(resources, "select count(*) from private.home_pages where user_id = $1", anna)
    assert runs == 1


async def test_on_a_new_day_everybody_is_computed_again(resources: Resources, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("functions._shared.batches.BATCH", 2)
    people = [await _person(resources) for _ in range(5)]
    for user_id in people:
        await _value(resources, "select private.refresh_home($1)", user_id)
    await _value(resources, "update private.home_pages set day = day - 1")
    await _run(resources, "home_days")
    assert await _value(resources, "select count(*) from private.home_pages where day = private.today()") == 5


async def test_homes_of_a_new_day_let_a_message_pass(resources: Resources) -> None:
    people = [await _person(resources) for _ in range(3)]
    for user_id in people:
        await _value(resources, "select private.refresh_home($1)", user_id)
    await _value(resources, "update private.home_pages set day = day - 1")
    async with db.transaction(resources.pool) as connection:
        await jobs.enqueue(connection, "home_days", {})
    async with working(resources, home_days=tasks.of_product(resources.settings)["home_days"]):
        async with asyncio.timeout(20):
            while await _value(resources, "select count(*) from jobs.pgqueuer where entrypoint = 'home_days'"):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
    async with db.transaction(resources.pool) as connection:
        await jobs.enqueue(connection, "whatsapp_deliveries", {}, user_id=str(people[-1]))
    names = ["home_refresh", "whatsapp_deliveries"]
    claimed = "select entrypoint from jobs.claim(1, $1, gen_random_uuid(), 20, '30 seconds')"
    assert [await _value(resources, claimed, names) for _ in range(2)] == ["whatsapp_deliveries", "home_refresh"]


async def test_an_insight_goes_after_thirty_days_and_its_fact_is_told_again(resources: Resources, now: Clock) -> None:
    anna = await _person(resources)
    await _value(resources, "select private.refresh_home($1)", anna)
    for days in (29, 31):
        await _value(resources, "update public.insights set created_at = now() - make_interval(days => $1)", days)
        before = await _value(resources, "select id from public.insights where user_id = $1", anna)
        await _run(resources, "retention")
        # Then it is due again.
        now.advance(days=1)
        is_kept = await _value(resources, "select count(*) from public.insights where id = $1", before)
        assert is_kept == (days == 29)
    await _value(resources, CHANGED)
    await _run(resources, "home_marks")
    assert await _value(resources, LATE, anna) == 1
