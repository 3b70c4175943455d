"""core.migrate: the same record as the Supabase CLI, one runner at a time, never a half-applied file."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import asyncpg
import pytest

from backend.core import config, migrate
from backend.core.config import Settings
from scripts import postgres

pytestmark = pytest.mark.anyio

if TYPE_CHECKING:
    Connection = asyncpg.Connection[asyncpg.Record]


@pytest.fixture
async def connection(database: str) -> AsyncIterator[Connection]:
    """Connect to a migrated database with an empty history, so that the files of a test may have short versions."""
    opened = await asyncpg.connect(database)
    await opened.execute("delete from supabase_migrations.schema_migrations")
    yield opened
    await opened.close()


def write(directory: Path, **files: str) -> Path:
    directory.mkdir(exist_ok=True)
    for name, sql in files.items():
        (directory / f"{name.removeprefix('v')}.sql").write_text(sql)
    return directory


async def history(connection: Connection) -> dict[str, tuple[str, list[str]]]:
    rows = await connection.fetch("select * from supabase_migrations.schema_migrations where version < '2000'")
    return {row["version"]: (row["name"], row["statements"]) for row in rows}


async def test_pending_files_are_applied_once_and_recorded_like_the_cli(connection: Connection, tmp_path: Path) -> None:
    directory = write(tmp_path / "m", v0001_first="create table a (n int);\ninsert into a values (1);\n")
    assert await migrate.product(connection, directory) == ["0001_first.sql"]
    assert await migrate.product(connection, directory) == []
    write(directory, v0002_second="insert into a values (2)")
    assert [each.version for each in await migrate.pending(connection, directory)] == ["0002"]
    assert await migrate.product(connection, directory) == ["0002_second.sql"]
    assert await history(connection) == {
        "0001": ("first", ["create table a (n int)", "insert into a values (1)"]),
        "0002": ("second", ["insert into a values (2)"]),
    }
    assert await connection.fetchval("select count(*) from a") == 2


@pytest.mark.parametrize("text", ["", "\n", "-- Nothing yet.\n", "/* no */"], ids=["empty", "line", "comment", "block"])
async def test_a_file_without_a_statement_is_applied(connection: Connection, tmp_path: Path, text: str) -> None:
    directory = write(tmp_path / "m", v0001_empty=text)
    assert await migrate.product(connection, directory) == ["0001_empty.sql"]
    assert await migrate.product(connection, directory) == []
    await migrate.seed(connection, [directory / "0001_empty.sql"])


async def test_a_failing_file_leaves_nothing_and_names_itself(connection: Connection, tmp_path: Path) -> None:
    directory = write(tmp_path / "m", v0001_bad="create table b (n int); select 1 / 0;")
    with pytest.raises(migrate.MigrationError, match=r"0001_bad\.sql: division by zero"):
        await migrate.product(connection, directory)
    assert await history(connection) == {}
    assert await connection.fetchval("select to_regclass('b')") is None


async def test_a_file_without_transaction_may_build_an_index_concurrently(
    connection: Connection, tmp_path: Path
) -> None:
    sql = "-- no-transaction\ncreate table c (n int);\ncreate index concurrently c_n_idx on c (n);"
    assert await migrate.product(connection, write(tmp_path / "m", v0001_index=sql)) == ["0001_index.sql"]
    assert await connection.fetchval("select to_regclass('c_n_idx') is not null")


async def test_a_held_lock_is_waited_for_in_short_turns(
    connection: Connection, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await connection.execute("create table d (n int)")
    reader = await asyncpg.connect(database)
    holding = reader.transaction()
    await holding.start()
    await reader.execute("select * from d")
    tries = []

    async def let_go(delay_s: float) -> None:
        tries.append(delay_s)
        await holding.rollback()

    monkeypatch.setattr(migrate, "LOCK_TIMEOUT_S", 0.05)
    monkeypatch.setattr(asyncio, "sleep", let_go)
    await migrate.product(connection, write(tmp_path / "m", v0001_add="alter table d add column m int"))
    assert len(tries) == 1
    await reader.close()


async def test_two_runners_at_once_take_turns(connection: Connection, database: str, tmp_path: Path) -> None:
    directory = write(tmp_path / "m", v0001_slow="create table e (n int); select pg_sleep(0.1);")
    other = await asyncpg.connect(database)
    done = await asyncio.gather(migrate.product(connection, directory), migrate.product(other, directory))
    assert sorted(map(len, done)) == [0, 1]
    await other.close()


@pytest.mark.parametrize("names", [["first"], ["0001-first"], ["0001_a", "0001_b"]])
def test_names_must_be_versions_and_unique(tmp_path: Path, names: list[str]) -> None:
    with pytest.raises(migrate.MigrationError):
        migrate.files(write(tmp_path / "m", **dict.fromkeys(names, "select 1")))


async def test_versions_that_only_the_database_knows_are_no_fault(connection: Connection, tmp_path: Path) -> None:
    directory = write(tmp_path / "m", v0001_first="select 1", v0002_second="select 2")
    await migrate.product(connection, directory)
    (directory / "0002_second.sql").unlink()
    assert await migrate.pending(connection, directory) == []


async def test_a_file_that_was_edited_after_it_was_applied_is_refused(connection: Connection, tmp_path: Path) -> None:
    directory = write(tmp_path / "m", v0001_first="create table a (n int);\n-- The end.\n")
    await migrate.product(connection, directory)
    write(directory, v0001_first="create table a (n  int) ;\n")
    assert await migrate.product(connection, directory) == []
    write(directory, v0001_first="create table a (n bigint);\n")
    with pytest.raises(migrate.MigrationError, match=r"0001_first\.sql: edited after it was applied"):
        await migrate.product(connection, directory)


async def test_a_version_later_than_now_is_refused(connection: Connection, tmp_path: Path) -> None:
    now = await connection.fetchval("select to_char(now() at time zone 'utc' + interval '1 hour', 'YYYYMMDDHH24MISS')")
    directory = write(tmp_path / "m", **{f"v{now}_soon": "create table a (n int)"})
    with pytest.raises(migrate.MigrationError, match=rf"{now}_soon\.sql: its version is later than now"):
        await migrate.product(connection, directory)
    assert await connection.fetchval("select to_regclass('a')") is None


async def test_a_version_older_than_the_newest_applied_needs_include_all(
    connection: Connection, tmp_path: Path
) -> None:
    directory = write(tmp_path / "m", v0001_first="select 1", v0003_third="select 3")
    await migrate.product(connection, directory)
    write(directory, v0002_second="create table a (n int)")
    with pytest.raises(migrate.MigrationError, match=r"0002_second\.sql: older than 0003"):
        await migrate.product(connection, directory)
    assert await migrate.product(connection, directory, include_all=True) == ["0002_second.sql"]


async def test_the_platform_is_applied_once_and_a_changed_file_again(
    connection: Connection, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert await migrate.platform(connection) == []
    copy = tmp_path / "backend"
    for service in migrate.SERVICES:
        shutil.copytree(migrate.BACKEND / service / "schema", copy / service / "schema")
    monkeypatch.setattr(migrate, "BACKEND", copy)
    file = copy / "core" / "schema" / "0003_jobs.sql"
    file.write_text(file.read_text() + "\ncomment on schema jobs is 'changed';\n")
    assert await migrate.platform(connection) == ["core/0003_jobs.sql"]


async def test_every_file_of_the_platform_bears_being_run_again(connection: Connection) -> None:
    await connection.execute("truncate platform.migrations")
    applied = await migrate.platform(connection)
    assert len(applied) == sum(len(migrate.files(migrate.BACKEND / name / "schema")) for name in migrate.SERVICES)


async def test_a_host_that_made_a_services_schema_keeps_it(connection: Connection) -> None:
    await connection.execute("truncate platform.migrations; insert into auth.schema_migrations values ('2024')")
    await connection.execute(
        "create table storage.migrations (id int); insert into storage.migrations values (1);"
        " create table realtime.schema_migrations (id int); insert into realtime.schema_migrations values (1)"
    )
    assert {name.partition("/")[0] for name in await migrate.platform(connection)} == {"core"}


async def test_the_roles_are_those_of_hosted_supabase(connection: Connection) -> None:
    rows = await connection.fetch("select * from pg_roles where rolname !~ '^pg_' and rolname <> 'postgres'")
    roles = {row["rolname"]: row for row in rows}
    assert {"anon", "authenticated", "service_role", "authenticator"} <= roles.keys()
    assert [name for name, row in roles.items() if row["rolcanlogin"]] == ["authenticator"]
    assert [name for name, row in roles.items() if row["rolbypassrls"]] == ["service_role"]
    assert not any(row["rolsuper"] or row["rolcreaterole"] or row["rolcreatedb"] for row in roles.values())
    assert not roles["authenticator"]["rolinherit"]
    granted = await connection.fetch(
        "select roleid::regrole::text from pg_auth_members where member = 'authenticator'::regrole order by 1"
    )
    assert [row[0] for row in granted] == ["anon", "authenticated", "service_role"]


@pytest.mark.parametrize("schema", ["jobs", "platform", "supabase_migrations"])
@pytest.mark.parametrize("role", ["anon", "authenticated", "service_role", "authenticator"])
async def test_no_api_role_may_enter_the_platforms_schemas(connection: Connection, schema: str, role: str) -> None:
    allowed = await connection.fetchval("select has_schema_privilege($1, $2, 'usage')", role, schema)
    assert allowed is ((schema, role) == ("jobs", "service_role")), "functions enqueue as service_role"


async def test_service_role_may_enqueue_and_write_mails_and_nothing_else(connection: Connection) -> None:
    rows = await connection.fetch(
        """
        select table_name::text || ' ' || privilege_type as granted
        from information_schema.role_table_grants
        where table_schema = 'jobs' and grantee in ('anon', 'authenticated', 'service_role', 'PUBLIC')
        order by 1
        """
    )
    assert [row["granted"] for row in rows] == [
        "mails INSERT",
        "pgqueuer INSERT",
        "pgqueuer SELECT",
        "pgqueuer_log INSERT",
        "pgqueuer_log SELECT",
    ]


async def test_a_login_without_superuser_can_bring_an_empty_database_up(cluster: postgres.Cluster) -> None:
    """What a managed Postgres gives: createrole, bypassrls, the owner of one database."""
    owner = await asyncpg.connect(cluster.url)
    await owner.execute("create role plain login createrole bypassrls password 'plain'")
    roles = ("anon", "authenticated", "service_role", "authenticator", "supabase_auth_admin", "supabase_storage_admin")
    for role in roles:
        if await owner.fetchval("select exists (select from pg_roles where rolname = $1)", role):
            await owner.execute(f"grant {role} to plain with admin option")
    await owner.execute("create database plain owner plain")
    connection = await asyncpg.connect(
        cluster.database_url("plain").replace("postgres:" + cluster.password, "plain:plain")
    )
    await migrate.platform(connection, None)
    await migrate.product(connection, config.ROOT / "db" / "migrations")
    assert await connection.fetchval("select count(*) from public.profiles") == 0
    await connection.close()
    # A new session finds what hosted projects have.
    connection = await asyncpg.connect(
        cluster.database_url("plain").replace("postgres:" + cluster.password, "plain:plain")
    )
    assert await connection.fetchval("select digest('a', 'sha256') is not null and uuid_generate_v4() is not null")
    await connection.execute("alter database plain set search_path = extensions")
    await migrate.platform(connection, None)
    await connection.close()
    kept = "select setconfig from pg_db_role_setting join pg_database on oid = setdatabase where datname = 'plain'"
    assert await owner.fetchval(kept) == ["search_path=extensions"]
    await owner.execute("drop database plain with (force)")
    await owner.execute("drop owned by plain")
    await owner.execute("drop role plain")
    await owner.close()


async def test_the_cli_finds_nothing_left_to_apply(database: str, settings: Settings) -> None:
    cli = settings.root / "node_modules" / ".bin" / "supabase"
    command = [str(cli), "--workdir", str(settings.root), "db", "push", "--yes", "--db-url", database]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert "up to date" in done.stdout + done.stderr


async def test_a_seed_that_fails_names_itself(connection: Connection, tmp_path: Path) -> None:
    with pytest.raises(migrate.MigrationError, match=r"02_bad\.sql"):
        await migrate.seed(connection, [write(tmp_path / "s", **{"02_bad": "nonsense"}) / "02_bad.sql"])
