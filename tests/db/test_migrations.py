"""The migrations on a database that is not ours to rule: hosted Supabase gives no superuser."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from backend.core import migrate
from scripts import postgres
from scripts.paths import ROOT
from tests.db import accounts
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

# The rights that the role `postgres` has in a hosted project, as far as migrations and seeds need them.
HOSTED = """
create role tenant login createrole bypassrls password 'tenant';
grant all on database hosted to tenant;
grant all on schema public to tenant;
grant usage on schema auth, extensions to tenant;
grant all on all tables in schema auth to tenant;
grant anon, authenticated, service_role to tenant with admin option;
-- There an extension (supautils) lets it make policies on the tables of storage; here the membership does.
grant usage on schema storage to tenant;
grant supabase_storage_admin to tenant;
"""


@pytest.fixture
async def hosted(cluster: postgres.Cluster) -> AsyncIterator[Connection]:
    """A connection without superuser rights to a database that has the platform only."""
    owner = await asyncpg.connect(cluster.url)
    await owner.execute("create database hosted")
    platform = await asyncpg.connect(cluster.database_url("hosted"))
    # Without a password: that of authenticator belongs to the whole cluster, and PostgREST of other tests knows it.
    await migrate.platform(platform)
    await platform.execute(HOSTED)
    await platform.close()
    tenant = await asyncpg.connect(cluster.database_url("hosted"), user="tenant", password="tenant")
    yield tenant
    await tenant.close()
    await owner.execute("drop database hosted with (force)")
    await owner.execute("drop role tenant")
    await owner.close()


async def test_migrations_and_seeds_need_no_superuser(hosted: Connection) -> None:
    await migrate.product(hosted, ROOT / "db" / "migrations")
    await migrate.seed(hosted, sorted((ROOT / "db" / "seed").glob("*.sql")))
    assert await hosted.fetchval("select rolsuper from pg_roles where rolname = current_user") is False
    user_id = await accounts.create(hosted)
    assert await hosted.fetchval("select balance from public.credit_wallets where user_id = $1", user_id) == 100
