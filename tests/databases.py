"""Databases for tests, each as the migrations and the reference seed leave it.

Making one costs a thousand files, and most tests change a few rows only: so a database that has served a test is put
back as it was and serves the next. What cannot be put back row by row (a changed schema, many rows) is thrown away.
"""

from __future__ import annotations

import asyncio
import io
import secrets
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

import asyncpg
from anyio.from_thread import BlockingPortal, start_blocking_portal

from backend.core import db
from scripts import postgres
from tests.connections import end_kept, keep, kept_of

# Deleted rows stay in their files: after so many tests a new database is the better one.
MOST_USES = 50
# More are faster copied with their files than deleted and written.
MOST_ROWS = 2_000

# Each tells the statistics what it did as it ends.
END_OTHERS = """
select count(pg_terminate_backend(pid, 5000)) from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid() and pid <> all ($1::integer[])
"""
END_SLOTS = "select pg_terminate_backend(active_pid, 5000) from pg_replication_slots where database = $1 and active"
# Tables in which a row was written, be it rolled back, or of which the planner was told something.
TOUCHED = """
select schemaname as schema, touched.relname as name, n_tup_ins + n_tup_upd + n_tup_del as rows,
  vacuum_count + autovacuum_count + analyze_count + autoanalyze_count > 0 as looked_at
from pg_stat_all_tables as touched join pg_class on pg_class.oid = relid
where schemaname <> 'pg_toast' and not relisshared
  and n_tup_ins + n_tup_upd + n_tup_del + vacuum_count + autovacuum_count + analyze_count + autoanalyze_count > 0
"""
HAS_MORE_THAN_ROWS = """
select exists (select from pg_replication_slots where database = current_database())
  or exists (select from pg_db_role_setting join pg_database on pg_database.oid = setdatabase
             where datname = current_database())
"""
TABLES = """
select relnamespace::regnamespace::text as schema, relname as name,
  array(select attname::text from pg_attribute
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
from pg_class where relkind = 'r' and relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema')
"""
SEQUENCES = """
select quote_ident(schemaname) || '.' || quote_ident(sequencename) as name, start_value, last_value from pg_sequences
"""


@dataclass(frozen=True)
class Contents:
    """What the template holds: the tables that are not empty, as COPY writes them, and where the sequences stand."""

    columns: Mapping[tuple[str, str], list[str]]
    rows: Mapping[tuple[str, str], bytes]
    sequences: Mapping[str, int | None]


