"""kill -9 while money is on its way (FAULT-01, FAULT-02); and three wrong designs, which the harness must catch."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import httpx
import pytest

from backend.core import config, jwt, migrate
from backend.core.config import Settings
from backend.core.resources import open_all
from backend.edge.api import Context
from functions._shared import orders
from scripts import postgres
from tests.backend.test_commands import environment
from tests.databases import connected
from tests.fakes.stripe import webhooks
from tests.functions.checkout import crash

pytestmark = [pytest.mark.anyio, pytest.mark.long, pytest.mark.timeout(300)]

KILLS = 5
OURS = """
    select 'evt_' || substr(provider_session, 4) as event_id, balance / 550 as times
    from public.credit_orders join public.credit_wallets using (user_id)
"""
MUTANT = "select event_id, count(*) as times from grants group by event_id"


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory, installation: Path) -> AsyncIterator[crash.Server]:
    """A server of one's own, with a migrated database to clone."""
    running = crash.Server(tmp_path_factory.mktemp("crash"))
    await running.start()
    async with connected(running.cluster.url) as owner:
        await owner.execute("create database template_crash")
    async with connected(running.cluster.database_url("template_crash")) as connection:
        await migrate.platform(connection, jwt.load(installation).authenticator_password)
        await migrate.product(connection, config.ROOT / "db" / "migrations")
    yield running
    await running.stop()


@pytest.fixture
async def url(server: crash.Server) -> str:
    if not server.is_up.is_set():  # a test before this one failed while it was down
        await server.start()
    name = f"crash_{uuid4().hex[:12]}"
    async with connected(server.cluster.url) as owner:
        await owner.execute(f"create database {name} template template_crash")
    return server.cluster.database_url(name)


@asynccontextmanager
async def pool_of(url: str) -> AsyncIterator[asyncpg.Pool[asyncpg.Record]]:
    pool = asyncpg.create_pool(url, min_size=0, max_size=crash.SENDERS, timeout=5)
    async with pool:
        yield pool


async def fulfilled(server: crash.Server, url: str, settings: Settings, seed: int) -> crash.Verdict:
    """The product's own way."""
    async with connected(url) as connection:
        events = await crash.payments(connection)
    async with open_all(replace(settings, database_url=url)) as resources:
        context = Context("stripe_webhook", {}, "", resources)

        async def deliver(each: dict[str, Any]) -> None:
            outcome = await orders.record_event(context, each, crash.text_of(each))
            assert outcome in ("fulfilled", "known")

        acked = await crash.run(server, events, deliver, seed=seed, kills=KILLS)
    assert len(acked) == crash.PAYMENTS
    async with connected(url) as connection:
        return await crash.judged(connection, acked, OURS)


@pytest.mark.parametrize("seed", range(4))
async def test_postgres_that_is_killed_takes_nobodys_credits_and_gives_none_twice(
    server: crash.Server, url: str, settings: Settings, seed: int
) -> None:
    assert await fulfilled(server, url, settings, seed) == crash.Verdict(0, 0, [])


async def caught(server: crash.Server, url: str, schema: str, deliver: Any) -> crash.Verdict:
    """The first bad verdict over a wrong design within a few seeds, else a good one."""
    verdict = crash.Verdict(0, 0, [])
    for seed in range(4):
        async with connected(url) as connection:
            await connection.execute(f"drop table if exists seen, grants; {schema}")
        events = [crash.event(number, str(uuid4()), str(uuid4())) for number in range(crash.PAYMENTS)]
        async with pool_of(url) as pool:
            acked = await crash.run(server, events, lambda each: deliver(pool, each), seed=seed, kills=KILLS)
        async with connected(url) as connection:
            verdict = await crash.judged(connection, acked, MUTANT)
        if not verdict.is_good:
            break
    return verdict


async def test_b1_looking_before_inserting_without_a_unique_key_is_caught(server: crash.Server, url: str) -> None:
    async def deliver(pool: asyncpg.Pool[asyncpg.Record], each: dict[str, Any]) -> None:
        async with pool.acquire() as connection, connection.transaction():
            if await connection.fetchval("select true from seen where event_id = $1", each["id"]):
                return
            await connection.execute("insert into seen values ($1)", each["id"])
            await connection.execute("insert into grants values ($1)", each["id"])

    schema = "create table seen (event_id text); create table grants (event_id text)"
    assert (await caught(server, url, schema, deliver)).paid_twice > 0


async def test_b2_marking_an_event_seen_in_a_transaction_of_its_own_is_caught(server: crash.Server, url: str) -> None:
    async def deliver(pool: asyncpg.Pool[asyncpg.Record], each: dict[str, Any]) -> None:
        async with pool.acquire() as connection:
            done = await connection.execute("insert into seen values ($1) on conflict do nothing", each["id"])
            if done == "INSERT 0 1":
                await connection.execute("insert into grants values ($1)", each["id"])

    schema = "create table seen (event_id text primary key); create table grants (event_id text)"
    assert (await caught(server, url, schema, deliver)).acked_not_granted > 0


