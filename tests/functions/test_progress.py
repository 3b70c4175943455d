"""Progress of a job is seen by who waits for it."""

from __future__ import annotations

from uuid import uuid4

import pytest

from backend.core import db, jobs
from backend.core.resources import Resources
from backend.edge import tasks
from functions._shared import progress
from tests.backend.core.test_jobs import rows, until_empty, working

pytestmark = pytest.mark.anyio


async def person(resources: Resources) -> str:
    user_id = str(uuid4())
    async with db.connection(resources.pool) as connection:
        await connection.execute("insert into auth.users (id) values ($1)", user_id)
    return user_id


async def seen(resources: Resources, user_id: str) -> list[tuple[str, str, int, int | None]]:
    """What the client of somebody sees."""
    async with db.as_claims(resources.pool, {"role": "authenticated", "sub": user_id}) as connection:
        found = await connection.fetch("select job_key, state, done, total from public.job_progress order by job_key")
    return [tuple(row) for row in found]


async def test_progress_goes_on_and_only_its_owner_sees_it(resources: Resources) -> None:
    anna, bruno = await person(resources), await person(resources)
    async with db.as_claims(resources.pool, {"role": "service_role"}) as connection:
        await progress.report(connection, anna, "ocr:1", "waiting", total=3)
        await progress.report(connection, anna, "ocr:1", "running", done=2, message="Leggo pagina 3 di 3")
        await progress.report(connection, bruno, "ocr:1", "failed")
    assert await seen(resources, anna) == [("ocr:1", "running", 2, 3)]
    assert await seen(resources, bruno) == [("ocr:1", "failed", 0, None)]


async def test_progress_that_stands_still_is_forgotten_after_a_week(resources: Resources) -> None:
    anna = await person(resources)
    async with db.as_claims(resources.pool, {"role": "service_role"}) as connection:
        for key in ("old", "new"):
            await progress.report(connection, anna, key, "done")
    await rows(
        resources,
        "update public.job_progress set updated_at = now() - interval '8 days' where job_key = 'old' returning job_key",
    )
    async with db.transaction(resources.pool) as connection:
        await jobs.enqueue(connection, "progress_retention", {})
    async with working(resources, **tasks.of_product(resources.settings)):
        await until_empty(resources)
    assert await seen(resources, anna) == [("new", "done", 0, None)]