class Databases:
    """Gives databases like `template` away and takes them back."""

    def __init__(self, cluster: postgres.Cluster, template: str, portal: BlockingPortal) -> None:
        self._cluster = cluster
        self._template = template
        self._contents: Contents | None = None
        self._ready: list[str] = []
        self._uses: dict[str, int] = {}
        # A new connection knows nothing of the schema: those that put databases back stay, in a loop that no test
        # ends.
        self._portal = portal
        self._keepers: dict[str, db.Connection] = {}

    @asynccontextmanager
    async def one(self) -> AsyncIterator[str]:
        """The address of a database of one's own."""
        name = self._ready.pop() if self._ready else await self.clone()
        try:
            yield self._cluster.database_url(name)
        finally:
            await asyncio.wrap_future(self._portal.start_task_soon(self._take_back, name))
            if name not in self._ready:
                end_kept(name)

    async def clone(self, original: str = "") -> str:
        """The name of a new database like the template or an original without connections; nobody takes it back."""
        if not self._contents:
            self._contents = await contents_of(self._cluster.database_url(self._template))
        name = f"test_{secrets.token_hex(6)}"
        async with connected(self._cluster.url) as connection:
            await connection.execute(f"create database {name} template {original or self._template} strategy file_copy")
        keep(name)
        return name

    async def _take_back(self, name: str) -> None:
        self._uses[name] = self._uses.get(name, 0) + 1
        if self._uses[name] < MOST_USES and await self._put_back(name):
            self._ready.append(name)
        else:
            await self._drop(name)

    async def close(self) -> None:
        """End what stays open between tests."""
        for keeper in self._keepers.values():
            await keeper.close()

    async def _keeper(self, name: str) -> db.Connection:
        """The connection that puts this database back; a test may have ended the last one."""
        if name not in self._keepers or self._keepers[name].is_closed():
            self._keepers[name] = await asyncpg.connect(self._cluster.database_url(name))
        return self._keepers[name]

    async def _drop(self, name: str) -> None:
        if keeper := self._keepers.pop(name, None):
            await keeper.close()
        async with connected(self._cluster.url) as connection:
            # While one is there even force does not help.
            await self._end_slots(connection, name)
            await connection.execute(f"drop database {name} with (force)")

    async def _end_slots(self, connection: db.Connection, name: str) -> None:
        """A slot goes with its connection, a moment after it."""
        while await connection.fetch(END_SLOTS, name):
            pass

    async def _put_back(self, name: str) -> bool:
        """Whether the database is as it was again."""
        connection = await self._keeper(name)
        await connection.fetchval(END_OTHERS, [kept.get_server_pid() for kept in kept_of(name)])
        await self._end_slots(connection, name)
        touched = await connection.fetch(TOUCHED)
        if (
            any(table["schema"] == "pg_catalog" or table["looked_at"] for table in touched)
            or sum(table["rows"] for table in touched) > MOST_ROWS
            or await connection.fetchval(HAS_MORE_THAN_ROWS)
        ):
            return False
        try:
            await self._refill(connection, [(table["schema"], table["name"]) for table in touched])
        except asyncpg.ObjectNotInPrerequisiteStateError:
            # A published table without a key loses no row.
            return False
        # The statistics begin anew for the next test, and know of what was done here before they are emptied.
        await connection.execute("select pg_stat_force_next_flush()")
        await connection.execute("select pg_stat_reset()")
        return True

    async def _refill(self, connection: db.Connection, tables: list[tuple[str, str]]) -> None:
        assert self._contents
        async with connection.transaction():
            # No trigger sees it, and no foreign key asks for an order.
            await connection.execute("set local session_replication_role = replica")
            if tables:
                await connection.execute("".join(f'delete from only "{schema}"."{name}";' for schema, name in tables))
            for schema, name in tables:
                if rows := self._contents.rows.get((schema, name)):
                    columns = self._contents.columns[schema, name]
                    await connection.copy_to_table(name, schema_name=schema, columns=columns, source=io.BytesIO(rows))
            for sequence in await connection.fetch(SEQUENCES):
                before = self._contents.sequences[sequence["name"]]
                if sequence["last_value"] != before:
                    start = sequence["start_value"] if before is None else before
                    await connection.execute(
                        "select setval($1::text::regclass, $2, $3)", sequence["name"], start, before is not None
                    )


@contextmanager
def opened(cluster: postgres.Cluster, template: str) -> Iterator[Databases]:
    """Databases like the template; their cluster ends them."""
    with start_blocking_portal() as portal:
        databases = Databases(cluster, template, portal)
        yield databases
        portal.call(databases.close)


@contextmanager
def changed(cluster: postgres.Cluster, databases: Databases, sql: str) -> Iterator[Databases]:
    """Databases like these after a change of the schema: made anew, each test would throw its database away."""
    with opened(cluster, asyncio.run(_changed(cluster, databases, sql))) as given:
        yield given


async def _changed(cluster: postgres.Cluster, databases: Databases, sql: str) -> str:
    name = await databases.clone()
    async with connected(cluster.database_url(name)) as connection:
        await connection.execute(sql)
    return name


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[asyncpg.Connection[asyncpg.Record]]:
    """A connection of its own."""
    connection = await asyncpg.connect(url)
    try:
        yield connection
    finally:
        await connection.close()


async def contents_of(url: str) -> Contents:
    columns, rows = {}, {}
    async with connected(url) as connection:
        for schema, name, names in await connection.fetch(TABLES):
            columns[schema, name] = names
            if await connection.fetchval(f'select exists (select from only "{schema}"."{name}")'):
                buffer = io.BytesIO()
                await connection.copy_from_table(name, schema_name=schema, columns=names, output=buffer)
                rows[schema, name] = buffer.getvalue()
        sequences = {row["name"]: row["last_value"] for row in await connection.fetch(SEQUENCES)}
    return Contents(columns, rows, sequences)
