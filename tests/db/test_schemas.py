"""The declared schema: the chapters and the history say the same, and each object is declared once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest

from backend.core import config, db, migrate, statements
from scripts import migration, postgres

pytestmark = pytest.mark.anyio

ROOT = config.ROOT
CREATES = re.compile(
    r"""
    create\s+(?:or\s+replace\s+)?(?:unlogged\s+)?(?:materialized\s+)?(?:unique\s+)?(?:constraint\s+)?
    (?P<kind>function|procedure|table|view|type|domain|index|trigger|policy|event\s+trigger|sequence|publication)\s+
    (?:if\s+not\s+exists\s+)?(?:concurrently\s+)?
    (?P<name>"[^"]+"|[\w.]+)(?:.*?\bon\s+(?P<table>[\w.]+))?
    """,
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
OF_A_TABLE = {"trigger", "policy"}
COMMENT = re.compile(r"comment\s+on\s+(\w+\s+.+?)(?:\(.*?\))?\s+is\s", re.IGNORECASE | re.DOTALL)


@pytest.fixture
async def declared(cluster: postgres.Cluster) -> AsyncIterator[str]:
    """Yield the address of a database made from the chapters alone."""
    name = f"declared_{uuid4().hex}"
    admin = await asyncpg.connect(cluster.url)
    await admin.execute(f"create database {name} template template0")
    connection = await asyncpg.connect(cluster.database_url(name))
    await db.prepare(connection)
    await migrate.platform(connection)
    await migration.apply_chapters(connection)
    await connection.close()
    yield cluster.database_url(name)
    await admin.execute(f"drop database {name} with (force)")
    await admin.close()


async def test_chapters_and_history_declare_the_same_schema(database: str, declared: str) -> None:
    assert migration.summary(await migration.difference(database, declared)) == []


@pytest.mark.long
async def test_a_column_a_function_a_policy_and_a_grant_become_a_migration(
    database: str, declared: str, tmp_path: Path
) -> None:
    connection = await asyncpg.connect(declared)
    await connection.execute(
        """
        alter table public.tasks add column colour text;
        grant update (colour) on public.tasks to authenticated;
        create or replace function private.is_sdi_code(_code text)
          returns boolean language sql immutable strict parallel safe set search_path = ''
        as $$ select _code ~ '^[A-Z0-9]{7}$' and _code <> '0' $$;
        create policy "owners see colours" on public.task_events for update to authenticated using (false);
        """
    )
    await connection.close()
    pieces = await migration.difference(database, declared)
    written = tmp_path / f"{datetime.now(UTC):%Y%m%d%H%M%S}_add_colour.sql"
    written.write_text(migration.text("add_colour", pieces))
    summary = written.read_text().partition("\n\n")[0].lower()
    for part in ("add colour", "add column colour", "is_sdi_code", "owners see colours", "grant update"):
        assert part in summary
    # It applies after the history that made the database.
    connection = await asyncpg.connect(database)
    await migrate.product(connection, tmp_path)
    await connection.close()
    assert migration.summary(await migration.difference(database, declared)) == []


@pytest.mark.parametrize(
    "folder", ["db/schemas", *(f"supabase/backend/{service}/schema" for service in migrate.SERVICES)]
)
def test_each_object_is_declared_once(folder: str) -> None:
    found = Counter(name for path in sorted((ROOT / folder).glob("*.sql")) for name in _declared(path.read_text()))
    assert found
    assert {name: count for name, count in found.items() if count > 1} == {}


def test_no_migration_is_later_than_now() -> None:
    now = f"{datetime.now(UTC):%Y%m%d%H%M%S}"
    assert [each.path.name for each in migrate.files(migration.MIGRATIONS) if each.version > now] == []


def _declared(sql: str) -> Iterator[str]:
    for statement in statements.split(sql):
        code = re.sub(r"^(\s*--[^\n]*\n|\s+)*", "", statement)
        if match := CREATES.match(code):
            kind = match["kind"].lower()
            yield f"{kind} {match['name']}{' on ' + match['table'] if kind in OF_A_TABLE else ''}"
        elif match := COMMENT.match(code):
            yield f"comment on {match[1]}"
