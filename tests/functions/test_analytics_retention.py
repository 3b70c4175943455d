"""Events are kept 24 months and not a day longer."""

from __future__ import annotations

import pytest

from backend.core import db, jobs
from backend.core.resources import Resources
from backend.edge import tasks
from tests.backend.core.test_jobs import until_empty, working

pytestmark = pytest.mark.anyio


async def ages(resources: Resources) -> list[str]:
    async with db.connection(resources.pool) as connection:
        rows = await connection.fetch("select session_id from public.analytics_events order by session_id")
    return [row["session_id"] for row in rows]


async def test_events_older_than_24_months_are_forgotten_and_a_second_run_changes_nothing(
    resources: Resources,
) -> None:
    async with db.transaction(resources.pool) as connection:
        for age in ("23 months", "24 months 1 day", "3 years"):
            await connection.execute(
                """
                insert into public.analytics_events (event_name, session_id, user_agent, created_at)
                values ('page_view', replace($1, ' ', '_'), 'test', now() - $1::text::interval)
                """,
                age,
            )
        await jobs.enqueue(connection, "analytics_retention", {})
        await jobs.enqueue(connection, "analytics_retention", {})
    async with working(resources, **tasks.of_product(resources.settings)):
        await until_empty(resources)
    assert await ages(resources) == ["23_months"]