async def test_b3_the_right_design_without_waiting_for_the_disk_is_caught(
    server: crash.Server, url: str, settings: Settings
) -> None:
    async with connected(url) as connection:
        name = await connection.fetchval("select current_database()")
        await connection.execute(f"alter database {name} set synchronous_commit = off")
    assert (await fulfilled(server, url, settings, seed=0)).acked_not_granted > 0


# --- the process is killed (FAULT-02) -------------------------------------------------------------------------------

# Stands before the real function in the folders, and dies once.
DYING = """
import os, signal
from pathlib import Path
import functions
functions.__path__.append({real!r})
import asyncio
from backend.core import db
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("real_webhook", {real!r} + "/stripe_webhook.py")
real = module_from_spec(spec)
spec.loader.exec_module(real)

def die_once():
    if not Path({marker!r}).exists():
        Path({marker!r}).touch()
        os.kill(os.getpid(), signal.SIGKILL)

async def handler(request, context):
    call = db.call_as_service
    async def dying(*arguments):
        if {moment!r} == "before":
            die_once()
        calling = asyncio.create_task(call(*arguments))
        if {moment!r} == "during":
            await asyncio.sleep({half_s})
            die_once()
        return await calling
    db.call_as_service = dying
    answer = await real.handler(request, context)
    die_once()
    return answer
"""


@asynccontextmanager
async def backend(settings: Settings, folder: Path) -> AsyncIterator[tuple[httpx.AsyncClient, subprocess.Popen[bytes]]]:
    """The real process, until it dies or the block ends."""
    process = subprocess.Popen(  # noqa: ASYNC220 - takes no time
        [sys.executable, "-m", "backend", "serve"],
        env=environment(
            settings,
            SOCIO_FUNCTIONS=os.pathsep.join((str(folder), "functions")),
            SUPABASE_API_PORT=str(settings.api.port),
            STRIPE_SECRET_KEY="sk_test_x",
            STRIPE_WEBHOOK_SECRETS="whsec_x",
        ),
        stderr=subprocess.DEVNULL,
    )
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{settings.api.port}", timeout=30) as client:
            async with asyncio.timeout(crash.PATIENCE_S):
                while not await answers(client):
                    assert process.poll() is None
                    await asyncio.sleep(0.05)  # another process tells nobody when it listens
            yield client, process
    finally:
        process.kill()
        process.wait()


async def answers(client: httpx.AsyncClient) -> bool:
    try:
        return (await client.get("/health")).status_code == 200
    except httpx.TransportError:
        return False


# Lasts long enough to die in its middle.
SLOWLY = """
create function public.slowly() returns trigger language plpgsql as $$ begin perform pg_sleep(1); return new; end $$;
create trigger slowly before insert on public.payment_events for each row execute function public.slowly()
"""


@pytest.mark.parametrize(("moment", "outcome"), [("before", "fulfilled"), ("during", "known"), ("after", "known")])
async def test_a_process_killed_around_the_commit_is_told_again_and_grants_once(
    settings: Settings, tmp_path: Path, moment: str, outcome: str
) -> None:
    """The database ends what it was sent, whoever has died meanwhile."""
    folder = tmp_path / "dying"
    folder.mkdir()
    code = DYING.format(real=str(config.ROOT / "functions"), marker=str(tmp_path / "died"), moment=moment, half_s=0.5)
    (folder / "stripe_webhook.py").write_text(code)
    own = replace(settings, api=replace(settings.api, port=postgres.free_port()))
    async with connected(settings.database_url) as connection:
        told, *_ = await crash.payments(connection)
        if moment == "during":
            await connection.execute(SLOWLY)
    body = crash.text_of(told).encode()

    async def tell(client: httpx.AsyncClient) -> httpx.Response:
        header = webhooks.signature(body, ("whsec_x",), int(time.time()))
        return await client.post("/functions/v1/stripe_webhook", content=body, headers={"Stripe-Signature": header})

    async with backend(own, folder) as (client, process):
        with pytest.raises(httpx.TransportError):
            await tell(client)
        assert await asyncio.to_thread(process.wait, 30) == -signal.SIGKILL
    async with backend(own, folder) as (client, _):
        answer = await tell(client)
        assert (answer.status_code, answer.json()) == (200, {"outcome": outcome})
    async with connected(settings.database_url) as connection:
        verdict = await crash.judged(connection, {told["id"]}, OURS)
    assert verdict == crash.Verdict(0, 0, [])
