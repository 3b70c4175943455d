"""Databases that have served a test serve the next one as if they were new."""

from __future__ import annotations

from collections.abc import Iterator

import asyncpg
import pytest

from backend.core.pool import Pool
from scripts import postgres
from tests.databases import Contents, Databases, connected, contents_of, opened

pytestmark = pytest.mark.anyio

CHANGES = """
set session_replication_role = replica;
insert into auth.users (id, email) values (gen_random_uuid(), 'somebody@test.example');
delete from public.packs;
update public.plans set name = 'Altro';
select setval(pg_get_serial_sequence('public.credit_ledger', 'id'), 4711);
"""


@pytest.fixture
def own(cluster: postgres.Cluster, template: str) -> Iterator[Databases]:
    with opened(cluster, template) as given:
        yield given


async def _change(url: str, statements: str) -> None:
    async with connected(url) as connection:
        await connection.execute(statements)


async def test_a_database_is_put_back_as_the_template_is(
    own: Databases, cluster: postgres.Cluster, template: str
) -> None:
    before = await contents_of(cluster.database_url(template))
    served_again: list[bool] = []
    # One that autovacuum looks at meanwhile is not used again, as after `analyze`: then the next one is.
    while not any(served_again) and len(served_again) < 3:
        async with own.one() as first:
            await _change(first, CHANGES)
            assert not _same(await contents_of(first), before)
            forgotten = await asyncpg.connect(first)
        async with own.one() as again:
            assert _same(await contents_of(again), before)
            served_again.append(again == first)
        assert forgotten.is_closed()
    assert any(served_again)


def _same(one: Contents, other: Contents) -> bool:
    # An updated row stands at another place in its file.
    return {table: sorted(rows.splitlines()) for table, rows in one.rows.items()} == {
        table: sorted(rows.splitlines()) for table, rows in other.rows.items()
    } and one.sequences == other.sequences


@pytest.mark.parametrize(
    "statements",
    [
        "create table public.left_behind ()",
        "drop function public.credit_overview()",
        "truncate public.packs cascade",
        "analyze public.packs",
        "select lo_create(0)",
        "create publication left_behind",
        "insert into auth.users (id) select gen_random_uuid() from generate_series(1, 3000)",
    ],
)
async def test_what_is_more_than_a_few_rows_takes_a_new_one(own: Databases, statements: str) -> None:
    async with own.one() as first:
        await _change(first, statements)
    async with own.one() as second:
        assert second != first


async def test_a_connection_serves_the_next_pool_and_remembers_only_the_schema(own: Databases) -> None:
    async def leave_as_is(_connection: object) -> None:
        pass

    async with own.one() as url:
        async with Pool(url, max_size=1, reset=leave_as_is) as pool:
            process = await pool.fetchval("select pg_backend_pid()")
            await pool.execute("set timezone to 'Asia/Tokyo'; listen news; select pg_advisory_lock(4711)")
        async with Pool(url, max_size=1, reset=leave_as_is) as pool:
            assert await pool.fetchval("select pg_backend_pid()") == process
            assert await pool.fetchval("show timezone") == "UTC"
            assert await pool.fetch("select pg_listening_channels()") == []
            assert await pool.fetchval("select count(*) from pg_locks where locktype = 'advisory'") == 0


async def test_a_connection_that_a_test_ended_serves_none(own: Databases) -> None:
    async with own.one() as url:
        async with Pool(url, max_size=1) as pool:
            process = await pool.fetchval("select pg_backend_pid()")
        await _change(url, f"select pg_terminate_backend({process}, 5000)")
        async with Pool(url, max_size=1) as pool:
            assert await pool.fetchval("select pg_backend_pid()") != process


async def test_rows_that_were_taken_back_leave_nothing(own: Databases) -> None:
    async with own.one() as first:
        await _change(first, "begin; insert into auth.users (id) values (gen_random_uuid()); rollback")
    async with own.one() as again:
        assert again == first
