"""The register of breaches: admins write it, it says who must still be told, and every version is in the log."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest

from tests.db import access
from tests.db.accounts import Connection, rolled_back

pytestmark = pytest.mark.anyio

WRITE = "select public.admin_write_breach($1, 'Portatile perso', 'Perso in treno', 12, $2, '', $3, $4, $5, $6)"
NOW = datetime.now(UTC)
FOUND = NOW - timedelta(hours=80)


async def _write(
    connection: Connection,
    risk: str = "risk",
    *,
    found: datetime = FOUND,
    reason: str = "",
    told: datetime | None = None,
    people_told: datetime | None = None,
    breach_id: int | None = None,
) -> int:
    async with access.acting(connection, "admin"):
        written: int = await connection.fetchval(WRITE, found, risk, reason, told, people_told, breach_id)
    return written


async def _listed(connection: Connection) -> dict[str, Any]:
    async with access.acting(connection, "admin"):
        row = await connection.fetchrow("select * from public.admin_breaches()")
    assert row is not None
    return dict(row)


async def _light(connection: Connection) -> str:
    await connection.execute("delete from private.admin_snapshots where name = 'security'")
    await connection.execute("select private.take_snapshot('security', interval '10 minutes')")
    light: str = await connection.fetchval(
        "select private.light(s) from private.admin_snapshots as s where name = 'security'"
    )
    return light


@pytest.mark.parametrize(
    ("risk", "reason", "told", "people_told", "is_open"),
    [
        ("none", "", None, None, True),
        ("none", "Il disco era cifrato", None, None, False),
        ("risk", "", None, None, True),
        ("risk", "", FOUND + timedelta(hours=71), None, False),
        ("high", "", FOUND + timedelta(hours=71), None, True),
        ("high", "", FOUND + timedelta(hours=71), NOW, False),
    ],
)
async def test_who_must_still_be_told(
    connection: Connection,
    risk: str,
    reason: str,
    told: datetime | None,
    people_told: datetime | None,
    *,
    is_open: bool,
) -> None:
    await _write(connection, risk, reason=reason, told=told, people_told=people_told)
    found = await _listed(connection)
    assert (found["is_open"], found["due_at"]) == (is_open, FOUND + timedelta(hours=72))


async def test_an_open_breach_is_yellow_and_red_after_72_hours(connection: Connection) -> None:
    # Both admins of these tests have no second factor, which is yellow too.
    assert await _light(connection) == "warning"
    breach_id = await _write(connection)
    assert await _light(connection) == "error"
    await _write(connection, reason="Saputo tardi chi era colpito", told=NOW, breach_id=breach_id)
    assert await _light(connection) == "warning"


@pytest.mark.parametrize(
    "fault",
    [
        {"told": NOW},
        {"told": FOUND - timedelta(minutes=1)},
        {"found": NOW + timedelta(hours=1)},
        {"risk": "small"},
    ],
)
async def test_a_late_word_needs_its_reason_and_nothing_is_before_or_in_the_future(
    connection: Connection, fault: dict[str, Any]
) -> None:
    with pytest.raises(asyncpg.CheckViolationError):
        await _write(connection, **fault)


async def test_every_version_is_in_the_log_and_only_admins_write(connection: Connection) -> None:
    breach_id = await _write(connection)
    await _write(connection, "none", reason="Il disco era cifrato", breach_id=breach_id)
    rows = await connection.fetch(
        "select before ->> 'risk' as before, after ->> 'risk' as after from public.admin_actions "
        "where action = 'breach.write' order by id"
    )
    assert [tuple(row) for row in rows] == [(None, "risk"), ("risk", "none")]
    refused = {
        "admin": (
            "PT404",
            f"select public.admin_write_breach(now(), 'Altro', 'Altro', 1, 'risk', '', '', _id => {breach_id + 1})",
        ),
        "stranger": ("42501", "select * from public.admin_breaches()"),
        "owner": ("42501", "select public.admin_write_breach(now(), 'Altro', 'Altro', 1, 'risk', '', '')"),
    }
    for role, (code, statement) in refused.items():
        async with rolled_back(connection):
            with pytest.raises(asyncpg.PostgresError) as raised:
                async with access.acting(connection, role):
                    await connection.execute(statement)
            assert raised.value.sqlstate == code
