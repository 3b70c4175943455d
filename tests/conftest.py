"""What tests stand on: a throw-away Postgres per process, a migrated database of its own per test, and the
real gateway in front of it, with a clock that tests can move.

    database     the address of a fresh database with all migrations and the reference seed
    settings     the product's settings on that database and a home folder of its own
    resources    what a process holds open, with the clock `now`
    app, client  the whole application, and an HTTP client to it
    mails        the outbox
    postgrest    settings of a session-wide database behind a real PostgREST; `rest_client` speaks to a gateway on it
"""

from __future__ import annotations

import asyncio
import gc
import os
import shutil
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from starlette.types import ASGIApp

from backend.core import config, db, jwt, mail, migrate
from backend.core.config import Settings
from backend.core.resources import Resources, open_all
from backend.rest import process
from backend.storage import files
from scripts import machine, postgres
from scripts.setup import BIN
from tests.connections import pools_kept, types_asked_once
from tests.databases import Databases, connected, opened

TEMPLATE = "template_socio"
START_TIMEOUT_S = 30
# Privileged and unassigned: no program listens on it.
NOBODYS_PORT = "1"


class Clock:
    """A clock that stands still until it is moved; starts at the real time, for tokens are checked by others too."""

    def __init__(self) -> None:
        self.moment = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.moment

    def advance(self, **step: float) -> None:
        """Moves on: `now.advance(minutes=5)`."""
        self.moment += timedelta(**step)


class RunningClock(Clock):
    """The real time, for tests whose other processes sign tokens with it for longer than a token may be ahead."""

    def __call__(self) -> datetime:
        self.moment = datetime.now(UTC)
        return self.moment


class Mails:
    """The outbox of a test."""

    def __init__(self, pool: db.Pool) -> None:
        self._pool = pool

    async def all(self) -> list[mail.Message]:
        """Every queued mail, oldest first."""
        async with db.connection(self._pool) as connection:
            return await mail.queued(connection)

    async def to(self, address: str) -> list[mail.Message]:
        """The mails to one person, oldest first."""
        return [message for message in await self.all() if message.to == address]


def pytest_configure() -> None:
    """Forget what the shell tells a product; find Node and rclone although `.venv` may not be activated."""
    # The tests of a running stack need the settings that it was started with.
    if "SOCIO_RUN_JSON" not in os.environ:
        machine.forget_settings()
    # As in the sandbox of the product (backend/core/sandbox.py): threads of several recognitions wait for one another.
    os.environ["OMP_THREAD_LIMIT"] = "1"
    os.environ["PATH"] = f"{BIN}{os.pathsep}{os.environ.get('PATH', os.defpath)}"


def pytest_collection_finish() -> None:
    """What is imported by now stays: the collector passes it over, and so does Hypothesis, which asks it for owners."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
async def one_loop(anyio_backend: str) -> AsyncIterator[None]:
    """All tests run in one loop, so that connections may serve one after the other."""
    with pools_kept():
        yield


@pytest.fixture(scope="session")
def cluster() -> Iterator[postgres.Cluster]:
    with postgres.temporary() as running, types_asked_once():
        yield running


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder whose keys every test shares: making an RSA key takes longer than most tests."""
    home = tmp_path_factory.mktemp("home")
    jwt.load(home)
    return home


@pytest.fixture(scope="session")
def template(cluster: postgres.Cluster, installation: Path) -> str:
    """The name of a migrated and seeded database that tests clone."""
    asyncio.run(_make_template(cluster, jwt.load(installation).authenticator_password))
    return TEMPLATE


async def _make_template(cluster: postgres.Cluster, authenticator_password: str) -> None:
    async with connected(cluster.url) as owner:
        await owner.execute(f"create database {TEMPLATE}")
    async with connected(cluster.database_url(TEMPLATE)) as connection:
        await migrate.platform(connection, authenticator_password)
        await migrate.product(connection, config.ROOT / "db" / "migrations")
        await migrate.seed(connection, sorted((config.ROOT / "db" / "seed").glob("01_*.sql")))


