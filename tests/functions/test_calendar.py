"""The calendar feed: opened by its secret only, true to the tasks, and nothing that people write breaks out of it."""

from __future__ import annotations

import re
import threading
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg
import httpx
import pytest

from backend.core import db
from backend.core.resources import Resources
from backend.edge import api
from functions import calendar
from functions._shared import ics
from tests.conftest import Clock
from tests.db import accounts, documents, work

pytestmark = pytest.mark.anyio

URL = "/functions/v1/calendar"
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")


async def ask(connection: db.Connection, user_id: UUID, function: str) -> Any:
    """What a function on the caller's feed answers to this person."""
    async with connection.transaction():
        await connection.execute(
            "select set_config('role', 'authenticated', true), set_config('request.jwt.claims', $1, true)",
            f'{{"sub": "{user_id}", "role": "authenticated"}}',
        )
        return await connection.fetchval(f"select public.{function}()")


def components(text: str) -> list[dict[str, str]]:
    """Events and to-dos of a feed, unfolded: properties by their names, without parameters."""
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))
    assert "\n" not in text.replace("\r\n", "")
    lines = text.replace("\r\n ", "").split("\r\n")
    found: list[dict[str, str]] = []
    for line in lines[lines.index("END:VTIMEZONE") :]:
        name, _, value = line.partition(":")
        if name == "BEGIN":
            found.append({"kind": value})
        elif found:
            found[-1].setdefault(name, value)
    return found


async def feed(client: httpx.AsyncClient, secret: str) -> list[dict[str, str]]:
    answer = await client.get(URL, params={"secret": secret})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
    return components(answer.text)


async def test_a_feed_opens_with_its_secret_until_another_one_is_made(
    client: httpx.AsyncClient, resources: Resources
) -> None:
    async with db.connection(resources.pool) as connection:
        anna, luca = [await accounts.create(connection) for _ in range(2)]
        await work.task(connection, anna, title="Chiamare Rossi", due_at=resources.now())
        first, other = [await ask(connection, user_id, "calendar_secret") for user_id in (anna, luca)]
        assert await ask(connection, anna, "calendar_secret") is None
        assert [event["SUMMARY"] for event in await feed(client, first)] == ["Chiamare Rossi"]
        assert await feed(client, other) == []
        kept = await connection.fetchval("select secret_hash from private.calendar_feeds where user_id = $1", anna)
        assert first.encode() not in kept

        second = await ask(connection, anna, "renew_calendar_secret")
        assert (await client.get(URL, params={"secret": first})).status_code == 404
        assert len(await feed(client, second)) == 1
        assert await ask(connection, anna, "revoke_calendar_secret") is True
        assert await ask(connection, anna, "revoke_calendar_secret") is False
        assert (await client.get(URL, params={"secret": second})).status_code == 404


