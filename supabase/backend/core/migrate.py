"""The migration runner: first the platform's own schemas, then the product's migrations and seeds.

The product's files are recorded in `supabase_migrations.schema_migrations` exactly as the Supabase CLI does, so
`supabase db push` and this runner see the same state. The platform's own files are idempotent: each is recorded in
`platform.migrations` with its digest and run again when it has changed. On hosted Supabase, where upstream made the
auth schema, that service's files are left out.

History only grows: a file that was edited after it was applied is refused, and so is a version later than now or older
than the newest one applied (`--include-all` accepts the last, as in the CLI).

Each file is one transaction; a file whose first line is `-- no-transaction` runs statement by statement (for
`create index concurrently`). Locks are waited for two seconds at most and then tried again, so that a migration
never queues the whole site behind a long reader (FAULT-26). Two processes starting at once take turns.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import random
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import asyncpg

from backend.core import db, queue, statements

logger = logging.getLogger("backend.migrate")

BACKEND = Path(__file__).resolve().parent.parent
SERVICES = ("core", "auth", "storage", "realtime")
ROLES_FILE = BACKEND / "core" / "schema" / "0001_roles.sql"
# Who owns the tables of a service, as upstream has it.
OWNERS = ("supabase_auth_admin", "supabase_storage_admin")
ROLES = ("anon", "authenticated", "service_role", "authenticator", *OWNERS)
# Whether hosted Supabase has made a service's schema: upstream records its own migrations there.
MANAGED_BY_HOST = {
    "auth": "select exists (select from auth.schema_migrations)",
    "storage": "select exists (select from storage.migrations)",
    "realtime": "select exists (select from realtime.schema_migrations)",
}

NO_TRANSACTION = "-- no-transaction"
LOCK_TIMEOUT_S = 2
LOCK_ATTEMPTS = 30
# Any constant will do; it only has to be ours.
ADVISORY_LOCK = int.from_bytes(hashlib.sha256(b"backend.migrate").digest()[:8], signed=True)


class MigrationError(Exception):
    """A migration cannot be applied; the message names the file."""


@dataclass(frozen=True)
class Migration:
    """One file `<version>_<name>.sql`."""

    version: str
    name: str
    path: Path

    @property
    def sql(self) -> str:
        return self.path.read_text(encoding="utf-8")


def files(directory: Path) -> list[Migration]:
    """Return the migrations of a folder in order. Raises MigrationError for a wrong name or a version used twice."""
    found = []
    for path in sorted(directory.glob("*.sql")):
        parts = re.fullmatch(r"(\d+)_(\w+)", path.stem)
        if parts is None:
            raise MigrationError(f"{path.name}: a migration is called <version>_<name>.sql")
        found.append(Migration(parts[1], parts[2], path))
    versions = [migration.version for migration in found]
    if len(set(versions)) != len(versions):
        raise MigrationError(f"{directory}: two migrations share a version")
    return found


async def platform(
    connection: asyncpg.Connection[asyncpg.Record], authenticator_password: str | None = None
) -> list[str]:
    """Bring roles, the services' schemas and the queue up to date and return what was applied.

    With a password PostgREST's login role gets it. Raises MigrationError.
    """
    applied = []
    async with _alone(connection):
        await roles(connection)
        await connection.execute(
            """
            create schema if not exists platform;
            create table if not exists platform.migrations (
              service text not null,
              file text not null,
              digest text not null,
              applied_at timestamptz not null default now(),
              primary key (service, file)
            );
            """
        )
        await _refuse_restored_without_roles(connection)
        for service in SERVICES:
            applied += await _service(connection, service)
        await queue.install(connection)
        await _put_extensions_on_search_path(connection)
        if authenticator_password is not None:
            await _set_password(connection, authenticator_password)
    return applied


async def roles(connection: asyncpg.Connection[asyncpg.Record]) -> None:
    """Create the roles that the server lacks: they belong to the server and not to a database, so no dump has them.

    Raises MigrationError.
    """
    if await connection.fetchval(
        "select bool_and(to_regrole(name) is not null) from unnest($1::text[]) as name", ROLES
    ):
        return
    # The first two statements: the roles, and who may become which.
    make, let_become = statements.split(ROLES_FILE.read_text(encoding="utf-8"))[:2]
    try:
        async with connection.transaction():
            await connection.execute(make)
            await connection.execute(let_become)
            for owner in OWNERS:
                if not await connection.fetchval("select pg_has_role($1, 'usage')", owner):
                    await connection.execute(f"grant {owner} to current_user")
    except asyncpg.PostgresError as error:
        raise MigrationError(f"{ROLES_FILE.name}: {_explain(error)}") from error


async def _refuse_restored_without_roles(connection: asyncpg.Connection[asyncpg.Record]) -> None:
    """Policies and grants name roles; what was restored before these were there has lost them all, for good."""
    lost = await connection.fetchval(
        """
        select exists (select from platform.migrations where service = 'core' and file = $1)
          and not has_schema_privilege('anon', 'auth', 'usage')
        """,
        ROLES_FILE.name,
    )
    if lost:
        raise MigrationError(
            "this database was restored on a server without our roles, so it has lost its policies and grants; "
            "the roles are there now: restore it again into an empty database"
        )


async def _service(connection: asyncpg.Connection[asyncpg.Record], service: str) -> list[str]:
    if await _managed_by_host(connection, service):
        logger.info("schema is managed by the host", extra={"service": service})
        return []
    rows = await connection.fetch("select file, digest from platform.migrations where service = $1", service)
    known = {row["file"]: row["digest"] for row in rows}
    record = """
        insert into platform.migrations (service, file, digest) values ($1, $2, $3)
        on conflict (service, file) do update set digest = excluded.digest, applied_at = now()
    """
    applied = []
    for migration in files(BACKEND / service / "schema"):
        digest = hashlib.sha256(migration.sql.encode()).hexdigest()
        if known.get(migration.path.name) != digest:
            await _apply(connection, migration, record, service, migration.path.name, digest)
            applied.append(f"{service}/{migration.path.name}")
    return applied


async def _managed_by_host(connection: asyncpg.Connection[asyncpg.Record], service: str) -> bool:
    if service not in MANAGED_BY_HOST:
        return False
    try:
        return bool(await connection.fetchval(MANAGED_BY_HOST[service]))
    except asyncpg.UndefinedTableError:
        return False


async def _set_password(connection: asyncpg.Connection[asyncpg.Record], password: str) -> None:
    """Lets PostgREST log in with the password of our keys; a host that manages this role refuses, and may."""
    alter = "select format('alter role authenticator with password %L', $1::text)"
    statement = await connection.fetchval(alter, password)
    try:
        await connection.execute(statement)
    except asyncpg.InsufficientPrivilegeError:
        logger.info("the password of authenticator is managed by the host")


async def _put_extensions_on_search_path(connection: asyncpg.Connection[asyncpg.Record]) -> None:
    """Let new sessions find `uuid_generate_v4()` and the like, as in hosted projects; what somebody chose stays.

    A setting of the database, which no dump has: it is looked at each time. Migrations of this session find them too.
    """
    await connection.execute(
        """
        do $$
        declare
          ours oid := (select oid from pg_database where datname = current_database());
        begin
          if pg_has_role((select datdba from pg_database where oid = ours), 'usage') and not exists (
            select from pg_db_role_setting, unnest(setconfig) as setting
            where setdatabase = ours and setrole = 0 and setting like 'search\\_path=%'
          ) then
            execute format('alter database %I set search_path = "$user", public, extensions', current_database());
          end if;
        end
        $$;
        set search_path = "$user", public, extensions
        """
    )


async def product(
    connection: asyncpg.Connection[asyncpg.Record], directory: Path, *, include_all: bool = False
) -> list[str]:
    """Apply the product's pending migrations and return their file names.

    With `include_all` versions older than the newest applied one are accepted. Raises MigrationError.
    """
    async with _alone(connection):
        await connection.execute(
            """
            create schema if not exists supabase_migrations;
            create table if not exists supabase_migrations.schema_migrations (
              version text not null primary key,
              statements text[],
              name text
            );
            """
        )
        await _refuse_edited(connection, directory)
        waiting = await pending(connection, directory)
        await _refuse_out_of_order(connection, waiting, include_all=include_all)
        applied = []
        for migration in waiting:
            record = "insert into supabase_migrations.schema_migrations (version, statements, name) values ($1, $2, $3)"
            pieces = statements.split(migration.sql)
            await _apply(connection, migration, record, migration.version, pieces, migration.name)
            applied.append(migration.path.name)
    if applied:
        # Hosts without our event trigger; harmless twice.
        await connection.execute("notify pgrst, 'reload schema'")
    return applied


async def pending(connection: db.Connection, directory: Path) -> list[Migration]:
    """Return the migrations of the folder that the database has not applied.

    Versions that only the database knows are accepted: during a rolling deploy the old code meets the new schema.
    """
    if not await connection.fetchval("select to_regclass('supabase_migrations.schema_migrations') is not null"):
        return files(directory)
    rows = await connection.fetch("select version from supabase_migrations.schema_migrations")
    known = {row["version"] for row in rows}
    return [migration for migration in files(directory) if migration.version not in known]


async def _refuse_edited(connection: db.Connection, directory: Path) -> None:
    """Raise MigrationError for an applied file whose text is no longer the one that was applied."""
    rows = await connection.fetch(
        "select version, statements from supabase_migrations.schema_migrations where statements is not null"
    )
    stored = {row["version"]: row["statements"] for row in rows}
    edited = [
        migration.path.name
        for migration in files(directory)
        if migration.version in stored and not _same_text(migration.sql, stored[migration.version])
    ]
    if edited:
        raise MigrationError(
            f"{', '.join(edited)}: edited after it was applied, so databases would differ. Restore the file and write "
            "the change as a new migration"
        )


def _same_text(sql: str, stored: list[str]) -> bool:
    """Compare a file with its stored statements; white space and comments after the last statement do not count."""
    known = _squeezed(stored)
    return _squeezed([sql]) == known or _squeezed(statements.split(sql)) == known


def _squeezed(texts: list[str]) -> str:
    return re.sub(r"[\s;]+", "", "".join(texts))


async def _refuse_out_of_order(connection: db.Connection, waiting: list[Migration], *, include_all: bool) -> None:
    """Raise MigrationError for versions later than now, and for versions that would run after younger ones."""
    row = await connection.fetchrow(
        """
        select max(version) as newest, to_char(now() at time zone 'utc', 'YYYYMMDDHH24MISS') as now
        from supabase_migrations.schema_migrations
        """
    )
    assert row is not None
    for migration in waiting:
        if migration.version > row["now"]:
            raise MigrationError(
                f"{migration.path.name}: its version is later than now ({row['now']}). A migration made today would "
                "run before it: rename the file, or correct the clock of the database"
            )
        if row["newest"] and migration.version < row["newest"] and not include_all:
            raise MigrationError(
                f"{migration.path.name}: older than {row['newest']}, which is applied already. Give the file a new "
                "version, or apply it late with --include-all"
            )


async def seed(connection: asyncpg.Connection[asyncpg.Record], paths: list[Path]) -> None:
    """Run seed files, each in a transaction; running them again must be harmless. Raises MigrationError."""
    async with _alone(connection):
        for path in paths:
            try:
                async with connection.transaction():
                    await _run(connection, path.read_text(encoding="utf-8"))
            except asyncpg.PostgresError as error:
                raise MigrationError(f"{path.name}: {_explain(error)}") from error


@asynccontextmanager
async def _alone(connection: asyncpg.Connection[asyncpg.Record]) -> AsyncIterator[None]:
    """One runner at a time in this database; a session lock, for a file may need several transactions."""
    await connection.execute("select pg_advisory_lock($1)", ADVISORY_LOCK)
    try:
        yield
    finally:
        if not connection.is_closed():
            await connection.execute("select pg_advisory_unlock($1)", ADVISORY_LOCK)


async def _apply(
    connection: asyncpg.Connection[asyncpg.Record], migration: Migration, record: str, *values: object
) -> None:
    sql = migration.sql
    logger.info("applying migration", extra={"file": migration.path.name})
    try:
        if sql.lstrip().startswith(NO_TRANSACTION):
            for statement in statements.split(sql):
                await connection.execute(statement)
            await connection.execute(record, *values)
        else:
            await _in_transaction(connection, sql, record, *values)
    except asyncpg.PostgresError as error:
        raise MigrationError(f"{migration.path.name}: {_explain(error)}") from error


async def _in_transaction(
    connection: asyncpg.Connection[asyncpg.Record], sql: str, record: str, *values: object
) -> None:
    for attempt in range(1, LOCK_ATTEMPTS + 1):
        try:
            async with connection.transaction():
                await connection.execute(f"set local lock_timeout = '{LOCK_TIMEOUT_S}s'")
                await _run(connection, sql)
                await connection.execute(record, *values)
            return
        except asyncpg.LockNotAvailableError:
            if attempt == LOCK_ATTEMPTS:
                raise
            logger.info("a lock is held, trying again", extra={"attempt": attempt})
            await asyncio.sleep(random.uniform(0.5, 1.5))


async def _run(connection: asyncpg.Connection[asyncpg.Record], sql: str) -> None:
    """Execute SQL; of a text without a statement, as `supabase migration new` makes it, asyncpg would fail."""
    if statements.split(sql):
        await connection.execute(sql)


def _explain(error: asyncpg.PostgresError) -> str:
    parts = [str(error), error.detail, error.hint, error.context]
    return "\n".join(part for part in parts if part)
