"""Telemetry that anybody may write: bounded columns, and a rate per session and per table."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from tests.db import access
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

EVENT: dict[str, Any] = {"event_name": "page_view", "session_id": "s", "user_agent": "test"}
ERROR: dict[str, Any] = {"session_id": "s", "error_message": "boom"}
LIMITS = {"analytics_events": 300, "error_logs": 30}
# Of a minute: of nobody, and of everybody.
TABLE_LIMITS = {"analytics_events": (1_500, 3_000), "error_logs": (300, 600)}
# Of a network and a day.
DAY_LIMITS = {"analytics_events": 20_000, "error_logs": 500}


async def _insert(connection: Connection, table: str, values: dict[str, Any], role: str = "anon") -> None:
    columns = ", ".join(values)
    async with access.acting(connection, role):
        await connection.execute(
            f"insert into public.{table} ({columns}) "
            f"select {columns} from jsonb_populate_record(null::public.{table}, $1::text::jsonb)",
            json.dumps(values),
        )


@pytest.mark.parametrize(
    ("table", "values"),
    [
        (
            "analytics_events",
            {
                **EVENT,
                "properties": {"page": "landing"},
                "referrer": "https://example.test/",
                "ip_hash": "0123456789abcdef",
            },
        ),
        ("analytics_events", {**EVENT, "properties": None, "referrer": None, "ip_hash": "unknown"}),
        (
            "error_logs",
            {
                **ERROR,
                "error_stack": "x" * 16_000,
                "component_stack": "x" * 16_000,
                "url": "http://127.0.0.1:54321/home",
                "user_agent": "test",
                "severity": "critical",
                "metadata": {"timestamp": "2026-01-01T00:00:00Z", "browser": "test", "viewport": "360x640"},
            },
        ),
    ],
)
async def test_what_the_client_sends_fits(table: str, values: dict[str, Any], connection: Connection) -> None:
    await _insert(connection, table, values)


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("analytics_events", {"event_name": "Page View"}),
        ("analytics_events", {"event_name": "x" * 65}),
        ("analytics_events", {"session_id": "x" * 65}),
        ("analytics_events", {"session_id": "<b>"}),
        ("analytics_events", {"properties": []}),
        ("analytics_events", {"properties": {"x": "y" * 4096}}),
        ("analytics_events", {"referrer": "x" * 2049}),
        ("analytics_events", {"user_agent": "x" * 1025}),
        ("analytics_events", {"ip_hash": "192.168.0.1"}),
        ("analytics_events", {"ip_hash": "0123456789ABCDEF"}),
        ("error_logs", {"error_message": "x" * 4001}),
        ("error_logs", {"error_stack": "x" * 16_001}),
        ("error_logs", {"component_stack": "x" * 16_001}),
        ("error_logs", {"url": "x" * 2049}),
        ("error_logs", {"user_agent": "x" * 1025}),
        ("error_logs", {"session_id": ""}),
        ("error_logs", {"metadata": "x"}),
        ("error_logs", {"metadata": {"x": "è" * 2048}}),
    ],
    ids=lambda value: value if isinstance(value, str) else next(iter(value)),
)
async def test_column_out_of_bounds_is_refused(table: str, change: dict[str, Any], connection: Connection) -> None:
    with pytest.raises(asyncpg.CheckViolationError):
        await _insert(connection, table, {**(EVENT if table == "analytics_events" else ERROR), **change})


async def test_error_is_always_critical(connection: Connection) -> None:
    with pytest.raises(asyncpg.InvalidTextRepresentationError):
        await _insert(connection, "error_logs", {**ERROR, "severity": "info"})


@pytest.mark.parametrize("table", LIMITS)
async def test_session_has_a_rate_and_another_session_its_own(table: str, connection: Connection) -> None:
    values = EVENT if table == "analytics_events" else ERROR
    for _ in range(LIMITS[table]):
        await _insert(connection, table, values)
    await _insert(connection, table, {**values, "session_id": "other"})
    with pytest.raises(asyncpg.PostgresError, match="too many") as caught:
        await _insert(connection, table, values)
    assert caught.value.sqlstate == "PT429"


@pytest.mark.parametrize("table", LIMITS)
async def test_one_bulk_insert_cannot_pass_the_rate(table: str, connection: Connection) -> None:
    columns, values = (
        ("event_name, user_agent", "'x', 'x'") if table == "analytics_events" else ("error_message", "'x'")
    )
    with pytest.raises(asyncpg.PostgresError, match="too many"):
        async with access.acting(connection, "anon"):
            await connection.execute(
                f"insert into public.{table} (session_id, {columns}) select 's', {values} from generate_series(1, $1)",
                LIMITS[table] + 1,
            )


async def test_rate_ends_after_a_minute(connection: Connection) -> None:
    await connection.execute(
        """
        insert into public.error_logs (session_id, error_message, created_at)
        select 's', 'boom', now() - interval '61 seconds' from generate_series(1, 30)
        """
    )
    await _insert(connection, "error_logs", ERROR)


async def _fill(connection: Connection, table: str, count: int, user_id: UUID | None, age: str = "1 second") -> None:
    """So many rows, each of a session of its own, around the triggers."""
    async with connection.transaction():
        await connection.execute("set local session_replication_role = replica")
        values = {**(EVENT if table == "analytics_events" else ERROR), "user_id": user_id and str(user_id)}
        values.pop("session_id")
        columns = ", ".join(values)
        await connection.execute(
            f"insert into public.{table} (session_id, created_at, {columns}) "
            f"select 's' || n, now() - $3::text::interval, {columns} "
            f"from jsonb_populate_record(null::public.{table}, $1::text::jsonb), generate_series(1, $2) as n",
            json.dumps(values),
            count,
            age,
        )
        await connection.execute("set local session_replication_role = origin")


@pytest.mark.parametrize("table", TABLE_LIMITS)
async def test_guests_together_have_a_rate_however_many_sessions_they_make_up(
    table: str, connection: Connection
) -> None:
    guests, _ = TABLE_LIMITS[table]
    await connection.execute(f"delete from public.{table}")
    await _fill(connection, table, guests, None, age="61 seconds")
    await _fill(connection, table, guests - 1, None)
    values = {**(EVENT if table == "analytics_events" else ERROR), "session_id": "fresh"}
    await _insert(connection, table, values)
    with pytest.raises(asyncpg.PostgresError, match="too many") as caught:
        async with connection.transaction():
            await _insert(connection, table, {**values, "session_id": "fresher"})
    assert caught.value.sqlstate == "PT429"
    # Who is signed in is still heard.
    owner = str(access.PEOPLE["owner"])
    await _insert(connection, table, {**values, "user_id": owner}, role="owner")


@pytest.mark.parametrize("table", TABLE_LIMITS)
async def test_everybody_together_has_a_rate(table: str, connection: Connection) -> None:
    _, everybody = TABLE_LIMITS[table]
    owner = access.PEOPLE["owner"]
    await _fill(connection, table, everybody, owner)
    values = {**(EVENT if table == "analytics_events" else ERROR), "session_id": "fresh"}
    for role, user_id in (("anon", None), ("owner", str(owner))):
        with pytest.raises(asyncpg.PostgresError, match="too many"):
            async with connection.transaction():
                await _insert(connection, table, {**values, "user_id": user_id}, role=role)


async def _insert_from(connection: Connection, address: str, table: str) -> None:
    await connection.execute("select set_config('request.headers', $1, true)", json.dumps({"x-forwarded-for": address}))
    async with connection.transaction():
        await _insert(connection, table, EVENT if table == "analytics_events" else ERROR)


@pytest.mark.parametrize("table", DAY_LIMITS)
async def test_a_network_has_a_number_of_rows_a_day(table: str, connection: Connection) -> None:
    for address in ("203.0.113.7", "2001:db8:1:2::1"):
        await _insert_from(connection, address, table)
    await connection.execute("update private.telemetry_networks set inserted = $1", DAY_LIMITS[table])
    for address in ("203.0.113.7", "2001:db8:1:2:ffff::9"):
        with pytest.raises(asyncpg.PostgresError, match="one network") as caught:
            await _insert_from(connection, address, table)
        assert caught.value.sqlstate == "PT429"
    for address in ("203.0.113.8", "2001:db8:1:3::1", "127.0.0.1", "::1", "nobody"):
        await _insert_from(connection, address, table)
    await connection.execute("update private.telemetry_networks set day = day - 1 where day = current_date")
    await _insert_from(connection, "203.0.113.7", table)
