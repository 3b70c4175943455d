"""Writes db/schema.sql: what the migrations add up to, so that a commit shows the effect of its migration.

The dump comes from a throw-away database. Whatever differs between two runs or two machines (versions, random
restrict keys, session settings, owners) is left out.
"""

from __future__ import annotations

import asyncio
import re
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

from backend.core import db, migrate
from scripts import postgres
from scripts.paths import ROOT

OUTPUT = ROOT / "db" / "schema.sql"

HEADER = """\
-- Generated from db/migrations by `python -m scripts.db_dump`; a test fails when it is stale. Never edit, never apply.
"""
# Triggers of ours on tables of the platform: pg_dump leaves them out together with their tables.
FOREIGN_TRIGGERS_SQL = """
select pg_get_triggerdef(pg_trigger.oid) || ';' as definition
from pg_trigger
join pg_class on pg_class.oid = tgrelid
join pg_proc on pg_proc.oid = tgfoid
where not tgisinternal and relnamespace::regnamespace::text not in ('public', 'private')
  and pronamespace::regnamespace::text in ('public', 'private')
order by relnamespace::regnamespace::text, relname, tgname
"""
# Policies of ours on them, likewise.
FOREIGN_POLICIES_SQL = """
select format(
    'create policy %I on %I.%I for %s to %s',
    policyname, schemaname, tablename, lower(cmd), array_to_string(roles, ', ')
  ) || coalesce(E'\n  using (' || qual || ')', '')
    || coalesce(E'\n  with check (' || with_check || ')', '') || ';' as definition
from pg_policies
where schemaname = 'storage'
order by schemaname, tablename, policyname
"""
PUBLISHED_SQL = """
select format('alter publication %I add table %I.%I;', pubname, schemaname, tablename) as definition
from pg_publication_tables
where schemaname in ('public', 'private')
order by pubname, schemaname, tablename
"""
FOREIGN = (
    ("Triggers on tables", FOREIGN_TRIGGERS_SQL),
    ("Policies on tables", FOREIGN_POLICIES_SQL),
    ("Publications", PUBLISHED_SQL),
)
NOISE = re.compile(
    r"""
      ^\\(un)?restrict\ .*\n                       # a random key per run
    | ^--\n--\ PostgreSQL\ database\ dump.*\n--\n  # first and last lines
    | ^--\ Dumped\ (from|by)\ .*\n
    | ^(SET|SELECT\ pg_catalog\.set_config).*\n    # settings of the session that would apply the dump
    """,
    re.MULTILINE | re.VERBOSE,
)


@asynccontextmanager
async def migrated_database() -> AsyncIterator[str]:
    """The address of a throw-away database with all migrations applied, without seeds."""
    with postgres.temporary() as cluster:
        connection = await asyncpg.connect(cluster.url)
        try:
            await db.prepare(connection)
            await migrate.platform(connection, cluster.password)
            await migrate.product(connection, ROOT / "db" / "migrations")
        finally:
            await connection.close()
        yield cluster.url


async def dump(database_url: str) -> str:
    """The normalised definition of the public and private schemas of a migrated database.

    Raises subprocess.CalledProcessError when pg_dump fails.
    """
    command = [str(postgres.client_tools() / "pg_dump"), "--schema-only", "--no-owner"]
    command += ["--schema=public", "--schema=private", f"--dbname={database_url}"]
    done = await asyncio.to_thread(subprocess.run, command, check=True, capture_output=True, text=True, timeout=60)
    connection = await asyncpg.connect(database_url)
    try:
        foreign = [
            "\n".join(
                (f"-- {title} of the platform", "", *[row["definition"] for row in await connection.fetch(sql)], "")
            )
            for title, sql in FOREIGN
        ]
    finally:
        await connection.close()
    return normalise("\n".join((HEADER, done.stdout, *foreign)))


def normalise(text: str) -> str:
    """The dump without its noise and with single empty lines."""
    return re.sub(r"\n{3,}", "\n\n", NOISE.sub("", text)).strip() + "\n"


async def main() -> None:
    """Writes db/schema.sql from a throw-away database."""
    async with migrated_database() as url:
        OUTPUT.write_text(await dump(url))


if __name__ == "__main__":
    asyncio.run(main())
