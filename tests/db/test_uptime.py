"""Uptime: what is counted, what everybody sees of it, and what an admin writes about an incident."""

from __future__ import annotations

import json
from typing import Any

import asyncpg
import pytest

from tests.db import access
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

EARLIER = "update auth.users set updated_at = now() - interval '2 minutes' where private.is_probe(id)"


async def _note(connection: Connection, ago: str = "0 s", viewpoint: str = "worker", **parts: bool) -> bool:
    checks = [{"part": part, "is_up": is_up, "took_ms": 12} for part, is_up in parts.items()]
    noted: bool = await connection.fetchval(
        "select private.note_uptime($1, now() - $2::text::interval, $3::text::jsonb)",
        viewpoint, ago, json.dumps(checks),
    )  # fmt: skip
    return noted


async def _admin(connection: Connection) -> Any:
    async with access.acting(connection, "admin"):
        return json.loads(await connection.fetchval("select public.admin_uptime()::text"))


async def _status(connection: Connection) -> Any:
    async with access.acting(connection, "anon"):
        return json.loads(await connection.fetchval("select public.service_status()::text"))


@pytest.fixture(autouse=True)
async def nothing(connection: Connection) -> None:
    await connection.execute(
        "delete from private.uptime_parts; delete from private.journeys; delete from private.incidents"
    )


async def test_everybody_sees_the_share_and_the_failures_of_a_day(connection: Connection) -> None:
    for ago, is_up in (("2 s", True), ("1 s", True), ("0 s", False)):
        await _note(connection, ago, site=is_up, worker=True)
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


async def test_minutes_without_a_check_are_missing_and_never_fine(connection: Connection) -> None:
    await _note(connection, "3 days", "watch", site=True)
    await _note(connection, "0 s", "watch", site=True)
    [site] = (await _admin(connection))[1]["parts"]
    assert site["missing"][:86] == [0] * 86
    assert sum(site["missing"]) in range(3 * 24 * 60 - 5, 3 * 24 * 60)
    assert (sum(filter(None, site["failed"])), site["failed"][-2]) == (0, None)


async def test_results_of_a_second_machine_count_once_and_with_their_own_times(connection: Connection) -> None:
    for _again in range(2):
        assert await _note(connection, "2 hours", "watch", site=False)
        assert await _note(connection, "1 hour", "watch", site=True)
    assert not await _note(connection, "-3 minutes", "watch", site=True)
    assert not await _note(connection, "9 days", "watch", site=True)
    rows = await connection.fetch("select sum(answered) as answered, sum(failed) as failed from private.uptime_days")
    assert [tuple(row) for row in rows] == [(1, 1)]
    worker, watch = await _admin(connection)
    assert (worker["parts"], [part["state"] for part in watch["parts"]]) == ([], ["unknown"])
    assert (await _status(connection))["parts"] == []


async def test_a_journey_counts_for_five_minutes_and_is_kept_a_day(connection: Connection) -> None:
    steps = [{"step": "login", "took_ms": 30, "error": ""}, {"step": "read", "took_ms": 5, "error": "Risposta 503"}]
    note = "select private.note_uptime('worker', now() - $1::text::interval, $2::text::jsonb, $3::text::jsonb)"
    check = json.dumps([{"part": "journey", "is_up": False, "took_ms": 35, "minutes": 5}])
    for ago in ("25 hours", "6 minutes"):
        await connection.fetchval(note, ago, check, json.dumps(steps))
    [part] = (await _status(connection))["parts"]
    assert (part["state"], sum(filter(None, part["failed"]))) == ("down", 10)
    [journey] = (await _admin(connection))[0]["journeys"]
    assert journey["steps"] == steps


async def test_the_account_of_the_journey_is_no_person(connection: Connection) -> None:
    people = "select (private.measure_people() #>> '{figures,people}')::int"
    before = await connection.fetchval(people)
    email = await connection.fetchval("select private.prepare_probe('worker', 'x')")
    assert await connection.fetchval("select private.prepare_probe('worker', 'y')") is None
    await connection.execute(EARLIER)
    assert await connection.fetchval("select private.prepare_probe('worker', 'y')") == email
    assert await connection.fetchval(people) == before
    probe = "(select id from auth.users where email = $1)"
    for table in ("profiles", "credit_wallets", "notifications", "credit_settings"):
        owned = f"select count(*) from public.{table} where user_id = {probe}"
        assert await connection.fetchval(owned, email) == 0, table
    async with access.acting(connection, "admin"):
        listed = await connection.fetch("select email from public.admin_accounts()")
    assert email not in {row["email"] for row in listed}


async def test_a_journey_that_was_killed_leaves_nothing_behind(connection: Connection) -> None:
    await connection.fetchval("select private.prepare_probe('worker', 'x')")
    await connection.execute(
        "insert into public.tags (user_id, name) values (private.probe_id('worker'), 'Percorso di prova'); "
        "insert into auth.sessions (id, user_id) values (gen_random_uuid(), private.probe_id('worker'))"
    )
    await connection.execute(EARLIER)
    await connection.fetchval("select private.prepare_probe('worker', 'y')")
    for table in ("public.tags", "auth.sessions"):
        left = f"select count(*) from {table} where user_id = private.probe_id('worker')"
        assert await connection.fetchval(left) == 0
