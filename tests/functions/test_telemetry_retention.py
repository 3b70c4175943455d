"""Events are kept 24 months and errors 90 days, no day longer, and never more rows than the disk bears."""

from __future__ import annotations

import pytest

from backend.core import db, jobs
from backend.core.resources import Resources
from backend.edge import tasks
from backend.edge.api import Context
from functions._shared import batches
from functions._shared import retention as rules
from functions.jobs import retention
from tests.backend.core.test_jobs import until_empty, working

pytestmark = pytest.mark.anyio

INSERT = {
    "analytics_events": """
        insert into public.analytics_events (event_name, session_id, user_agent, created_at)
        values ('page_view', replace($1, ' ', '_'), 'test', now() - $1::text::interval)
        """,
    "error_logs": """
        insert into public.error_logs (session_id, error_message, created_at)
        values (replace($1, ' ', '_'), 'boom', now() - $1::text::interval)
        """,
}


async def _forget(resources: Resources) -> None:
    async with db.transaction(resources.pool) as connection:
        await jobs.enqueue(connection, "retention", {})
        await jobs.enqueue(connection, "retention", {})
    async with working(resources, **tasks.of_product(resources.settings)):
        await until_empty(resources)


async def _kept(resources: Resources, table: str) -> list[str]:
    async with db.connection(resources.pool) as connection:
        rows = await connection.fetch(f"select session_id from public.{table} order by id")
    return [row["session_id"] for row in rows]


@pytest.mark.parametrize(
    ("table", "ages", "kept"),
    [
        ("analytics_events", ["3 years", "24 months 1 day", "23 months"], ["23_months"]),
        ("error_logs", ["3 years", "91 days", "89 days"], ["89_days"]),
    ],
)
async def test_old_telemetry_is_forgotten_and_a_second_run_changes_nothing(
    table: str, ages: list[str], kept: list[str], resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "BATCH", 1)
    async with db.transaction(resources.pool) as connection:
        for age in ages:
            await connection.execute(INSERT[table], age)
    await _forget(resources)
    assert await _kept(resources, table) == kept


@pytest.mark.parametrize("table", INSERT)
async def test_of_too_many_rows_the_newest_stay(
    table: str, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with db.transaction(resources.pool) as connection:
        for age in ("5 days", "4 days", "3 days", "2 days"):
            await connection.execute(INSERT[table], age)
        await connection.execute(
            "insert into private.telemetry_networks (day, table_name, network, inserted)"
            " values (current_date - 1, 'error_logs', 1, 9), (current_date, 'error_logs', 1, 9)"
        )
    monkeypatch.setattr(rules, "KEPT_ROWS", {"analytics_events": 3, "error_logs": 3})
    await retention.handler({}, Context("test", {"role": "service_role"}, "", resources))
    assert await _kept(resources, table) == ["4_days", "3_days", "2_days"]
    async with db.connection(resources.pool) as connection:
        assert await connection.fetchval("select count(*) from private.telemetry_networks") == 1
