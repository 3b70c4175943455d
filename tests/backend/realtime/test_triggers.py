"""Where the database gives no replication the same changes come from triggers; and old messages are forgotten."""

from __future__ import annotations

import asyncio
import io
import logging
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import asyncpg
import pytest

from backend.core.config import Settings
from backend.core.resources import Resources
from backend.realtime import retention
from backend.realtime.changes import sources
from tests.backend.realtime.conftest import ANNA, BRUNO, Client, Connect, served
from tests.backend.realtime.test_changes import TABLES, change, listening, of
from tests.conftest import Clock
from tests.databases import connected

if TYPE_CHECKING:
    Owner = asyncpg.Connection[asyncpg.Record]

pytestmark = pytest.mark.anyio
INSTALLED = """
select count(*) from pg_trigger where tgname = 'realtime_note_change' and tgrelid = 'public.things'::regclass
"""


@pytest.fixture
def no_replication(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a managed database says whose wal_level is replica."""

    async def refused(_connection: object) -> bool:
        return False

    monkeypatch.setattr(sources, "gives_replication", refused)


@pytest.fixture
def said() -> Iterator[io.StringIO]:
    """What the follower logs, from before it starts; pytest's own capture forgets what was said before the test."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    sources.logger.addHandler(handler)
    yield stream
    sources.logger.removeHandler(handler)


@pytest.fixture
async def server(no_replication: None, settings: Settings, now: Clock) -> AsyncIterator[tuple[Resources, str]]:
    async with served(settings, now) as running:
        yield running


async def test_a_login_without_the_right_is_recognised(owner: Owner, database: str) -> None:
    assert await sources.gives_replication(owner)
    await owner.execute("create role without_replication login password 'x'")
    try:
        plain = await asyncpg.connect(database, user="without_replication", password="x")
        assert not await sources.gives_replication(plain)
        await plain.close()
    finally:
        await owner.execute("drop role without_replication")


async def followed(sockets: Connect, server: tuple[Resources, str], owner: Owner) -> Client:
    """Anna, who hears of her things."""
    await owner.execute(TABLES)
    anna = await listening(sockets, server[0], ANNA, of("things"))
    while not await owner.fetchval(INSTALLED):
        # The table was published a moment ago: any notification makes the follower look again.
        await owner.execute("select pg_notify('realtime_changes', '')")
    return anna


async def test_changes_come_from_triggers(
    said: io.StringIO, sockets: Connect, server: tuple[Resources, str], owner: Owner
) -> None:
    anna = await followed(sockets, server, owner)
    bruno = await listening(sockets, server[0], BRUNO, of("things"))
    await owner.execute("insert into public.things (id, user_id, amount, tags) values (1, $1, 2.5, '{a,b}')", ANNA)
    inserted = await change(anna)
    assert (inserted["type"], inserted["record"]["amount"], inserted["record"]["tags"]) == ("INSERT", 2.5, ["a", "b"])
    assert "secret" not in inserted["record"]
    await owner.execute("update public.things set title = 'x'")
    assert (await change(anna))["old_record"] == {"id": 1}
    await owner.execute("delete from public.things")
    assert (await change(anna))["old_record"] == {"id": 1}
    await bruno.quiet()
    assert [one["payload"]["data"]["type"] for one in bruno.heard("postgres_changes")] in ([], ["DELETE"])
    assert "changes are written down by triggers" in said.getvalue()


async def test_a_late_commit_is_not_passed_over(
    sockets: Connect, server: tuple[Resources, str], owner: Owner, database: str
) -> None:
    anna = await followed(sockets, server, owner)
    async with connected(database) as slow, slow.transaction():
        await slow.execute("insert into public.things (id, user_id) values (1, $1)", ANNA)
        await owner.execute("insert into public.things (id, user_id) values (2, $1)", ANNA)
    assert {(await change(anna))["record"]["id"] for _ in range(2)} == {1, 2}


async def test_what_cannot_be_read_yet_is_kept_and_what_was_read_is_forgotten(
    sockets: Connect,
    server: tuple[Resources, str],
    owner: Owner,
    database: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever its age: a transaction that writes elsewhere may be open for an hour."""
    monkeypatch.setattr(sources, "KEPT_S", 0)
    anna = await followed(sockets, server, owner)
    async with connected(database) as slow, slow.transaction():
        await slow.execute("select pg_current_xact_id()")
        await owner.execute("insert into public.things (id, user_id) values (1, $1)", ANNA)
        await owner.execute("update realtime.changes set committed_at = now() - interval '1 hour'")
        for _ in range(5):
            await owner.execute("select pg_notify('realtime_changes', '')")
            await asyncio.sleep(0.1)  # the follower looks
    await owner.execute("select pg_notify('realtime_changes', '')")
    assert (await change(anna))["record"]["id"] == 1
    while await owner.fetchval("select exists (select from realtime.changes)"):
        await owner.execute("select pg_notify('realtime_changes', '')")


async def test_messages_are_forgotten_after_three_days(resources: Resources, owner: Owner, tmp_path: Path) -> None:
    await owner.execute(
        """
        insert into realtime.messages (topic, extension, inserted_at)
        values ('old', 'broadcast', now() - interval '73 hours'), ('new', 'broadcast', now())
        """
    )
    await retention.forget(replace(resources), {})
    assert await owner.fetchval("select array_agg(topic) from realtime.messages") == ["new"]
