"""core.db: transactions, claims and what happens when the database goes away."""

from __future__ import annotations

import uuid
from dataclasses import replace

import asyncpg
import pytest

from backend.core import db
from backend.core.config import Settings
from backend.core.errors import ServiceUnavailable
from backend.core.resources import Resources

pytestmark = pytest.mark.anyio

USER = str(uuid.uuid4())


async def test_jsonb_arrives_as_python_and_leaves_as_python(resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        assert await connection.fetchval("select $1::jsonb -> 'a'", {"a": ["è", None]}) == ["è", None]


async def test_a_failed_block_leaves_nothing_behind(resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        await connection.execute("create table kept (n int)")

    async def fail() -> None:
        async with db.transaction(resources.pool) as connection:
            await connection.execute("insert into kept values (1)")
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        await fail()
    async with db.connection(resources.pool) as connection:
        assert await connection.fetchval("select count(*) from kept") == 0


async def test_claims_hold_for_one_transaction_only(resources: Resources) -> None:
    async with db.as_claims(resources.pool, {"role": "authenticated", "sub": USER}) as connection:
        assert await connection.fetchval("select current_user::text") == "authenticated"
        assert str(await connection.fetchval("select auth.uid()")) == USER
    async with db.connection(resources.pool) as connection:
        assert await connection.fetchval("select current_user::text") == "postgres"
        assert await connection.fetchval("select auth.uid()") is None


async def test_claims_without_a_role_are_anonymous(resources: Resources) -> None:
    async with db.as_claims(resources.pool, {}) as connection:
        assert await connection.fetchval("select current_user::text") == "anon"


@pytest.mark.parametrize("role", ["postgres", "authenticator", "supabase_auth_admin", "", None, 7])
async def test_no_token_becomes_a_system_role(resources: Resources, role: object) -> None:
    with pytest.raises(PermissionError):
        async with db.as_claims(resources.pool, {"role": role}):
            pass


async def test_a_database_that_is_away_is_a_503_with_retry_after(settings: Settings) -> None:
    closed = replace(settings, database_url="postgresql://postgres@127.0.0.1:1/postgres")
    async with db.create_pool(closed) as pool:
        with pytest.raises(ServiceUnavailable) as refused:
            async with db.transaction(pool):
                pass
    assert refused.value.status == 503
    assert int(refused.value.headers["Retry-After"]) >= 1


async def test_a_connection_cut_in_the_middle_is_a_503_and_the_next_request_works(resources: Resources) -> None:
    with pytest.raises(ServiceUnavailable):
        async with db.transaction(resources.pool) as connection:
            await connection.execute("select pg_terminate_backend(pg_backend_pid())")
    async with db.transaction(resources.pool) as connection:
        assert await connection.fetchval("select 1") == 1


async def test_an_exhausted_pool_refuses_within_two_seconds(
    resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db, "ACQUIRE_TIMEOUT_S", 0.05)
    taken = [await resources.pool.acquire() for _ in range(db.POOL_SIZE)]
    with pytest.raises(ServiceUnavailable):
        async with db.connection(resources.pool):
            pass
    for connection in taken:
        await resources.pool.release(connection)


async def test_a_fault_of_our_own_stays_what_it_is(resources: Resources) -> None:
    with pytest.raises(asyncpg.UndefinedTableError):
        async with db.transaction(resources.pool) as connection:
            await connection.execute("select * from nowhere")


TOLD = """
create schema told;
grant usage on schema told to service_role;
create function told.me(_number integer, _facts jsonb) returns text[] language sql
  as $$ select array[current_user::text, auth.role(), pg_typeof(_facts -> 'a')::text, (_facts ->> 'a') || _number] $$;
create function told.failing() returns void language plpgsql
  as $$ begin insert into told.kept values (1); raise exception 'stop'; end $$;
create table told.kept (n integer);
grant all on told.kept to service_role;
"""


@pytest.fixture
async def told(resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        await connection.execute(TOLD)


@pytest.mark.parametrize("facts", [{"a": "b"}, db.Json('{"a": "b"}')])
async def test_a_function_called_acts_as_the_service_and_the_connection_is_itself_again(
    resources: Resources, told: None, facts: object
) -> None:
    answer = await db.call_as_service(resources.pool, "told.me", 7, facts)
    assert answer == ["service_role", "service_role", "jsonb", "b7"]
    async with db.connection(resources.pool) as connection:
        assert await connection.fetchval("select current_user::text") == "postgres"
        assert not await connection.fetchval("select current_setting('request.jwt.claims', true)")


async def test_a_function_that_fails_leaves_nothing_and_the_connection_is_itself_again(
    resources: Resources, told: None
) -> None:
    with pytest.raises(asyncpg.RaiseError, match="stop"):
        await db.call_as_service(resources.pool, "told.failing")
    async with db.connection(resources.pool) as connection:
        assert await connection.fetchval("select count(*) from told.kept") == 0
        assert await connection.fetchval("select current_user::text") == "postgres"


@pytest.mark.parametrize("name", ["told.me()", "me", "told.me; drop table told.kept", ""])
async def test_only_a_name_is_called(resources: Resources, name: str) -> None:
    with pytest.raises(ValueError, match="names no function"):
        await db.call_as_service(resources.pool, name)
