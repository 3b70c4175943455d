"""What every measurement stands on: a running product, people who are signed in, and clients to ask with."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
import asyncpg
from argon2 import PasswordHasher

from backend.core import config, db, jobs
from scripts.bench import cpu

PEOPLE = 200
PASSWORD = "Banco-prova-1"  # noqa: S105 - of accounts in a database that is thrown away
# Each of them with a few things to read, so that no query meets an empty table.
NOTIFICATIONS_EACH = 40
WORKER = "backend worker"
LOOK_EVERY_S = 0.02
PATIENCE_S = 120
hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


@dataclass(frozen=True)
class Person:
    """Somebody signed in."""

    id: str
    email: str
    token: str


@dataclass(frozen=True)
class Stage:
    """The running product as a measurement sees it."""

    url: str
    publishable_key: str
    people: list[Person]
    client: aiohttp.ClientSession
    # Straight to PostgREST, around the gateway.
    rest: aiohttp.ClientSession

    def headers(self, number: int) -> dict[str, str]:
        """Those of one person after the other: many different tokens, as in life."""
        return self.headers_of(self.people[number % len(self.people)])

    def headers_of(self, person: Person) -> dict[str, str]:
        """Return what a request of this person carries."""
        return {"Authorization": f"Bearer {person.token}", "apikey": self.publishable_key}


@asynccontextmanager
async def connected(database_url: str) -> AsyncIterator[db.Connection]:
    """Connect to the database as its owner, with the types of the product."""
    connection = await asyncpg.connect(database_url)
    await db.prepare(connection)
    try:
        yield connection
    finally:
        await connection.close()


# A home that is marked is queued within a minute.
IS_BUSY = """
select exists (select from jobs.pgqueuer where execute_after <= now()) or exists (select from private.insight_marks)
"""


async def at_rest(connection: db.Connection) -> None:
    """Wait until the jobs that the start of the stage has brought are done: its homes take a minute."""
    for _ in range(PATIENCE_S):
        if not await connection.fetchval(IS_BUSY):
            return
        await asyncio.sleep(1)
    raise TimeoutError


async def until(is_so: Callable[[], bool], patience_s: float) -> None:
    """Wait until something is so."""
    ends_at = time.perf_counter() + patience_s
    while not is_so():
        assert time.perf_counter() < ends_at
        await asyncio.sleep(LOOK_EVERY_S)


async def send_with_deaths(
    connection: db.Connection, job: str, person: Person, sent: Callable[[], int], killed_after: Sequence[int], end: int
) -> float:
    """Have a job send until `sent` says that `end` are; kill its worker after each of these. Return the seconds."""
    began_s = time.perf_counter()
    for reached in (*killed_after, end):
        await jobs.enqueue(connection, job, {"user_id": person.id})
        # The sweep of each minute goes on when a job has ended.
        await until(lambda: sent() >= reached, 3 * PATIENCE_S)  # noqa: B023 - awaited in this turn
        if reached in killed_after:
            [worker] = cpu.matching(WORKER)
            os.kill(worker, signal.SIGKILL)
            # The supervisor starts another.
            await until(lambda: cpu.matching(WORKER) not in ([], [worker]), PATIENCE_S)  # noqa: B023
    return time.perf_counter() - began_s


@asynccontextmanager
async def stage(facts: dict[str, Any]) -> AsyncIterator[Stage]:
    """Fill the database and sign everybody in; `facts` are those of run.json."""
    connection = await asyncpg.connect(facts["database_url"])
    emails = [f"banco{number}@socio.example" for number in range(PEOPLE)]
    ids = await _people(connection, emails)
    await connection.close()
    unix = aiohttp.UnixConnector(str(config.load().postgrest_socket), limit=0)
    async with (
        aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as client,
        aiohttp.ClientSession(connector=unix) as rest,
    ):
        tokens = [await sign_in(client, facts["url"], email) for email in emails]
        people = [Person(*each) for each in zip(ids, emails, tokens, strict=True)]
        yield Stage(facts["url"], facts["publishable_key"], people, client, rest)


async def _people(connection: asyncpg.Connection[asyncpg.Record], emails: list[str]) -> list[str]:
    rows = await connection.fetch(
        """
        insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
                                raw_app_meta_data, raw_user_meta_data, created_at, updated_at)
        select '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated', email, $2,
               now(), '{"provider": "email", "providers": ["email"]}', '{"full_name": "Prova"}', now(), now()
          from unnest($1::text[]) as email
        returning id::text
        """,
        emails,
        hasher.hash(PASSWORD),
    )
    ids = [row["id"] for row in rows]
    await connection.execute(
        """
        insert into auth.identities (id, provider_id, user_id, identity_data, provider, created_at, updated_at)
        select gen_random_uuid(), u.id::text, u.id, jsonb_build_object('sub', u.id, 'email', u.email), 'email',
               now(), now()
          from auth.users u where u.id = any($1::uuid[])
        """,
        ids,
    )
    await connection.execute(
        """
        insert into public.notifications (user_id, title, message, type)
        select id, 'Prova ' || n, 'Una notifica', 'info' from unnest($1::uuid[]) as id, generate_series(1, $2) as n
        """,
        ids,
        NOTIFICATIONS_EACH,
    )
    await connection.execute("analyze")
    return ids


async def sign_in(client: aiohttp.ClientSession, url: str, email: str) -> str:
    """Sign in with the password and return the access token."""
    async with client.post(
        f"{url}/auth/v1/token?grant_type=password", json={"email": email, "password": PASSWORD}
    ) as answer:
        session: dict[str, Any] = await answer.json()
        if answer.status != 200:
            raise RuntimeError(f"sign-in answered {answer.status}: {session}")
    token: str = session["access_token"]
    return token


async def get(client: aiohttp.ClientSession, url: str, headers: dict[str, str]) -> None:
    """One request that must succeed."""
    async with client.get(url, headers=headers) as answer:
        await answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{url} answered {answer.status}")


# Calls at a time where CPU is counted.
WIDTH = 8


async def spread(count: int, width: int, one: Callable[[int], Awaitable[None]]) -> None:
    """`count` calls, `width` at a time."""
    numbers = iter(range(count))

    async def work() -> None:
        for number in numbers:
            await one(number)

    await asyncio.gather(*(work() for _ in range(width)))


async def cpu_us(pids: list[int], count: int, one: Callable[[int], Awaitable[None]]) -> float:
    """CPU of the processes for each of `count` calls, in microseconds; a part of them first to warm up."""
    await spread(count // 10, WIDTH, one)
    before_s = cpu.spent_s(pids)
    await spread(count, WIDTH, one)
    return (cpu.spent_s(pids) - before_s) / count * 1e6