@pytest.mark.parametrize(
    "secret", ["", "0" * 64, "' or true --", "\x00" * 64, "F" * 64, "a" * 10_000], ids=["none", *"12345"]
)
async def test_a_made_up_secret_opens_nothing(secret: str, client: httpx.AsyncClient, resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        await ask(connection, await accounts.create(connection), "calendar_secret")
    answer = await client.get(URL, params={"secret": secret})
    assert (answer.status_code, answer.json()["message"]) == (404, "Questo calendario non esiste")


async def test_a_feed_is_read_only_and_sent_again_only_when_it_changed(
    client: httpx.AsyncClient, resources: Resources
) -> None:
    async with db.connection(resources.pool) as connection:
        anna = await accounts.create(connection)
        secret = await ask(connection, anna, "calendar_secret")
        first = await client.get(URL, params={"secret": secret})
        known = {"If-None-Match": f'W/"x", {first.headers["etag"]}'}
        same = await client.get(URL, params={"secret": secret}, headers=known)
        assert (same.status_code, same.content) == (304, b"")
        await work.task(connection, anna, due_at=resources.now())
        assert (await client.get(URL, params={"secret": secret}, headers=known)).status_code == 200
        assert (await client.post(URL, params={"secret": secret})).status_code == 405


async def test_a_feed_is_closed_while_its_account_is_banned_and_once_it_is_deleted(
    client: httpx.AsyncClient, resources: Resources
) -> None:
    async with db.connection(resources.pool) as connection:
        anna = await accounts.create(connection)
        secret = await ask(connection, anna, "calendar_secret")
        statuses = []
        for change in (
            "banned_until = now() + interval '1 hour'",
            "banned_until = now() - interval '1 hour'",
            "deleted_at = now()",
        ):
            await connection.execute(f"update auth.users set {change} where id = $1", anna)
            statuses.append((await client.get(URL, params={"secret": secret})).status_code)
    assert statuses == [404, 200, 404]


async def test_whatever_is_shown_is_sent_again_when_it_changed(
    client: httpx.AsyncClient, resources: Resources, now: Clock
) -> None:
    async with db.connection(resources.pool) as connection:
        anna = await accounts.create(connection)
        secret = await ask(connection, anna, "calendar_secret")
        project_id = (await work.project(connection, anna))["id"]
        contact_id = await connection.fetchval(
            "insert into public.contacts (user_id, first_name) values ($1, 'Luca') returning id", anna
        )
        await work.task(connection, anna, due_at=now(), project_id=project_id, contact_id=contact_id)

        async def tag() -> str:
            return (await client.head(URL, params={"secret": secret})).headers["etag"]

        tags = [await tag()]
        for change in (
            "tasks set title = 'Other'",
            "tasks set notes = 'Other'",
            "tasks set priority = 2",
            "tasks set due_at = due_at + interval '2 days'",
            "tasks set due_is_allday = false",
            "tasks set rrule = 'FREQ=DAILY'",
            "tasks set repeat_from = 'completamento'",
            "projects set name = 'Other'",
            "projects set deleted_at = now()",
            "contacts set first_name = 'Other'",
            "contacts set deleted_at = now()",
            "tasks set state = 'fatto'",
            "tasks set deleted_at = now()",
            "tasks set deleted_at = null, completed_at = now() - interval '89 days'",
        ):
            await connection.execute(f"update public.{change}")
            tags.append(await tag())
        now.advance(days=2)
        tags.append(await tag())
    # It ends as it was while the task lay in the trash: with nothing.
    assert len(set(tags)) == len(tags) - 1
    assert tags[-1] == tags[-3]


async def test_a_feed_is_written_beside_the_loop_and_only_when_it_changed(
    client: httpx.AsyncClient, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = []

    def spied(*properties: Any) -> bytes:
        threads.append(threading.get_ident())
        return real(*properties)

    real = ics.written
    monkeypatch.setattr(ics, "written", spied)
    async with db.connection(resources.pool) as connection:
        anna = await accounts.create(connection)
        await work.task(connection, anna, due_at=resources.now())
        secret = await ask(connection, anna, "calendar_secret")
    first = await client.get(URL, params={"secret": secret})
    assert len(threads) == 1
    assert threads[0] != threading.get_ident()
    known = {"If-None-Match": first.headers["etag"]}
    assert (await client.get(URL, params={"secret": secret}, headers=known)).status_code == 304
    assert len(threads) == 1


async def test_few_feeds_are_written_at_once_and_each_of_them_once(
    client: httpx.AsyncClient, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calendar, "PLACES", api.Places(at_once=2, waiting=0, each=1))
    async with db.connection(resources.pool) as connection:
        anna, luca = [await accounts.create(connection) for _ in range(2)]
        secrets = [await ask(connection, user_id, "calendar_secret") for user_id in (anna, luca)]
    async with calendar.PLACES.one(str(anna)):
        hers, his = [await client.get(URL, params={"secret": secret}) for secret in secrets]
    assert (hers.status_code, hers.json()["code"], hers.headers["retry-after"]) == (429, "busy", "1")
    assert his.status_code == 200


async def test_of_long_notes_the_beginning_is_shown(client: httpx.AsyncClient, resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        anna = await accounts.create(connection)
        for notes in ("à" * 1_000, "é" * 1_001, ",\n" * 10_000):
            await work.task(connection, anna, due_at=resources.now(), notes=notes)
        answer = await client.get(URL, params={"secret": await ask(connection, anna, "calendar_secret")})
    text = answer.text.replace("\r\n ", "")
    assert [text.count(each) for each in ("à" * 1_000, "é" * 999 + "…", "é" * 1_000)] == [1, 1, 0]
    assert len(answer.content) < 10_000


async def test_a_feed_that_is_full_holds_what_is_open_and_near(
    client: httpx.AsyncClient, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calendar, "MAX_TASKS", 4)
    async with db.connection(resources.pool) as connection:
        anna = await accounts.create(connection)
        for title, days, state in (
            ("Next year", 400, "da_fare"),
            ("In two years", 800, "da_fare"),
            ("Done", 0, "fatto"),
            ("Whenever", None, "da_fare"),
            ("Yesterday", -1, "da_fare"),
            ("Today", 0, "da_fare"),
            ("Next week", 7, "in_attesa"),
        ):
            due_at = None if days is None else resources.now() + timedelta(days=days)
            await work.task(connection, anna, title=title, due_at=due_at, state=state)
        found = await feed(client, await ask(connection, anna, "calendar_secret"))
    assert [each["SUMMARY"] for each in found] == ["Today", "Yesterday", "Next week", "Next year"]


async def test_dates_rules_and_kinds_are_those_of_the_tasks(client: httpx.AsyncClient, resources: Resources) -> None:
    due = datetime(2026, 7, 1, 13, 30, tzinfo=UTC)
    async with db.connection(resources.pool) as connection:
        anna = await accounts.create(connection)
        project_id = (await work.project(connection, anna, name="Sito; nuovo"))["id"]
        await work.task(connection, anna, title="Timed", due_at=due, due_is_allday=False, project_id=project_id,
                        rrule="FREQ=DAILY;UNTIL=20260731", priority=3)  # fmt: skip
        await work.task(connection, anna, title="Allday", due_at=due, rrule="FREQ=DAILY;UNTIL=20260731T215959Z")
        await work.task(connection, anna, title="Whenever", due_at=due, rrule="FREQ=DAILY", repeat_from="completamento")
        await work.task(connection, anna, title="Done", due_at=due, state="fatto", rrule="FREQ=DAILY")
        await work.task(connection, anna, title="Old", due_at=due, state="fatto",
                        completed_at=resources.now() - timedelta(days=91))  # fmt: skip
        await work.task(connection, anna, title="Undated")
        await work.task(connection, anna, title="Someday", someday=True)
        await work.task(connection, anna, title="Trashed", due_at=due, deleted_at=due)
        secret = await ask(connection, anna, "calendar_secret")
    found = {each["SUMMARY"]: each for each in await feed(client, secret)}
    assert {name: each["kind"] for name, each in found.items()} == {
        "Timed": "VEVENT", "Allday": "VEVENT", "Whenever": "VEVENT", "✓ Done": "VEVENT", "Undated": "VTODO",
    }  # fmt: skip
    timed, allday = found["Timed"], found["Allday"]
    assert timed["DTSTART;TZID=Europe/Rome"] == "20260701T153000"
    assert timed["RRULE"] == "FREQ=DAILY;UNTIL=20260731T215959Z"
    assert timed["PRIORITY"] == "1"
    assert timed["DESCRIPTION"].startswith(r"Progetto: Sito\; nuovo\n")
    assert allday["DTSTART;VALUE=DATE"] == "20260701"
    assert allday["RRULE"] == "FREQ=DAILY;UNTIL=20260731"
    assert {name for name, each in found.items() if "RRULE" in each} == {"Allday", "Timed"}


async def test_what_falls_due_besides_tasks_is_in_the_feed_until_it_is_paid(
    client: httpx.AsyncClient, resources: Resources
) -> None:
    connection = await asyncpg.connect(resources.settings.database_url)
    try:
        anna = await accounts.create(connection)
        secret = await ask(connection, anna, "calendar_secret")
        paper = await documents.document(connection, anna, filename="fattura.xml", kind="fattura")
        await documents.store_invoices(
            connection,
            paper,
            {
                "direction": "attiva",
                "number": "12",
                "counterparty_name": "Neri, figli; soci",
                "total_cents": 122_000,
                "schedules": [
                    {"no": 1, "due_on": "2026-07-01", "amount_cents": 61_000},
                    {"no": 2, "due_on": "2026-08-01", "amount_cents": 61_000},
                    {"no": 3, "amount_cents": 0},
                ],
            },
        )
        await documents.document(
            connection, anna, filename="affitto.pdf", kind="contratto", due_on=date(2026, 9, 1), title="Affitto"
        )
        found = {each["DTSTART;VALUE=DATE"]: each for each in await feed(client, secret)}
        assert {day: each["SUMMARY"] for day, each in found.items()} == {
            "20260701": r"Incassa fattura 12 da Neri\, figli\; soci: 610\,00 €",
            "20260801": r"Incassa fattura 12 da Neri\, figli\; soci: 610\,00 €",
            "20260901": "Scade: Affitto",
        }
        assert found["20260701"]["URL"].endswith(f"/documents/{paper}")

        async def tag() -> str:
            return (await client.head(URL, params={"secret": secret})).headers["etag"]

        before = await tag()
        await connection.execute("update public.invoice_schedules set paid_on = '2026-07-02' where no = 1")
        assert await tag() != before
        # Its reminder is in the feed already.
        task = await work.task(connection, anna, title="Incassa", due_at=datetime(2026, 7, 31, 22, tzinfo=UTC))
        await connection.execute("update public.invoice_schedules set task_id = $1 where no = 2", task["id"])
        assert [each["SUMMARY"] for each in await feed(client, secret)] == ["Incassa", "Scade: Affitto"]
    finally:
        await connection.close()


@pytest.mark.parametrize(
    "hostile",
    [
        "a\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nSUMMARY:forged",
        "a\rX-FORGED:1\nX-FORGED:2\x85\u2028X-FORGED:3\x0b",
        r"back\slash, comma; semicolon: colon" + '"',
        "è" * 200,
        "🧑‍💻 " * 50,
        "x" * 74 + "\nlast",
    ],
    ids=["component", "breaks", "specials", "accents", "emoji", "edge"],
)
async def test_nothing_that_somebody_writes_breaks_out_of_its_property(
    hostile: str, client: httpx.AsyncClient, resources: Resources
) -> None:
    async with db.connection(resources.pool) as connection:
        anna = await accounts.create(connection)
        await work.task(connection, anna, notes=hostile, due_at=resources.now())
        [event] = await feed(client, await ask(connection, anna, "calendar_secret"))
    assert not [name for name in event if "FORGED" in name]
    notes = event["DESCRIPTION"].rsplit(r"\n", 1)[0]
    read = re.sub(r"\\(.)", lambda escaped: "\n" if escaped[1] == "n" else escaped[1], notes)
    clean = hostile.replace("\r\n", "\n").replace("\r", "\n")
    assert read == CONTROLS.sub("", clean)
