"""Uptime: what is counted, what everybody sees of it, and what an admin writes about an incident."""

from __future__ import annotations

import json
from typing import Any

import asyncpg
import pytest

from tests.db import access
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio


async def _note(connection: Connection, **parts: bool) -> None:
    checks = [{"part": part, "is_up": is_up, "took_ms": 12} for part, is_up in parts.items()]
    await connection.execute("select private.note_uptime($1::text::jsonb)", json.dumps(checks))


async def _status(connection: Connection) -> Any:
    async with access.acting(connection, "anon"):
        return json.loads(await connection.fetchval("select public.service_status()::text"))


@pytest.fixture(autouse=True)
async def nothing(connection: Connection) -> None:
    await connection.execute("delete from private.uptime_parts; delete from private.incidents")


async def test_everybody_sees_the_share_and_the_failures_of_a_day(connection: Connection) -> None:
    for is_up in (True, True, False):
        await _note(connection, site=is_up, worker=True)
    site, worker = (await _status(connection))["parts"]
    assert (site["state"], site["share_30"], len(site["failed"]), site["failed"][-2:]) == ("down", 66.66, 90, [None, 1])
    assert (worker["state"], worker["share_90"], worker["failed"][-1]) == ("up", 100, 0)


async def test_minutes_without_a_check_are_failures_of_the_worker_only(connection: Connection) -> None:
    await _note(connection, site=True, worker=True)
    await connection.execute("update private.uptime_parts set checked_at = now() - interval '2 days 3 minutes'")
    states = [part["state"] for part in (await _status(connection))["parts"]]
    assert states == ["unknown", "unknown"]
    await _note(connection, site=True, worker=True)
    site, worker = (await _status(connection))["parts"]
    assert sum(filter(None, site["failed"])) == 0
    assert sum(filter(None, worker["failed"])) == 2 * 24 * 60 + 2
    # The clocks may have changed.
    assert worker["failed"][-2] in (23 * 60, 24 * 60, 25 * 60)


async def test_an_incident_is_public_with_its_updates_and_logged(connection: Connection) -> None:
    write = "select public.admin_write_incident($1, $2, 'Posta in ritardo', '{mail}', $3)"
    async with access.acting(connection, "admin"):
        incident_id = await connection.fetchval(write, "investigating", "Cerchiamo la causa", None)
        assert await connection.fetchval(write, "resolved", "La posta parte di nuovo", incident_id) == incident_id
        assert await connection.fetchval(write, "resolved", "Non esiste", incident_id + 1) is None
    [incident] = (await _status(connection))["incidents"]
    assert (incident["title"], incident["state"], incident["parts"]) == ("Posta in ritardo", "resolved", ["mail"])
    assert incident["ended_at"] is not None
    assert [update["text"] for update in incident["updates"]] == ["La posta parte di nuovo", "Cerchiamo la causa"]
    rows = await connection.fetch(
        "select after ->> 'state' as state, reason from public.admin_actions "
        "where action = 'incident.update' order by id"
    )
    assert [tuple(row) for row in rows] == [
        ("investigating", "Cerchiamo la causa"),
        ("resolved", "La posta parte di nuovo"),
    ]


async def test_an_incident_without_words_is_refused(connection: Connection) -> None:
    with pytest.raises(asyncpg.CheckViolationError):
        async with access.acting(connection, "admin"):
            await connection.fetchval("select public.admin_write_incident('identified', ' ', 'Posta', '{mail}')")
