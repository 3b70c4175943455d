"""Alarms of the installation: each told once to every admin, looked after by one, over when all is calm for a while."""

from __future__ import annotations

import json
import re
from typing import Any

import asyncpg
import pytest

from scripts.paths import ROOT
from tests.db import access
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

ADMIN = access.PEOPLE["admin"]


async def _snapshot(connection: Connection, name: str, **figures: float) -> None:
    await connection.execute(
        "select private.keep_snapshot($1, '10 minutes', $2::text::jsonb)", name, json.dumps({"figures": figures})
    )


async def _follow(connection: Connection) -> None:
    await connection.execute("select private.follow_alarms()")


async def _passes(connection: Connection, time: str) -> None:
    """Let time pass for the alarms; snapshots are as new as before."""
    await connection.execute(
        "update private.alarms set since = since - $1::text::interval, calm_since = calm_since - $1::text::interval",
        time,
    )


async def _told(connection: Connection) -> list[tuple[str, str]]:
    rows = await connection.fetch(
        "select title, message from private.notification_deliveries "
        "where user_id = $1 and kind = 'allarme' and channel = 'in_app' order by created_at, title",
        ADMIN,
    )
    return [(row["title"], row["message"]) for row in rows]


async def _findings(connection: Connection, report: str) -> list[dict[str, Any]]:
    async with access.acting(connection, "admin"):
        overview = json.loads(await connection.fetchval("select public.admin_overview()::text"))
    found: list[dict[str, Any]] = overview[report]["findings"]
    return found


@pytest.fixture(autouse=True)
async def _calm(connection: Connection) -> None:
    await connection.execute("delete from private.admin_snapshots; delete from private.alarms")


async def test_an_error_is_told_at_once_and_only_once(connection: Connection) -> None:
    await _snapshot(connection, "backups", backups=3, backup_age_h=1, restore_failed=1)
    for _ in range(3):
        await _follow(connection)
    assert await _told(connection) == [
        ("Da risolvere: Copie di sicurezza", "L’ultima prova di ripristino non è riuscita.")
    ]
    channels = await connection.fetch(
        "select channel::text, action_url from private.notification_deliveries where user_id = $1 and kind = 'allarme'",
        ADMIN,
    )
    assert {tuple(row) for row in channels} == {("in_app", "/admin"), ("mail", "/admin")}


async def test_a_warning_is_told_when_it_has_lasted_for_a_day(connection: Connection) -> None:
    await _snapshot(connection, "security", keys_late=2)
    await _follow(connection)
    await _passes(connection, "23 hours 59 minutes")
    await _follow(connection)
    assert await _told(connection) == []
    await _passes(connection, "1 minute")
    await _follow(connection)
    await _passes(connection, "3 days")
    await _follow(connection)
    assert await _told(connection) == [("Da guardare: Sicurezza", "Chiavi da cambiare: 2.")]


@pytest.mark.parametrize(("free", "light"), [(11, None), (9, "warning"), (4, "error")])
async def test_a_disk_that_fills_is_found_in_time(free: int, light: str | None, connection: Connection) -> None:
    await _snapshot(connection, "disk", free_bytes=free * 2**30, total_bytes=100 * 2**30)
    found = await _findings(connection, "disk")
    assert [each["light"] for each in found] == ([light] if light else [])
    assert all(each["finding"] == f"Spazio libero sul disco: {free * 1024} MB su 100 GB." for each in found)


async def test_each_finding_is_an_alarm_of_its_own(connection: Connection) -> None:
    await _snapshot(connection, "security", admins_without_factor=1)
    await _follow(connection)
    await _passes(connection, "1 day")
    await _snapshot(connection, "security", admins_without_factor=1, keys_late=1, lints=1)
    await _follow(connection)
    await _passes(connection, "1 day")
    await _follow(connection)
    assert sorted(message for _, message in await _told(connection)) == [
        "Amministratori senza secondo fattore: 1.",
        "Chiavi da cambiare: 1.",
        "Regole di sicurezza violate: 1.",
    ]


async def test_what_comes_and_goes_is_one_alarm_and_what_comes_back_later_another(connection: Connection) -> None:
    for _ in range(3):
        await _snapshot(connection, "credits", drifted=1)
        await _follow(connection)
        await _snapshot(connection, "credits", drifted=0)
        await _follow(connection)
        await _passes(connection, "29 minutes")
    assert len(await _told(connection)) == 1
    await _passes(connection, "1 minute")
    await _follow(connection)
    assert await connection.fetchval("select count(*) from private.alarms") == 0
    # The key of a notice has the moment of its alarm, and a test is one moment.
    await connection.execute("update private.notification_deliveries set dedupe_key = dedupe_key || ':before'")
    await _snapshot(connection, "credits", drifted=1)
    await _follow(connection)
    assert len(await _told(connection)) == 2


