"""Faults of the platform (FAULT-22 to FAULT-24, FAULT-29, FAULT-35): what breaks, and what must hold all the same.

No test waits for a length of time: an outage ends when so many requests have met it, a lease when the test moves it.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import asyncpg
import httpx
import pytest

from backend import gateway
from backend.core import config, db, endless, jobs, jwt, migrate
from backend.core.config import Settings
from backend.core.resources import Resources, open_all
from scripts import postgres
from tests.backend.core.test_jobs import Seen, rows, working
from tests.backend.test_commands import environment

pytestmark = pytest.mark.anyio

PATIENCE_S = 60


# --- the worker is killed -------------------------------------------------------------------------------------------

KILLER = """
import os, signal
from backend.edge import api

async def handler(payload, context):
    async with context.as_service() as connection:
        await api.enqueue(connection, "seen", {"n": payload["n"], "attempt": context.job.attempt})
    if payload["n"] == "poison" or context.job.attempt == 1:
        os.kill(os.getpid(), signal.SIGKILL)
"""


async def worker_until_it_ends(settings: Settings, folder: Path, until: str) -> int:
    """Runs the real worker until it dies, or stops it when the query answers true; returns its exit status."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "backend", "worker"),
        env=environment(settings, SOCIO_FUNCTIONS=str(folder)),
        stderr=subprocess.DEVNULL,
    )
    connection = await asyncpg.connect(settings.database_url)
    try:
        async with asyncio.timeout(PATIENCE_S):
            while process.returncode is None and not await connection.fetchval(until):  # noqa: ASYNC110
                await asyncio.sleep(0.02)  # another process tells nobody what it has done
        if process.returncode is None:
            process.terminate()
        return await process.wait()
    finally:
        await connection.close()


async def end_leases(resources: Resources) -> None:
    """As if half a minute had gone by since the worker died."""
    await rows(
        resources,
        "update jobs.pgqueuer set heartbeat = now() - interval '1 hour' where status = 'picked' returning id",
    )


@pytest.mark.long
async def test_a_job_that_kills_its_worker_is_stopped_after_five_and_the_others_get_done(
    settings: Settings, resources: Resources, tmp_path: Path
) -> None:
    folder = tmp_path / "functions"
    (folder / "jobs").mkdir(parents=True)
    (folder / "jobs" / "work.py").write_text(KILLER)
    async with db.transaction(resources.pool) as connection:
        await jobs.enqueue(connection, "work", {"n": "poison"}, user_id="a")
        await jobs.enqueue(connection, "work", {"n": "good"}, user_id="a")
    over = "select not exists (select from jobs.pgqueuer where entrypoint = 'work')"
    statuses = []
    while (status := await worker_until_it_ends(settings, folder, over)) != 0:
        statuses.append(status)
        await end_leases(resources)
    # Five times the poison, once the good one: it was alive when its worker died, and was done by the next.
    assert statuses == [-signal.SIGKILL] * (jobs.MAX_ATTEMPTS + 1)
    seen = [
        json.loads(row["payload"]) for row in await rows(resources, "select payload from jobs.pgqueuer order by id")
    ]
    assert [each["attempt"] for each in seen if each["n"] == "poison"] == [1, 2, 3, 4, 5]
    assert [each["attempt"] for each in seen if each["n"] == "good"] == [1, 2]
    # A periodic chore that ran beside the poison each time may have been given up too.
    [letter] = await rows(resources, "select name, attempts, error from jobs.dead_letters where name = 'work'")
    assert tuple(letter) == ("work", jobs.MAX_ATTEMPTS, "the worker died in each attempt")


# --- Postgres is away -----------------------------------------------------------------------------------------------


class Database:
    """A Postgres that a test may stop and start."""

    def __init__(self, folder: Path) -> None:
        self.cluster = postgres.Cluster(folder / "data", postgres.free_port(), "secret")
        self._log = folder / "postgres.log"
        self._process: subprocess.Popen[bytes] | None = None
        postgres.initialise(self.cluster.data, self.cluster.password)

    async def start(self) -> None:
        postgres.clear_remains(self.cluster.data)
        with self._log.open("ab") as log:
            command = postgres.serve_command(self.cluster, {"fsync": "off"})
            self._process = subprocess.Popen(command, stdout=log, stderr=log)  # noqa: ASYNC220 - takes no time
        async with asyncio.timeout(PATIENCE_S):
            while not postgres.accepts_connections(self.cluster.port):  # noqa: ASYNC110
                await asyncio.sleep(0.02)  # Postgres tells nobody when it is ready

    async def stop(self) -> None:
        """At once, without a word to its clients."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            await asyncio.to_thread(self._process.wait, PATIENCE_S)
            self._process = None


@pytest.fixture
async def breakable(tmp_path: Path, installation: Path) -> AsyncIterator[Database]:
    database = Database(tmp_path)
    await database.start()
    connection = await asyncpg.connect(database.cluster.url)
    await migrate.platform(connection, jwt.load(installation).authenticator_password)
    await migrate.product(connection, config.ROOT / "db" / "migrations")
    await connection.close()
    yield database
    await database.stop()


@asynccontextmanager
async def served(resources: Resources) -> AsyncIterator[httpx.AsyncClient]:
    async with gateway.application(resources) as app:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=resources.settings.api.external_url) as client:
            yield client


SIGN_IN = ("/auth/v1/token?grant_type=password", {"email": "nobody@socio.example", "password": "Segreto-123"})


@pytest.mark.long
@pytest.mark.parametrize("requests_met", [1, 5, 50], ids=["a blink", "seconds", "a long outage"])
async def test_postgres_that_goes_away_is_a_503_and_all_is_well_when_it_is_back(
    breakable: Database, settings: Settings, requests_met: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endless, "LONGEST_PAUSE_S", 0.5)
    own = replace(settings, database_url=breakable.cluster.url)
    handler = Seen()
    async with open_all(own) as resources, served(resources) as client, working(resources, job=handler):
        path, body = SIGN_IN
        assert (await client.post(path, json=body)).status_code == 400
        async with db.transaction(resources.pool) as connection:
            await jobs.enqueue(connection, "job", {"n": "before"})
            await jobs.enqueue(connection, "job", {"n": "after"}, delay_s=0.01)
        await handler.times(2)
        await breakable.stop()
        answers = [await client.post(path, json=body) for _ in range(requests_met)]
        assert {answer.status_code for answer in answers} == {503}
        assert all(int(answer.headers["retry-after"]) >= 1 for answer in answers)
        assert (await client.get("/health")).status_code == 200
        assert (await client.get("/ready")).status_code == 503
        await breakable.start()
        # The first request that meets the new server is served: nothing has to be thrown away first.
        assert (await client.post(path, json=body)).status_code == 400
        async with db.transaction(resources.pool) as connection:
            await jobs.enqueue(connection, "job", {"n": "back again"})
        async with asyncio.timeout(PATIENCE_S):
            while {"n": "back again"} not in handler.payloads:  # noqa: ASYNC110
                await asyncio.sleep(0.02)  # the worker comes back by itself


# --- more than there is room for ------------------------------------------------------------------------------------

SLOW = """
from backend.edge import api
async def handler(request, context):
    async with context.as_service() as connection:
        await connection.execute("select pg_advisory_xact_lock(1)")
    return api.Response("done")
