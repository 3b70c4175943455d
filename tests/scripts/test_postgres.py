"""The embedded Postgres comes back after its postmaster was killed, whatever its other processes were doing."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import asyncpg
import pytest

from scripts import postgres
from tests.databases import connected
from tests.scripts.processes import ends

pytestmark = pytest.mark.anyio

# Counts, and so does not look whether the postmaster is still there.
BUSY = "do $$ begin for n in 1 .. 2000000000 loop null; end loop; end $$"


async def test_a_query_that_outlives_the_postmaster_does_not_keep_the_next_from_starting(tmp_path: Path) -> None:
    with postgres.temporary() as cluster:
        busy = await asyncpg.connect(cluster.url)
        backend = await busy.fetchval("select pg_backend_pid()")
        query = asyncio.create_task(busy.execute(BUSY))
        async with connected(cluster.url) as other:
            while not await other.fetchval("select state = 'active' from pg_stat_activity where pid = $1", backend):
                pass
        postmaster = int((cluster.data / "postmaster.pid").read_text().split("\n", 1)[0])
        os.kill(postmaster, signal.SIGKILL)
        assert ends(postmaster)
        assert not ends(backend, 0.1)

        postgres.clear_remains(cluster.data)
        with pytest.raises(asyncpg.PostgresConnectionError):
            await query
        with (tmp_path / "log").open("wb") as log:
            successor = await asyncio.create_subprocess_exec(*postgres.serve_command(cluster), stdout=log, stderr=log)
        try:
            while not postgres.accepts_connections(cluster.port):
                assert successor.returncode is None, (tmp_path / "log").read_text()
                await asyncio.sleep(0.02)  # waits for its own start, which tells nobody when it is over
        finally:
            successor.send_signal(signal.SIGINT)
            await successor.wait()


async def test_a_server_that_lives_is_left_alone() -> None:
    with postgres.temporary() as cluster:
        async with connected(cluster.url) as connection:
            postgres.clear_remains(cluster.data)
            assert await connection.fetchval("select true")
        assert (cluster.data / "postmaster.pid").exists()