@pytest.fixture(scope="session")
def databases(cluster: postgres.Cluster, template: str) -> Iterator[Databases]:
    with opened(cluster, template) as given:
        yield given


@pytest.fixture
async def database(databases: Databases) -> AsyncIterator[str]:
    async with databases.one() as url:
        yield url


@pytest.fixture(scope="session")
def installed(installation: Path) -> Settings:
    """What the product's file sets, but for what every test would pay for and hardly one needs."""
    environment = {
        "SOCIO_HOME": str(installation),
        # The product's functions stay as they are: one import serves every test.
        "SUPABASE_EDGE_RUNTIME_POLICY": "per_worker",
        # Tests of realtime switch it on.
        "SUPABASE_REALTIME_ENABLED": "false",
        # The public address of the file, but dead ports: a running product uses those of the file.
        "SUPABASE_API_EXTERNAL_URL": "http://localhost:54321",
        "SUPABASE_API_PORT": NOBODYS_PORT,
        "SUPABASE_LOCAL_SMTP_SMTP_PORT": NOBODYS_PORT,
    }
    return config.load(environment)


def settings_of(installed: Settings, home: Path, database_url: str) -> Settings:
    """The product's settings with a home folder and a database of their own, and the keys of every test."""
    shutil.copy(installed.home / jwt.KEYS_FILE, home / jwt.KEYS_FILE)
    return replace(installed, home=home, database_url=database_url)


@pytest.fixture
def settings(installed: Settings, database: str, tmp_path: Path) -> Settings:
    home = tmp_path / "home"
    home.mkdir()
    return settings_of(installed, home, database)


@pytest.fixture
def now() -> Clock:
    return Clock()


@pytest.fixture
async def resources(settings: Settings, now: Clock) -> AsyncIterator[Resources]:
    async with open_all(settings, now) as opened:
        yield files.at_hand(opened)


@pytest.fixture
async def app(resources: Resources) -> AsyncIterator[ASGIApp]:
    from backend import gateway  # only the tests of the whole application load every service

    async with gateway.application(resources) as built:
        yield built


@pytest.fixture
async def client(app: ASGIApp, settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url=settings.api.external_url) as opened:
        yield opened


@pytest.fixture
def mails(resources: Resources) -> Mails:
    return Mails(resources.pool)


@pytest.fixture(scope="session")
def postgrest(
    cluster: postgres.Cluster, databases: Databases, installed: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Settings]:
    home = tmp_path_factory.mktemp("rest")
    # It ends with its cluster.
    name = asyncio.run(databases.clone())
    settings = settings_of(installed, home, cluster.database_url(name))
    with running_postgrest(settings):
        yield settings


@contextmanager
def running_postgrest(settings: Settings) -> Iterator[None]:
    """Run a PostgREST on the database of these settings."""
    with (settings.home / "postgrest.log").open("wb") as output:
        process.make_socket_folder(settings.postgrest_socket)
        child = subprocess.Popen(
            [str(process.binary(settings.root))],
            env={**os.environ, **process.environment(settings, jwt.load(settings.home, settings.own_keys))},
            stdout=output,
            stderr=output,
        )
        try:
            _wait_for_postgrest(settings)
            yield
        finally:
            child.terminate()
            child.wait(START_TIMEOUT_S)


def _wait_for_postgrest(settings: Settings) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        # httpx leaves a socket open when nobody listens yet.
        with socket.socket(socket.AF_UNIX) as probe, suppress(OSError):
            probe.connect(str(settings.postgrest_socket))
            probe.sendall(b"GET / HTTP/1.0\r\n\r\n")
            if probe.recv(12).endswith(b" 200"):
                return
        time.sleep(0.02)  # waits for the child's own start, which tells nobody when it is over
    raise TimeoutError((settings.home / "postgrest.log").read_text())


@pytest.fixture
async def rest_client(postgrest: Settings, now: Clock) -> AsyncIterator[httpx.AsyncClient]:
    from backend import gateway

    async with open_all(postgrest, now) as opened, gateway.application(opened) as built:
        transport = httpx.ASGITransport(built)
        async with httpx.AsyncClient(transport=transport, base_url=postgrest.api.external_url) as connected:
            yield connected
