"""A disk without space (FAULT-25): each service says so, with a time to come back, and the log stays short.

The database is on a small disk of its own, which the kernel refuses to enlarge: nothing is simulated.
"""

from __future__ import annotations

import logging
import secrets
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import httpx
import pytest

from backend import gateway
from backend.core import config, jwt, migrate
from backend.core.config import Settings
from backend.core.config_storage import byte_size
from backend.core.resources import Resources, open_all
from scripts import postgres
from tests.conftest import running_postgrest, settings_of
from tests.db import accounts
from tests.functions import signed_in
from tests.functions.assistant import chatting

pytestmark = pytest.mark.anyio

SIZE = "64m"
START_TIMEOUT_S = 30
NAMESPACE = ("unshare", "--user", "--map-root-user", "--mount")
# As root of a namespace: mount the small disk where only this server sees it, then become an ordinary user.
ON_A_SMALL_DISK = """
mount -t tmpfs -o size="$1" tmpfs "$2" && mkdir -m 700 "$2/tables" && shift 2 &&
exec unshare --user --map-user=1000 --map-group=1000 -- "$@"
"""
# An insert never fits into a page that is there already, so each one needs space.
FILL = """
do $$
declare each regclass;
begin
  for each in select oid from pg_class where relkind = 'r' and relnamespace::regnamespace::text in
    ('auth', 'storage', 'realtime', 'public', 'private', 'jobs')
  loop
    execute format('alter table %s set (fillfactor = 10)', each);
  end loop;
end $$;
-- Its pages need no log, which is on another disk.
create unlogged table filler (content text storage plain);
"""
FILL_UP = "insert into filler select repeat('x', 6000) from generate_series(1, $1) i"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[postgres.Cluster]:
    if subprocess.run([*NAMESPACE, "true"], capture_output=True).returncode:
        pytest.skip("this kernel lets nobody mount a disk of their own")
    folder = tmp_path_factory.mktemp("small")
    disk = folder / "disk"
    disk.mkdir()
    cluster = postgres.Cluster(folder / "data", postgres.free_port(), "secret")
    postgres.initialise(cluster.data, cluster.password)
    server = postgres.serve_command(cluster, {"fsync": "off"})
    server = server[server.index("--") + 1 :] if "--" in server else server
    command = [*NAMESPACE, "sh", "-ec", ON_A_SMALL_DISK, "sh", SIZE, str(disk)]
    with (folder / "postgres.log").open("wb") as log:
        process = subprocess.Popen([*command, *server], stdout=log, stderr=log)
        try:
            deadline = time.monotonic() + START_TIMEOUT_S
            while not postgres.accepts_connections(cluster.port):
                is_hopeful = process.poll() is None and time.monotonic() < deadline
                assert is_hopeful, (folder / "postgres.log").read_text()
                time.sleep(0.02)  # waits for the child's own start, which tells nobody when it is over
            yield cluster
        finally:
            process.terminate()
            process.wait(START_TIMEOUT_S)


@pytest.fixture
async def full(small: postgres.Cluster, installed: Settings, tmp_path: Path) -> AsyncIterator[tuple[Resources, UUID]]:
    """Open a process whose database has no space left, and a member who was there before."""
    owner = await asyncpg.connect(small.url)
    await owner.execute(f"create tablespace small location '{small.data.parent / 'disk' / 'tables'}'")
    await owner.execute("create database product tablespace small")
    await owner.close()
    settings = settings_of(installed, tmp_path, small.database_url("product"))
    connection = await asyncpg.connect(settings.database_url)
    await migrate.platform(connection, jwt.load(tmp_path).authenticator_password)
    await migrate.product(connection, config.ROOT / "db" / "migrations")
    await migrate.seed(connection, sorted((config.ROOT / "db" / "seed").glob("01_*.sql")))
    await connection.execute("insert into storage.buckets (id, name) values ('papers', 'papers')")
    member = await accounts.create(connection, uuid4())
    await connection.execute(FILL)
    for rows in (1000, 1):
        with suppress(asyncpg.DiskFullError):
            while True:
                await connection.execute(FILL_UP, rows)
    await connection.close()
    async with open_all(settings) as opened:
        yield opened, member


def requests(resources: Resources, member: UUID) -> dict[str, tuple[str, dict[str, Any]]]:
    """Each service's ways to write."""
    as_service = {"apikey": resources.keys.secret_key}
    as_member = signed_in.headers(resources, member, email="member@example.test")
    contact = {"user_id": str(member), "first_name": "Ada"}
    return {
        "sign-up": ("/auth/v1/signup", {"json": {"email": "new@example.com", "password": secrets.token_hex(8)}}),
        "a row": ("/rest/v1/contacts", {"json": contact, "headers": as_service}),
        "a file": ("/storage/v1/object/papers/a.txt", {"content": b"a", "headers": as_service}),
        "chat": ("/functions/v1/chat", {"json": chatting.body("Ciao"), "headers": as_member}),
        "checkout": (
            "/functions/v1/create_checkout",
            {
                "json": {"packType": "pro", "userId": str(member), "withdrawalWaiver": True},
                "headers": as_member,
            },
        ),
    }


async def test_each_service_names_a_time_to_come_back_and_logs_no_traceback(
    full: tuple[Resources, UUID], caplog: pytest.LogCaptureFixture
) -> None:
    resources, member = full
    caplog.set_level(logging.WARNING)
    with running_postgrest(resources.settings):
        async with gateway.application(resources) as app:
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url=resources.settings.api.external_url) as client:
                for name, (path, request) in requests(resources, member).items():
                    answer = await client.post(path, **request)
                    assert answer.status_code in (503, 507), (name, answer.text)
                    assert int(answer.headers["retry-after"]) >= 1, name
                    assert answer.headers["content-type"].startswith("application/json"), name
                # What only reads goes on.
                assert (await client.get("/auth/v1/health")).status_code == 200
    assert [record.exc_text for record in caplog.records if record.exc_info] == []
    assert sum("disk" in str(getattr(record, "cause", "")) for record in caplog.records) >= 4


async def test_not_ready_while_less_than_the_reserve_is_free(postgrest: Settings) -> None:
    answers = {}
    # No disk of any machine has an exbibyte.
    for reserve in ("1048576TiB", "0"):
        settings = replace(postgrest, disk_reserve=byte_size(reserve))
        async with open_all(settings) as resources, gateway.application(resources) as app:
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url=settings.api.external_url) as client:
                answers[reserve] = await client.get("/ready")
    assert answers["1048576TiB"].status_code == 503
    assert answers["1048576TiB"].json()["reasons"] == [f"too little space is free on the disk of {postgrest.home}"]
    assert int(answers["1048576TiB"].headers["retry-after"]) >= 1
    assert answers["0"].status_code == 200