"""


@pytest.fixture
def slow(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "functions"
    folder.mkdir()
    (folder / "slow.py").write_text(SLOW)
    yield folder
    sys.modules.pop("functions.slow", None)


WAITING = "select count(*) from pg_stat_activity where datname = current_database() and wait_event = 'advisory'"


async def test_a_hundred_slow_queries_leave_the_others_an_answer(
    resources: Resources, slow: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert db.ACQUIRE_TIMEOUT_S <= 2
    own = replace(resources, settings=replace(resources.settings, functions_path=(slow,)))
    blocker = await db.connect(resources.settings)
    try:
        await blocker.execute("select pg_advisory_lock(1)")
        async with served(own) as client:
            holding = [asyncio.create_task(client.post("/functions/v1/slow")) for _ in range(db.POOL_SIZE)]
            async with asyncio.timeout(PATIENCE_S):
                while await blocker.fetchval(WAITING) < db.POOL_SIZE:  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
            monkeypatch.setattr(db, "ACQUIRE_TIMEOUT_S", 0.1)
            rest = (client.post("/functions/v1/slow") for _ in range(100 - db.POOL_SIZE))
            refused = await asyncio.gather(*rest)
            assert {(answer.status_code, answer.headers["retry-after"]) for answer in refused} == {(503, "1")}
            assert (await client.get("/health")).status_code == 200
            assert (await client.post(SIGN_IN[0], json=SIGN_IN[1])).status_code == 503
            await blocker.execute("select pg_advisory_unlock(1)")
            assert {answer.status_code for answer in await asyncio.gather(*holding)} == {200}
            assert (await client.post(SIGN_IN[0], json=SIGN_IN[1])).status_code == 400
    finally:
        await blocker.close()


class Endless(httpx.AsyncByteStream):
    """A body of as much as is asked for, which counts what was taken."""

    def __init__(self, total_bytes: int) -> None:
        self._left = total_bytes
        self.sent_bytes = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        piece = b" " * 65536
        while self._left > 0:
            self._left -= len(piece)
            self.sent_bytes += len(piece)
            yield piece


DOORS = ["/auth/v1/token?grant_type=password", "/auth/v1/signup", "/rest/v1/notifications", "/functions/v1/body"]
READS = """
from backend.edge import api
async def handler(request, context):
    return api.Response(await request.body())
"""


@pytest.mark.parametrize("announced", [True, False], ids=["announced", "not announced"])
@pytest.mark.parametrize("door", DOORS)
async def test_a_body_of_a_gigabyte_is_refused_before_it_is_read(
    resources: Resources, tmp_path: Path, door: str, announced: bool
) -> None:
    (tmp_path / "functions").mkdir()
    (tmp_path / "functions" / "body.py").write_text(READS)
    own = replace(resources, settings=replace(resources.settings, functions_path=(tmp_path / "functions",)))
    body = Endless(1024**3)
    headers = {"Content-Type": "application/json", "apikey": resources.keys.publishable_key}
    headers.update({"Content-Length": str(1024**3)} if announced else {"Transfer-Encoding": "chunked"})
    async with served(own) as client:
        request = httpx.Request("POST", f"{client.base_url}{door}", headers=headers, stream=body)
        answer = await client.send(request)
    assert answer.status_code == 413
    assert body.sent_bytes <= (0 if announced else 2 * 1024 * 1024)
    sys.modules.pop("functions.body", None)


async def test_a_hundred_thousand_header_bytes_are_refused_by_every_process(settings: Settings) -> None:
    port = postgres.free_port()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "backend", "serve"),
        env=environment(settings, SUPABASE_API_PORT=str(port)),
        stderr=subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(PATIENCE_S), httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
            while not await answers(client):  # noqa: ASYNC110
                await asyncio.sleep(0.02)  # the server's own start tells nobody when it is over
            assert (await client.get("/health", headers={"x-long": "x" * 100_000})).status_code == 400
            assert (await client.get("/health")).status_code == 200
    finally:
        os.kill(process.pid, signal.SIGTERM)
        await process.wait()


async def answers(client: httpx.AsyncClient) -> bool:
    try:
        return (await client.get("/health")).status_code == 200
    except httpx.TransportError:
        return False
