"""Let a database that older migrations made go on with the baseline that replaced them.

A migration called `<version>_baseline.sql` stands for all that came before it. A database whose history knows other
versions but not the baseline is compared with a scratch database on the same server, made from the baseline. If both
catalogues are equal, the baseline is recorded as applied in place of the old versions; rows of the product stay as they
are. The Supabase CLI calls this `migration squash` and `migration repair`.
"""

from __future__ import annotations

import logging
import secrets
from pathlib import Path

import asyncpg

from backend.core import db, migrate, statements
from backend.core.config import Settings

logger = logging.getLogger("backend.baseline")

NAME = "baseline"
MOST_NAMED = 5

# One row for each part of an object: what it is and how it is defined. Owners and the order of columns do not count.
# NOT NULL is compared with its column: only Postgres 18 keeps it as a constraint too.
CATALOGUE_SQL = """
with ours as (select oid, nspname from pg_namespace where nspname in ('public', 'private')),
relations as (
  select pg_class.*, nspname || '.' || relname as name from pg_class join ours on ours.oid = relnamespace
  where not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
)
select 'function ' || nspname || '.' || proname || '(' || oidvectortypes(proargtypes) || ')' as part,
  concat_ws(E'\\n', pg_get_functiondef(pg_proc.oid), obj_description(pg_proc.oid, 'pg_proc'), (
    select string_agg(
      format('%s %s', case grantee when 0 then 'public' else grantee::regrole::text end, privilege_type), ', '
      order by grantee::regrole::text, privilege_type
    )
    from aclexplode(coalesce(proacl, acldefault('f', proowner))) where grantee <> proowner
  )) as definition
from pg_proc join ours on ours.oid = pronamespace
where prokind in ('f', 'p') and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
union all
select 'table ' || name, concat_ws(E'\\n', relkind, relrowsecurity, relforcerowsecurity, relreplident, reloptions,
  obj_description(relations.oid, 'pg_class'), case relkind when 'v' then pg_get_viewdef(relations.oid) end, (
    select string_agg(
      format('%s %s', case grantee when 0 then 'public' else grantee::regrole::text end, privilege_type), ', '
      order by grantee::regrole::text, privilege_type
    )
    from aclexplode(relacl) where grantee <> relowner
  ))
from relations where relkind in ('r', 'p', 'v', 'm')
union all
select 'column ' || name || '.' || attname, concat_ws(E'\\n', format_type(atttypid, atttypmod), attnotnull, attidentity,
  attgenerated, attcollation::regcollation, pg_get_expr(adbin, adrelid), col_description(relations.oid, attnum), (
    select string_agg(
      format('%s %s', grantee::regrole, privilege_type), ', ' order by grantee::regrole::text, privilege_type
    )
    from aclexplode(attacl)
  ))
from relations
join pg_attribute on attrelid = relations.oid and attnum > 0 and not attisdropped
left join pg_attrdef on adrelid = relations.oid and adnum = attnum
where relkind in ('r', 'p', 'v', 'm', 'c')
union all
select 'constraint ' || conname || ' of ' || coalesce(relations.name, contypid::regtype::text),
  pg_get_constraintdef(pg_constraint.oid)
from pg_constraint join ours on ours.oid = connamespace left join relations on relations.oid = conrelid
where contype <> 'n'
union all
select 'index ' || name, pg_get_indexdef(relations.oid) || indisreplident::text
from relations join pg_index on indexrelid = relations.oid
union all
select 'trigger ' || tgname || ' on ' || tgrelid::regclass, pg_get_triggerdef(pg_trigger.oid) || tgenabled::text
from pg_trigger join pg_proc on pg_proc.oid = tgfoid join ours on ours.oid = pronamespace where not tgisinternal
union all
select 'policy ' || policyname || ' on ' || schemaname || '.' || tablename,
  concat_ws(E'\\n', permissive, roles::text, cmd, qual, with_check)
from pg_policies where schemaname in ('public', 'private', 'storage')
union all
select 'type ' || nspname || '.' || typname, concat_ws(E'\\n', typtype, obj_description(pg_type.oid, 'pg_type'), (
  select string_agg(enumlabel, ', ' order by enumsortorder) from pg_enum where enumtypid = pg_type.oid
), case typtype when 'd' then format_type(typbasetype, typtypmod) end, typacl is null)
from pg_type join ours on ours.oid = typnamespace
where typtype in ('e', 'd', 'c') and typrelid not in (select oid from pg_class where relkind <> 'c')
  and not exists (select from pg_depend where objid = pg_type.oid and deptype = 'e')
union all
select 'publication ' || pubname || ' of ' || schemaname || '.' || tablename, ''
from pg_publication_tables where schemaname in ('public', 'private')
"""


async def adopt(settings: Settings, connection: db.Connection, directory: Path) -> None:
    """Record the baseline as applied in a database that was made by the migrations it replaced.

    Does nothing in an empty database, in one that knows the baseline, and where the folder has no baseline. Raises
    migrate.MigrationError when the catalogues differ, naming what differs.
    """
    found = next((each for each in migrate.files(directory) if each.name == NAME), None)
    if found is None or not await connection.fetchval(
        "select to_regclass('supabase_migrations.schema_migrations') is not null"
    ):
        return
    known = await connection.fetch("select version from supabase_migrations.schema_migrations")
    versions = [row["version"] for row in known]
    if not versions or found.version in versions:
        return
    differing = await _differences(settings, connection, found)
    if differing:
        more = len(differing) - MOST_NAMED
        raise migrate.MigrationError(
            f"this database was made by migrations older than {found.path.name} and its schema differs from it: "
            f"{', '.join(differing[:MOST_NAMED])}{f' and {more} more' if more > 0 else ''}. Update to the last version "
            "with the old migrations first (see CHANGELOG.md), then run migrate again"
        )
    async with connection.transaction():
        await connection.execute("delete from supabase_migrations.schema_migrations where version = any($1)", versions)
        await connection.execute(
            "insert into supabase_migrations.schema_migrations (version, statements, name) values ($1, $2, $3)",
            found.version, statements.split(found.sql), found.name,
        )  # fmt: skip
    logger.info("the baseline replaces the old history", extra={"file": found.path.name, "replaced": len(versions)})


async def catalogue(connection: db.Connection) -> set[tuple[str, str]]:
    """Return the parts of the product's schemas as pairs of name and definition."""
    return {(row["part"], row["definition"]) for row in await connection.fetch(CATALOGUE_SQL)}


async def _differences(settings: Settings, connection: db.Connection, found: migrate.Migration) -> list[str]:
    """Return the names of the parts that the database and the baseline do not define alike, sorted."""
    scratch = f"baseline_{secrets.token_hex(8)}"
    try:
        await connection.execute(f"create database {scratch} template template0")
    except asyncpg.InsufficientPrivilegeError as error:
        raise migrate.MigrationError(
            f"this database was made by migrations older than {found.path.name}. To compare them, the database's user "
            "needs the right to create a database: `alter role … createdb`, then run migrate again"
        ) from error
    try:
        other = await db.connect(settings, database=scratch)
        try:
            await db.prepare(other)
            await migrate.platform(other)
            await other.execute(found.sql)
            differing = await catalogue(connection) ^ await catalogue(other)
        finally:
            await other.close()
    finally:
        await connection.execute(f"drop database {scratch} with (force)")
    return sorted({part for part, _ in differing})