async def test_what_gets_worse_is_told_again_and_is_open_again(connection: Connection) -> None:
    await _snapshot(connection, "backups", backups=3, backup_age_h=30)
    await _follow(connection)
    await _passes(connection, "1 day")
    await _follow(connection)
    await _take_over(connection, "backups", "backup_age_h")
    await _snapshot(connection, "backups", backups=3, backup_age_h=73)
    await _follow(connection)
    assert [title for title, _ in await _told(connection)] == [
        "Da guardare: Copie di sicurezza",
        "Da risolvere: Copie di sicurezza",
    ]
    [found] = await _findings(connection, "backups")
    assert (found["light"], found["taken_over_at"]) == ("error", None)


async def _take_over(connection: Connection, report: str, rule: str) -> None:
    async with access.acting(connection, "admin"):
        await connection.execute("select public.admin_take_over_alarm($1, $2)", report, rule)


async def test_who_takes_an_alarm_over_is_named_and_the_others_get_no_mail(connection: Connection) -> None:
    await _snapshot(connection, "queue", longest_wait_s=420)
    await _follow(connection)
    [found] = await _findings(connection, "queue")
    assert (found["finding"], found["taken_over_by"]) == ("Un lavoro aspetta da 7 minuti.", None)
    for _ in range(2):
        await _take_over(connection, "queue", "longest_wait_s")
    [found] = await _findings(connection, "queue")
    assert found["taken_over_by"] is not None
    logged = await connection.fetch(
        "select admin_id, target from public.admin_actions where action = 'alarm.take_over'"
    )
    assert [tuple(row) for row in logged] == [(ADMIN, "queue:longest_wait_s")]
    waiting = await connection.fetch(
        "select is_read from public.notifications where kind = 'allarme' and user_id = $1", ADMIN
    )
    assert [row["is_read"] for row in waiting] == [True]


@pytest.mark.parametrize("persona", ["owner", "anon"])
async def test_a_stranger_takes_nothing_over(persona: str, connection: Connection) -> None:
    await _snapshot(connection, "queue", longest_wait_s=420)
    await _follow(connection)
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with connection.transaction(), access.acting(connection, persona):
            await connection.execute("select public.admin_take_over_alarm('queue', 'longest_wait_s')")
    assert await connection.fetchval("select taken_over_at from private.alarms where report = 'queue'") is None


async def test_only_admins_are_told_and_choose(connection: Connection) -> None:
    await _snapshot(connection, "credits", drifted=1)
    await _follow(connection)
    told = await connection.fetch("select distinct user_id from private.notification_deliveries where kind = 'allarme'")
    admins = await connection.fetch("select user_id from public.user_roles where role = 'admin'")
    assert {row["user_id"] for row in told} == {row["user_id"] for row in admins}
    for persona, is_there in (("admin", True), ("owner", False)):
        async with access.acting(connection, persona):
            choices = json.loads(await connection.fetchval("select public.notification_choices()::text"))
        assert ("amministrazione" in choices["channels"]) == is_there


async def test_checks_that_fail_are_an_alarm_when_they_open_an_incident(connection: Connection) -> None:
    down = json.dumps([{"part": "storage", "is_up": False, "took_ms": 5}])
    for minute in (3, 2, 1):
        await connection.execute(
            "select private.note_uptime('worker', now() - make_interval(mins => $1), $2::text::jsonb)", minute, down
        )
    assert ("Da risolvere: Disponibilità", "Interruzioni aperte: 1.") in await _told(connection)


async def test_reports_have_the_same_names_in_alarms_and_on_screen(connection: Connection) -> None:
    text = (ROOT / "web" / "src" / "strings" / "admin.ts").read_text()
    names = dict(re.findall(r"^  (\w+): '(.+)',$", text.partition("reportNames")[2].partition("}")[0], re.MULTILINE))
    shown = await connection.fetchval("select pg_get_functiondef('private.newest_snapshots'::regproc)")
    # Of people nothing is ever wrong.
    reports = set(re.findall(r"'(\w+)'", shown.partition("array[")[2].partition("]")[0])) - {"people"}
    assert len(reports) == 10
    for report in reports:
        assert await connection.fetchval("select private.report_name($1)", report) == names[report]
