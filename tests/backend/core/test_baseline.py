"""core.baseline: a database of the older migrations goes on without losing a row, a different one is refused."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import uuid4

import asyncpg
import pytest

from backend.core import baseline, config, db, jwt, migrate
from backend.core.config import Settings
from scripts import postgres
from tests.db import accounts

pytestmark = pytest.mark.anyio

MIGRATIONS = config.ROOT / "db" / "migrations"
HISTORY = "select name from supabase_migrations.schema_migrations order by version"
WEALTH = "select (select count(*) from public.contacts), (select sum(balance) from public.credit_wallets)"

if TYPE_CHECKING:
    Connection = asyncpg.Connection[asyncpg.Record]


@pytest.fixture
async def old(settings: Settings, cluster: postgres.Cluster) -> AsyncIterator[tuple[Settings, Connection]]:
    """Yield an installation as the older migrations left it: the baseline's schema, other versions, some rows."""
    name = f"old_{uuid4().hex}"
    admin = await asyncpg.connect(cluster.url)
    await admin.execute(f"create database {name} template template0")
    settings = replace(settings, database_url=cluster.database_url(name))
    connection = await asyncpg.connect(settings.database_url)
    await db.prepare(connection)
    await migrate.platform(connection, jwt.load(settings.home).authenticator_password)
    schema = next(each for each in migrate.files(MIGRATIONS) if each.name == baseline.NAME)
    await connection.execute(schema.sql)
    await connection.execute(
        """
        create schema supabase_migrations;
        create table supabase_migrations.schema_migrations (version text primary key, statements text[], name text);
        insert into supabase_migrations.schema_migrations values
          ('20261120090000', array['create schema private'], 'foundation'),
          ('20261203110000', array['select 1'], 'words_that_stay');
        """
    )
    user_id = await accounts.create(connection)
    await connection.execute(
        "insert into public.contacts (user_id, type, business_name) values ($1, 'azienda', 'Neri S.r.l.')", user_id
    )
    yield settings, connection
    await connection.close()
    await admin.execute(f"drop database {name} with (force)")
    await admin.close()


async def test_an_equal_schema_goes_on_with_its_rows(old: tuple[Settings, Connection]) -> None:
    settings, connection = old
    before = await connection.fetchrow(WEALTH)
    await baseline.adopt(settings, connection, MIGRATIONS)
    assert [row["name"] for row in await connection.fetch(HISTORY)] == ["baseline"]
    assert "baseline" not in "".join(await migrate.product(connection, MIGRATIONS))
    assert await migrate.pending(connection, MIGRATIONS) == []
    assert await connection.fetchrow(WEALTH) == before
    assert before is not None
    assert tuple(before) == (1, 100)
    await baseline.adopt(settings, connection, MIGRATIONS)


async def test_a_different_schema_is_refused_and_named(old: tuple[Settings, Connection]) -> None:
    settings, connection = old
    await connection.execute(
        'alter table public.tasks add column colour text; drop policy "owners read their tasks" on public.tasks'
    )
    with pytest.raises(migrate.MigrationError) as refused:
        await baseline.adopt(settings, connection, MIGRATIONS)
    assert "column public.tasks.colour, policy owners read their tasks on public.tasks. Update" in str(refused.value)
    assert len(await connection.fetch(HISTORY)) == 2


async def test_a_user_who_may_not_make_databases_is_told_so(old: tuple[Settings, Connection]) -> None:
    settings, connection = old
    await connection.execute("set role service_role")
    with pytest.raises(migrate.MigrationError, match="createdb"):
        await baseline._differences(settings, connection, migrate.files(MIGRATIONS)[0])
    await connection.execute("reset role")


async def test_an_empty_database_has_nothing_to_adopt(settings: Settings, database: str) -> None:
    connection = await asyncpg.connect(database)
    before = await connection.fetch(HISTORY)
    await baseline.adopt(settings, connection, MIGRATIONS)
    assert await connection.fetch(HISTORY) == before
    await connection.close()
