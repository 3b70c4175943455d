"""Listen to the mailboxes of people with an open session (IMAP IDLE, RFC 2177), so that new mail is read at once.

Each worker holds some of them, each by a lease: any worker goes on with those of one that died. A waiting connection
takes no thread. A server may say BYE, fall silent or hang up at any time: the next connection follows after a pause
that grows, and the sweep of jobs/mail_fetch.py reads all the same. What the server tells is only a reason to look.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from uuid import UUID

from backend.edge import api
from functions._shared import mail_logins, smtp
from functions._shared.received_mail import mailbox

# A session that was just opened is listened for after this time at most.
LOOK_EVERY_S = 15.0
LEASE_NAME, LEASE_S = "mail idle", 60
# In one worker. Each is a socket and some kilobytes.
MOST = 200
# How many are entered at once: each takes a thread meanwhile, which others need too.
AT_ONCE = 2
# Servers and routers cut connections that are silent for 8 to 10 minutes.
SHORTEST_IDLE_S, LONGEST_IDLE_S = 240.0, 300.0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 5.0, 600.0
# A server without IDLE is asked again after this time.
WITHOUT_IDLE_S = 3600.0

Wake = Callable[[UUID], Awaitable[None]]


@dataclass
class _Held:
    """The lease of a mailbox and the task that listens."""

    lease: UUID
    task: asyncio.Task[None]


@dataclass
class Keeper:
    """What one worker listens to; `wake` has a mailbox read."""

    context: api.Context
    wake: Wake
    held: dict[UUID, _Held] = field(default_factory=dict)
    _entering: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    # Until when servers that cannot IDLE are left alone.
    _without: dict[UUID, float] = field(default_factory=dict)

    async def run(self) -> None:
        """Look for open and closed sessions until cancelled. Raises what the database raises, with all released."""
        try:
            while True:
                await self.look()
                await asyncio.sleep(LOOK_EVERY_S * random.uniform(0.8, 1.2))
        finally:
            await asyncio.shield(self._release(list(self.held)))

    async def look(self) -> None:
        """Take what is new, renew what is held, and release what is over."""
        wanted = await self._wanted()
        leases = [held.lease for held in self.held.values()]
        async with self.context.as_service() as connection:
            rows = await connection.fetch("select private.renew_leases($1, $2) as token", leases, LEASE_S)
        renewed = {row["token"] for row in rows}
        await self._release(
            [
                user_id
                for user_id, held in self.held.items()
                if user_id not in wanted or held.lease not in renewed or held.task.done()
            ]
        )
        for user_id in wanted:
            if len(self.held) >= MOST:
                return
            if user_id not in self.held and self._without.get(user_id, 0) < time.monotonic():
                await self._take(user_id)

    async def _wanted(self) -> list[UUID]:
        async with self.context.as_service() as connection:
            rows = await connection.fetch(
                "select private.mail_idlers($1, $2) as user_id", list(self.held), MOST + len(self._without)
            )
        return [row["user_id"] for row in rows]

    async def _take(self, user_id: UUID) -> None:
        lease = await self.context.call("private.take_lease", user_id, LEASE_NAME, LEASE_S)
        if lease is not None:
            self.held[user_id] = _Held(lease, asyncio.create_task(self._listen(user_id)))

    async def _release(self, user_ids: list[UUID]) -> None:
        released = [self.held.pop(user_id) for user_id in user_ids]
        for held in released:
            held.task.cancel()
        await asyncio.gather(*(held.task for held in released), return_exceptions=True)
        for held in released:
            await self.context.call("private.end_lease", held.lease)

    async def _listen(self, user_id: UUID) -> None:
        """Hold one connection after the other; ends where there is nothing to listen to."""
        pause_s = FIRST_PAUSE_S
        while True:
            began = time.monotonic()
            try:
                await self._connection(user_id)
            except (mailbox.Failure, smtp.Failure, TimeoutError) as failure:
                cause = str(failure) or "timeout"
                self.context.log.info("mailbox not listened to", extra={"cause": cause[:200]})
            else:
                self._without = {each: until for each, until in self._without.items() if until > began}
                self._without[user_id] = began + WITHOUT_IDLE_S
                return
            if time.monotonic() - began > LONGEST_PAUSE_S:
                pause_s = FIRST_PAUSE_S
            await asyncio.sleep(pause_s * random.uniform(0.5, 1))
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    async def _connection(self, user_id: UUID) -> None:
        """Listen until the connection breaks; return if the server cannot IDLE. Raises a Failure, TimeoutError."""
        async with self.context.as_service() as connection:
            row = await connection.fetchrow("select * from private.mail_inbox_of($1)", user_id)
        if row is None:
            return
        async with AsyncExitStack() as stack:
            async with self._entering:
                server = mailbox.server(dict(row), await mail_logins.password(self.context, user_id, dict(row)))
                box = await stack.enter_async_context(mailbox.session(self.context, server))
                if not await mailbox.step(box.can_idle):
                    return
                await mailbox.step(box.select, "INBOX")
            # What came before the first IDLE is told of by nobody.
            await self.wake(user_id)
            while True:
                if await mailbox.idle(box, random.uniform(SHORTEST_IDLE_S, LONGEST_IDLE_S)):
                    await self.wake(user_id)
