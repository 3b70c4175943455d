"""Files: a folder of a bucket belongs to the person whose id it bears; the changes that browsers are told about."""

from __future__ import annotations

import asyncpg
import pytest

from scripts.paths import ROOT
from tests.db import access
from tests.db.access import PEOPLE
from tests.db.accounts import Connection, rolled_back
from tests.db.conftest import World

pytestmark = pytest.mark.anyio

REALTIME = ROOT / "db" / "schemas" / "99_realtime.sql"
PUBLISHED = """
select schemaname, tablename from pg_publication_tables where pubname = 'supabase_realtime' order by 1, 2
"""
BUCKETS = ("documents", "avatars")
NAME = f"{PEOPLE['owner']}/fattura.pdf"
INSERT = "insert into storage.objects (bucket_id, name) values ($1, $2)"
MOVE = "update storage.objects set name = $2 where bucket_id = $1"
LIST = "select name from storage.objects where bucket_id = $1"
DELETE = "delete from storage.objects where bucket_id = $1 returning name"


@pytest.mark.parametrize("bucket", BUCKETS)
@pytest.mark.parametrize(("role", "outcome"), [("anon", "denied"), ("owner", "yes"), ("stranger", "denied")])
async def test_only_the_owner_adds_to_their_folder(bucket: str, role: str, outcome: str, world: World) -> None:
    async with rolled_back(world.connection):
        assert await _outcome(world.connection, role, INSERT, bucket, NAME) == outcome


@pytest.mark.parametrize("name", ["fattura.pdf", f"altri/{PEOPLE['owner']}/fattura.pdf"])
async def test_nothing_lies_outside_of_a_persons_folder(name: str, world: World) -> None:
    async with rolled_back(world.connection):
        assert await _outcome(world.connection, "owner", INSERT, "documents", name) == "denied"


@pytest.mark.parametrize("bucket", BUCKETS)
@pytest.mark.parametrize("role", ["anon", "owner", "stranger", "admin"])
async def test_only_the_owner_sees_changes_and_deletes_a_file(bucket: str, role: str, world: World) -> None:
    connection = world.connection
    seen = [NAME] if role == "owner" else []
    async with rolled_back(connection):
        await connection.execute(INSERT, bucket, NAME)
        await connection.execute("select set_config('storage.allow_delete_query', 'true', true)")
        async with access.acting(connection, role):
            assert [row["name"] for row in await connection.fetch(LIST, bucket)] == seen
            changed = await connection.execute(MOVE, bucket, NAME.replace("fattura", "nuova"))
            assert changed == f"UPDATE {len(seen)}"
            assert len(await connection.fetch(DELETE, bucket)) == len(seen)


async def test_a_file_is_not_moved_into_another_persons_folder(world: World) -> None:
    async with rolled_back(world.connection):
        await world.connection.execute(INSERT, "documents", NAME)
        name = f"{PEOPLE['stranger']}/fattura.pdf"
        assert await _outcome(world.connection, "owner", MOVE, "documents", name) == "denied"


async def test_the_folder_of_an_account_that_is_gone_takes_no_files(world: World) -> None:
    connection = world.connection
    async with rolled_back(connection):
        await connection.execute(INSERT, "documents", NAME)
        await connection.execute("delete from auth.users where id = $1", PEOPLE["owner"])
        assert await connection.fetch(LIST, "documents") == []
        assert await _outcome(connection, "service_role", INSERT, "documents", NAME) == "denied"
        assert await _outcome(connection, "service_role", INSERT, "documents", "sciolta.pdf") == "denied"
        other = f"{PEOPLE['stranger']}/fattura.pdf"
        await connection.execute(INSERT, "documents", other)
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(MOVE, "documents", NAME)


async def test_files_of_other_buckets_lie_where_they_like(world: World) -> None:
    async with rolled_back(world.connection):
        await world.connection.execute("insert into storage.buckets (id, name) values ('logos', 'logos')")
        assert await _outcome(world.connection, "service_role", INSERT, "logos", "logo.png") == "yes"


async def test_a_deleted_notification_is_known_by_its_owner(world: World) -> None:
    identity = await world.connection.fetchval(
        "select pg_get_indexdef(indexrelid) from pg_index"
        " where indrelid = 'public.notifications'::regclass and indisreplident"
    )
    assert identity.endswith("(user_id, id)")


@pytest.mark.parametrize("publication", ["there", "missing"])
async def test_migration_publishes_with_and_without_a_publication(publication: str, world: World) -> None:
    connection = world.connection
    async with rolled_back(connection):
        before = await connection.fetch(PUBLISHED)
        await connection.execute("drop publication supabase_realtime")
        if publication == "there":
            await connection.execute("create publication supabase_realtime")
        await connection.execute(REALTIME.read_text())
        assert await connection.fetch(PUBLISHED) == before
        assert ("public", "notifications") in [tuple(row) for row in before]


async def _outcome(connection: Connection, role: str, sql: str, *values: str) -> str:
    try:
        async with connection.transaction(), access.acting(connection, role):
            await connection.execute(sql, *values)
    except asyncpg.InsufficientPrivilegeError:
        return "denied"
    return "yes"
