"""The calendar feed: opened by its secret only, true to the tasks, and nothing that people write breaks out of it."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import httpx
import pytest

from backend.core import db
from backend.core.resources import Resources
from functions._shared import ics
from tests.db import accounts, work

pytestmark = pytest.mark.anyio

URL = "/functions/v1/calendar"


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
    assert read == ics.CONTROLS.sub("", clean)
