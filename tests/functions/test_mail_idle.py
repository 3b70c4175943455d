"""IDLE: new mail is read when the server tells of it, by one worker, whatever servers and workers do meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from backend.core import db
from backend.edge import tasks
from functions._shared.received_mail import idling, mailbox
from tests.backend.core.test_jobs import working as jobs_of_worker
from tests.fakes import dovecot, imap, tls
from tests.functions.documents.conftest import Desk
from tests.functions.documents.conftest import desk as desk
from tests.functions.test_mail_fetch import PASSWORD, letter, reader
from tests.functions.test_mail_fetch import bad as bad
from tests.functions.test_mail_fetch import real as real

pytestmark = pytest.mark.anyio
PATIENCE_S = 20
LEASES = "select count(*) from private.leases where name = 'mail idle' and ends_at > now()"


class Worker:
    """A keeper with what it was told."""

    def __init__(self, desk: Desk) -> None:
        self.told: asyncio.Queue[UUID] = asyncio.Queue()
        self.keeper = idling.Keeper(desk.context(), self.told.put)

    async def hear(self) -> UUID:
        async with asyncio.timeout(PATIENCE_S):
            return await self.told.get()


@asynccontextmanager
async def working(desk: Desk) -> AsyncIterator[Worker]:
    """Have a worker look while the block lasts."""
    worker = Worker(desk)
    task = asyncio.create_task(worker.keeper.run())
    try:
        yield worker
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def session(desk: Desk) -> None:
    """Open a session of the person, whose mailbox has been read once."""
    async with db.connection(desk.resources.pool) as connection:
        await connection.execute("update public.mail_inboxes set completed_at = now(), last_success_at = now()")
        await connection.execute(
            "insert into auth.sessions (id, user_id, created_at) values (gen_random_uuid(), $1, now())", desk.user_id
        )


async def listened(desk: Desk, port: int) -> None:
    await reader(desk, port)
    await session(desk)


async def eventually(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110 - the other side tells nobody
            await asyncio.sleep(0.02)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a worker look and try again at once."""
    for name in ("LOOK_EVERY_S", "FIRST_PAUSE_S", "LONGEST_PAUSE_S"):
        monkeypatch.setattr(idling, name, 0.05)


async def test_a_real_server_tells_of_a_mail_and_the_worker_reads_it(desk: Desk, real: int) -> None:
    await listened(desk, real)
    task = replace(tasks.of_product(desk.resources.settings)["mail_fetch"], every=None)
    async with jobs_of_worker(desk.resources, mail_fetch=task):
        # The server goes on telling.
        for number, subject in enumerate(("Adesso", "Ancora")):
            await desk.until(LEASES)
            mail = letter(subject, Message_ID=f"<{number}@example.it>").as_bytes()
            await asyncio.to_thread(dovecot.deliver, real, "io", mail)
            await desk.until("select exists (select from public.received_mails where subject = $1)", subject)
    assert await desk.value(LEASES) == 0


async def test_a_server_that_says_bye_falls_silent_or_hangs_up_is_listened_to_again(
    desk: Desk, bad: imap.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    await listened(desk, bad.port)
    async with working(desk) as worker:
        for last in ("* BYE see you", None):
            await worker.hear()
            await eventually(lambda: bool(bad.idling))
            bad.end_idling(last)
        await worker.hear()
        await eventually(lambda: bool(bad.idling))
        logins = sum(each.startswith("LOGIN") for each in bad.commands)
        assert logins == 3
        # A server that answers nothing any more: the deadline of the socket ends it.
        monkeypatch.setattr(mailbox, "ANSWER_TIMEOUT_S", 0.2)
        bad.silent_at = "EXAMINE"
        bad.end_idling()
        await eventually(lambda: sum(each.startswith("EXAMINE") for each in bad.commands) > 4)
        bad.silent_at = None
        await worker.hear()


async def test_idle_is_renewed_before_it_is_cut(desk: Desk, bad: imap.Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SHORTEST_IDLE_S", "LONGEST_IDLE_S"):
        monkeypatch.setattr(idling, name, 0.05)
    await listened(desk, bad.port)
    async with working(desk) as worker:
        await eventually(lambda: bad.commands.count("IDLE") > 2)
        await worker.hear()
        bad.add(letter().as_bytes())
        await worker.hear()
    # All in one connection, and nothing was told without need.
    assert (sum(each.startswith("LOGIN") for each in bad.commands), worker.told.empty()) == (1, True)


async def test_idle_waits_on_a_private_connection_too(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = tls.Authority(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.path))
    async with imap.serving(PASSWORD, tls=authority.server_context("localhost")) as server:
        await listened(desk, server.port)
        async with db.connection(desk.resources.pool) as connection:
            await connection.execute("update public.mail_inboxes set host = 'localhost', security = 'tls'")
        # In one packet with the answer to IDLE, where it is easily missed.
        server.at_idle.append(letter().as_bytes())
        async with working(desk) as worker:
            for _ in range(2):
                await worker.hear()
            await eventually(lambda: bool(server.idling))
            server.add(letter().as_bytes())
            await worker.hear()


async def test_one_worker_listens_and_another_goes_on_when_it_dies(desk: Desk, bad: imap.Server) -> None:
    await listened(desk, bad.port)
    async with db.connection(desk.resources.pool) as connection:
        # Of a worker that was killed a moment ago.
        await connection.execute(
            "insert into private.leases (user_id, name, ends_at) values ($1, 'mail idle', now() + interval '1 hour')",
            desk.user_id,
        )
        dead, living = Worker(desk), Worker(desk)
        await living.keeper.look()
        assert living.keeper.held == {}
        await connection.execute("update private.leases set ends_at = now()")
        await living.keeper.look()
        await dead.keeper.look()
        assert (list(living.keeper.held), dead.keeper.held) == ([desk.user_id], {})
        await living.hear()
        # The net stays below, and is slower.
        assert await connection.fetchval("select count(*) from private.mail_readers()") == 0
        await connection.execute("update public.mail_inboxes set last_success_at = now() - interval '16 minutes'")
        assert await connection.fetchval("select count(*) from private.mail_readers()") == 1
        # Nobody has a page open any more.
        await connection.execute("update auth.sessions set created_at = now() - interval '2 hours'")
        await living.keeper.look()
        assert (living.keeper.held, await connection.fetchval(LEASES)) == ({}, 0)
    await eventually(lambda: not bad.idling)


async def test_a_server_without_idle_is_left_to_the_sweep(desk: Desk, bad: imap.Server) -> None:
    bad.can_idle = False
    await listened(desk, bad.port)
    async with working(desk) as worker:
        await eventually(lambda: bool(worker.keeper._without) and not worker.keeper.held)
        assert await desk.value(LEASES) == 0
        assert await desk.value("select count(*) from private.mail_readers()") == 1
    assert sum(each.startswith("LOGIN") for each in bad.commands) == 1
